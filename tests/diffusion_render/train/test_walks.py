"""Walks: each window stands on what the model made in the one before; walks end with their clips."""

import pytest
import torch

from diffusion_render.stream.schedule import Schedule
from diffusion_render.train.walks import Walks
from tests.diffusion_render.train.test_teacher_forcing import SCHEDULE, bank  # noqa: F401

H, C = SCHEDULE.history, SCHEDULE.chunk


def made_like(batch, value):
    return torch.full_like(batch.latents[:, H:], value)


def test_a_walk_starts_on_truth_and_goes_on_from_what_was_made(bank):  # noqa: F811
    walks = Walks(bank, SCHEDULE, 6, broken=0.0)
    first = walks.next(0)
    pick = walks._pick
    assert torch.equal(first.latents, bank.at(pick, H + C).latents)
    walks.keep(made_like(first, 3.0))
    second = walks.next(1)
    on = walks._walked
    assert on.any()
    assert torch.equal(second.place.clip[on], first.place.clip[on])
    moving = on & ~pick.given.standing
    assert torch.equal(second.place.unit[moving], first.place.unit[moving] + C)
    kept = torch.cat([first.latents, made_like(first, 3.0)], 1)[:, -H:]
    assert torch.equal(second.latents[on, :H], kept[on])
    true = bank.at(walks._pick, H + C).latents
    assert torch.equal(second.latents[:, H:], true[:, H:])
    assert torch.equal(second.latents[~on], true[~on])


def test_no_walk_leaves_its_clip_and_ended_ones_start_early_on_truth(bank):  # noqa: F811
    walks = Walks(bank, SCHEDULE, 5)
    restarted = 0
    for step in range(12):
        batch = walks.next(step)
        assert (walks._pick.start + H + C <= bank.units).all()
        ended = ~walks._walked
        if step:
            restarted += int(ended.sum())
            assert (walks._pick.start[ended] < C).all()
        assert torch.equal(batch.latents[ended], bank.at(walks._pick, H + C).latents[ended])
        walks.keep(made_like(batch, float(step)))
    assert restarted


def test_walks_go_on_from_first_windows_that_the_model_made(bank):  # noqa: F811
    first = bank.units - 1
    walks = Walks(bank, Schedule(first=first, history=1, chunk=1), 6, broken=0.0)
    seen = walks.next(0)
    walks.keep(seen.latents[:, 1:])
    pick = walks.openings(1, 2, first)
    made = torch.randn_like(bank.at(pick, first).latents)
    walks.begin(1, pick, made)
    batch, rows = walks.next(2), [2, 3]  # the second two of six
    assert (pick.start == 0).all()
    assert walks._walked[rows].all()
    assert torch.equal(batch.place.clip[rows], pick.clip)
    assert torch.equal(batch.latents[rows, :1], made[:, -1:])
    units = torch.where(pick.given.standing[:, None], bank.units, torch.tensor([first - 1, first]))
    assert torch.equal(batch.place.unit[rows], units)


def test_first_windows_before_any_walk_leave_no_trace(bank):  # noqa: F811
    walks, other = Walks(bank, SCHEDULE, 4), Walks(bank, SCHEDULE, 4)
    pick = walks.openings(0, 2, SCHEDULE.first)
    walks.begin(0, pick, torch.zeros_like(bank.at(pick, SCHEDULE.first).latents))
    assert torch.equal(walks.next(1).latents, other.next(1).latents)


def test_the_number_of_a_step_decides_the_draw(bank):  # noqa: F811
    one, two, other = (Walks(bank, SCHEDULE, 4).next(n) for n in (7, 7, 8))
    assert torch.equal(one.latents, two.latents)
    assert not torch.equal(one.latents, other.latents)


def test_clips_that_are_too_short_are_refused_with_both_numbers(bank):  # noqa: F811
    with pytest.raises(ValueError, match=rf"of 40 units .*these have {bank.units}"):
        Walks(bank, Schedule(first=20, history=20, chunk=20), 2)
