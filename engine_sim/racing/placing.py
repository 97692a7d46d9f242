"""Where cars are on the track, and putting them there: grid, position after a tick, reset."""

from __future__ import annotations

from ..core.exact import atan2, sincos
from ..core.jit import kernel
from ..tracks.query import locate
from .car import IDLE_RPM
from .events import RESET, report
from .road import (
    AT_Z,
    BANK,
    CURVATURE,
    GRADE,
    LINE_D,
    WALL_LEFT,
    WALL_RIGHT,
    WIDTH_LEFT,
    WIDTH_RIGHT,
    beyond_walls,
    cell_at,
    follow,
    mix,
    spot_at,
    way_at,
)
from .state import (
    ASIDE,
    AX,
    AY,
    BARRIER_PAUSE,
    CONTACT_PAUSE,
    GEAR,
    HOLD_TICKS,
    INDEX,
    MARK_PROGRESS,
    MARK_TICKS,
    MODE,
    OFFSET,
    PHASE,
    PITCH,
    PITCH_RATE,
    PROGRESS,
    RACE,
    RESET_PAUSE,
    RESETS,
    ROLL,
    ROLL_RATE,
    RPM,
    SIDE,
    SLOPE_AHEAD,
    SLOPE_LEFT,
    SPIN_FRONT,
    SPIN_REAR,
    STEER,
    STEER_IN,
    STUCK_TICKS,
    THROTTLE_IN,
    WRAPS,
    YAW,
    YAW_RATE,
    D,
    S,
    U,
    V,
    X,
    Y,
    Z,
)
from .traffic import gap_along

GRID_FIRST, GRID_STEP, GRID_COLUMN = 8.0, 8.0, 2.6  # metres: line to pole, row to row, centreline to column
RESET_PAUSE_TICKS = 240
_LOST = 60.0  # metres of s in one tick that no car can drive: it has jumped to another stretch of road
_ASTRAY = 2.0  # metres behind a barrier from which the whole circuit is searched for the car
_BEYOND = 5.0  # metres behind a barrier from which a car cannot come back
_CLEAR_AHEAD, _CLEAR_BESIDE = 9.0, 3.2  # free room that a reset looks for


@kernel
def stand_at(road, step, car, marks, s, d):
    """Put a car at rest at the track position (s, d), heading along the track; s in [0, length)."""
    index, u = cell_at(s, step, road.shape[0])
    car[X], car[Y], car[Z] = spot_at(road, index, u, d)
    tx, ty = way_at(road, index, u)
    car[YAW] = atan2(ty, tx)
    car[U], car[V], car[YAW_RATE], car[AX], car[AY] = 0.0, 0.0, 0.0, 0.0, 0.0
    car[SPIN_FRONT], car[SPIN_REAR], car[STEER], car[STEER_IN], car[THROTTLE_IN] = 0.0, 0.0, 0.0, 0.0, 0.0
    car[PITCH], car[PITCH_RATE], car[ROLL], car[ROLL_RATE] = 0.0, 0.0, 0.0, 0.0
    car[RPM] = IDLE_RPM
    car[S], car[D] = s, d
    marks[INDEX], marks[HOLD_TICKS] = index, 0
    feel_slope(road, step, car, index, u)


@kernel
def feel_slope(road, step, car, index, u):
    """Height and slopes of the ribbon under the car, and its distance from the racing line."""
    car[ASIDE] = car[D] - mix(road, LINE_D, index, u)
    following = index + 1 if index + 1 < road.shape[0] else 0
    d = car[D]
    along = mix(road, GRADE, index, u) + d * (road[following, BANK] - road[index, BANK]) / step
    along /= max(1.0 - mix(road, CURVATURE, index, u) * d, 0.3)
    across = mix(road, BANK, index, u)
    sine, cosine = sincos(car[YAW])
    tx, ty = way_at(road, index, u)
    turned, ahead = sine * tx - cosine * ty, cosine * tx + sine * ty
    car[SLOPE_AHEAD] = along * ahead + across * turned
    car[SLOPE_LEFT] = across * ahead - along * turned
    d = min(max(d, -mix(road, WALL_RIGHT, index, u)), mix(road, WALL_LEFT, index, u))
    car[Z] = mix(road, AT_Z, index, u) + d * across


