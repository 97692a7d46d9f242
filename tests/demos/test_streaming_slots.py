"""Slots: one picture each at equal rates, bounded delay whatever the source does."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.streaming.slots import Slots, SlotsConfig


def stream(
    arrivals: Iterable[tuple[float, float]], fps: int = 24, seconds: float = 0.0, **config: int
) -> tuple[list[float | None], Slots[float]]:
    """Pictures (when they come, media time), which are their own media time, through slots; what each slot showed."""
    slots: Slots[float] = Slots(SlotsConfig(fps, **config))
    shown: list[float | None] = []

    def run_to(moment: float) -> None:
        while len(shown) / fps < moment:
            slot = len(shown)
            for media in due:
                slots.put(media, media, slot)
            due.clear()
            shown.append(slots.take(slot))

    due: list[float] = []
    for at, media in arrivals:
        run_to(at)
        due.append(media)
    run_to(max(seconds, len(shown) / fps + 1e-9))
    return shown, slots


def delays(shown: list[float | None], fps: int = 24) -> list[float]:
    """How old the media of each slot is, for a source whose media time is the sender's clock."""
    return [k / fps - media for k, media in enumerate(shown) if media is not None]


def test_equal_rates_give_each_picture_one_slot_whatever_its_jitter():
    jitter = (0.0, 0.011, -0.013, 0.004, 0.019, -0.02)
    shown, slots = stream((1.0 + k / 24 + jitter[k % 6], k / 24) for k in range(2400))
    settled = [m for m in shown if m is not None][240:]
    numbers = [round(m * 24) for m in settled]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert slots.repeated < 5
    assert slots.dropped < 5


@pytest.mark.parametrize(("source", "fps"), [(24, 30), (60, 24), (24, 60), (8, 24), (120, 24)])
def test_other_rates_are_met_by_repeats_and_drops(source, fps):
    shown, slots = stream(((0.5 + k / source, k / source) for k in range(20 * source)), fps)
    late = delays(shown, fps)
    assert max(late) - min(late) <= 2 / fps + 1 / source + 1e-6
    assert slots.repeated >= 0.9 * 20 * max(0, fps - source)
    assert slots.dropped >= 0.9 * 20 * max(0, source - fps)


@pytest.mark.parametrize("speed", [1.001, 0.999, 1.02, 0.98])
def test_a_source_with_a_clock_of_its_own_never_falls_behind(speed):
    """CASES.md B107: two hours at 1.001 of the sender's clock are 7.2 s that must not become delay."""
    shown, slots = stream((k / 24 / speed, k / 24) for k in range(2 * 3600 * 24))
    waits = [k / 24 - m / speed for k, m in enumerate(shown) if m is not None]
    assert max(waits) <= 0.2
    expected = abs(1 - 1 / speed) * 2 * 3600 * 24
    assert (slots.dropped if speed > 1 else slots.repeated) == pytest.approx(expected, rel=0.1)


def test_a_renderer_that_is_slow_now_and_then_adds_no_delay():
    """CASES.md B113: 8 and 24 fps in turn, every 5 s, for 3 min, onto 20 fps."""

    def arrivals() -> Iterable[tuple[float, float]]:
        at = 0.0
        while at < 180:
            yield at, at
            at += 1 / 8 if int(at / 5) % 2 else 1 / 24

    shown, _ = stream(arrivals(), 20, 180)
    assert len(shown) == 3600
    assert max(delays(shown, 20)) <= 0.3


def test_a_film_that_is_made_slower_than_it_plays_is_shown_picture_by_picture():
    shown, slots = stream((k / 7, k / 24) for k in range(100))
    seen = [m for m in dict.fromkeys(shown) if m is not None]
    assert len(seen) == 100
    assert slots.dropped == 0


def test_a_chunk_that_comes_at_once_is_played_at_its_pace():
    first = [(1.2, k / 24) for k in range(28)]
    rest = [(1.2 + (c + 1) * 8 / 24, (28 + 8 * c + k) / 24) for c in range(60) for k in range(8)]
    shown, slots = stream(first + rest, 24, 22)
    numbers = [round(m * 24) for m in shown if m is not None]
    steps = [b - a for a, b in itertools.pairwise(numbers)]
    assert set(steps[-300:-20]) == {1}
    # The first chunk is longer than the others: what it adds to the delay is given up again.
    assert delays(shown)[0] > 1.1
    assert delays(shown)[400] <= 0.5
    assert slots.waiting == 0


def test_a_pause_repeats_the_picture_and_costs_no_delay_afterwards():
    before = [(k / 24, k / 24) for k in range(48)]
    after = [(10 + k / 24, (48 + k) / 24) for k in range(48)]
    shown, slots = stream(before + after, 24, 12)
    assert shown[100] == shown[200] == 47 / 24
    numbers = [round(m * 24) for m in shown[242:280] if m is not None]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert slots.dropped == 0


def test_a_race_that_begins_anew_drops_what_waited():
    slots: Slots[str] = Slots(SlotsConfig(24))
    for k in range(20):
        slots.put(5 + k / 24, f"old {k}", 0)
    assert slots.take(0) == "old 0"
    slots.put(0.0, "new", 1)
    assert slots.take(1) == "new"
    assert slots.take(30) == "new"
    assert slots.dropped == 19


def test_a_picture_of_the_same_moment_takes_the_place_of_the_last():
    """A paused game under another look."""
    slots: Slots[str] = Slots(SlotsConfig(24))
    slots.put(1.0, "plain", 0)
    assert slots.take(0) == "plain"
    slots.put(1.0, "stormy", 50)
    assert slots.take(50) == "stormy"
    slots.put(1.0 + 1 / 24, "next", 51)
    assert slots.take(51) == "next"


def test_a_jump_of_the_source_does_not_freeze_the_stream():
    slots: Slots[str] = Slots(SlotsConfig(24))
    slots.put(1.0, "here", 0)
    slots.take(0)
    slots.put(1000.0, "far away", 1)
    assert slots.take(1) == "far away"


def test_nothing_is_shown_before_the_first_picture():
    slots: Slots[str] = Slots()
    assert slots.take(0) is None
    assert slots.take(7) is None
    assert slots.repeated == 0


def test_what_waits_is_bounded_and_the_oldest_go_first():
    slots: Slots[int] = Slots(SlotsConfig(24, kept=10))
    for k in range(11):
        slots.put(k / 24, k, 0)
    assert slots.waiting == 10
    assert slots.dropped == 1
    assert slots.take(0) is None  # the one that was due is gone
    assert slots.take(1) == 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)), min_size=1, max_size=60),
    st.sampled_from([20, 24, 30, 60]),
)
def test_any_source_is_shown_in_order_and_never_stays_behind(steps, fps):
    at = media = 0.0
    arrivals = []
    for wait, forward in steps:
        at, media = at + wait, media + forward
        arrivals.append((at, media))
    shown, slots = stream(arrivals, fps, at + 64 / fps + 1)
    seen = [m for m in shown if m is not None]
    assert seen == sorted(seen)
    assert shown[-1] == media  # the newest is out at the latest when the line would have been full
    assert slots.waiting == 0
    fresh = sum(not math.isclose(a, b) for a, b in zip([-1.0, *seen], seen))
    assert fresh + slots.repeated <= len(seen) + 1
