"""Cars knock each other and the barriers without gaining energy, sinking in or passing through."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine_sim.core.exact import sincos
from engine_sim.racing.car import INERTIA, LENGTH, MASS, WIDTH
from engine_sim.racing.contacts import box_overlap, collide
from engine_sim.racing.controls import Controls
from engine_sim.racing.impulse import MOST_SPIN
from engine_sim.racing.state import CAR_COLUMNS, YAW, YAW_RATE, D, S, U, V, X, Y, Z
from engine_sim.tracks.track import CONCRETE_WALL

from .circuits import oval
from .driving import IDLE, accelerate, green, hold


def car(x=0.0, y=0.0, yaw=0.0, u=0.0, v=0.0, turn=0.0, z=0.0):
    row = np.zeros(CAR_COLUMNS)
    row[[X, Y, Z, YAW, U, V, YAW_RATE]] = x, y, z, yaw, u, v, turn
    return row


def momentum(*rows):
    """(x, y, angular about the origin) of all cars."""
    total = np.zeros(3)
    for row in rows:
        s, c = sincos(row[YAW])
        vx, vy = row[U] * c - row[V] * s, row[U] * s + row[V] * c
        total += MASS * vx, MASS * vy, INERTIA * row[YAW_RATE] + MASS * (row[X] * vy - row[Y] * vx)
    return total


def energy(*rows):
    return sum(0.5 * MASS * (r[U] ** 2 + r[V] ** 2) + 0.5 * INERTIA * r[YAW_RATE] ** 2 for r in rows)


speeds = st.floats(-30.0, 30.0)


@settings(max_examples=60)
@example(0.0, 2.0, 1.0, -2.5, 0.0, 0.0, 25.0)
@given(st.floats(-4.0, 4.0), st.floats(-2.5, 2.5), st.floats(-3.1, 3.1), st.floats(-3.1, 3.1), speeds, speeds, speeds)
def test_a_contact_keeps_momentum_and_never_makes_energy(dx, dy, yaw_a, yaw_b, ua, ub, va):
    """Linear momentum exactly; the impulse is one force at one point, so no spin comes from nowhere.

    Spin is held to MOST_SPIN: a knock that would pass it loses angular momentum, and nothing else.
    """
    a, b = car(0.0, 0.0, yaw_a, ua, va), car(dx, dy, yaw_b, ub, 0.0)
    before, heat = momentum(a, b), energy(a, b)
    places = a[[X, Y]].copy(), b[[X, Y]].copy()
    collide(a, b)
    a[[X, Y]], b[[X, Y]] = places  # momentum about a point needs the places at which the impulse acted
    held = max(abs(a[YAW_RATE]), abs(b[YAW_RATE])) >= MOST_SPIN
    kept = slice(0, 2) if held else slice(0, 3)
    assert momentum(a, b)[kept] == pytest.approx(before[kept], abs=1e-6 * MASS)
    assert energy(a, b) <= heat * (1 + 1e-9) + 1e-6


def test_boxes_that_touch_nowhere_do_not_overlap():
    assert box_overlap(LENGTH + 0.01, 0.0, 1.0, 0.0, 1.0, 0.0)[0] <= 0.0
    assert box_overlap(0.0, WIDTH + 0.01, 1.0, 0.0, 1.0, 0.0)[0] <= 0.0
    depth, nx, ny = box_overlap(0.2, WIDTH - 0.1, 1.0, 0.0, 1.0, 0.0)
    assert depth == pytest.approx(0.1)
    assert (nx, ny) == (0.0, 1.0)


def test_a_rear_end_knock_passes_speed_on():
    a, b = car(u=20.0), car(x=LENGTH - 0.05, u=10.0)
    assert collide(a, b) == pytest.approx(10.0)
    assert a[U] < 15.0 < b[U]
    assert a[V] == b[V] == 0.0


def test_cars_on_two_levels_of_a_bridge_do_not_touch():
    a, b = car(u=20.0), car(x=1.0, u=-20.0, z=4.0)
    assert collide(a, b) == -1.0
    assert a[U] == 20.0


def test_overlapping_cars_are_pulled_apart():
    a, b = car(), car(x=1.5, y=0.4, yaw=0.3)
    for _ in range(200):
        collide(a, b)
    assert collide(a, b) == -1.0 or box_overlap(b[X] - a[X], b[Y] - a[Y], 1.0, 0.0, *reversed(sincos(0.3)))[0] < 1e-3


@pytest.mark.parametrize("steer", [1.0, -1.0])
def test_no_barrier_lets_a_car_through(steer):
    """Flat out into the barrier at every angle that comes up in a minute of blind driving."""
    track = oval(straight=150.0, radius=40.0, half_width=6.0, verge=3.0)
    world = green(track, steering_help=0.0, traction_help=0.0)
    for tick in range(60 * 120):
        world.step(Controls(steer=steer * math.copysign(1.0, math.sin(tick / 97.0)), throttle=1.0, digital=True))
        assert abs(world.state.cars[0, D]) < 9.3
    assert np.isfinite(world.state.cars).all()


def test_scraping_a_wall_slows_and_a_head_on_knock_stops():
    wide = oval(straight=600.0, radius=150.0, half_width=7.0, verge=1.0)
    assert wide.arrays.style_right[0] == CONCRETE_WALL
    scrape = green(wide)
    accelerate(scrape, 25.0)
    scrape.state.cars[0, YAW] -= 0.2
    hold(scrape, IDLE, 300)
    assert 10.0 < scrape.speed(0) < 24.0
    assert any(e.kind == "barrier" and e.car == 0 for e in scrape.events)
    head_on = green(wide)
    accelerate(head_on, 25.0)
    head_on.state.cars[0, YAW] -= math.pi / 2
    hold(head_on, IDLE, 150)
    assert math.hypot(head_on.state.cars[0, U], head_on.state.cars[0, V]) < 8.0
    assert max(e.value for e in head_on.events if e.kind == "barrier") > 15.0


def test_a_pile_of_cars_comes_to_rest():
    """Sixteen cars driven into one another: they part, and nobody is left inside another."""
    world = green(oval(half_width=4.0, verge=1.5), rivals=15)
    hold(world, IDLE, 60 * 12)
    assert np.isfinite(world.state.cars).all()
    assert np.abs(world.state.cars[:, YAW_RATE]).max() <= 9.0
    assert (world.state.cars[:, S] >= 0.0).all()
