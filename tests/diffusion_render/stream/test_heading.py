"""Headings: measured over the ground, told from the reference's camera, zero where unknown, exact in the stream."""

import math

import pytest
import torch

from diffusion_render.stream.arrivals import Piece, guides_of
from diffusion_render.stream.guides import Guides
from diffusion_render.stream.heading import UNKNOWN, camera_heading, camera_headings, turned, unit_headings
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import SessionConfig, StreamSession
from diffusion_render.stream.standing import history_tokens, sink_tokens
from tests.diffusion_render.toys import HEIGHT, WIDTH, heading_renderer, some_maps, some_picture, toy_renderer

FRAMES = 36
MAPS = some_maps(FRAMES)
TEXT = torch.randn(4, 12, generator=torch.Generator().manual_seed(5))
DEPTH = torch.full((FRAMES, HEIGHT, WIDTH), 20.0)


def camera(heading: float, pitch: float = 0.0) -> torch.Tensor:
    flat, up = math.cos(pitch), math.sin(pitch)
    forward = [flat * math.cos(heading), flat * math.sin(heading), up]
    upright = [-up * math.cos(heading), -up * math.sin(heading), flat]
    return torch.tensor([5.0, -3.0, 2.0, *forward, *upright, 1.0, 0.3, 2500.0], dtype=torch.float64)


def bend(start: float = 0.4) -> Guides:
    """A long left-hand bend."""
    return Guides(DEPTH, torch.stack([camera(start + 0.05 * k, -0.1) for k in range(FRAMES)]))


RENDERER = heading_renderer()


def session(reference_camera=None, renderer=RENDERER, **schedule) -> StreamSession:
    config = SessionConfig(0, WIDTH, HEIGHT, Schedule(**schedule))
    return StreamSession(renderer, config, some_picture(), MAPS[0], TEXT, reference_camera)


def render(stream, guides, plan=4, start=0, stop=FRAMES):
    pictures = []
    for a in range(start, stop, plan):
        part = slice(a, min(a + plan, stop))
        pictures += stream.push(MAPS[part], guides and Guides(guides.depth[part], guides.camera[part]))
    return torch.stack(pictures)


@torch.inference_mode()
def history_of(stream):
    """The history as the next window reads it."""
    plan = stream.config.schedule
    window = stream._memory.window(plan)
    past, standing = stream._memory.past(stream.config.seed, plan, stream._unit_noise), stream._standing_for(window)
    told = standing.told([*(u.heading for u in past.history), *[UNKNOWN] * len(window.chunk)])
    return history_tokens(past, standing, told[0])


def sink_of(stream):
    return sink_tokens(stream._memory.sink, stream.look, stream.device)


@pytest.mark.parametrize("heading", [0.0, 0.5, math.pi / 2, 3.0, -2.0])
@pytest.mark.parametrize("pitch", [0.0, -0.7, 1.5])
def test_a_heading_is_the_angle_over_the_ground_whatever_the_pitch(heading, pitch):
    assert camera_heading(camera(heading, pitch)) == pytest.approx(heading, abs=1e-9)


def test_cameras_that_look_straight_down_or_nowhere_have_no_heading():
    rows = torch.stack([camera(0.3, -math.pi / 2), camera(0.3), camera(0.3)])
    rows[1, 3:6] = torch.nan
    rows[2, 3:6] = 0.0
    assert camera_headings(rows).isnan().all()
    assert math.isnan(camera_heading(None))


def test_a_row_that_is_no_camera_is_refused():
    with pytest.raises(ValueError, match=r"one camera \(12,\), got \(11,\)"):
        session(camera(0.0)[:11])


def test_a_turn_is_told_from_the_reference_and_zero_where_either_is_unknown():
    headings, reference = torch.tensor([3.0, -3.0, torch.nan]).double(), torch.tensor(3.0).double()
    told = turned(headings, reference)
    assert told[0].tolist() == [1.0, 0.0, 1.0]
    assert told[1].tolist() == pytest.approx([math.cos(6), -math.sin(6), 1.0])
    assert not told[2].any()
    assert not turned(headings, reference * torch.nan).any()


