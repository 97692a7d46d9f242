"""The car has the numbers of a GT car, and behaves at the edges of the model."""

import math

import pytest

from engine_sim.racing.controls import Controls
from engine_sim.racing.state import AX, AY, PITCH, SPIN_FRONT, SPIN_REAR, YAW, YAW_RATE, D, S, U, V, X, Y
from engine_sim.racing.tyres import spin_after, stiffness, tyre_force
from engine_sim.tracks.track import DIRT, GRASS_SURFACE, GRAVEL

from .circuits import oval
from .driving import IDLE, accelerate, green, hold

G = 9.81
WIDE = oval(straight=400.0, radius=300.0, half_width=150.0, verge=30.0)
LONG = oval(straight=6000.0, radius=150.0, half_width=12.0)


def test_tyre_curve_peaks_at_one_and_falls_to_its_slide_share():
    forces = [rho * stiffness(rho, 0.8) for rho in (0.2, 0.6, 1.0, 1.5, 4.0, 1000.0)]
    assert max(forces) == forces[2] == 1.0
    assert forces[0] < forces[1] < forces[2] > forces[3] > forces[4] > forces[5] == pytest.approx(0.8, abs=1e-3)


def test_tyre_force_never_exceeds_the_capacity_and_opposes_the_slip():
    for spin in (-50.0, 0.0, 30.0, 200.0):
        for side in (-20.0, -0.5, 0.0, 3.0):
            along, across = tyre_force(10.0, side, spin, 5000.0, 0.11, 0.135, 0.8)
            assert math.hypot(along, across) <= 5000.0 * (1 + 1e-12)
            assert across * side <= 0.0
            assert along * (spin * 0.33 - 10.0) >= 0.0


def test_a_brake_stops_an_axle_and_never_turns_it():
    assert spin_after(0.5, 2.6, 0.0, 5000.0, 0.0, 0.0, 5000.0, 0.11, 0.135, 0.8) == 0.0
    assert spin_after(-3.0, 2.6, 0.0, 1e9, -1.0, 0.0, 5000.0, 0.11, 0.135, 0.8) == 0.0


def test_zero_to_hundred_and_top_speed():
    world = green(LONG)
    start = world.tick
    accelerate(world, 100 / 3.6)
    assert 3.8 < (world.tick - start) / 120 < 5.0
    hold(world, Controls(throttle=1.0), 38 * 120)
    assert 255 < world.speed(0) * 3.6 < 285


def test_braking_from_hundred():
    world = green(LONG)
    accelerate(world, 100 / 3.6)
    start, speed = world.state.cars[0, S], world.speed(0)
    while world.speed(0) > 0.2:
        world.step(Controls(brake=1.0))
    way = (world.state.cars[0, S] - start) % world.track.length
    assert 1.05 < speed * speed / (2 * way * G) < 1.4


@pytest.mark.parametrize(("surface", "low", "high"), [(0, 1.15, 1.45), (DIRT, 0.55, 0.8)])
def test_cornering_force(surface, low, high):
    """A held left key at 20 m/s, throttle keeping the speed: mean side acceleration of the tyres over two seconds."""
    world = green(oval(straight=400.0, radius=300.0, half_width=150.0, verge=30.0, surface=surface))
    accelerate(world, 20.0)
    total = 0.0
    for tick in range(300):
        error = 20.0 - world.speed(0)
        world.step(Controls(steer=1.0, throttle=max(0.0, min(1.0, 0.3 + error)), digital=True))
        if tick >= 60:
            total += world.state.cars[0, AY] / 240
    assert low < total / G < high
    slide = math.degrees(math.atan2(-world.state.cars[0, V], world.state.cars[0, U]))
    assert slide < 35.0


def test_wet_asphalt_holds_less():
    def stopping(wetness: float) -> float:
        world = green(LONG, wetness=wetness)
        accelerate(world, 25.0)
        start = world.tick
        while world.speed(0) > 0.2:
            world.step(Controls(brake=1.0))
        return (world.tick - start) / 120

    assert stopping(1.0) > 1.25 * stopping(0.0)


@pytest.mark.parametrize("surface", [GRASS_SURFACE, GRAVEL])
def test_soft_ground_slows_a_rolling_car_but_lets_it_drive_off(surface):
    soft = green(oval(half_width=12.0, surface=surface))
    accelerate(soft, 12.0)
    hold(soft, IDLE, 300)
    assert soft.speed(0) < 10.8
    still = green(oval(half_width=12.0, surface=surface))
    hold(still, Controls(throttle=1.0), 240)
    assert still.speed(0) > 3.0


