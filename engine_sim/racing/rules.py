"""The rules of a race, applied once per tick: lights, laps, positions, finish, leaving the track."""

from __future__ import annotations

from ..core.jit import kernel
from ..core.ticks import TICK_RATE
from ..tracks.query import blend, fraction
from .car import IDLE_RPM
from .driver import RESCUE_TICKS
from .events import (
    BACK_ON_TRACK, BARRIER_HIT, BEND_EVENT, CONTACT, FINISH, LAP, LEFT_TRACK, PASS, PHASE_EVENT, report,
)  # fmt: skip
from .plan import PLAYER_DRIVES, RACE_LAPS, SECONDS_PER_METRE
from .placing import find_place, put_back
from .state import (
    BARRIER_PAUSE, BEND, BEST_LAP, CONTACT_PAUSE, COUNTDOWN, COUNTDOWN_PHASE, D, FINISH_PLACE, FINISH_TICK, FINISHED,
    GEAR, GRID, INDEX, LAP_START, LAPS, LAST_LAP, LIMIT_TICK, MARK_TICKS, OFF_TRACK, OVER, PHASE, PROGRESS, RACE,
    RACE_START, RESET_PAUSE, RPM, S, TICK, WRAPS,
)  # fmt: skip

COUNTDOWN_TICKS = 3 * TICK_RATE
_STRAGGLERS = 0.6  # of the winner's time that the others still get after the flag …
_AT_LEAST = 45 * TICK_RATE  # … but no less than this
_OUT, _IN = 0.9, 0.2  # metres beyond the kerb at which the centre of a car is off the track, and on it again
_LEAD = 0.5  # metres of progress that make a pass
_HARD = 0.6  # m/s of a knock that counts as a contact
_QUIET = 90  # ticks between two contact events of a car


@kernel
def change_phase(state, phase):
    """Enter a phase and report it."""
    state.clock[PHASE] = phase
    report(state, PHASE_EVENT, -1, -1, phase)


@kernel
def watch_lights(plan, state, length):
    """Grid → countdown → race, at the start of a tick."""
    clock = state.clock
    if clock[PHASE] == GRID:
        change_phase(state, COUNTDOWN_PHASE)
    if clock[PHASE] != COUNTDOWN_PHASE:
        return
    clock[COUNTDOWN] -= 1
    if clock[COUNTDOWN] > 0:
        return
    clock[RACE_START] = clock[TICK]
    most = 60.0 + plan.switches[RACE_LAPS] * length * plan.settings[SECONDS_PER_METRE]
    clock[LIMIT_TICK] = clock[TICK] + int(most * TICK_RATE)
    for i in range(state.marks.shape[0]):
        state.marks[i, GEAR] = 1
        state.marks[i, LAP_START] = clock[TICK]
        state.cars[i, RPM] = max(state.cars[i, RPM], IDLE_RPM)
    change_phase(state, RACE)


@kernel
def count_lap(plan, state, i):
    """Close a lap when the line has been crossed more often than ever before; flag the car after the last."""
    marks, clock = state.marks[i], state.clock
    if clock[PHASE] < RACE or marks[WRAPS] <= marks[LAPS]:
        return
    time = clock[TICK] - marks[LAP_START]
    marks[LAPS], marks[LAST_LAP], marks[LAP_START] = marks[WRAPS], time, clock[TICK]
    if marks[BEST_LAP] == 0 or time < marks[BEST_LAP]:
        marks[BEST_LAP] = time
    if marks[FINISH_TICK] > 0:
        return
    report(state, LAP, i, -1, time)
    if marks[LAPS] < plan.switches[RACE_LAPS] or clock[PHASE] != RACE:
        return
    clock[FINISHED] += 1
    marks[FINISH_TICK], marks[FINISH_PLACE] = clock[TICK], clock[FINISHED]
    report(state, FINISH, i, -1, clock[FINISHED])
    if clock[FINISHED] == 1:
        more = int((clock[TICK] - clock[RACE_START]) * _STRAGGLERS)
        clock[LIMIT_TICK] = min(clock[LIMIT_TICK], clock[TICK] + max(more, _AT_LEAST))


