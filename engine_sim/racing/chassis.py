"""One tick of one car: loads, tyre forces, motion in the plane, body on its springs.

A planar bicycle model (two axles, loads of four wheels) in the plane of the road under the car. Weight moves with the
low-passed accelerations; banking, gradient and the road's vertical curvature add to gravity. Semi-implicit Euler at
120 Hz: speeds first, then places; the velocity is turned by the exact rotation of the tick, so spinning adds no energy.
"""

from __future__ import annotations

import math

from ..core.exact import clamp, sincos, wrap_angle
from ..core.jit import kernel
from ..core.ticks import TICK_SECONDS
from .assists import grip_along
from .car import (
    AXLE_INERTIA,
    BRAKE_FRONT,
    BRAKE_REAR,
    CG_HEIGHT,
    DAMPING,
    DOWNFORCE,
    DOWNFORCE_FRONT,
    DRAG,
    FRONT,
    FRONT_BALANCE,
    GRAVITY,
    GRIP,
    HANDBRAKE_REAR,
    HELP_FRONT,
    HELP_REAR,
    INERTIA,
    LEAN_TIME,
    LOAD_SENSITIVITY,
    MASS,
    PEAK_SLIP_ANGLE,
    PEAK_SLIP_RATIO,
    PITCH_PER_G,
    REAR,
    ROLL_FRONT,
    ROLL_PER_G,
    SLOW,
    SPRING,
    TRACK_WIDTH,
    WHEEL_RADIUS,
    WHEELBASE,
)
from .drivetrain import drive
from .state import (
    AX,
    AY,
    BRAKE,
    GRIP_FRONT,
    GRIP_REAR,
    HANDBRAKE,
    LOAD_FRONT,
    LOAD_REAR,
    LOOSE,
    PITCH,
    PITCH_RATE,
    ROLL,
    ROLL_RATE,
    SLOPE_AHEAD,
    SLOPE_LEFT,
    SPIN_FRONT,
    SPIN_REAR,
    STEER,
    THROTTLE,
    WHEEL_TURN,
    YAW,
    YAW_RATE,
    U,
    V,
    X,
    Y,
)
from .surfaces import BUMP_HEIGHT, LOOSE_HERE, ROLLING_HERE, SHARE, SLIDE_HERE
from .tyres import spin_after, tyre_force

_NOMINAL = MASS * GRAVITY / 4.0
_LEAN = TICK_SECONDS / LEAN_TIME


@kernel
def wheel_loads(car, rise, loads):
    """Fill float64 [4] with wheel loads, N (front left, front right, rear left, rear right).

    ``rise`` is the vertical curvature of the road along the car's way, 1/m, positive in dips.
    """
    tilt = math.sqrt(1.0 + car[SLOPE_AHEAD] * car[SLOPE_AHEAD] + car[SLOPE_LEFT] * car[SLOPE_LEFT])
    speed2 = car[U] * car[U]
    pull = GRAVITY / tilt + speed2 * rise - car[U] * car[YAW_RATE] * car[SLOPE_LEFT] / tilt
    weight = MASS * clamp(pull, 0.3 * GRAVITY, 2.2 * GRAVITY)
    back = MASS * car[AX] * CG_HEIGHT / WHEELBASE
    front = max(0.5 * weight + DOWNFORCE_FRONT * DOWNFORCE * speed2 - back, 50.0)
    rear = max(0.5 * weight + (1.0 - DOWNFORCE_FRONT) * DOWNFORCE * speed2 + back, 50.0)
    right = MASS * car[AY] * CG_HEIGHT / TRACK_WIDTH
    lean = clamp(ROLL_FRONT * right, -0.5 * front, 0.5 * front)
    loads[0], loads[1] = 0.5 * front - lean, 0.5 * front + lean
    lean = clamp((1.0 - ROLL_FRONT) * right, -0.5 * rear, 0.5 * rear)
    loads[2], loads[3] = 0.5 * rear - lean, 0.5 * rear + lean
    car[LOAD_FRONT], car[LOAD_REAR] = front, rear


@kernel
def axle_grip(wheels, loads, first, balance):
    """(capacity N, looseness, slide share) of the axle whose left wheel is row ``first``; weighted by load."""
    capacity, loose, slide = 0.0, 0.0, 0.0
    total = loads[first] + loads[first + 1]
    for wheel in range(first, first + 2):
        load = loads[wheel]
        fade = clamp(1.0 - LOAD_SENSITIVITY * (load / _NOMINAL - 1.0), 0.6, 1.15)
        capacity += GRIP * balance * wheels[wheel, SHARE] * load * fade
        loose += wheels[wheel, LOOSE_HERE] * load / total
        slide += wheels[wheel, SLIDE_HERE] * load / total
    return capacity, loose, slide


