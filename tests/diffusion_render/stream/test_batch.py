"""Windows of several sessions made at once: each is what it would be alone, and what breaks one leaves the others."""

from dataclasses import replace

import pytest
import torch

from diffusion_render.stream.batch import StackedLooks, kind_of, make_together
from diffusion_render.stream.guides import Guides
from diffusion_render.stream.recorded import RecordedWindows
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import RenderError, SessionConfig, StreamSession
from tests.diffusion_render.stream.test_recorded import Rerun
from tests.diffusion_render.toys import HEIGHT, WIDTH, heading_renderer, some_maps, some_picture

RENDERER = heading_renderer()
FIRST, RUN = 8, 8
LEVELS = 1
"""Of 255, by which pictures may differ: rounding that falls the other way."""
LATENTS = 5e-5
"""By which latents may differ; their rms is 1."""


def camera(turn):
    angle = torch.tensor(turn, dtype=torch.float64)
    x, y = angle.cos().item(), angle.sin().item()
    return torch.tensor([0, 0, 2, x, y, 0, 0, 0, 1, 1, 0.4, 2500], dtype=torch.float64)


def player(number, renderer=RENDERER, seen=True, **schedule):
    """One with a look, seed and reference camera of its own; every second one without a picture."""
    config = SessionConfig(number, WIDTH, HEIGHT, Schedule(**{"first": 2, **schedule}))
    text = torch.randn(4, 12, generator=torch.Generator().manual_seed(number))
    reference = None if number % 2 else some_picture(number)
    return StreamSession(renderer, config, reference, some_maps(1, number)[0], text, camera(number) if seen else None)


def pushed(number, first, count, seen=True):
    """Class maps of a player from one frame on, and guides that turn as they go."""
    maps = some_maps(100, 50 + number)[first : first + count]
    rows = torch.stack([camera(number + 0.1 * k) for k in range(first, first + count)])
    return maps, Guides(torch.full(maps.shape, 20.0 + number), rows) if seen else None


def begin(players):
    for k, stream in enumerate(players):
        stream.push(*pushed(k, 0, 4 * stream.config.schedule.first))
    return players


def together(players, first, **how):
    drafts = [stream.draft(*pushed(k, first, RUN)) for k, stream in enumerate(players)]
    return drafts, make_together(players[0].renderer, drafts, **how)


@pytest.mark.parametrize("schedule", [{}, {"sink": 1, "first": 3}, {"history": 0}, {"steps": (1.0,)}])
def test_each_of_a_batch_is_what_it_would_be_alone_within_the_tolerance(schedule):
    """Looks, headings, seeds and histories differ; in the second window what is remembered was made together too."""
    first = 4 * schedule.get("first", 2)
    batched, alone = (begin([player(k, **schedule) for k in range(2)]) for _ in range(2))
    for window in range(2):
        drafts, made = together(batched, first + RUN * window)
        for k, (stream, draft, one) in enumerate(zip(batched, drafts, made, strict=True)):
            mine = alone[k].draft(*pushed(k, first + RUN * window, RUN))
            expected = alone[k].make(mine)
            assert (one.latents - expected.latents).abs().max() < LATENTS
            pictures = torch.stack(stream.finish(draft, one)).int()
            plain = torch.stack(alone[k].finish(mine, expected)).int()
            assert (pictures - plain).abs().max() <= LEVELS
            assert pictures.shape == (RUN, 3, HEIGHT, WIDTH)
    assert (made[0].latents - made[1].latents).abs().max() > 0.1


def test_first_windows_can_be_made_together_too():
    batched, alone = [player(k) for k in range(2)], [player(k) for k in range(2)]
    _, made = together(batched, 0)
    for k, stream in enumerate(alone):
        expected = stream.make(stream.draft(*pushed(k, 0, FIRST)))
        assert (made[k].latents - expected.latents).abs().max() < LATENTS


def test_a_batch_of_one_is_the_session_alone_bit_for_bit():
    one, alone = begin([player(0)]), begin([player(0)])
    drafts, made = together(one, FIRST)
    expected = alone[0].push(*pushed(0, FIRST, RUN))
    assert all(torch.equal(a, b) for a, b in zip(one[0].finish(drafts[0], made[0]), expected, strict=True))


