"""Where cars are on the track, and putting them there: grid, position after a tick, reset."""

from __future__ import annotations

import math

from ..core.exact import atan2, sincos
from ..core.jit import kernel
from ..tracks.query import blend, cell_of, fraction, heading_at, height_at, locate, point_at, wrap_s
from .car import IDLE_RPM
from .events import RESET, report
from .state import (
    AX, AY, BARRIER_PAUSE, CONTACT_PAUSE, D, GEAR, HOLD_TICKS, INDEX, MARK_PROGRESS, MARK_TICKS, MODE, OFFSET, PHASE,
    PITCH, PITCH_RATE, PROGRESS, RACE, RESET_PAUSE, RESETS, ROLL, ROLL_RATE, RPM, S, SIDE, SLOPE_AHEAD, SLOPE_LEFT,
    SPIN_FRONT, SPIN_REAR, STEER, STEER_IN, STUCK_TICKS, THROTTLE_IN, U, V, WRAPS, X, Y, YAW, YAW_RATE, Z,
)  # fmt: skip
from .traffic import gap_along

RESET_PAUSE_TICKS = 240
_LOST = 60.0  # metres of s in one tick that no car can drive: it has jumped to another stretch of road
_BEYOND = 5.0  # metres behind a barrier from which a car cannot come back
_CLEAR_AHEAD, _CLEAR_BESIDE = 9.0, 3.2  # free room that a reset looks for


@kernel
def stand_at(track, car, marks, s, d):
    """Put a car at rest at the track position (s, d), heading along the track; s in [0, length)."""
    car[X], car[Y], car[Z] = point_at(track, s, d)
    tx, ty = heading_at(track, s)
    car[YAW] = atan2(ty, tx)
    car[U], car[V], car[YAW_RATE], car[AX], car[AY] = 0.0, 0.0, 0.0, 0.0, 0.0
    car[SPIN_FRONT], car[SPIN_REAR], car[STEER], car[STEER_IN], car[THROTTLE_IN] = 0.0, 0.0, 0.0, 0.0, 0.0
    car[PITCH], car[PITCH_RATE], car[ROLL], car[ROLL_RATE] = 0.0, 0.0, 0.0, 0.0
    car[RPM] = IDLE_RPM
    car[S], car[D] = s, d
    marks[INDEX], _ = cell_of(track, s)
    marks[HOLD_TICKS] = 0
    feel_slope(track, car, marks)


@kernel
def feel_slope(track, car, marks):
    """Height and slopes of the ribbon under the car."""
    i = marks[INDEX]
    u = fraction(track, i, car[S])
    j = i + 1 if i + 1 < track.x.shape[0] else 0
    d = car[D]
    along = blend(track.grade, i, u) + d * (track.bank[j] - track.bank[i]) / track.scalars[1]
    along /= max(1.0 - blend(track.curvature, i, u) * d, 0.3)
    across = blend(track.bank, i, u)
    sine, cosine = sincos(car[YAW])
    tx, ty = heading_at(track, car[S])
    turned, ahead = sine * tx - cosine * ty, cosine * tx + sine * ty
    car[SLOPE_AHEAD] = along * ahead + across * turned
    car[SLOPE_LEFT] = across * ahead - along * turned
    car[Z] = height_at(track, i, car[S], d)


@kernel
def find_place(track, state, i):
    """Track position of a car after a tick: S, D, INDEX, WRAPS, PROGRESS, slopes. False if it has left the circuit."""
    car, marks = state.cars[i], state.marks[i]
    index, s, d = locate(track, car[X], car[Y], marks[INDEX])
    length = track.scalars[0]
    step = gap_along(car[S], s, length)
    u = fraction(track, index, s)
    beyond = max(d - blend(track.barrier_left, index, u), -d - blend(track.barrier_right, index, u))
    if abs(step) > _LOST or beyond > _BEYOND:
        return False
    if s - car[S] < -0.5 * length:
        marks[WRAPS] += 1
    elif s - car[S] > 0.5 * length:
        marks[WRAPS] -= 1
    car[S], car[D] = s, d
    marks[INDEX] = index
    car[PROGRESS] = marks[WRAPS] * length + s
    feel_slope(track, car, marks)
    return True


@kernel
def _taken(cars, i, s, d, length):
    """True if another car stands too near to (s, d)."""
    for j in range(cars.shape[0]):
        if j == i:
            continue
        if abs(gap_along(s, cars[j, S], length)) < _CLEAR_AHEAD and abs(cars[j, D] - d) < _CLEAR_BESIDE:
            return True
    return False


@kernel
def put_back(track, state, i):
    """Reset to track: at rest on the racing line at the same s, or further back where there is room."""
    car, marks, mind = state.cars[i], state.marks[i], state.minds[i]
    length = track.scalars[0]
    s = car[S]
    for _ in range(40):
        index, u = cell_of(track, s)
        if not _taken(state.cars, i, s, blend(track.line_d, index, u), length):
            break
        s -= _CLEAR_AHEAD
        if s < 0.0:
            s += length
            marks[WRAPS] -= 1
    s = wrap_s(s, length)
    index, u = cell_of(track, s)
    stand_at(track, car, marks, s, blend(track.line_d, index, u))
    car[PROGRESS] = marks[WRAPS] * length + s
    marks[GEAR] = 1 if state.clock[PHASE] >= RACE else 0
    marks[RESETS] += 1
    marks[RESET_PAUSE] = RESET_PAUSE_TICKS
    marks[CONTACT_PAUSE], marks[BARRIER_PAUSE] = 60, 60
    mind[OFFSET], mind[SIDE], mind[MODE], mind[STUCK_TICKS], mind[MARK_TICKS] = 0.0, 0.0, 0.0, 0.0, 0.0
    mind[MARK_PROGRESS] = car[PROGRESS]
    report(state, RESET, i, -1, s)


@kernel
def form_grid(track, state, slots):
    """Place all cars on the grid: two staggered columns behind the line.

    Args:
        slots: int64 [cars], slot of each car, 0 = pole.
    """
    length = track.scalars[0]
    for i in range(state.cars.shape[0]):
        slot = slots[i]
        s = length - math.floor(GRID_FIRST + GRID_STEP * slot)
        index, u = cell_of(track, s)
        if slot % 2 == 0:
            d = min(0.5 * track.width_left[index], GRID_COLUMN)
        else:
            d = -min(0.5 * track.width_right[index], GRID_COLUMN)
        stand_at(track, state.cars[i], state.marks[i], s, d)
        state.marks[i, WRAPS] = -1
        state.cars[i, PROGRESS] = s - length
        state.order[slot] = i


GRID_FIRST, GRID_STEP, GRID_COLUMN = 8.0, 8.0, 2.6
