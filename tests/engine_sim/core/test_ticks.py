"""Fixed steps: exact over long times, capped after stalls."""

import pytest

from engine_sim.core.errors import UserError
from engine_sim.core.ticks import NANOSECONDS, FixedStep, ticks_per_frame


def test_sixty_seconds_of_uneven_gaps_are_exactly_7200_steps():
    clock, steps, elapsed, k = FixedStep(), 0, 0, 0
    while elapsed < 60 * NANOSECONDS:
        gap = min(3_000_000 + (k * 7_919_317) % 40_000_000, 60 * NANOSECONDS - elapsed)
        steps, elapsed, k = steps + clock.advance(gap), elapsed + gap, k + 1
    assert steps == 7200
    assert clock.lost_steps == 0


def test_a_stall_runs_at_most_the_cap_and_reports_the_loss_once():
    clock = FixedStep(max_catch_up=8)
    assert clock.advance(16_000_000) == 1
    assert clock.advance(5 * NANOSECONDS) == 8
    assert clock.lost_steps == 600 - 8
    assert clock.advance(16_000_000) <= 2
    assert clock.lost_steps == 592


def test_fraction_is_the_share_of_the_next_step():
    clock = FixedStep(rate=100)
    clock.advance(15_000_000)
    assert clock.fraction == pytest.approx(0.5)


def test_a_clock_that_runs_backwards_adds_nothing():
    clock = FixedStep()
    assert clock.advance(-NANOSECONDS) == 0
    assert clock.advance(NANOSECONDS // 100) == 1


@pytest.mark.parametrize(("fps", "ticks"), [(24, 5), (30, 4), (40, 3), (60, 2)])
def test_frames_are_whole_numbers_of_ticks(fps, ticks):
    assert ticks_per_frame(fps) == ticks


@pytest.mark.parametrize("fps", [0, -24, 25, 50, 120, 144])
def test_other_rates_are_refused_with_the_legal_ones(fps):
    with pytest.raises(UserError, match="24, 30, 40, 60"):
        ticks_per_frame(fps)


def test_cap_and_rate_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        FixedStep(rate=0)
