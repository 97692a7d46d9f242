"""One tick of the whole race, in one compiled call."""

from __future__ import annotations

import numpy as np

from ..core.exact import sincos
from ..core.jit import kernel
from ..tracks.query import blend, fraction, heading_at
from .assists import press_pedals, take_demands, turn_wheels
from .barriers import hit_barrier
from .chassis import advance, drive_car
from .contacts import collide
from .drivetrain import shift_automatically, shift_by_hand
from .driver import think
from .placing import put_back
from .plan import AUTOMATIC, PLAYER_DRIVES, STEERING_HELP, TRACTION_HELP, WETNESS
from .rules import close_tick, note_barrier, note_contact, wants_reset, watch_lights
from .state import (
    BARRIER_PAUSE, BRAKE, BUMP, CONTACT_PAUSE, EVENT_COUNT, INDEX, PHASE, RACE, RESET_PAUSE, S, SHIFT_PAUSE,
    SHIFT_TICKS, TICK, TOUCHED, YAW,
)  # fmt: skip
from .surfaces import feel_ground
from .traffic import slipstream

# Entries of the controls, float64 [7].
STEER_ASKED, THROTTLE_ASKED, BRAKE_ASKED, HANDBRAKE_ASKED, SHIFT_ASKED, RESET_ASKED, DIGITAL = range(7)


@kernel
def count_down(marks):
    """Run the short timers of a car."""
    for timer in (SHIFT_TICKS, SHIFT_PAUSE, RESET_PAUSE, CONTACT_PAUSE, BARRIER_PAUSE):
        if marks[timer] > 0:
            marks[timer] -= 1
    marks[TOUCHED] = 0


@kernel
def take_controls(track, plan, state, i, controls):
    """Demands of one car: from the player or from its driver; then gears, pedals and front wheels."""
    car, marks = state.cars[i], state.marks[i]
    count_down(marks)
    car[BUMP] = 0.0
    human = i == 0 and plan.switches[PLAYER_DRIVES] == 0
    if human:
        take_demands(
            car, controls[STEER_ASKED], controls[THROTTLE_ASKED], controls[BRAKE_ASKED], controls[HANDBRAKE_ASKED],
            controls[DIGITAL] != 0.0,
        )  # fmt: skip
    else:
        think(track, plan, state, i, track.scalars[1])
    automatic = not human or plan.switches[AUTOMATIC] == 1
    racing = state.clock[PHASE] >= RACE
    if racing:
        if automatic:
            shift_automatically(car, marks)
        else:
            shift_by_hand(marks, int(controls[SHIFT_ASKED]))
    press_pedals(car, marks, automatic)
    if not racing:
        car[BRAKE] = 1.0
    turn_wheels(car, plan.settings[STEERING_HELP] if human else 1.0)


@kernel
def drive_all(track, plan, state, controls):
    """Forces and speeds of all cars."""
    wheels, loads = np.zeros((4, 5)), np.zeros(4)
    for i in range(state.cars.shape[0]):
        take_controls(track, plan, state, i, controls)
    for i in range(state.cars.shape[0]):
        car, marks = state.cars[i], state.marks[i]
        sine, cosine = sincos(car[YAW])
        tx, ty = heading_at(track, car[S])
        feel_ground(
            track, car, marks, cosine * tx + sine * ty, sine * tx - cosine * ty, plan.settings[WETNESS], wheels
        )
        rise = blend(plan.rise, marks[INDEX], fraction(track, marks[INDEX], car[S]))
        human = i == 0 and plan.switches[PLAYER_DRIVES] == 0
        help_share = plan.settings[TRACTION_HELP] if human else 1.0
        drive_car(car, marks, wheels, loads, rise, slipstream(state.cars, i, track.scalars[0]), help_share)


@kernel
def resolve_contacts(track, state):
    """Cars against cars, then cars against barriers."""
    n = state.cars.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            speed = collide(state.cars[i], state.cars[j])
            if speed >= 0.0:
                state.marks[i, TOUCHED] = 1
                state.marks[j, TOUCHED] = 1
                note_contact(state, i, j, speed)
    for i in range(n):
        speed = hit_barrier(track, state.cars[i], state.marks[i])
        if speed >= 0.0:
            state.marks[i, TOUCHED] = 1
            note_barrier(state, i, speed)


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
    watch_lights(plan, state, track.scalars[0])
    for i in range(state.cars.shape[0]):
        if wants_reset(plan, state, i, controls[RESET_ASKED] != 0.0):
            put_back(track, state, i)
    drive_all(track, plan, state, controls)
    for i in range(state.cars.shape[0]):
        advance(state.cars[i])
    resolve_contacts(track, state)
    close_tick(track, plan, state)
