"""A stream of pictures: the plan of pushes, the length and the neighbours never change it."""

from dataclasses import replace

import pytest
import torch

from diffusion_render.stream.noise import Draw
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import RenderError, SessionConfig, StreamSession
from tests.diffusion_render.toys import HEIGHT, WIDTH, some_maps, some_picture, toy_renderer

RENDERER = toy_renderer()
TEXT = torch.randn(4, 12, generator=torch.Generator().manual_seed(5))
MAPS = some_maps(60)


def session(seed: int = 0, **schedule) -> StreamSession:
    config = SessionConfig(seed, WIDTH, HEIGHT, Schedule(**schedule))
    return StreamSession(RENDERER, config, some_picture(), MAPS[0], TEXT)


def render(stream: StreamSession, maps: torch.Tensor, plan: int) -> list[torch.Tensor]:
    return [p for part in maps.split(plan) for p in stream.push(part)]


def same(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
    return len(a) == len(b) and all(torch.equal(x, y) for x, y in zip(a, b))


def test_first_pictures_come_with_the_28th_map_and_answer_every_map_once():
    stream = session()
    assert stream.push(MAPS[:27]) == []
    assert stream.frames_wanted == 1
    assert len(stream.push(MAPS[27:28])) == 28
    assert [len(stream.push(MAPS[k : k + 1])) for k in range(28, 44)] == [0] * 7 + [8] + [0] * 7 + [8]


@pytest.mark.parametrize("plan", [1, 3, 8, 44])
def test_grouping_of_pushes_never_changes_a_picture(plan):
    assert same(render(session(), MAPS[:44], plan), render(session(), MAPS[:44], 4))


def test_a_longer_session_has_the_same_first_pictures():
    assert same(render(session(), MAPS[:36], 4), render(session(), MAPS[:60], 4)[:36])


def test_later_maps_never_change_earlier_pictures():
    changed = MAPS.clone()
    changed[36:] = some_maps(24, seed=8)
    assert same(render(session(), MAPS[:44], 4)[:36], render(session(), changed[:44], 4)[:36])


def test_reset_equals_a_fresh_session():
    stream = session()
    render(stream, MAPS[:41], 4)
    stream.reset()
    assert same(render(stream, MAPS[:36], 4), render(session(), MAPS[:36], 4))


def test_two_sessions_in_one_process_do_not_touch_each_other():
    one, two = session(0), session(1)
    pictures = [], []
    for part in MAPS[:44].split(4):
        for k, stream in enumerate((one, two)):
            pictures[k].extend(stream.push(part))
    assert same(pictures[0], render(session(0), MAPS[:44], 4))
    assert not same(pictures[0], pictures[1])


def test_noise_of_a_unit_depends_on_seed_and_unit_alone():
    def noise_of(stream, unit):
        return stream._unit_noise([Draw(stream.config.seed, unit, "chunk")])

    a, b = session(3), session(3, chunk=1)
    assert torch.equal(noise_of(a, 9), noise_of(b, 9))
    assert not torch.equal(noise_of(a, 9), noise_of(a, 10))
    assert not torch.equal(noise_of(a, 9), noise_of(session(4), 9))


def test_after_a_change_of_look_nothing_of_the_old_one_is_read():
    stream = session()
    render(stream, MAPS[:36], 4)
    old = stream.look
    with torch.inference_mode():
        stream.change_look(some_picture(7), MAPS[3], -TEXT)
        for tensor in (old.text, old.reference.latents, *old.tables, old.structure_table):
            tensor.fill_(torch.nan)
    pictures = render(stream, MAPS[36:60], 4)
    assert len(pictures) == 24
    assert not same(pictures, render(session(), MAPS[:60], 4)[36:])


def test_state_is_bounded_by_the_window():
    stream = session(sink=2)
    render(stream, MAPS, 4)
    assert (len(stream._memory.sink), len(stream._memory.history), len(stream._pending)) == (2, 2, 0)


def test_nan_is_caught_before_anything_is_shown_or_remembered():
    stream = session()
    render(stream, MAPS[:28], 4)
    history = stream._memory.history
    sick = [u._replace(latent=u.latent * torch.nan) for u in history]
    stream._memory = replace(stream._memory, history=sick)
    with pytest.raises(RenderError, match="window 1 has NaN"):
        stream.push(MAPS[28:36])
    assert stream.window_index == 1
    stream.reset()
    assert len(render(stream, MAPS[:28], 4)) == 28


@pytest.mark.parametrize("bad", [torch.zeros(1, 64, 64, dtype=torch.uint8), torch.zeros(1, HEIGHT, WIDTH)])
def test_maps_of_another_size_or_type_are_refused(bad):
    with pytest.raises(ValueError, match="expected uint8 class maps"):
        session().push(bad)


@pytest.mark.parametrize(
    "schedule", [{"chunk": 1}, {"sink": 2}, {"history": 0}, {"sink": 4, "history": 3}, {"steps": (1.0,)}]
)
def test_other_schedules_stream_too(schedule):
    assert len(render(session(**schedule), MAPS[:44], 4)) == 44


def test_sizes_that_do_not_divide_are_refused():
    with pytest.raises(ValueError, match="450 × 256"):
        SessionConfig(width=450)