def test_nan_of_one_player_reaches_no_other():
    batched, healthy = begin([player(k) for k in range(3)]), begin([player(k) for k in range(3)])
    sick = batched[1]
    broken = [u._replace(latent=u.latent * torch.nan) for u in sick._memory.history]
    sick._memory = replace(sick._memory, history=broken)
    drafts, made = together(batched, FIRST)
    _, expected = together(healthy, FIRST)
    with pytest.raises(RenderError, match="window 1 has NaN"):
        sick.finish(drafts[1], made[1])
    for k in (0, 2):
        assert torch.equal(made[k].pictures, expected[k].pictures)
        assert len(batched[k].finish(drafts[k], made[k])) == RUN
    sick.reset()
    assert len(sick.push(*pushed(1, 0, FIRST))) == FIRST


def test_recordings_are_made_once_for_each_number_of_players():
    record = Rerun()
    windows = RecordedWindows(record, print)
    batched, eager = begin([player(k) for k in range(2)]), begin([player(k) for k in range(2)])
    for window in range(2):
        drafts, made = together(batched, FIRST + RUN * window, render=windows)
        plain_drafts, plain = together(eager, FIRST + RUN * window)
        for k in range(2):
            pictures = batched[k].finish(drafts[k], made[k])
            assert all(torch.equal(a, b) for a, b in zip(pictures, eager[k].finish(plain_drafts[k], plain[k])))
    assert record.made == 1
    drafts, made = together(batched[:1], FIRST + 2 * RUN, render=windows)
    assert record.made == 2


def test_a_batch_that_cannot_be_recorded_is_refused_and_single_windows_go_on_as_they_did():
    """Too little memory for several at once says nothing about one."""
    record, lines = Rerun(), []
    windows = RecordedWindows(lambda work: record(work) if work().sums.shape[0] == 1 else _no_memory(), lines.append)
    players = begin([player(0, history=0), player(1, history=0)])
    drafts = [stream.draft(*pushed(k, FIRST, RUN)) for k, stream in enumerate(players)]
    with pytest.raises(RuntimeError, match="out of memory"):
        make_together(RENDERER, drafts, windows)
    (alone,) = make_together(RENDERER, drafts[:1], windows)
    assert torch.equal(alone.pictures, players[0].make(drafts[0]).pictures)
    assert (record.made, lines) == (1, [])


def _no_memory():
    raise RuntimeError("CUDA out of memory. Tried to allocate 90 GiB.")


def test_windows_of_several_kinds_are_not_made_together():
    """Same shapes, but a sink that a change of look has dropped: places on the template differ."""
    plain, dropped = begin([player(0, first=3), player(1, first=3, sink=1)])
    dropped.change_look(None, some_maps(1)[0], torch.zeros(4, 12))
    drafts = [stream.draft(*pushed(k, 12, RUN)) for k, stream in enumerate((plain, dropped))]
    shapes = [kind_of(draft)[-1] for draft in drafts]
    assert shapes[0] == shapes[1]
    with pytest.raises(ValueError, match="of one kind, got 2 among 2"):
        make_together(RENDERER, drafts)


def test_a_draft_takes_the_class_maps_of_one_whole_window():
    stream = player(0)
    with pytest.raises(ValueError, match="takes 8 class maps at once, got 7"):
        stream.draft(*pushed(0, 0, FIRST - 1))
    assert stream.frames_wanted == FIRST


def test_looks_are_stacked_once_for_the_same_players_and_anew_after_a_change():
    looks, record = StackedLooks(), Rerun()
    windows = RecordedWindows(record, print)
    kept, plain = (begin([player(k) for k in range(2)]) for _ in range(2))
    stacks = []
    for number in range(3):
        first = FIRST + RUN * number
        drafts, made = together(kept, first, render=windows, looks=looks)
        stacks.append(looks([draft.inputs for draft in drafts]))
        bare, expected = together(plain, first)
        for k in range(2):
            both = kept[k].finish(drafts[k], made[k]), plain[k].finish(bare[k], expected[k])
            assert all(torch.equal(a, b) for a, b in zip(*both, strict=True))
        if number == 1:
            for streams in (kept, plain):
                streams[1].change_look(some_picture(9), some_maps(1, 9)[0], torch.ones(4, 12), camera(1))
    prefixes = [stack[0] for stack in stacks]
    assert prefixes[0] is prefixes[1]
    assert prefixes[1] is not prefixes[2]
    assert record.made == 1
