"""The rules of a race, applied once per tick: lights, laps, positions, finish, leaving the track."""

from __future__ import annotations

from ..core.jit import kernel
from ..core.ticks import TICK_RATE
from .car import IDLE_RPM
from .driver import RESCUE_TICKS
from .events import (
    BACK_ON_TRACK,
    BARRIER_HIT,
    BEND_EVENT,
    CONTACT,
    FINISH,
    LAP,
    LEFT_TRACK,
    PASS,
    PHASE_EVENT,
    report,
)
from .placing import find_place, put_back, search_place
from .plan import LENGTH_OF_LAP, RACE_LAPS, SECONDS_PER_METRE, STEP
from .road import BEND_HERE, beyond_road, part_of
from .state import (
    BARRIER_PAUSE,
    BEND,
    BEST_LAP,
    CONTACT_PAUSE,
    COUNTDOWN,
    COUNTDOWN_PHASE,
    FINISH_PLACE,
    FINISH_TICK,
    FINISHED,
    GEAR,
    GRID,
    INDEX,
    LAP_START,
    LAPS,
    LAST_LAP,
    LIMIT_TICK,
    MARK_TICKS,
    OFF_TRACK,
    OVER,
    PHASE,
    PROGRESS,
    RACE,
    RACE_START,
    RESET_PAUSE,
    RPM,
    TICK,
    WRAPS,
    D,
    S,
)

COUNTDOWN_TICKS = 3 * TICK_RATE
_STRAGGLERS = 0.6  # of the winner's time that the others still get after the flag …
_AT_LEAST = 45 * TICK_RATE  # … but no less than this
_OUT, _IN = 0.9, 0.2  # metres beyond the kerb at which the centre of a car is off the track, and on it again
_LEAD = 0.5  # metres of progress that make a pass
_HARD = 0.6  # m/s of a knock that counts as a contact
_QUIET = 90  # ticks between two contact events of a car


@kernel
def change_phase(clock, events, phase):
    """Enter a phase and report it."""
    clock[PHASE] = phase
    report(clock, events, PHASE_EVENT, -1, -1, phase)


@kernel
def watch_lights(plan, state):
    """Grid → countdown → race, at the start of a tick."""
    clock = state.clock
    if clock[PHASE] == GRID:
        change_phase(clock, state.events, COUNTDOWN_PHASE)
    if clock[PHASE] != COUNTDOWN_PHASE:
        return
    clock[COUNTDOWN] -= 1
    if clock[COUNTDOWN] > 0:
        return
    clock[RACE_START] = clock[TICK]
    most = 60.0 + plan.switches[RACE_LAPS] * plan.settings[LENGTH_OF_LAP] * plan.settings[SECONDS_PER_METRE]
    clock[LIMIT_TICK] = clock[TICK] + int(most * TICK_RATE)
    for i in range(state.marks.shape[0]):
        state.marks[i, GEAR] = 1
        state.marks[i, LAP_START] = clock[TICK]
        state.cars[i, RPM] = max(state.cars[i, RPM], IDLE_RPM)
    change_phase(clock, state.events, RACE)


@kernel
def count_lap(clock, events, marks, i, race_laps):
    """Close a lap when the line has been crossed more often than ever before; flag the car after the last."""
    if clock[PHASE] < RACE or marks[WRAPS] <= marks[LAPS]:
        return
    time = clock[TICK] - marks[LAP_START]
    marks[LAPS], marks[LAST_LAP], marks[LAP_START] = marks[WRAPS], time, clock[TICK]
    if marks[BEST_LAP] == 0 or time < marks[BEST_LAP]:
        marks[BEST_LAP] = time
    if marks[FINISH_TICK] > 0:
        return
    report(clock, events, LAP, i, -1, time)
    if marks[LAPS] < race_laps or clock[PHASE] != RACE:
        return
    clock[FINISHED] += 1
    marks[FINISH_TICK], marks[FINISH_PLACE] = clock[TICK], clock[FINISHED]
    report(clock, events, FINISH, i, -1, clock[FINISHED])
    if clock[FINISHED] == 1:
        more = int((clock[TICK] - clock[RACE_START]) * _STRAGGLERS)
        clock[LIMIT_TICK] = min(clock[LIMIT_TICK], clock[TICK] + max(more, _AT_LEAST))


