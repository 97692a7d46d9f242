"""The schedule is data: every window names its units and their places."""

import pytest

from diffusion_render.stream.schedule import Schedule


def test_default_windows_follow_one_another_without_gap():
    schedule = Schedule()
    assert schedule.window(0).chunk == (0, 1, 2, 3, 4, 5, 6)
    second, third = schedule.window(1), schedule.window(2)
    assert (second.sink, second.history, second.chunk) == ((), (5, 6), (7, 8))
    assert (third.sink, third.history, third.chunk) == ((), (7, 8), (9, 10))


def test_sink_units_stay_in_every_window():
    schedule = Schedule(sink=2)
    assert [schedule.window(k).sink for k in (1, 2, 50)] == [(0, 1)] * 3


@pytest.mark.parametrize(("chunk", "sink", "history"), [(1, 0, 2), (2, 2, 2), (2, 4, 3), (3, 0, 0)])
def test_every_window_after_the_first_sits_on_the_same_positions(chunk, sink, history):
    schedule = Schedule(chunk=chunk, sink=sink, history=history)
    assert len({schedule.window(k).positions for k in range(1, 500)}) == 1


def test_every_unit_is_generated_exactly_once():
    schedule = Schedule(first=5, chunk=3, sink=1, history=2)
    units = [u for k in range(40) for u in schedule.window(k).chunk]
    assert units == list(range(schedule.units_after(40)))
    assert all(u in schedule.window(schedule.window_of_unit(u)).chunk for u in units)


@pytest.mark.parametrize(
    "bad",
    [
        {"first": 3, "sink": 2, "history": 2},
        {"chunk": 0},
        {"history": -1},
        {"steps": ()},
        {"steps": (0.9, 0.5)},
        {"steps": (1.0, 1.0)},
        {"steps": (1.0, 0.0)},
        {"history_noise": 1.0},
    ],
)
def test_impossible_schedules_are_refused_at_construction(bad):
    with pytest.raises(ValueError):
        Schedule(**bad)