@kernel
def brake_torque(pedal, full, capacity, side_slip, most, help_share):
    """Brake torque of an axle, N m; brake help keeps it below ``most`` of what the tyre can pass on."""
    torque = pedal * full
    kept = min(torque, most * WHEEL_RADIUS * grip_along(capacity, side_slip, 0.25))
    return torque + help_share * (kept - torque)


@kernel
def drive_torque(torque, capacity, side_slip, loose, help_share):
    """Drive torque after traction help; on loose ground it lets the wheels spin further, which is the fun of it."""
    floor = 0.25 + 0.2 * (loose - 1.0)
    most = (0.95 + 0.12 * (loose - 1.0)) * WHEEL_RADIUS * grip_along(capacity, side_slip, floor)
    return torque + help_share * (clamp(torque, -most, most) - torque)


@kernel
def front_axle(car, capacity, loose, slide, help_share):
    """(force ahead, force left) of the front axle in body axes, N."""
    sine, cosine = sincos(car[STEER])
    left = car[V] + FRONT * car[YAW_RATE]
    forward = car[U] * cosine + left * sine
    side = left * cosine - car[U] * sine
    angle = PEAK_SLIP_ANGLE * loose
    ratio = PEAK_SLIP_RATIO * loose
    slip = side / (max(abs(forward), SLOW) * angle)
    brake = brake_torque(car[BRAKE], BRAKE_FRONT, capacity, slip, HELP_FRONT, help_share)
    spin = spin_after(car[SPIN_FRONT], AXLE_INERTIA, 0.0, brake, forward, side, capacity, ratio, angle, slide)
    car[SPIN_FRONT] = spin
    along, across = tyre_force(forward, side, spin, capacity, ratio, angle, slide)
    return along * cosine - across * sine, along * sine + across * cosine


@kernel
def rear_axle(car, marks, capacity, loose, slide, help_share):
    """(force ahead, force left) of the driven rear axle in body axes, N."""
    side = car[V] - REAR * car[YAW_RATE]
    angle = PEAK_SLIP_ANGLE * loose
    ratio = PEAK_SLIP_RATIO * loose
    slip = side / (max(abs(car[U]), SLOW) * angle)
    torque, inertia = drive(car, marks)
    torque = drive_torque(torque, capacity, slip, loose, help_share)
    brake = brake_torque(car[BRAKE], BRAKE_REAR, capacity, slip, HELP_REAR, help_share)
    brake += car[HANDBRAKE] * HANDBRAKE_REAR
    spin = spin_after(car[SPIN_REAR], inertia, torque, brake, car[U], side, capacity, ratio, angle, slide)
    car[SPIN_REAR] = spin
    return tyre_force(car[U], side, spin, capacity, ratio, angle, slide)


@kernel
def roll_on(car, wheels, loads, air):
    """Rolling resistance and air: slow the car by at most its own speed; uneven drag turns it."""
    left, right = 0.0, 0.0
    for wheel in range(4):
        drag = wheels[wheel, ROLLING_HERE] * loads[wheel]
        if wheel % 2 == 0:
            left += drag
        else:
            right += drag
    share = clamp(0.5 + abs(car[U]) / 40.0, 0.5, 1.0)
    slow = ((left + right) * share + air * DRAG * car[U] * car[U]) / MASS * TICK_SECONDS
    speed = abs(car[U])
    if speed > 0.0:
        kept = max(speed - slow, 0.0)
        turn = (left - right) * share * 0.5 * TRACK_WIDTH / INERTIA * TICK_SECONDS
        car[YAW_RATE] += turn * (car[U] / max(speed, SLOW))
        car[U] = kept if car[U] > 0.0 else -kept


@kernel
def held_still(car):
    """True if static friction holds the car: nearly still, nothing drives it, and the slope is not too steep."""
    if car[THROTTLE] > 0.02 or abs(car[U]) > 0.12 or abs(car[V]) > 0.12 or abs(car[YAW_RATE]) > 0.08:
        return False
    slope = math.sqrt(car[SLOPE_AHEAD] * car[SLOPE_AHEAD] + car[SLOPE_LEFT] * car[SLOPE_LEFT])
    return slope * (car[LOAD_FRONT] + car[LOAD_REAR]) < 0.9 * (car[GRIP_FRONT] + car[GRIP_REAR])