@kernel
def watch_edges(road, step, clock, events, car, marks, i):
    """Off the track, and back on it."""
    index = marks[INDEX]
    beyond = beyond_road(road, index, part_of(car[S], step, index), car[D], 1.0)
    if marks[OFF_TRACK] == 0 and beyond > _OUT:
        marks[OFF_TRACK] = 1
        report(clock, events, LEFT_TRACK, i, -1, car[S])
    elif marks[OFF_TRACK] == 1 and beyond < _IN:
        marks[OFF_TRACK] = 0
        report(clock, events, BACK_ON_TRACK, i, -1, car[S])


@kernel
def watch_bends(clock, events, marks, i, bend, radii):
    """Into and out of bends; only the player's are reported."""
    if bend == marks[BEND]:
        return
    marks[BEND] = bend
    if i == 0 and bend != 0:
        radius = radii[abs(bend)]
        report(clock, events, BEND_EVENT, i, -1, radius if bend > 0 else -radius)


@kernel
def _leads(cars, marks, a, b):
    """True if car a is to be ranked before car b, which now stands before it."""
    place_a, place_b = marks[a, FINISH_PLACE], marks[b, FINISH_PLACE]
    if place_a > 0 or place_b > 0:
        return place_a > 0 and (place_b == 0 or place_a < place_b)
    return cars[a, PROGRESS] > cars[b, PROGRESS] + _LEAD


@kernel
def rank(clock, events, cars, marks, order):
    """Keep ``order`` sorted, leader first; every overtaking is a pass."""
    for k in range(1, order.shape[0]):
        m = k
        while m > 0 and _leads(cars, marks, order[m], order[m - 1]):
            order[m - 1], order[m] = order[m], order[m - 1]
            if clock[PHASE] == RACE and marks[order[m - 1], FINISH_PLACE] == 0:
                report(clock, events, PASS, order[m - 1], order[m], m)
            m -= 1


@kernel
def note_contact(clock, events, marks, i, j, speed):
    """Report a hard knock between cars, once per scuffle."""
    if speed < _HARD:
        return
    if marks[i, CONTACT_PAUSE] == 0 or marks[j, CONTACT_PAUSE] == 0:
        report(clock, events, CONTACT, i, j, speed)
    marks[i, CONTACT_PAUSE], marks[j, CONTACT_PAUSE] = _QUIET, _QUIET


@kernel
def note_barrier(clock, events, marks, i, speed):
    """Report a hard knock against a barrier, once per scrape."""
    if speed < _HARD:
        return
    if marks[i, BARRIER_PAUSE] == 0:
        report(clock, events, BARRIER_HIT, i, -1, speed)
    marks[i, BARRIER_PAUSE] = _QUIET


@kernel
def wants_reset(clock, marks, mind, asked, driven):
    """True if a car is to be put back: it is asked for, or its driver has not got on for long."""
    if clock[PHASE] < RACE or marks[RESET_PAUSE] > 0:
        return False
    return asked or (driven and mind[MARK_TICKS] > RESCUE_TICKS)


@kernel
def close_tick(track, plan, state):
    """Everything that follows from where the cars now are."""
    road, kinds, radii = plan.road, plan.kinds, plan.bend_radius
    length, step, race_laps = plan.settings[LENGTH_OF_LAP], plan.settings[STEP], plan.switches[RACE_LAPS]
    clock, events, cars, order = state.clock, state.events, state.cars, state.order
    for k in range(order.shape[0]):
        i = order[k]
        car, marks = cars[i], state.marks[i]
        if find_place(road, step, length, car, marks) or search_place(track, road, step, length, car, marks):
            count_lap(clock, events, marks, i, race_laps)
            watch_edges(road, step, clock, events, car, marks, i)
            watch_bends(clock, events, marks, i, kinds[marks[INDEX], BEND_HERE], radii)
        else:
            put_back(road, step, length, state, i)
    rank(clock, events, cars, state.marks, order)
    if clock[PHASE] == RACE and (clock[FINISHED] == order.shape[0] or clock[TICK] >= clock[LIMIT_TICK]):
        change_phase(clock, events, OVER)
