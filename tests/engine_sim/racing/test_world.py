"""Set-up is checked, controls are checked, and looking at a world changes nothing."""

import math

import pytest

from engine_sim.core.errors import UserError
from engine_sim.racing.controls import Controls
from engine_sim.racing.state import SLOPE_AHEAD
from engine_sim.racing.world import RaceSetup, World

from .circuits import oval
from .driving import IDLE, accelerate, green, hold


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rivals", 16), ("rivals", -1), ("rivals", 2.0), ("rivals", True), ("laps", 0), ("laps", 201), ("laps", "2"),
        ("wetness", 1.1), ("wetness", float("nan")), ("wetness", None), ("steering_help", -0.1),
        ("traction_help", 2), ("player_skill", "good"), ("player", "robot"), ("automatic", 1), ("seed", 1.5),
    ],
)  # fmt: skip
def test_a_wrong_set_up_names_its_field(field, value):
    with pytest.raises(UserError, match=f"{field}.*{'robot' if value == 'robot' else ''}"):
        RaceSetup("test-oval", **{field: value})


def test_an_unknown_track_is_a_user_error():
    with pytest.raises(UserError, match="no-such-place"):
        World(RaceSetup("no-such-place"))


@pytest.mark.parametrize("wrong", [{"steer": math.nan}, {"throttle": 1.5}, {"brake": -0.1}, {"gear_shift": 2}])
def test_wrong_controls_change_nothing(wrong):
    world = green()
    before = world.hash()
    with pytest.raises(UserError, match=next(iter(wrong))):
        world.step(Controls(**wrong))
    assert world.hash() == before


def test_looking_changes_nothing():
    world = green(rivals=3)
    hold(world, IDLE, 50)
    before = world.hash()
    for _ in range(2):
        first = world.poses()
        assert first == world.poses()
        assert first == tuple(world.pose(car) for car in range(world.cars))
        _ = (world.standings(), world.lap_time, world.speed(0), world.gear(0), world.phase, world.countdown_ticks)
        world.save()
    assert world.hash() == before


def test_poses_show_speed_steering_brakes_and_slope():
    world = green(oval(slope=0.08))
    accelerate(world, 10.0)
    world.step(Controls(brake=1.0, steer=0.5))
    pose = world.poses()[0]
    assert pose.speed == pytest.approx(10.0, abs=0.3)
    assert pose.brake_light
    assert pose.steer > 0.0
    assert world.state.cars[0, SLOPE_AHEAD] == pytest.approx(0.08, abs=1e-3)
    assert 0.06 < pose.pitch < 0.11
    hold(world, Controls(brake=1.0), 20)
    assert world.poses()[0].pitch < pose.pitch  # the nose dives


def test_saved_bytes_of_another_race_are_refused():
    world = green(rivals=2)
    for other in (RaceSetup("test-oval", rivals=2, seed=5), RaceSetup("test-oval", rivals=3)):
        with pytest.raises(UserError, match="does not fit"):
            world.restore(World(other, oval()).save())
    whole = world.save()
    for cut in (b"", whole[:20], whole[:-1]):
        with pytest.raises(UserError, match="does not fit"):
            world.restore(cut)
    world.restore(whole)
