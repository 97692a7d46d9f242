"""Drivers bring the car home: on road, dirt and oval, alone and in a crowd, and out of trouble."""

import pytest

from engine_sim.racing.state import GEAR, OFF_TRACK, YAW, D, U
from engine_sim.racing.survey import survey_track, table
from engine_sim.racing.world import RaceSetup, World
from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.track import DIRT

from .circuits import oval
from .driving import IDLE, green, hold


@pytest.mark.parametrize("name", ["acorn-loop", "barn-loop", "coin-bowl", "northfield"])
def test_everybody_finishes_and_nobody_is_stuck(name):
    row = survey_track(name, rivals=15, laps=1)
    assert row.clean
    assert row.finished == 16
    assert row.off_track < 0.03
    assert row.passes > 0
    assert name in table([row])


@pytest.mark.parametrize("surface", [0, DIRT])
@pytest.mark.parametrize("wetness", [0.0, 1.0])
def test_a_perfect_driver_alone_stays_on_the_road(surface, wetness):
    world = World(
        RaceSetup("test-oval", rivals=0, laps=2, player="ai", player_skill=1.0, wetness=wetness),
        oval(surface=surface, half_width=5.0),
    )
    while world.phase != "finished":
        world.step(IDLE)
        assert world.state.marks[0, OFF_TRACK] == 0
        assert world.tick < 120 * 120


def test_skill_makes_lap_times():
    track = load_track("northfield")
    times = []
    for skill in (0.2, 1.0):
        world = World(RaceSetup("northfield", rivals=0, laps=1, player="ai", player_skill=skill), track)
        while world.phase != "finished":
            world.step(IDLE)
        times.append(next(e.value for e in world.events if e.kind == "lap"))
    assert 1.02 < times[0] / times[1] < 1.3


def test_a_driver_turns_round_and_drives_on():
    world = green(oval(half_width=6.0, verge=3.0), player="ai")
    hold(world, IDLE, 240)
    world.state.cars[0, YAW] += 3.0
    world.state.cars[0, U] = 0.0
    hold(world, IDLE, 15 * 120)
    assert world.speed(0) > 12.0
    assert world.laps_done(0) == 1 or world.state.cars[0, U] > 12.0


def test_a_driver_with_his_nose_in_the_barrier_backs_out():
    world = green(oval(half_width=6.0, verge=3.0), player="ai")
    hold(world, IDLE, 240)
    row = world.state.cars[0]
    row[YAW] -= 1.4
    row[U] = 6.0
    reversed_once = False
    for _ in range(12 * 120):
        world.step(IDLE)
        reversed_once |= world.state.marks[0, GEAR] == -1
    assert reversed_once
    assert world.speed(0) > 10.0
    assert abs(row[D]) < 7.0


def test_a_driver_does_not_ram_a_parked_car():
    """The player parks on the line; three drivers come round and go by."""
    world = green(oval(half_width=8.0), rivals=3, laps=3)
    while world.laps_done(1) < 2:
        world.step(IDLE)
        assert world.tick < 120 * 180
    knocks = [e for e in world.events if e.kind == "contact" and 0 in (e.car, e.other)]
    assert max((e.value for e in knocks), default=0.0) < 8.0
    assert min(world.laps_done(i) for i in (1, 2, 3)) >= 1
