"""Lights, laps, positions, resets and the list of events."""

from itertools import pairwise

import pytest

from engine_sim.core.exact import sincos
from engine_sim.core.ticks import TICK_RATE
from engine_sim.racing.controls import Controls
from engine_sim.racing.events import EVENT_KINDS
from engine_sim.racing.state import LAPS, OFF_TRACK, PROGRESS, RESETS, WRAPS, YAW, D, S, U, X, Y
from engine_sim.racing.world import RaceSetup, World
from engine_sim.tracks.query import heading_at, point_at

from .circuits import oval
from .driving import IDLE, accelerate, green, hold
from .keys import tap_keys

SHORT = oval(straight=120.0, radius=35.0, half_width=6.0)


def put(world: World, s: float, d: float = 0.0, speed: float = 0.0) -> None:
    """Move the player's car along the track within the reach of one tick's bookkeeping."""
    arrays, row = world.track.arrays, world.state.cars[0]
    row[X], row[Y], _ = point_at(arrays, s, d)
    row[U] = speed


def test_the_grid_is_behind_the_line_in_two_columns_and_the_player_last():
    world = World(RaceSetup("test-oval", rivals=15), oval())
    row = world.state.cars
    assert world.phase == "grid"
    assert (row[:, PROGRESS] < -5.0).all()
    assert sorted(set(row[:, D].round(3).tolist())) == [-2.6, 2.6]
    assert world.standings()[-1] == 0
    assert row[0, PROGRESS] == row[:, PROGRESS].min()
    assert len({round(s, 3) for s in row[:, S]}) == 16


def test_three_seconds_of_countdown_hold_every_car():
    world = World(RaceSetup("test-oval", rivals=3), oval())
    places = world.state.cars[:, [X, Y]].copy()
    world.step(IDLE)
    assert world.phase == "countdown"
    for left in range(3 * TICK_RATE - 1, 0, -1):
        assert world.countdown_ticks == left
        assert (world.state.cars[:, [X, Y]] == places).all()
        world.step(Controls(throttle=1.0))
    assert world.phase == "race"
    assert world.tick == 3 * TICK_RATE
    assert [e.value for e in world.events if e.kind == "phase"] == [1.0, 2.0]


def test_a_lap_counts_once_however_often_the_line_is_crossed():
    world = green(SHORT)
    marks, length = world.state.marks[0], SHORT.length
    for s in (length - 3.0, 3.0, length - 3.0, 3.0):  # over the line, back, over it again
        put(world, s)
        world.step(IDLE)
    assert (marks[WRAPS], world.laps_done(0)) == (0, 0)
    for _ in range(2):  # backwards over the line and on: a lap less, not a lap more
        put(world, length - 3.0)
        world.step(IDLE)
    assert (marks[WRAPS], world.laps_done(0)) == (-1, 0)
    for k in range(2 * int(length / 40.0) + 4):
        put(world, (length - 3.0 + 40.0 * k) % length)
        world.step(IDLE)
    assert marks[LAPS] == 2
    assert [e.kind for e in world.events if e.kind in ("lap", "finish")] == ["lap", "lap", "finish"]
    assert world.phase == "finished"


def test_a_lap_time_is_the_time_between_two_crossings():
    world = green(SHORT, laps=2)
    while world.phase != "finished":
        world.step(tap_keys(world))
    first, second = (e for e in world.events if e.kind == "lap")
    assert first.value == first.tick - 3 * TICK_RATE
    assert second.value == second.tick - first.tick
    assert world.lap_time == 0.0  # the next lap has just begun


def test_positions_follow_progress_and_a_finished_car_keeps_its_place():
    world = World(RaceSetup("test-oval", rivals=5, laps=1, player="ai", player_skill=1.0), SHORT)
    home: list[int] = []
    while world.phase != "finished":
        world.step(IDLE)
        if world.phase == "race" and not home:
            progress = [world.state.cars[i, PROGRESS] for i in world.standings()]
            assert all(a > b - 0.6 for a, b in pairwise(progress))
        home += [e.car for e in world.events if e.kind == "finish" and e.tick == world.tick]
        assert world.standings()[: len(home)] == home
    assert sorted(home) == list(range(6))
    finals = [e.value for e in world.events if e.kind == "finish"]
    assert finals == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_the_race_is_called_off_when_somebody_never_comes_home():
    """The player stays on the grid; the flag falls some time after the winner."""
    world = World(RaceSetup("test-oval", rivals=1, laps=1), SHORT)
    while world.phase != "finished":
        world.step(IDLE)
        assert world.tick < 120 * 180
    assert world.laps_done(0) == 0
    assert world.standings() == [1, 0]


def test_a_reset_puts_the_car_at_rest_on_the_road_facing_along_it():
    world = green(oval(verge=20.0))
    accelerate(world, 15.0)
    hold(world, Controls(steer=-1.0, throttle=0.5), 200)
    assert world.state.marks[0, OFF_TRACK] == 1
    s = world.state.cars[0, S]
    world.step(Controls(reset=True))
    row = world.state.cars[0]
    assert world.speed(0) == pytest.approx(0.0, abs=0.05)
    assert abs(row[D]) < 7.0
    assert row[S] == pytest.approx(s, abs=0.5)
    tx, ty = heading_at(world.track.arrays, row[S])
    sine, cosine = sincos(row[YAW])
    assert cosine * tx + sine * ty > 0.999
    assert [e.kind for e in world.events][-2:] == ["reset", "on_track"]
    hold(world, Controls(reset=True), 100)
    assert world.state.marks[0, RESETS] == 1  # a held key resets once, not a hundred times


def test_a_reset_never_lands_on_another_car():
    world = green(oval(), rivals=7)
    world.step(Controls(reset=True))
    mine = world.state.cars[0]
    for other in world.state.cars[1:]:
        assert abs(mine[S] - other[S]) > 8.0 or abs(mine[D] - other[D]) > 2.5


def test_a_car_that_leaves_the_circuit_is_put_back():
    world = green(oval())
    world.state.cars[0, [X, Y]] = 5000.0, 5000.0
    world.step(IDLE)
    assert world.state.marks[0, RESETS] == 1
    assert abs(world.state.cars[0, X]) < 300.0


def test_events_say_what_happened_in_order():
    world = World(RaceSetup("test-oval", rivals=7, laps=1, player="ai"), oval(half_width=5.0, verge=2.0))
    while world.phase != "finished":
        world.step(IDLE)
    ticks = [e.tick for e in world.events]
    assert ticks == sorted(ticks)
    assert {e.kind for e in world.events} <= set(EVENT_KINDS)
    assert {"phase", "lap", "finish", "bend", "pass"} <= {e.kind for e in world.events}
    bends = [e for e in world.events if e.kind == "bend"]
    assert all(e.car == 0 and 50.0 < e.value < 70.0 for e in bends)  # left-hand, about 60 m
    assert len(bends) >= 2