def test_a_unit_has_the_heading_of_its_last_frame_if_all_of_its_frames_have_guides():
    frames = [Piece(MAPS[k : k + 1], bend().frame(k)) for k in range(12)]
    whole = [0.4 + 0.05 * k for k in (3, 7, 11)]
    assert unit_headings(guides_of(frames)) == pytest.approx(whole)
    assert unit_headings(guides_of([Piece(MAPS[:12], Guides(*(part[:12] for part in bend())))])) == pytest.approx(whole)
    frames[5] = Piece(MAPS[5:6], None)
    assert [math.isnan(h) for h in unit_headings(guides_of(frames))] == [False, True, False]
    assert all(math.isnan(h) for h in unit_headings([None] * 2))


@pytest.fixture(scope="module")
def driven():
    return render(session(camera(1.0)), bend())


def test_the_stream_reads_the_turn_and_nothing_else_of_a_heading(driven):
    """The whole world may be turned, its reference with it; not the reference alone."""
    tokens = []
    for by in (0.0, 2.0):
        stream = session(camera(1.0 + by))
        render(stream, bend(0.4 + by), 28, stop=28)
        tokens.append(history_of(stream).heading)
    assert torch.allclose(*tokens, atol=1e-6)
    assert not torch.equal(driven, render(session(camera(-1.0)), bend()))


@pytest.mark.parametrize("plan", [1, 7, 36])
def test_grouping_of_pushes_never_changes_a_picture(driven, plan):
    assert torch.equal(render(session(camera(1.0)), bend(), plan), driven)


@pytest.mark.parametrize(
    ("guides", "reference_camera"), [(None, None), (bend(), None)], ids=["no guides", "reference from elsewhere"]
)
def test_what_is_not_known_is_not_told_bit_for_bit(guides, reference_camera):
    plain = render(session(renderer=toy_renderer()), None, FRAMES)
    assert torch.equal(render(session(reference_camera), guides, FRAMES), plain)


def test_guides_are_of_use_to_a_generator_that_reads_headings():
    assert RENDERER.config.guided
    assert not toy_renderer().config.guided


def test_a_generator_without_headings_ignores_them():
    plain = toy_renderer()
    told, silent = session(camera(1.0), plain), session(None, plain)
    assert torch.equal(render(told, bend(), FRAMES), render(silent, None, FRAMES))


def test_a_change_of_look_tells_history_from_the_new_camera():
    stream = session(camera(1.0), sink=2)
    render(stream, bend(), stop=28)
    with torch.inference_mode():
        stream.change_look(some_picture(7), MAPS[3], TEXT, camera(-0.5))
    told = history_of(stream).heading
    angles = torch.tensor([[0.4 + 0.05 * k for k in (23, 27)]]).double()
    assert torch.allclose(told, turned(angles, torch.tensor(-0.5).double()), atol=1e-6)
    assert stream.look.reference.heading.tolist() == [[[1.0, 0.0, 1.0]]]
    render(stream, bend(), start=28, stop=36)
    expected = turned(torch.tensor([[0.4 + 0.05 * k for k in (31, 35)]]).double(), torch.tensor(-0.5).double())
    assert torch.allclose(sink_of(stream).heading, expected, atol=1e-6)


def test_after_a_look_from_elsewhere_no_heading_is_told():
    stream = session(camera(1.0))
    render(stream, bend(), stop=28)
    stream.change_look(some_picture(7), MAPS[3], TEXT)
    assert not history_of(stream).heading.any()
    assert not stream.look.reference.heading.any()


@torch.inference_mode()
@pytest.mark.parametrize("sink", [0, 2])
def test_the_stream_is_the_generator_without_caches(monkeypatch, sink):
    """Every velocity of a stream with headings, computed afresh from the tokens that it stands on."""
    stream, generator, seen = session(camera(1.0), sink=sink), RENDERER.generator, []
    step = generator.step

    def checked(cache, chunk):
        past = history_of(stream)
        afresh = generator(stream.look.text, stream.look.reference, sink_of(stream), past, chunk)
        made = step(cache, chunk)
        seen.append(((made - afresh).abs().max(), chunk.heading))
        return made

    render(stream, bend(), 28, stop=28)
    monkeypatch.setattr(generator, "step", checked)
    render(stream, bend(), 8, start=28)
    assert len(seen) == 2
    assert max(difference for difference, _ in seen) < 1e-5
    assert all(heading[..., 2].eq(1).all() for _, heading in seen)
