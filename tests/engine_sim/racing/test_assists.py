"""Keys become smooth steering; analogue controls arrive as they are; help keeps the car on the road."""

import numpy as np
import pytest

from engine_sim.racing.controls import Controls
from engine_sim.racing.state import BRAKE_IN, OFF_TRACK, STEER, STEER_IN, THROTTLE_IN, U, V
from engine_sim.tracks.track import DIRT

from .circuits import oval
from .driving import IDLE, accelerate, green, hold
from .keys import off_line, tap_keys

WIDE = oval(straight=400.0, radius=300.0, half_width=150.0, verge=30.0)


@pytest.mark.parametrize("value", [0.01, 0.1234567890123, 0.9999999, 1e-12])
def test_analogue_controls_are_not_quantised(value):
    world = green()
    world.step(Controls(steer=-value, throttle=value, brake=value / 3))
    row = world.state.cars[0]
    assert (row[STEER_IN], row[THROTTLE_IN], row[BRAKE_IN]) == (-value, value, value / 3)


def test_a_small_steering_demand_turns_the_car_as_much_in_parts_as_at_once():
    """Ten ticks of 0.03 and one of 0.3 lead to wheels that stand where they were told to stand."""
    world = green(WIDE, steering_help=0.0)
    accelerate(world, 5.0)
    hold(world, Controls(steer=0.03), 20)
    small = world.state.cars[0, STEER]
    hold(world, Controls(steer=0.3), 20)
    assert small > 0.0
    assert world.state.cars[0, STEER] == pytest.approx(10 * small, rel=1e-12)


def test_a_resting_stick_is_the_same_as_no_input():
    worlds = [green(rivals=2), green(rivals=2)]
    for _ in range(120):
        worlds[0].step(IDLE)
        worlds[1].step(Controls(0.0, 0.0, 0.0, 0.0))
    assert worlds[0].hash() == worlds[1].hash()


def test_keys_ramp_and_centre_faster_than_they_turn():
    world = green()
    key = Controls(steer=1.0, digital=True)
    turned = 0
    while world.state.cars[0, STEER_IN] < 1.0:
        before = world.state.cars[0, STEER_IN]
        world.step(key)
        assert 0.0 < world.state.cars[0, STEER_IN] - before < 0.05
        turned += 1
    centred = 0
    while world.state.cars[0, STEER_IN] > 0.0:
        world.step(Controls(digital=True))
        centred += 1
    assert centred < turned


def test_a_held_key_steers_less_the_faster_the_car():
    angles = []
    for speed in (5.0, 20.0, 50.0):
        world = green(oval(straight=2000.0, radius=100.0, half_width=60.0))
        accelerate(world, speed)
        hold(world, Controls(steer=1.0, throttle=0.3, digital=True), 30)
        angles.append(world.state.cars[0, STEER])
    assert angles[0] > 2 * angles[1] > 3 * angles[2] > 0.0


def test_letting_go_of_the_keys_ends_a_slide():
    world = green(oval(straight=400.0, radius=300.0, half_width=150.0, verge=30.0, surface=DIRT))
    accelerate(world, 22.0)
    hold(world, Controls(steer=1.0, throttle=1.0, digital=True), 120)
    assert abs(world.state.cars[0, V]) > 2.0
    hold(world, Controls(digital=True), 180)
    row = world.state.cars[0]
    assert abs(row[V]) < 0.05 * abs(row[U])


@pytest.mark.parametrize(
    ("surface", "help_share", "pace"), [(0, 1.0, 0.95), (DIRT, 1.0, 0.85), (0, 0.0, 0.8)]
)
def test_bang_bang_keys_drive_a_lap_without_leaving_the_road(surface, help_share, pace):
    """Full left, full right or nothing; full throttle, full brake or nothing: still a clean lap."""
    track = oval(straight=220.0, radius=55.0, half_width=6.0, surface=surface)
    world = green(track, steering_help=help_share)
    slips, off = [], 0
    while world.laps_done(0) < 1:
        world.step(tap_keys(world, pace))
        row = world.state.cars[0]
        slips.append(abs(row[V]) / max(row[U], 5.0))
        off += int(world.state.marks[0, OFF_TRACK])
        assert world.tick < 120 * 90
    assert off == 0
    assert np.max(slips) < 0.4  # no spin: never more than about 22 degrees of slide
    assert off_line(world) < 4.0
