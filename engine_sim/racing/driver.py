"""A driver: from what he sees to steering wheel and pedals, once per tick.

The racing line gives the way, the paces of the road table the speed; moods and traffic bend both. Steering is pure
pursuit of a point ahead plus a yaw-rate correction, which also holds slides. A driver who is stuck backs up; the rules
put him back on the track if that does not help.
"""

from __future__ import annotations

import math

from ..core.exact import clamp, sincos
from ..core.jit import kernel
from ..core.ticks import TICK_SECONDS
from .assists import full_lock, take_demands
from .car import GRAVITY, WHEELBASE
from .moods import misjudge, mood_line, mood_pace, wander
from .plan import BOLDNESS, LINE_BIAS, REACTION, SKILL
from .road import (
    CURVATURE,
    LINE_D,
    PACE_BESIDE,
    PACE_LIMIT,
    WIDTH_LEFT,
    WIDTH_RIGHT,
    beyond_road,
    cell_at,
    mix,
    spot_at,
    way_at,
)
from .state import (
    FINISH_TICK,
    GRIP_FRONT,
    GRIP_REAR,
    HELD_TICKS,
    LOAD_FRONT,
    LOAD_REAR,
    LOOSE,
    MARK_PROGRESS,
    MARK_TICKS,
    MODE,
    MODE_TICKS,
    OFFSET,
    PASS_LANE,
    PHASE,
    PROGRESS,
    RACE,
    RACE_START,
    SIDE,
    STUCK_TICKS,
    THROTTLE_IN,
    TICK,
    WANTED,
    YAW,
    YAW_RATE,
    D,
    S,
    U,
    V,
    X,
    Y,
)
from .traffic import car_ahead, free_strip, note_held_up, plan_pass, room_beside, yields

DRIVE, BACK_UP = 0.0, 1.0
RESCUE_TICKS = 1320  # without getting on before the driver asks to be put back
_EDGE = 1.25  # metres that the centre of the car keeps from the edge of the road
_ON_LINE = 0.5  # metres beside the racing line within which its pace holds
_FORESIGHT = 0.6  # seconds ahead at which a driver sees that he will run out of road
_SLIP_ADDED = 0.0022  # rad of front wheels per m/s² of cornering, for the slip of the tyres
_YAW_FEEDBACK = 0.16  # rad of front wheels per rad/s of missing yaw
_START_TICKS = 360  # after the green light in which slow is not stuck
_GETTING_ON = 6.0  # metres of progress that count as getting on


@kernel
def usable_road(road, index, u):
    """(low, high) of d for the centre of a car."""
    high = max(mix(road, WIDTH_LEFT, index, u) - _EDGE, 0.3)
    low = -max(mix(road, WIDTH_RIGHT, index, u) - _EDGE, 0.3)
    return low, high


@kernel
def bend_ahead(road, step, s, reach):
    """Mean curvature over the next ``reach`` metres times 100, clipped to ±1."""
    total = 0.0
    for k in range(6):
        index, _ = cell_at(s + reach * (k + 1) / 6.0, step, road.shape[0])
        total += road[index, CURVATURE]
    return clamp(total / 6.0 * 100.0, -1.0, 1.0)


@kernel
def choose_lane(road, length, cars, mind, traits, i, index, u):
    """d at the point ahead that the driver steers for, inside the road, the free strip and his side of a pass.

    ``index``, ``u``: place of that point. Also returns the width of the strip that the cars alongside leave, metres;
    negative if they leave none.
    """
    line = mix(road, LINE_D, index, u)
    low, high = usable_road(road, index, u)
    room = room_beside(traits[BOLDNESS])
    want = clamp(line + mood_line(mind, traits[LINE_BIAS]), low, high)
    if mind[SIDE] != 0.0:
        want = line + mind[PASS_LANE]
    strip_low, strip_high = free_strip(cars, i, low, high, room, length)
    if strip_low <= strip_high:
        want = clamp(want, strip_low, strip_high)
    else:
        want = 0.5 * (strip_low + strip_high)
    want = clamp(want, low, high)
    most = (0.6 + 0.05 * clamp(cars[i, U], 0.0, 40.0)) / (0.5 + 0.5 * cars[i, LOOSE]) * TICK_SECONDS
    mind[OFFSET] += clamp(want - line - mind[OFFSET], -most, most)
    return clamp(line + mind[OFFSET], low, high), strip_high - strip_low