@kernel
def watch_edges(track, plan, state, i):
    """Off the track, back on it, into a bend."""
    car, marks = state.cars[i], state.marks[i]
    index = marks[INDEX]
    u = fraction(track, index, car[S])
    if car[D] >= 0.0:
        beyond = car[D] - blend(track.width_left, index, u) - blend(track.kerb_left, index, u)
    else:
        beyond = -car[D] - blend(track.width_right, index, u) - blend(track.kerb_right, index, u)
    if marks[OFF_TRACK] == 0 and beyond > _OUT:
        marks[OFF_TRACK] = 1
        report(state, LEFT_TRACK, i, -1, car[S])
    elif marks[OFF_TRACK] == 1 and beyond < _IN:
        marks[OFF_TRACK] = 0
        report(state, BACK_ON_TRACK, i, -1, car[S])
    bend = plan.bends[index]
    if bend != marks[BEND]:
        marks[BEND] = bend
        if i == 0 and bend != 0:
            radius = plan.bend_radius[abs(bend)]
            report(state, BEND_EVENT, i, -1, radius if bend > 0 else -radius)


@kernel
def _leads(state, a, b):
    """True if car a is to be ranked before car b, which now stands before it."""
    place_a, place_b = state.marks[a, FINISH_PLACE], state.marks[b, FINISH_PLACE]
    if place_a > 0 or place_b > 0:
        return place_a > 0 and (place_b == 0 or place_a < place_b)
    return state.cars[a, PROGRESS] > state.cars[b, PROGRESS] + _LEAD


@kernel
def rank(state):
    """Keep ``order`` sorted, leader first; every overtaking is a pass."""
    order = state.order
    for k in range(1, order.shape[0]):
        m = k
        while m > 0 and _leads(state, order[m], order[m - 1]):
            order[m - 1], order[m] = order[m], order[m - 1]
            if state.clock[PHASE] == RACE and state.marks[order[m - 1], FINISH_PLACE] == 0:
                report(state, PASS, order[m - 1], order[m], m)
            m -= 1


@kernel
def note_contact(state, i, j, speed):
    """Report a hard knock between cars, once per scuffle."""
    if speed < _HARD:
        return
    if state.marks[i, CONTACT_PAUSE] == 0 or state.marks[j, CONTACT_PAUSE] == 0:
        report(state, CONTACT, i, j, speed)
    state.marks[i, CONTACT_PAUSE], state.marks[j, CONTACT_PAUSE] = _QUIET, _QUIET


@kernel
def note_barrier(state, i, speed):
    """Report a hard knock against a barrier, once per scrape."""
    if speed < _HARD:
        return
    if state.marks[i, BARRIER_PAUSE] == 0:
        report(state, BARRIER_HIT, i, -1, speed)
    state.marks[i, BARRIER_PAUSE] = _QUIET


@kernel
def wants_reset(plan, state, i, asked):
    """True if a car is to be put back: the player asks, or a driver has not got on for long."""
    marks = state.marks[i]
    if state.clock[PHASE] < RACE or marks[RESET_PAUSE] > 0:
        return False
    if i == 0 and asked:
        return True
    driven = i > 0 or plan.switches[PLAYER_DRIVES] == 1
    return driven and state.minds[i, MARK_TICKS] > RESCUE_TICKS


@kernel
def close_tick(track, plan, state):
    """Everything that follows from where the cars now are."""
    for k in range(state.order.shape[0]):
        i = state.order[k]
        if find_place(track, state, i):
            count_lap(plan, state, i)
            watch_edges(track, plan, state, i)
        else:
            put_back(track, state, i)
    rank(state)
    clock = state.clock
    if clock[PHASE] == RACE and (clock[FINISHED] == state.marks.shape[0] or clock[TICK] >= clock[LIMIT_TICK]):
        change_phase(state, OVER)