@kernel
def settle_place(road, step, length, car, marks, index, u, d):
    """Write a new track position: S, D, INDEX, WRAPS, PROGRESS, slopes. False if the car has left the circuit."""
    s = (index + u) * step
    if s >= length:
        s, index, u = 0.0, 0, 0.0
    if abs(gap_along(car[S], s, length)) > _LOST or beyond_walls(road, index, u, d) > _BEYOND:
        return False
    if s - car[S] < -0.5 * length:
        marks[WRAPS] += 1
    elif s - car[S] > 0.5 * length:
        marks[WRAPS] -= 1
    car[S], car[D] = s, d
    marks[INDEX] = index
    car[PROGRESS] = marks[WRAPS] * length + s
    feel_slope(road, step, car, index, u)
    return True


@kernel
def find_place(road, step, length, car, marks):
    """Track position of a car after a tick, near its last one. False if it is not there."""
    index, u, d, found = follow(road, car[X], car[Y], marks[INDEX])
    if not found or beyond_walls(road, index, u, d) > _ASTRAY:
        return False
    return settle_place(road, step, length, car, marks, index, u, d)


@kernel
def search_place(track, road, step, length, car, marks):
    """The same by a search of the whole circuit, for a car behind a barrier. False if it has left the circuit."""
    index, s, d = locate(track, car[X], car[Y], marks[INDEX])
    return settle_place(road, step, length, car, marks, index, s / step - index, d)


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
def put_back(road, step, length, state, i):
    """Reset to track: at rest on the racing line at the same s, or further back where there is room."""
    car, marks, mind = state.cars[i], state.marks[i], state.minds[i]
    s = car[S]
    for _ in range(40):
        index, u = cell_at(s, step, road.shape[0])
        if not _taken(state.cars, i, s, mix(road, LINE_D, index, u), length):
            break
        s -= _CLEAR_AHEAD
        if s < 0.0:
            s += length
            marks[WRAPS] -= 1
    index, u = cell_at(s, step, road.shape[0])
    stand_at(road, step, car, marks, s, mix(road, LINE_D, index, u))
    car[PROGRESS] = marks[WRAPS] * length + s
    marks[GEAR] = 1 if state.clock[PHASE] >= RACE else 0
    marks[RESETS] += 1
    marks[RESET_PAUSE] = RESET_PAUSE_TICKS
    marks[CONTACT_PAUSE], marks[BARRIER_PAUSE] = 60, 60
    mind[OFFSET], mind[SIDE], mind[MODE], mind[STUCK_TICKS], mind[MARK_TICKS] = 0.0, 0.0, 0.0, 0.0, 0.0
    mind[MARK_PROGRESS] = car[PROGRESS]
    report(state.clock, state.events, RESET, i, -1, s)


@kernel
def form_grid(road, step, length, state, slots):
    """Place all cars on the grid: two staggered columns behind the line.

    Args:
        slots: int64 [cars], slot of each car, 0 = pole.
    """
    for i in range(state.cars.shape[0]):
        slot = slots[i]
        s = length - (GRID_FIRST + GRID_STEP * slot)
        index, _ = cell_at(s, step, road.shape[0])
        if slot % 2 == 0:
            d = min(0.5 * road[index, WIDTH_LEFT], GRID_COLUMN)
        else:
            d = -min(0.5 * road[index, WIDTH_RIGHT], GRID_COLUMN)
        stand_at(road, step, state.cars[i], state.marks[i], s, d)
        state.marks[i, WRAPS] = -1
        state.cars[i, PROGRESS] = s - length
        state.order[slot] = i
