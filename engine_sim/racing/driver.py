"""A driver: from what he sees to steering wheel and pedals, once per tick.

The racing line gives the way, ``Plan.pace`` the speed; moods and traffic bend both. Steering is pure pursuit of a
point ahead plus a yaw-rate correction, which also holds slides. A driver who is stuck backs up; the rules put him back
on the track if that does not help.
"""

from __future__ import annotations

import math

from ..core.exact import clamp, sincos
from ..core.jit import kernel
from ..tracks.query import cell_of, blend, heading_at, point_at
from .assists import full_lock, take_demands
from .car import GRIP, LOCK, WHEELBASE, WIDTH
from .moods import misjudge, mood_line, mood_pace, wander
from .plan import BOLDNESS, LINE_BIAS, REACTION
from .state import (
    FINISH_TICK, GRIP_FRONT, GRIP_REAR, LOAD_FRONT, LOAD_REAR, MARK_PROGRESS, MARK_TICKS, MODE,
    MODE_TICKS, OFFSET, PHASE, PROGRESS, RACE, RACE_START, SIDE, STUCK_TICKS, TARGET, TICK, WANTED, X, Y, YAW, YAW_RATE, D, S, U,
)  # fmt: skip
from .traffic import car_ahead, follow_speed, free_strip, plan_pass, room_beside

DRIVE, BACK_UP = 0.0, 1.0
_EDGE = 1.25  # metres that the centre of the car keeps from the edge of the road
RESCUE_TICKS = 1080  # without getting on before the driver asks to be put back
_GETTING_ON = 6.0  # metres of progress that count as getting on


@kernel
def usable_road(track, s):
    """(low, high) of d for the centre of a car at s."""
    index, u = cell_of(track, s)
    high = max(blend(track.width_left, index, u) - _EDGE, 0.3)
    low = -max(blend(track.width_right, index, u) - _EDGE, 0.3)
    return low, high


@kernel
def bend_ahead(track, s, reach):
    """Mean curvature over the next ``reach`` metres times 100, clipped to ±1."""
    total = 0.0
    for k in range(6):
        index, _ = cell_of(track, s + reach * (k + 1) / 6.0)
        total += track.curvature[index]
    return clamp(total / 6.0 * 100.0, -1.0, 1.0)


@kernel
def choose_lane(track, cars, mind, traits, i, look):
    """d at the point ahead that the driver steers for, inside the road, the free strip and his side of a pass."""
    length = track.scalars[0]
    s = cars[i, S] + look
    index, u = cell_of(track, s)
    line = blend(track.line_d, index, u)
    low, high = usable_road(track, s)
    room = room_beside(traits[BOLDNESS])
    want = clamp(line + mood_line(mind, traits[LINE_BIAS]), low, high)
    if mind[SIDE] != 0.0:
        lane = cars[int(mind[TARGET]), D] + mind[SIDE] * room
        want = max(want, lane) if mind[SIDE] > 0.0 else min(want, lane)
    strip_low, strip_high = free_strip(cars, i, low, high, room, length)
    if strip_low <= strip_high:
        want = clamp(want, strip_low, strip_high)
    else:
        want = 0.5 * (strip_low + strip_high)
    want = clamp(want, low, high)
    most = (0.4 + 0.05 * min(max(cars[i, U], 0.0), 40.0)) / 60.0
    mind[OFFSET] += clamp(want - line - mind[OFFSET], -most, most)
    return clamp(line + mind[OFFSET], low, high), strip_high - strip_low


@kernel
def steer_for(track, car, s, d, help_share):
    """Steering demand in [-1, 1] that leads the car to the track position (s, d)."""
    px, py, _ = point_at(track, s, d)
    sine, cosine = sincos(car[YAW])
    dx, dy = px - car[X], py - car[Y]
    ahead, left = dx * cosine + dy * sine, dy * cosine - dx * sine
    if ahead < 0.5:  # the way lies behind: turn round
        return 1.0 if left >= 0.0 else -1.0
    bend = 2.0 * left / (ahead * ahead + left * left)
    angle = bend * WHEELBASE + 0.11 * (bend * max(car[U], 0.0) - car[YAW_RATE])
    return clamp(angle / full_lock(car, help_share), -1.0, 1.0)


@kernel
def off_road(track, car):
    """Metres by which the centre of the car is beyond the road; negative on it."""
    index, u = cell_of(track, car[S])
    return max(car[D] - blend(track.width_left, index, u), -car[D] - blend(track.width_right, index, u))


@kernel
def line_pace(track, pace, car, mind, lane):
    """Speed that the road allows a moment ahead, given how far off the racing line the car runs."""
    index, u = cell_of(track, car[S] + 2.0 + 0.10 * max(car[U], 0.0))
    beside = lane - blend(track.line_d, index, u)
    inside = clamp(1.0 - blend(track.line_curvature, index, u) * beside, 0.55, 1.0)
    here = blend(pace, index, u) * math.sqrt(inside)
    hold = (car[GRIP_FRONT] + car[GRIP_REAR]) / (GRIP * (car[LOAD_FRONT] + car[LOAD_REAR]) + 1.0)
    if off_road(track, car) > 0.5:
        here = min(here, max(12.0, 34.0 * hold))
    return here