@kernel
def steer_for(road, car, index, u, d, help_share):
    """Steering demand in [-1, 1] that leads the car to the point at d beside (index, u)."""
    px, py, _ = spot_at(road, index, u, d)
    sine, cosine = sincos(car[YAW])
    dx, dy = px - car[X], py - car[Y]
    ahead, left = dx * cosine + dy * sine, dy * cosine - dx * sine
    if ahead < 0.5:  # the way lies behind: turn round
        return 1.0 if left >= 0.0 else -1.0
    speed = max(car[U], 0.0)
    # On firm ground, partly where the car goes instead of where its nose points; on loose ground it would feed slides.
    course = clamp(1.4 - car[LOOSE], 0.0, 0.4) * clamp(car[V] / max(speed, 6.0), -0.3, 0.3)
    bend = 2.0 * (left - course * ahead) / (ahead * ahead + left * left)
    angle = bend * (WHEELBASE + _SLIP_ADDED * car[LOOSE] * speed * speed)
    angle += _YAW_FEEDBACK * (bend * speed - car[YAW_RATE])
    return clamp(angle / full_lock(car, help_share), -1.0, 1.0)


@kernel
def line_pace(road, step, car, offset, beyond):
    """Speed that the road allows a moment ahead, given how far off the racing line, or off the road, the car runs."""
    index, u = cell_at(car[S] + 2.0 + 0.10 * max(car[U], 0.0), step, road.shape[0])
    line = mix(road, LINE_D, index, u)
    off = max(abs(car[D] - line) - 0.9, abs(offset))
    inside = clamp(1.0 - mix(road, CURVATURE, index, u) * car[D], 0.55, 1.2)
    share = clamp((off - _ON_LINE) / 1.6, 0.0, 1.0)
    here = mix(road, PACE_LIMIT, index, u)
    beside = mix(road, PACE_BESIDE, index, u) * math.sqrt(inside)
    here += share * (min(beside, here) - here)
    if beyond > 0.5:  # lifts, but does not brake: locked wheels on grass would only spin the car
        here = min(here, max(15.0, car[U] - 0.6))
    return here


@kernel
def press_for(car, wanted, skill):
    """(throttle, brake) that bring the car to the wanted speed; the less skilled never quite use all of the engine."""
    error = wanted - car[U]
    if error > -0.6:
        return clamp(0.5 + 0.8 * error, 0.0, 0.7 + 0.3 * skill), 0.0
    return 0.0, clamp(-0.26 * (error + 0.6), 0.0, 1.0)


@kernel
def note_progress(car, mind, racing):
    """Count the ticks in which the driver does not get on, and those in which he pushes on but hardly moves."""
    if not racing or car[PROGRESS] > mind[MARK_PROGRESS] + _GETTING_ON:
        mind[MARK_PROGRESS], mind[MARK_TICKS] = car[PROGRESS], 0.0
    else:
        mind[MARK_TICKS] += 1.0
    still = racing and abs(car[U]) < 1.2 and car[THROTTLE_IN] > 0.3 and mind[MODE] == DRIVE
    mind[STUCK_TICKS] = mind[STUCK_TICKS] + 1.0 if still else 0.0


@kernel
def back_up(car, mind, ahead, across):
    """Reverse with the wheels turned so that the nose comes round to the track's direction.

    ``ahead``, ``across``: cosine and sine of the heading relative to the track's.
    """
    mind[MODE_TICKS] -= 1.0
    if mind[MODE_TICKS] <= 0.0 or (ahead > 0.85 and mind[MODE_TICKS] < 80.0):
        mind[MODE], mind[STUCK_TICKS] = DRIVE, 0.0
    steer = 1.0 if across > 0.0 else -1.0
    take_demands(car, steer, 0.0, 1.0 if car[U] > -5.0 else 0.2, 0.0, False)


@kernel
def drifts_off(road, step, car):
    """True if the car, going on as it does, leaves the usable road within a moment."""
    index, u = cell_at(car[S], step, road.shape[0])
    tx, ty = way_at(road, index, u)
    sine, cosine = sincos(car[YAW])
    aside = car[U] * (sine * tx - cosine * ty) + car[V] * (cosine * tx + sine * ty)  # m/s to the left of the track
    low, high = usable_road(road, index, u)
    turning = car[U] * (car[YAW_RATE] - car[U] * mix(road, CURVATURE, index, u))
    then = car[D] + _FORESIGHT * (aside + 0.5 * _FORESIGHT * turning)
    left = then > high + 0.6 and aside > 0.5 and car[D] > high - 1.0
    return left or (then < low - 0.6 and aside < -0.5 and car[D] < low + 1.0)


