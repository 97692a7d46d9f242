"""One tick of the whole race, in one compiled call."""

from __future__ import annotations

import numpy as np

from ..core.exact import sincos
from ..core.jit import kernel
from .assists import press_pedals, take_demands, turn_wheels
from .barriers import hit_barrier
from .chassis import advance, drive_car
from .contacts import collide
from .driver import think
from .drivetrain import shift_automatically, shift_by_hand
from .placing import put_back
from .plan import AUTOMATIC, LENGTH_OF_LAP, PLAYER_DRIVES, STEERING_HELP, STEP, TRACTION_HELP, WETNESS
from .road import RISE, mix, part_of, way_at
from .rules import close_tick, note_barrier, note_contact, wants_reset, watch_lights
from .state import (
    BARRIER_PAUSE,
    BRAKE,
    CONTACT_PAUSE,
    EVENT_COUNT,
    INDEX,
    PHASE,
    RACE,
    RESET_PAUSE,
    SHIFT_PAUSE,
    SHIFT_TICKS,
    TICK,
    YAW,
    S,
)
from .surfaces import feel_ground
from .traffic import note_held_up, slipstream

# Entries of the controls, float64 [7].
STEER_ASKED, THROTTLE_ASKED, BRAKE_ASKED, HANDBRAKE_ASKED, SHIFT_ASKED, RESET_ASKED, DIGITAL = range(7)


@kernel
def run_timers(marks):
    """Count the short timers of a car down."""
    for timer in (SHIFT_TICKS, SHIFT_PAUSE, RESET_PAUSE, CONTACT_PAUSE, BARRIER_PAUSE):
        if marks[timer] > 0:
            marks[timer] -= 1


@kernel
def take_player(car, controls):
    """Demands of the player's car from the controls."""
    take_demands(
        car, controls[STEER_ASKED], controls[THROTTLE_ASKED], controls[BRAKE_ASKED], controls[HANDBRAKE_ASKED],
        controls[DIGITAL] != 0.0,
    )  # fmt: skip


@kernel
def work_car(car, marks, racing, automatic, shift, steering_help, catch):
    """Gears, pedals and front wheels from the demands; before the green light the brakes hold the car."""
    if racing:
        if automatic:
            shift_automatically(car, marks)
        else:
            shift_by_hand(marks, shift)
    press_pedals(car, marks, automatic)
    if not racing:
        car[BRAKE] = 1.0
    turn_wheels(car, steering_help, catch)


@kernel
def decide_all(plan, state, controls):
    """What every car does in this tick: the player by the controls, the others by their drivers."""
    road, kinds, traits = plan.road, plan.kinds, plan.traits
    length, step = plan.settings[LENGTH_OF_LAP], plan.settings[STEP]
    clock, cars, minds, streams = state.clock, state.cars, state.minds, state.streams
    racing = clock[PHASE] >= RACE
    for i in range(cars.shape[0]):
        car, marks = cars[i], state.marks[i]
        human = i == 0 and plan.switches[PLAYER_DRIVES] == 0
        run_timers(marks)
        if human:
            take_player(car, controls)
            if racing:
                note_held_up(cars, minds[i], i, length)  # so that drivers let him by in the end, too
        else:
            think(road, kinds, step, length, clock, cars, marks, minds, traits, streams, i)
        automatic = not human or plan.switches[AUTOMATIC] == 1
        steering_help = plan.settings[STEERING_HELP] if human else 1.0
        catch = 1.0 if human else 0.0  # drivers catch their slides themselves
        work_car(car, marks, racing, automatic, int(controls[SHIFT_ASKED]), steering_help, catch)


@kernel
def drive_all(plan, state):
    """Forces and speeds of all cars, then their movement."""
    wheels, loads = np.zeros((4, 5)), np.zeros(4)
    road, kinds, cars = plan.road, plan.kinds, state.cars
    length, step, wetness = plan.settings[LENGTH_OF_LAP], plan.settings[STEP], plan.settings[WETNESS]
    for i in range(cars.shape[0]):
        car, marks = cars[i], state.marks[i]
        index = marks[INDEX]
        u = part_of(car[S], step, index)
        sine, cosine = sincos(car[YAW])
        tx, ty = way_at(road, index, u)
        ahead, across = cosine * tx + sine * ty, sine * tx - cosine * ty
        feel_ground(road, kinds, step, car, marks, ahead, across, wetness, wheels)
        human = i == 0 and plan.switches[PLAYER_DRIVES] == 0
        traction_help = plan.settings[TRACTION_HELP] if human else 1.0
        air = slipstream(cars, i, length)
        drive_car(car, marks, wheels, loads, mix(road, RISE, index, u), air, traction_help)
    for i in range(cars.shape[0]):
        advance(cars[i])


@kernel
def resolve_contacts(plan, state):
    """Cars against cars, then cars against barriers."""
    road, kinds, step = plan.road, plan.kinds, plan.settings[STEP]
    clock, events, cars, marks = state.clock, state.events, state.cars, state.marks
    for i in range(cars.shape[0]):
        for j in range(i + 1, cars.shape[0]):
            speed = collide(cars[i], cars[j])
            if speed >= 0.0:
                note_contact(clock, events, marks, i, j, speed)
    for i in range(cars.shape[0]):
        speed = hit_barrier(road, kinds, step, cars[i], marks[i])
        if speed >= 0.0:
            note_barrier(clock, events, marks, i, speed)


@kernel
def give_resets(plan, state, asked):
    """Put back the cars that are to be put back."""
    length, step = plan.settings[LENGTH_OF_LAP], plan.settings[STEP]
    for i in range(state.cars.shape[0]):
        driven = i > 0 or plan.switches[PLAYER_DRIVES] == 1
        if wants_reset(state.clock, state.marks[i], state.minds[i], asked and i == 0, driven):
            put_back(plan.road, step, length, state, i)


@kernel
def tick(track, plan, state, controls):
    """State t → t + 1.

    Args:
        track: TrackArrays.
        plan: Plan.
        state: State, changed in place.
        controls: float64 [7], the player's controls of this tick.
    """
    state.clock[TICK] += 1
    state.clock[EVENT_COUNT] = 0
    watch_lights(plan, state)
    give_resets(plan, state, controls[RESET_ASKED] != 0.0)
    decide_all(plan, state, controls)
    drive_all(plan, state)
    resolve_contacts(plan, state)
    close_tick(track, plan, state)
