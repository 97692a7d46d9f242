"""The whole state of a race: a few arrays with named columns.

``state.cars[i, U]`` is the forward speed of car i. Rows instead of sixty named arrays keep kernels small (a rule takes
one row) and the per-tick hash cheap. Nothing that affects the next tick lives anywhere else.

Axes as in ``tracks.track``; body axes: u forward, v to the left, yaw counter-clockwise. Metres, seconds, radians;
durations are integer ticks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Columns of State.cars, float64 [cars, CAR_COLUMNS].
(
    X, Y, Z, YAW,  # centre of the wheelbase, road level
    U, V, YAW_RATE,  # velocity in body axes
    AX, AY,  # low-passed tyre accelerations: what the suspension leans on
    SPIN_FRONT, SPIN_REAR,  # rad/s of the axles
    WHEEL_TURN,  # rolled angle of the wheels, wrapped
    RPM,
    STEER_IN, THROTTLE_IN, BRAKE_IN, HANDBRAKE,  # demands, keys already smoothed
    STEER,  # front wheels, rad
    THROTTLE, BRAKE,  # pedals as the drivetrain and the brakes get them
    PITCH, PITCH_RATE, ROLL, ROLL_RATE,  # body on its springs, relative to the ground
    SLOPE_AHEAD, SLOPE_LEFT,  # of the ground under the car, rise over run
    LOAD_FRONT, LOAD_REAR,  # axle loads of the last tick, N
    GRIP_FRONT, GRIP_REAR,  # N that each axle could hold in the last tick
    LOOSE,  # how loose the ground under the car is: peak slip relative to asphalt, ≥ 1
    S, D,  # track position
    ASIDE,  # metres to the left of the racing line
    PROGRESS,  # metres past the start line of lap one
) = range(35)  # fmt: skip
CAR_COLUMNS = 35

# Columns of State.marks, int64 [cars, MARK_COLUMNS].
(
    INDEX,  # sample of the track before the car
    GEAR,  # -1 reverse, 0 neutral, 1 … 6
    SHIFT_TICKS,  # left until the clutch closes
    SHIFT_PAUSE,  # left until the automatic may shift again
    HOLD_TICKS,  # brake held at a standstill
    WRAPS,  # times the car has crossed the start line, less the times it crossed back; -1 on the grid
    LAPS,  # completed laps: the highest WRAPS ever, not below 0
    LAP_START, LAST_LAP, BEST_LAP,  # ticks; 0 = none yet
    FINISH_TICK, FINISH_PLACE,  # 0 = still racing
    OFF_TRACK,  # 1 beyond kerb and margin
    BEND,  # signed number of the bend that the car is in, 0 on straights
    RESETS, RESET_PAUSE,
    CONTACT_PAUSE, BARRIER_PAUSE,  # ticks until the next contact makes an event
) = range(18)  # fmt: skip
MARK_COLUMNS = 18

# Columns of State.minds, float64 [cars, MIND_COLUMNS]: what a driver has in mind.
(
    OFFSET,  # metres beside the racing line that the car steers for now
    WANDER, WANDER_GOAL,  # slow wobble of the line
    PACE, PACE_GOAL,  # factor on speed, wobbling around 1
    WANDER_TICKS, PACE_TICKS,  # until new goals are drawn
    SIDE, SIDE_TICKS,  # committed side of a pass: +1 left, -1 right, 0 none
    TARGET,  # car being passed, -1 none
    PASS_LANE,  # metres beside the racing line on which to pass it
    HELD_BY, HELD_TICKS,  # slower car close ahead, and for how long
    SLIP_TICKS,  # left of a mistake
    SLIP_PACE, SLIP_LINE,  # its speed factor and its metres off the line
    MODE, MODE_TICKS,  # DRIVE, BACK_UP
    STUCK_TICKS,  # nearly still although racing
    MARK_PROGRESS, MARK_TICKS,  # progress when the car last got on, and ticks since
    NEXT_BEND,  # sample of the bend for which a mistake was last drawn
    WANTED,  # speed that the driver aims at, m/s
) = range(23)  # fmt: skip
MIND_COLUMNS = 23

# Entries of State.clock, int64 [CLOCK_ENTRIES].
TICK, PHASE, COUNTDOWN, FINISHED, RACE_START, LIMIT_TICK, EVENT_COUNT = range(7)
CLOCK_ENTRIES = 7

# Phases.
GRID, COUNTDOWN_PHASE, RACE, OVER = range(4)
PHASE_NAMES = ("grid", "countdown", "race", "finished")

EVENT_ROOM = 64  # events that one tick can report; sixteen cars cannot make more than about fifty
EVENT_COLUMNS = 4  # kind, car, other, value


class State(NamedTuple):
    """Arrays of a race. Hash, save and restore: ``core.state``."""

    clock: NDArray[np.int64]  # [CLOCK_ENTRIES]
    cars: NDArray[np.float64]  # [cars, CAR_COLUMNS]
    marks: NDArray[np.int64]  # [cars, MARK_COLUMNS]
    minds: NDArray[np.float64]  # [cars, MIND_COLUMNS]
    order: NDArray[np.int64]  # [cars] car numbers, leader first
    streams: NDArray[np.uint64]  # [cars] each driver's own random stream
    events: NDArray[np.float64]  # [EVENT_ROOM, EVENT_COLUMNS] of this tick; EVENT_COUNT are valid


def empty_state(cars: int) -> State:
    """All zeros for ``cars`` cars."""
    return State(
        np.zeros(CLOCK_ENTRIES, np.int64),
        np.zeros((cars, CAR_COLUMNS)),
        np.zeros((cars, MARK_COLUMNS), np.int64),
        np.zeros((cars, MIND_COLUMNS)),
        np.arange(cars, dtype=np.int64),
        np.zeros(cars, np.uint64),
        np.zeros((EVENT_ROOM, EVENT_COLUMNS)),
    )