def test_a_parked_car_keeps_every_bit_of_its_state():
    world = green()
    hold(world, IDLE, 30)
    before = world.state.cars[0].copy()
    for _ in range(600):
        world.step(IDLE)
        assert (world.state.cars[0] == before).all()


def test_a_car_that_brakes_to_rest_comes_to_rest_exactly():
    world = green(LONG)
    accelerate(world, 15.0)
    hold(world, Controls(brake=0.45), 900)
    row = world.state.cars[0]
    assert row[U] == row[V] == row[YAW_RATE] == row[AX] == row[PITCH] == 0.0


@pytest.mark.parametrize(("bank", "slope"), [(0.3, 0.0), (0.0, 0.12), (0.15, -0.1)])
def test_a_parked_car_does_not_creep_on_a_slope(bank, slope):
    world = green(oval(bank=bank, slope=slope))
    hold(world, IDLE, 30)
    x, y = world.state.cars[0, X], world.state.cars[0, Y]
    hold(world, IDLE, 600)
    assert (world.state.cars[0, X], world.state.cars[0, Y]) == (x, y)


def test_uphill_is_slower_than_downhill():
    speeds = []
    for slope in (-0.08, 0.08):
        world = green(oval(straight=600.0, slope=slope))
        hold(world, Controls(throttle=1.0), 360)
        speeds.append(world.speed(0))
    assert speeds[0] > speeds[1] + 3.0


def test_banking_carries_a_car_round_faster():
    """Same bend, same speed: flat it runs wide, banked it stays on the road."""
    wide = []
    for bank in (0.0, 0.5):
        world = green(oval(straight=500.0, radius=60.0, half_width=25.0, bank=bank, verge=10.0))
        accelerate(world, 33.0)
        hold(world, Controls(throttle=0.3), 1)
        while world.state.cars[0, S] > 300.0 or world.state.cars[0, S] < 245.0:
            world.step(Controls(throttle=0.35 if world.speed(0) < 33.0 else 0.0))
        for _ in range(240):
            world.step(Controls(throttle=0.6 if world.speed(0) < 33.0 else 0.0, steer=1.0, digital=True))
        wide.append(-world.state.cars[0, D])
    assert wide[0] > wide[1] + 3.0


def test_coasting_never_gains_speed_even_in_a_spin():
    world = green(WIDE, steering_help=0.0, traction_help=0.0)
    accelerate(world, 22.0)
    row = world.state.cars[0]
    world.step(Controls(steer=1.0, handbrake=1.0))
    speed = math.hypot(row[U], row[V])
    for tick in range(480):
        world.step(Controls(steer=1.0, handbrake=1.0 if tick < 150 else 0.0))
        now = math.hypot(row[U], row[V])
        assert now <= speed + 1e-9
        speed = now


def test_the_handbrake_turns_the_car_round_and_it_recovers():
    world = green(WIDE)
    accelerate(world, 20.0)
    yaw = world.state.cars[0, YAW]
    hold(world, Controls(steer=1.0, digital=True), 30)
    hold(world, Controls(steer=1.0, handbrake=1.0, digital=True), 110)
    turned = abs((world.state.cars[0, YAW] - yaw + math.pi) % (2 * math.pi) - math.pi)
    assert turned > 1.2
    hold(world, Controls(throttle=1.0, digital=True), 480)
    assert world.speed(0) > 8.0
    assert abs(world.state.cars[0, V]) < 0.5


def test_a_held_brake_becomes_reverse_and_the_throttle_forward_again():
    world = green(WIDE)
    accelerate(world, 8.0)
    hold(world, Controls(brake=1.0), 330)
    assert world.gear(0) == -1
    assert world.speed(0) < -2.0
    hold(world, Controls(throttle=1.0), 480)
    assert world.gear(0) >= 1
    assert world.speed(0) > 4.0


def test_manual_gears_shift_only_on_the_edge():
    world = green(WIDE, automatic=False)
    assert world.gear(0) == 1
    world.step(Controls(gear_shift=1))
    hold(world, IDLE, 10)
    assert world.gear(0) == 2
    for _ in range(4):
        world.step(Controls(gear_shift=-1))
    assert world.gear(0) == -1


def test_without_help_a_full_pedal_locks_and_spins_the_wheels():
    world = green(WIDE, traction_help=0.0)
    hold(world, Controls(throttle=1.0), 60)
    assert world.state.cars[0, SPIN_REAR] * 0.33 > 1.5 * world.speed(0)
    accelerate(world, 20.0)
    hold(world, Controls(brake=1.0), 40)
    assert world.state.cars[0, SPIN_FRONT] == 0.0
    assert world.speed(0) > 5.0