@kernel
def press_for(car, wanted):
    """(throttle, brake) that bring the car to the wanted speed."""
    error = wanted - car[U]
    if error > -0.6:
        return clamp(0.35 + 0.45 * error, 0.0, 1.0), 0.0
    return 0.0, clamp(-0.16 * (error + 0.6), 0.0, 1.0)


@kernel
def note_progress(car, mind, racing):
    """Count the ticks in which the driver does not get on, and those in which he hardly moves."""
    if not racing or car[PROGRESS] > mind[MARK_PROGRESS] + _GETTING_ON:
        mind[MARK_PROGRESS], mind[MARK_TICKS] = car[PROGRESS], 0.0
    else:
        mind[MARK_TICKS] += 1.0
    still = racing and abs(car[U]) < 1.2 and mind[MODE] == DRIVE
    mind[STUCK_TICKS] = mind[STUCK_TICKS] + 1.0 if still else 0.0


@kernel
def back_up(car, mind, across):
    """Reverse with the wheels turned so that the nose comes round to the track's direction."""
    mind[MODE_TICKS] -= 1.0
    if mind[MODE_TICKS] <= 0.0:
        mind[MODE], mind[STUCK_TICKS] = DRIVE, 0.0
    steer = 1.0 if across > 0.0 else -1.0
    take_demands(car, steer, 0.0, 1.0 if car[U] > -5.0 else 0.2, 0.0, False)


@kernel
def react(track, plan, state, i):
    """Passing, lane and speed in traffic: (lane, wanted speed, look-ahead in metres)."""
    cars, mind, traits = state.cars, state.minds[i], plan.traits[i]
    car = cars[i]
    speed = max(car[U], 0.0)
    look = 5.5 + 0.40 * speed
    lane, strip = choose_lane(track, cars, mind, traits, i, look)
    calm = 0.8 if state.marks[i, FINISH_TICK] > 0 else 1.0
    wanted = line_pace(track, plan.pace, car, mind, lane) * mood_pace(mind, traits) * calm
    target, gap = car_ahead(cars, i, lane, track.scalars[0])
    if target >= 0:
        hold = 0.55 * 9.81 * (car[GRIP_FRONT] + car[GRIP_REAR]) / (car[LOAD_FRONT] + car[LOAD_REAR] + 1.0)
        allowed = follow_speed(speed, cars[target, U], gap, traits[BOLDNESS], hold)
        held_up = wanted - cars[target, U]
        wanted = min(wanted, allowed)
    else:
        held_up = 0.0
    low, high = usable_road(track, car[S] + look)
    bend = bend_ahead(track, car[S], 20.0 + 1.5 * speed)
    plan_pass(cars, mind, traits, i, target, gap, held_up, low, high, bend, track.scalars[0])
    if strip < 0.0:
        wanted = min(wanted, max(0.93 * speed, 6.0))  # squeezed from both sides: give way
    return lane, wanted, look


@kernel
def think(track, plan, state, i, step):
    """One tick of driver i: writes the demands into his car."""
    car, marks, mind, traits = state.cars[i], state.marks[i], state.minds[i], plan.traits[i]
    racing = state.clock[PHASE] >= RACE
    wander(mind, traits, state.streams, i)
    misjudge(mind, marks, car, traits, state.streams, i, plan.bends, step)
    note_progress(car, mind, racing)
    sine, cosine = sincos(car[YAW])
    tx, ty = heading_at(track, car[S])
    across, ahead = sine * tx - cosine * ty, cosine * tx + sine * ty
    if mind[MODE] == BACK_UP:
        back_up(car, mind, across)
        return
    lane, wanted, look = react(track, plan, state, i)
    if ahead < 0.3:
        wanted = min(wanted, 7.0)
    mind[WANTED] = wanted
    throttle, brake = press_for(car, wanted)
    if off_road(track, car) > 0.0:
        brake = min(brake, 0.25)  # grass and gravel brake by themselves; locked wheels would only spin the car
    if wanted < 0.5 and car[U] < 0.5:
        throttle, brake = 0.0, 0.3  # waits behind a car; not so hard that reverse goes in
    if state.clock[TICK] - state.clock[RACE_START] < traits[REACTION]:
        throttle = 0.0
    steer = steer_for(track, car, car[S] + look, lane, 1.0)
    if mind[STUCK_TICKS] > 110.0:
        mind[MODE], mind[MODE_TICKS], mind[SIDE] = BACK_UP, 190.0, 0.0
    take_demands(car, steer, throttle, brake, 0.0, False)
