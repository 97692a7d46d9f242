"""Engine, clutch and gearbox: from pedals to torque on the rear axle."""

from __future__ import annotations

from ..core.exact import clamp
from ..core.jit import kernel
from .car import (
    AXLE_INERTIA,
    DOWN_RPM,
    EFFICIENCY,
    ENGINE_BRAKE,
    ENGINE_INERTIA,
    FINAL_DRIVE,
    GEARS,
    IDLE_RPM,
    KICK_RPM,
    LAUNCH_RPM,
    LIMIT_RPM,
    REVERSE_HOLD,
    SHIFT_PAUSE_FULL,
    SHIFT_TICKS_FULL,
    TOP_GEAR,
    TORQUE_DROP,
    TORQUE_PEAK,
    TORQUE_RPM,
    TORQUE_SPAN,
    UP_RPM,
    WHEEL_RADIUS,
)
from .state import BRAKE_IN, GEAR, HOLD_TICKS, RPM, SHIFT_PAUSE, SHIFT_TICKS, SPIN_REAR, THROTTLE, THROTTLE_IN, U

RPM_PER_RAD = 9.549296585513721  # 60 / 2π


@kernel
def gear_ratio(gear):
    """Engine turns per turn of the axle, positive; 0 in neutral."""
    if gear == 0:
        return 0.0
    return FINAL_DRIVE * (GEARS[0] if gear < 0 else GEARS[gear])


@kernel
def full_torque(rpm):
    """N m at full throttle: a parabola of the revs, cut off at the limiter."""
    x = (rpm - TORQUE_RPM) / TORQUE_SPAN
    return TORQUE_PEAK * (1.0 - TORQUE_DROP * x * x) * clamp((LIMIT_RPM - rpm) / 200.0, 0.0, 1.0)


@kernel
def drive(car, marks):
    """(torque on the rear axle N m, its inertia kg m²); moves the revs on by one tick.

    Below the launch revs the clutch slips: the engine keeps its revs and its inertia to itself, and cannot brake.
    """
    gear = marks[GEAR]
    throttle = car[THROTTLE]
    if gear == 0 or marks[SHIFT_TICKS] > 0:
        goal = abs(car[SPIN_REAR]) * gear_ratio(gear) * RPM_PER_RAD if gear != 0 else IDLE_RPM + 5200.0 * throttle
        car[RPM] += (max(goal, IDLE_RPM) - car[RPM]) * 0.12
        return 0.0, AXLE_INERTIA
    direction = 1.0 if gear > 0 else -1.0
    ratio = gear_ratio(gear)
    coupled = car[SPIN_REAR] * direction * ratio * RPM_PER_RAD
    launch = IDLE_RPM + (LAUNCH_RPM - IDLE_RPM) * throttle
    if coupled < launch:
        car[RPM] += (launch - car[RPM]) * 0.12
        return direction * throttle * full_torque(launch) * ratio * EFFICIENCY, AXLE_INERTIA
    car[RPM] += (coupled - car[RPM]) * 0.4
    drag = ENGINE_BRAKE * clamp((coupled - 1.3 * IDLE_RPM) / LIMIT_RPM, 0.0, 1.2) * (1.0 - throttle)
    torque = throttle * full_torque(coupled) * EFFICIENCY - drag
    return direction * torque * ratio, AXLE_INERTIA + ENGINE_INERTIA * ratio * ratio


@kernel
def rpm_at(speed, gear):
    """Revs that a forward speed means in a gear, without slip."""
    return speed / WHEEL_RADIUS * gear_ratio(gear) * RPM_PER_RAD


@kernel
def put_gear(marks, gear):
    """Change gear: the clutch is open for a moment, and the automatic leaves it alone for a while."""
    marks[GEAR] = gear
    marks[SHIFT_TICKS] = SHIFT_TICKS_FULL
    marks[SHIFT_PAUSE] = SHIFT_PAUSE_FULL


@kernel
def shift_by_hand(marks, step):
    """One step up or down the gate R, N, 1 … 6; ``step`` -1, 0 or +1."""
    gear = marks[GEAR] + step
    if step != 0 and -1 <= gear <= TOP_GEAR:
        put_gear(marks, gear)


@kernel
def shift_automatically(car, marks):
    """Gears by road speed (not by wheel speed: wheelspin must not shift up); reverse by a held brake."""
    gear, speed = marks[GEAR], car[U]
    still = abs(speed) < 0.6 and car[THROTTLE_IN] < 0.1 and car[BRAKE_IN] > 0.5
    marks[HOLD_TICKS] = marks[HOLD_TICKS] + 1 if still and gear >= 0 else 0
    if gear < 0:
        if car[THROTTLE_IN] > 0.1 and car[BRAKE_IN] < 0.5 and speed > -1.5:
            put_gear(marks, 1)
        return
    if marks[HOLD_TICKS] >= REVERSE_HOLD:
        marks[HOLD_TICKS] = 0
        put_gear(marks, -1)
        return
    if gear == 0:
        put_gear(marks, 1)
        return
    if marks[SHIFT_PAUSE] > 0:
        return
    if gear < TOP_GEAR and rpm_at(speed, gear) > UP_RPM and car[THROTTLE_IN] > 0.05:
        put_gear(marks, gear + 1)
    elif gear > 1:
        lower = rpm_at(speed, gear - 1)
        if lower < DOWN_RPM or (lower < KICK_RPM and car[THROTTLE_IN] > 0.85):
            put_gear(marks, gear - 1)
