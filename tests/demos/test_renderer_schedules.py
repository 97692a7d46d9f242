"""Schedules that come as names and integers: checked, turned into plans, fitted to the runs that come."""

import pytest

from demos.renderer.schedules import fit_window, noise_levels, read_schedule
from diffusion_render.stream.schedule import Schedule

MOST = 20


def test_two_steps_are_those_of_the_default_plan():
    assert noise_levels(2) == pytest.approx(Schedule().steps)


@pytest.mark.parametrize("steps", range(1, 9))
def test_any_number_of_steps_makes_a_legal_plan(steps):
    assert Schedule(steps=noise_levels(steps)).steps[0] == 1.0


def test_named_values_change_and_the_others_stay():
    plan = Schedule(history_noise=0.2)
    new = read_schedule({"chunk": 1, "steps": 1}, plan, MOST)
    assert (new.chunk, new.steps, new.history, new.history_noise) == (1, (1.0,), plan.history, 0.2)
    assert read_schedule({"history_noise": 150}, plan, MOST).history_noise == 0.15


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"chunks": 1}, "no 'chunks' to change: there are chunk, history"),
        ({"first": 3}, "no 'first' to change: it is what WELCOME says"),
        ({"chunk": 0}, "chunk must be 1 to 8, got 0"),
        ({"steps": 99}, "steps must be 1 to 8, got 99"),
        ({"history_noise": -1}, "history_noise must be 0 to 900"),
        ({"chunk": 6}, "a chunk of 6 units is 24 frames; most: 20"),
    ],
)
def test_what_makes_no_plan_is_refused_by_name(values, text):
    with pytest.raises(ValueError, match=text):
        read_schedule(values, Schedule(), MOST)


@pytest.mark.parametrize("history", [0, 2, 8])
@pytest.mark.parametrize("sink", [0, 4])
@pytest.mark.parametrize("units", [1, 2, 7])
def test_a_run_of_any_length_is_one_window(history, sink, units):
    plan = read_schedule({"history": history, "sink": sink}, Schedule(), MOST)
    assert len(fit_window(plan, units, begun=False).window(0).chunk) == units
    assert len(fit_window(plan, units, begun=True).window_from(3, 40).chunk) == units
