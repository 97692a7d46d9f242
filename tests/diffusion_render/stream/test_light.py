"""Light in the stream: it turns with the camera, is read once a look, and what is not known is not told."""

import math

import pytest
import torch

from diffusion_render.stream.heading import seen_from, tell, turned, with_light
from diffusion_render.stream.look_source import dream_reference
from diffusion_render.stream.recorded import RecordedWindows
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import SessionConfig, StreamSession
from tests.diffusion_render.stream.test_heading import FRAMES, MAPS, TEXT, bend, camera, history_of, render
from tests.diffusion_render.stream.test_recorded import Rerun
from tests.diffusion_render.toys import HEIGHT, WIDTH, heading_renderer, some_picture

RENDERER = heading_renderer(light=True)
CONFIG = SessionConfig(0, WIDTH, HEIGHT)


SHORT = SessionConfig(0, WIDTH, HEIGHT, Schedule(first=1, chunk=1, history=1, sink=0))


def session(reference_camera=None, renderer=RENDERER, picture=None, config=CONFIG, **settings) -> StreamSession:
    shown = some_picture() if picture is None else picture
    return StreamSession(renderer, config, shown, MAPS[0], TEXT, reference_camera, **settings)


def angle(value):
    return torch.tensor(value, dtype=torch.float64)


@pytest.mark.parametrize(
    ("turn", "light"),
    [(0.0, [1.0, 0.0, 0.5]), (90.0, [0.0, -1.0, 0.5]), (180.0, [-1.0, 0.0, 0.5]), (-90.0, [0.0, 1.0, 0.5])],
    ids=["as the reference", "left", "half a turn", "right"],
)
def test_a_light_ahead_of_the_reference_lies_behind_after_half_a_turn(turn, light):
    told = with_light(turned(angle(1.0 + math.radians(turn)), angle(1.0)), torch.tensor([1.0, 0.0, 0.5]))
    assert told[3:].tolist() == pytest.approx(light, abs=1e-6)
    assert torch.equal(told[:3], turned(angle(1.0 + math.radians(turn)), angle(1.0)))


def test_what_is_told_of_a_turn_is_what_the_unit_s_own_camera_sees():
    light, headings, reference = torch.randn(3).double(), torch.randn(5).double(), angle(0.7)
    told = with_light(turned(headings, reference), seen_from(light, reference))
    assert torch.allclose(told[:, 3:].double(), seen_from(light, headings), atol=1e-6)


def test_turning_the_world_and_its_cameras_together_changes_nothing():
    light = torch.tensor([[0.3, 0.8, 0.5]]).double()
    by = angle(2.0)
    c, s = by.cos(), by.sin()
    around = torch.stack([light[:, 0] * c - light[:, 1] * s, light[:, 0] * s + light[:, 1] * c, light[:, 2]], 1)
    headings = torch.tensor([1.1]).double()
    assert torch.allclose(seen_from(around, headings + by), seen_from(light, headings))
    assert not torch.allclose(seen_from(around, headings), seen_from(light, headings))
    told = [render_told(1.0 + turn, 0.4 + turn) for turn in (0.0, 2.0)]
    assert torch.allclose(*told, atol=1e-6)


def render_told(reference, start):
    """What the first unit of a stream is told."""
    stream = session(camera(reference), config=SHORT)
    render(stream, bend(start), stop=4)
    return history_of(stream).heading


def test_units_are_told_the_light_that_the_reader_sees_in_the_reference():
    stream = session(camera(1.0))
    look = stream.look
    with torch.no_grad():
        read = RENDERER.generator.reader(look.reference.latents, look.reference.structure)[0]
    assert read.norm() > 1e-3
    assert torch.equal(look.light, read)
    assert torch.allclose(look.reference.heading[0, 0, 3:], read, atol=1e-6)
    assert torch.allclose(look.tell([1.0 + math.pi])[0, 0, 3:], read * torch.tensor([-1.0, -1.0, 1.0]), atol=1e-6)
    other = session(camera(1.0), picture=some_picture(7)).look.light
    assert not torch.allclose(other, read, atol=1e-4)


def test_without_the_camera_of_the_reference_or_of_a_unit_nothing_is_told():
    stream = session(None)
    assert not stream.look.light.any()
    assert not stream.look.reference.heading.any()
    assert not stream.look.tell([1.0]).any()
    assert not session(camera(1.0)).look.tell([math.nan]).any()
    missing = StreamSession(RENDERER, CONFIG, None, MAPS[0], TEXT, camera(1.0)).look
    assert missing.reference.heading.tolist() == [[[1.0, 0.0, 1.0, 0.0, 0.0, 0.0]]]


def test_a_generator_without_light_keeps_to_three_values():
    look = session(camera(1.0), heading_renderer()).look
    assert look.light is None
    assert look.reference.heading.shape == (1, 1, 3)
    assert tell([0.1, 0.2], 0.0, None).shape == (1, 2, 3)


@pytest.fixture(scope="module")
def driven():
    return render(session(camera(1.0)), bend())


@pytest.mark.parametrize("plan", [1, 7, FRAMES])
def test_grouping_of_pushes_never_changes_a_picture(driven, plan):
    assert torch.equal(render(session(camera(1.0)), bend(), plan), driven)


def test_the_light_reaches_the_pictures(driven):
    stream = session(camera(1.0))
    dark = torch.zeros(3)
    reference = stream.look.reference
    told = with_light(reference.heading[..., :3], dark)
    stream.look = stream.look._replace(light=dark, reference=reference._replace(heading=told))
    assert not torch.equal(render(stream, bend()), driven)


def test_recorded_windows_equal_eager_ones(driven):
    record = Rerun()
    stream = session(camera(1.0), render=RecordedWindows(record, print))
    assert torch.equal(render(stream, bend()), driven)
    assert record.made == 2  # the first window, and all others


def test_a_change_of_look_reads_the_light_anew():
    stream = session(camera(1.0), config=SHORT)
    render(stream, bend(), stop=4)
    stream.change_look(some_picture(7), MAPS[0], TEXT, camera(-0.5))
    fresh = session(camera(-0.5), picture=some_picture(7)).look
    assert torch.equal(stream.look.light, fresh.light)
    told = history_of(stream).heading
    assert torch.equal(told, fresh.tell([u.heading for u in stream._memory.history]))


def test_a_reference_can_be_dreamt_and_its_light_read():
    picture = dream_reference(RENDERER, SHORT, MAPS[0], TEXT).float() / 127.5 - 1
    assert session(camera(0.0), picture=picture).look.light.any()
