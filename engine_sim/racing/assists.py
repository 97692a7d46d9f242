"""What stands between the player's hands and the car: key smoothing, steering help, traction and brake help.

Analogue demands pass unchanged. Keys become ramps that slow down with speed, centre fast and counter-steer faster
still. Steering help keeps the front tyres near their peak: it bounds the wheels around the direction in which the
front axle really moves, so a held key corners at the limit, and a slide is caught by itself. At help 0 the wheels go
where they are told.
"""

from __future__ import annotations

import math

from ..core.exact import atan, clamp
from ..core.jit import kernel
from ..core.ticks import TICK_SECONDS
from .car import FRONT, GRAVITY, GRIP, LOCK, MASS, PEAK_SLIP_ANGLE, STEER_RATE, WHEELBASE
from .state import (
    BRAKE,
    BRAKE_IN,
    GEAR,
    GRIP_FRONT,
    GRIP_REAR,
    HANDBRAKE,
    LOOSE,
    SLOPE_LEFT,
    STEER,
    STEER_IN,
    THROTTLE,
    THROTTLE_IN,
    YAW_RATE,
    U,
    V,
)

_SLIP_ROOM = 1.1  # of the peak slip angle that steering help allows
_CATCH = 0.7  # of the direction of the front axle that centred wheels follow
_YAW_GAIN = 0.5  # rad of front wheels per rad/s of yaw beyond what the grip can hold


@kernel
def approach(value, goal, step):
    """``value`` moved towards ``goal`` by at most ``step``."""
    if value < goal:
        return min(goal, value + step)
    return max(goal, value - step)


@kernel
def steer_key(value, goal, speed):
    """Smoothed steering after one tick of keys held at ``goal`` (-1, 0, 1 or between)."""
    if goal == 0.0:
        rate = 5.0
    elif goal * value < 0.0:
        rate = 7.0
    else:
        rate = 3.4 / (1.0 + abs(speed) / 40.0)
    return approach(value, goal, rate * TICK_SECONDS)


@kernel
def take_demands(car, steer, throttle, brake, handbrake, digital):
    """Put one tick of controls into the car; keys are smoothed, analogue values kept as they are."""
    if digital:
        car[STEER_IN] = steer_key(car[STEER_IN], steer, car[U])
        car[THROTTLE_IN] = approach(car[THROTTLE_IN], throttle, (5.0 if throttle > 0.0 else 9.0) * TICK_SECONDS)
        car[BRAKE_IN] = approach(car[BRAKE_IN], brake, (5.5 if brake > 0.0 else 10.0) * TICK_SECONDS)
    else:
        car[STEER_IN] = steer
        car[THROTTLE_IN] = throttle
        car[BRAKE_IN] = brake
    car[HANDBRAKE] = handbrake


@kernel
def slip_room(car):
    """Largest useful slip angle of the front tyres on this ground, rad; wide open at walking pace."""
    slow = clamp(1.0 - abs(car[U]) / 9.0, 0.0, 1.0)
    return PEAK_SLIP_ANGLE * _SLIP_ROOM * car[LOOSE] + LOCK * slow


@kernel
def full_lock(car, help_share):
    """Angle of the front wheels that a full demand means at this speed, rad."""
    speed = max(abs(car[U]), 1.0)
    useful = slip_room(car) + WHEELBASE * GRIP * GRAVITY / (speed * speed)
    return LOCK + help_share * (min(useful, LOCK) - LOCK)


@kernel
def calm_yaw(car):
    """Angle to take off the front wheels when the car turns faster than its grip could hold in a steady bend."""
    sign = 1.0 if car[YAW_RATE] > 0.0 else -1.0
    pull = (car[GRIP_FRONT] + car[GRIP_REAR]) / MASS - sign * GRAVITY * car[SLOPE_LEFT]
    excess = abs(car[YAW_RATE]) - pull / max(car[U], 4.0)
    return sign * _YAW_GAIN * excess if excess > 0.0 else 0.0


@kernel
def turn_wheels(car, help_share, catch):
    """Move the front wheels towards the demand, within what steering help allows.

    ``catch``: 0 … 1, how much wheels that nobody turns follow the front axle out of a slide by themselves.
    """
    goal = car[STEER_IN] * full_lock(car, help_share)
    if car[U] > 4.0:
        way = atan((car[V] + FRONT * car[YAW_RATE]) / car[U])  # where the front axle really goes
        room = slip_room(car)
        kept = goal + catch * _CATCH * (1.0 - abs(car[STEER_IN])) * way
        kept = clamp(kept, way - room, way + room) - calm_yaw(car)
        share = help_share * (1.0 - 0.8 * car[HANDBRAKE]) * clamp((car[U] - 4.0) / 4.0, 0.0, 1.0)
        goal += share * (kept - goal)
    car[STEER] = approach(car[STEER], clamp(goal, -LOCK, LOCK), STEER_RATE * TICK_SECONDS)


@kernel
def press_pedals(car, marks, automatic):
    """Pedals as the car gets them: in reverse by the automatic they swap, and it never lets the car roll backwards."""
    swap = automatic and marks[GEAR] < 0
    car[THROTTLE] = car[BRAKE_IN] if swap else car[THROTTLE_IN]
    car[BRAKE] = car[THROTTLE_IN] if swap else car[BRAKE_IN]
    if automatic and car[THROTTLE] < 0.02 and car[U] * marks[GEAR] < 0.0:
        car[BRAKE] = max(car[BRAKE], 0.3)


@kernel
def grip_along(capacity, side_slip, floor):
    """N that an axle can still hold lengthwise while its side slip (tan α/α*) uses the rest; ≥ floor · capacity."""
    left = 1.0 - side_slip * side_slip
    return capacity * max(floor, math.sqrt(left) if left > 0.0 else 0.0)