@kernel
def react(road, step, length, cars, minds, table, i, slow, beyond):
    """Lane and speed in traffic, and the place steered for: (lane, wanted speed, index, u).

    ``table`` holds all traits, ``slow`` is a factor on speed (cool-down lap), ``beyond`` metres off the road.
    """
    car, mind, traits = cars[i], minds[i], table[i]
    speed = max(car[U], 0.0)
    look = (5.5 + 0.40 * speed) * (1.0 + 0.2 * (car[LOOSE] - 1.0))
    index, u = cell_at(car[S] + look, step, road.shape[0])
    lane, strip = choose_lane(road, length, cars, mind, traits, i, index, u)
    push = 1.0 + (0.01 + 0.03 * traits[BOLDNESS]) * abs(mind[SIDE])
    wanted = line_pace(road, step, car, mind[OFFSET], beyond) * mood_pace(mind, traits) * slow * push
    hold = 0.6 * GRAVITY * (car[GRIP_FRONT] + car[GRIP_REAR]) / (car[LOAD_FRONT] + car[LOAD_REAR] + 1.0)
    target, gap, allowed = car_ahead(cars, i, mind[OFFSET], traits[BOLDNESS], hold, length)
    held_up = wanted - cars[target, U] if target >= 0 else 0.0
    note_held_up(cars, mind, i, length)
    wanted = min(wanted, allowed)
    wanted *= yields(cars, minds, table, i, length)
    low, high = usable_road(road, index, u)
    line = mix(road, LINE_D, index, u)
    bend = bend_ahead(road, step, car[S], 20.0 + 1.5 * speed)
    plan_pass(cars, minds, traits, i, target, gap, held_up, low - line, high - line, bend, length)
    if strip < 0.0:
        wanted = min(wanted, max(0.93 * speed, 6.0))  # squeezed from both sides: give way
    if speed > 8.0 and drifts_off(road, step, car):
        wanted = min(wanted, speed - 0.9)
    return lane, wanted, index, u


@kernel
def think(road, kinds, step, length, clock, cars, marks, minds, table, streams, i):
    """One tick of driver i: writes the demands into his car. ``marks`` is his row, ``table`` all traits."""
    car, mind, traits = cars[i], minds[i], table[i]
    racing = clock[PHASE] >= RACE
    wander(mind, traits, streams, i)
    misjudge(mind, marks, car, traits, streams, i, kinds, step)
    note_progress(car, mind, racing)
    here, part = cell_at(car[S], step, road.shape[0])
    sine, cosine = sincos(car[YAW])
    tx, ty = way_at(road, here, part)
    if mind[MODE] == BACK_UP:
        back_up(car, mind, cosine * tx + sine * ty, sine * tx - cosine * ty)
        return
    beyond = beyond_road(road, here, part, car[D], 0.0)
    slow = 0.8 if marks[FINISH_TICK] > 0 else 1.0
    lane, wanted, index, u = react(road, step, length, cars, minds, table, i, slow, beyond)
    if cosine * tx + sine * ty < 0.3:
        wanted = min(wanted, 7.0)
    mind[WANTED] = wanted
    if not racing:
        mind[HELD_TICKS] = 0.0
    throttle, brake = press_for(car, wanted, traits[SKILL])
    if beyond > 0.0:
        brake = min(brake, 0.4)
    if wanted < 0.5 and car[U] < 0.5:
        throttle, brake = 0.0, 0.3  # waits behind a car; not so hard that reverse goes in
    since = clock[TICK] - clock[RACE_START]
    if since < traits[REACTION]:
        throttle = 0.0
    steer = steer_for(road, car, index, u, lane, 1.0)
    if mind[STUCK_TICKS] > 80.0 and since > _START_TICKS:
        mind[MODE], mind[MODE_TICKS], mind[SIDE] = BACK_UP, 190.0, 0.0
    take_demands(car, steer, throttle, brake, 0.0, False)