@kernel
def lean_body(car, wheels):
    """Pitch and roll of the body on its springs, pushed by accelerations and bumps."""
    front = 0.5 * (wheels[0, BUMP_HEIGHT] + wheels[1, BUMP_HEIGHT])
    rear = 0.5 * (wheels[2, BUMP_HEIGHT] + wheels[3, BUMP_HEIGHT])
    left = 0.5 * (wheels[0, BUMP_HEIGHT] + wheels[2, BUMP_HEIGHT])
    right = 0.5 * (wheels[1, BUMP_HEIGHT] + wheels[3, BUMP_HEIGHT])
    felt = clamp(abs(car[U]) / 6.0, 0.0, 1.0)
    pitch = car[AX] / GRAVITY * PITCH_PER_G + felt * (front - rear) / WHEELBASE
    roll = car[AY] / GRAVITY * ROLL_PER_G + felt * (left - right) / TRACK_WIDTH
    car[PITCH_RATE] += (SPRING * (pitch - car[PITCH]) - DAMPING * car[PITCH_RATE]) * TICK_SECONDS
    car[PITCH] += car[PITCH_RATE] * TICK_SECONDS
    car[ROLL_RATE] += (SPRING * (roll - car[ROLL]) - DAMPING * car[ROLL_RATE]) * TICK_SECONDS
    car[ROLL] += car[ROLL_RATE] * TICK_SECONDS


@kernel
def settle_body(car):
    """Ends the last invisible swing of a standing car, so that its state comes to rest exactly."""
    size = abs(car[PITCH]) + abs(car[PITCH_RATE]) + abs(car[ROLL]) + abs(car[ROLL_RATE])
    if size < 1e-4 and abs(car[AX]) + abs(car[AY]) < 1e-3:
        car[PITCH], car[PITCH_RATE], car[ROLL], car[ROLL_RATE] = 0.0, 0.0, 0.0, 0.0
        car[AX], car[AY] = 0.0, 0.0


@kernel
def move(car, ahead, left, turn):
    """Integrate one tick: accelerations in body axes (m/s²) and yaw acceleration (rad/s²)."""
    car[YAW_RATE] += turn * TICK_SECONDS
    u = car[U] + ahead * TICK_SECONDS
    v = car[V] + left * TICK_SECONDS
    angle = car[YAW_RATE] * TICK_SECONDS
    sine, cosine = sincos(angle)
    car[U] = u * cosine + v * sine  # the same velocity, seen from the turned car
    car[V] = v * cosine - u * sine
    car[YAW] = wrap_angle(car[YAW] + angle)


@kernel
def advance(car):
    """Move the car by its velocity for one tick."""
    sine, cosine = sincos(car[YAW])
    car[X] += (car[U] * cosine - car[V] * sine) * TICK_SECONDS
    car[Y] += (car[U] * sine + car[V] * cosine) * TICK_SECONDS
    car[WHEEL_TURN] = wrap_angle(car[WHEEL_TURN] + car[SPIN_FRONT] * TICK_SECONDS)


@kernel
def drive_car(car, marks, wheels, loads, rise, air, help_share):
    """Forces and speeds of one car for one tick; ``advance`` moves it after the contacts.

    Args:
        car, marks: rows of the state.
        wheels: float64 [4, 5] from ``feel_ground``.
        loads: float64 [4], scratch.
        rise: vertical curvature of the road, 1/m.
        air: share of the air resistance left (slipstream), 0 … 1.
        help_share: traction and brake help, 0 … 1.
    """
    wheel_loads(car, rise, loads)
    grip_f, loose_f, slide_f = axle_grip(wheels, loads, 0, FRONT_BALANCE)
    grip_r, loose_r, slide_r = axle_grip(wheels, loads, 2, 1.0)
    car[GRIP_FRONT], car[GRIP_REAR], car[LOOSE] = grip_f, grip_r, 0.5 * (loose_f + loose_r)
    ahead_f, left_f = front_axle(car, grip_f, loose_f, slide_f, help_share)
    ahead_r, left_r = rear_axle(car, marks, grip_r, loose_r, slide_r, help_share)
    ahead, left = (ahead_f + ahead_r) / MASS, (left_f + left_r) / MASS
    if held_still(car):
        car[U], car[V], car[YAW_RATE] = 0.0, 0.0, 0.0
        car[SPIN_FRONT], car[SPIN_REAR] = 0.0, 0.0
        ahead, left = 0.0, 0.0
        settle_body(car)
    else:
        tilt = math.sqrt(1.0 + car[SLOPE_AHEAD] * car[SLOPE_AHEAD] + car[SLOPE_LEFT] * car[SLOPE_LEFT])
        down = GRAVITY / tilt
        turn = (FRONT * left_f - REAR * left_r) / INERTIA
        move(car, ahead - down * car[SLOPE_AHEAD], left - down * car[SLOPE_LEFT], turn)
        roll_on(car, wheels, loads, air)
    car[AX] += (ahead - car[AX]) * _LEAN
    car[AY] += (left - car[AY]) * _LEAN
    lean_body(car, wheels)
