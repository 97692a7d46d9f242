"""A race: set up once, stepped at 120 Hz, hashed, saved and restored exactly."""

from __future__ import annotations

import hashlib
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.errors import UserError
from ..core.exact import atan
from ..core.random import Stream, stream_seed
from ..core.state import check_state, restore_state, save_state, state_hash
from ..core.ticks import TICK_SECONDS
from ..tracks.catalogue import load_track
from ..tracks.track import Track
from ..views.frame import CarPose
from .controls import Controls
from .events import EVENT_KINDS, Event
from .placing import form_grid
from .plan import Plan, draw_traits, number_bends, pace_profile, vertical_curvature
from .road import kind_table, road_table
from .rules import COUNTDOWN_TICKS
from .state import (
    BRAKE,
    COUNTDOWN,
    EVENT_COUNT,
    GEAR,
    LAP_START,
    LAPS,
    LOOSE,
    PACE,
    PACE_GOAL,
    PHASE,
    PHASE_NAMES,
    PITCH,
    RACE,
    ROLL,
    SLOPE_AHEAD,
    SLOPE_LEFT,
    STEER,
    TARGET,
    TICK,
    WHEEL_TURN,
    YAW,
    State,
    U,
    X,
    Y,
    Z,
    empty_state,
)
from .tick import tick

_SLOWEST = 1.0 / 6.0  # s/m: a race that is slower than 6 m/s on average is called off


@dataclass(frozen=True)
class RaceSetup:
    """Everything that decides a race, except the controls.

    Args:
        track: name in ``tracks.catalogue``.
        seed: of grid, characters and drivers' moods.
        rivals: 0 … 15.
        laps: 1 … 200.
        automatic: gears of the player; drivers always have them.
        steering_help, traction_help: 0 … 1, of the player.
        player: ``human`` (controls drive car 0) or ``ai`` (a driver does; controls only reset).
        player_skill: 0 … 1, of that driver.
        wetness: 0 dry … 1 soaked.

    Raises:
        UserError: naming the field, what was expected and what came.
    """

    track: str
    seed: int = 0
    rivals: int = 7
    laps: int = 2
    automatic: bool = True
    steering_help: float = 1.0
    traction_help: float = 1.0
    player: str = "human"
    player_skill: float = 0.9
    wetness: float = 0.0

    def __post_init__(self) -> None:
        for name, low, high in (("rivals", 0, 15), ("laps", 1, 200), ("seed", -(2**63), 2**63 - 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise UserError(f"{name} must be a whole number from {low} to {high}, got {value!r}")
        for name in ("steering_help", "traction_help", "player_skill", "wetness"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
                raise UserError(f"{name} must be a number from 0 to 1, got {value!r}")
        if not isinstance(self.track, str):
            raise UserError(f"track must be the name of a circuit, got {self.track!r}; `paintover tracks` lists them")
        if not isinstance(self.automatic, bool):
            raise UserError(f"automatic must be True or False, got {self.automatic!r}")
        if self.player not in ("human", "ai"):
            raise UserError(f"player must be 'human' or 'ai', got {self.player!r}")


class World:
    """The race itself.

    Args:
        setup: what to race.
        track: the circuit, if it is not to be loaded by ``setup.track``.

    Attributes:
        setup, track: as given.
        state: ``racing.state.State``; changed in place by ``step`` and ``restore``.
        events: list of ``Event``, in the order in which they happened.
    """

    def __init__(self, setup: RaceSetup, track: Track | None = None) -> None:
        self.setup = setup
        self.track = load_track(setup.track) if track is None else track
        self.plan = _make_plan(setup, self.track)
        self.state = _grid_state(setup, self.track, self.plan)
        self.events: list[Event] = []
        self._controls = np.zeros(7)
        check_state(self.state)

    @property
    def tick(self) -> int:
        """Ticks since the grid."""
        return int(self.state.clock[TICK])

    @property
    def phase(self) -> str:
        """``grid``, ``countdown``, ``race`` or ``finished``."""
        return PHASE_NAMES[self.state.clock[PHASE]]

    @property
    def countdown_ticks(self) -> int:
        """Ticks until the green light; 0 once it shows."""
        return int(self.state.clock[COUNTDOWN])

    @property
    def cars(self) -> int:
        """Number of cars; car 0 is the player."""
        return len(self.state.cars)

    @property
    def lap_time(self) -> float:
        """Seconds of the player's current lap; 0 before the green light."""
        if self.state.clock[PHASE] < RACE:
            return 0.0
        return int(self.state.clock[TICK] - self.state.marks[0, LAP_START]) * TICK_SECONDS

    def step(self, controls: Controls) -> None:
        """Run one tick. Raises UserError if the controls are not finite or out of range."""
        self._controls[:] = controls.checked()
        tick(self.track.arrays, self.plan, self.state, self._controls)
        count = self.state.clock[EVENT_COUNT]
        if count:
            self._drain(int(count))

    def hash(self) -> str:
        """16 hex digits over the whole state."""
        return state_hash(self.state)

    def save(self) -> bytes:
        """State and events so far, for ``restore`` in a world of the same set-up."""
        rows = [(e.tick, EVENT_KINDS.index(e.kind), e.car, e.other, e.value) for e in self.events]
        log = np.array(rows, "<f8").tobytes()
        return self._tag() + save_state(self.state) + log

    def restore(self, saved: bytes) -> None:
        """Go back to a saved moment, exactly.

        Raises:
            UserError: if the bytes come from another race or are cut short.
        """
        tag, size = self._tag(), len(self._tag()) + len(save_state(self.state))
        if saved[: len(tag)] != tag or len(saved) < size or (len(saved) - size) % 40:
            raise UserError(
                f"saved race does not fit: expected one of {self.setup}, tag {tag.hex()}, at least {size} bytes; "
                f"got tag {saved[: len(tag)].hex()}, {len(saved)} bytes"
            )
        restore_state(self.state, saved[len(tag) : size])
        rows = np.frombuffer(saved[size:], "<f8").reshape(-1, 5).tolist()
        self.events = [Event(int(t), EVENT_KINDS[int(k)], int(c), int(o), v) for t, k, c, o, v in rows]

    def poses(self) -> tuple[CarPose, ...]:
        """Every car as a view needs it."""
        return tuple(_pose(row) for row in self.state.cars.tolist())

    def pose(self, car: int) -> CarPose:
        """One car as a view needs it: what a camera that follows it asks for at every tick."""
        return _pose(self.state.cars[car].tolist())

    def standings(self) -> list[int]:
        """Car numbers, leader first."""
        return [int(i) for i in self.state.order]

    def laps_done(self, car: int) -> int:
        """Laps that a car has completed."""
        return int(self.state.marks[car, LAPS])

    def speed(self, car: int) -> float:
        """Speed along the nose, m/s, negative in reverse."""
        return float(self.state.cars[car, U])

    def gear(self, car: int) -> int:
        """-1 reverse, 0 neutral, 1 … 6."""
        return int(self.state.marks[car, GEAR])

    def _tag(self) -> bytes:
        return b"race" + hashlib.sha256(repr(astuple(self.setup)).encode()).digest()[:8]

    def _drain(self, count: int) -> None:
        now = self.tick
        for kind, car, other, value in self.state.events[:count].tolist():
            self.events.append(Event(now, EVENT_KINDS[int(kind)], int(car), int(other), value))


def _pose(row: list[float]) -> CarPose:
    return CarPose(
        x=row[X], y=row[Y], z=row[Z], yaw=row[YAW],
        pitch=atan(row[SLOPE_AHEAD]) + row[PITCH], roll=atan(row[SLOPE_LEFT]) + row[ROLL],
        steer=row[STEER], wheel_turn=row[WHEEL_TURN], brake_light=row[BRAKE] > 0.02, speed=row[U],
    )  # fmt: skip


def _make_plan(setup: RaceSetup, track: Track) -> Plan:
    arrays = track.arrays
    rise = vertical_curvature(arrays)
    bends, radii = number_bends(arrays)
    settings = (
        setup.wetness, setup.steering_help, setup.traction_help, _SLOWEST, arrays.scalars[0], arrays.scalars[1],
    )  # fmt: skip
    return Plan(
        road=road_table(arrays, rise, *(pace_profile(arrays, rise, float(setup.wetness), on) for on in (True, False))),
        kinds=kind_table(arrays, bends),
        bend_radius=radii,
        traits=draw_traits(setup.seed, setup.rivals + 1, float(setup.player_skill)),
        settings=np.array(settings, np.float64),
        switches=np.array((setup.automatic, setup.player == "ai", setup.laps), np.int64),
    )


def _grid_state(setup: RaceSetup, track: Track, plan: Plan) -> State:
    """Cars at rest on the grid: the player last, the rivals before him in an order drawn by the seed."""
    cars = setup.rivals + 1
    state = empty_state(cars)
    state.clock[COUNTDOWN] = COUNTDOWN_TICKS
    state.cars[:, LOOSE] = 1.0
    state.minds[:, PACE], state.minds[:, PACE_GOAL], state.minds[:, TARGET] = 1.0, 1.0, -1.0
    state.streams[:] = [stream_seed(setup.seed, f"driver {i}") for i in range(cars)]
    form_grid(plan.road, track.step, track.length, state, _draw_slots(setup.seed, cars))
    return state


def _draw_slots(seed: int, cars: int) -> NDArray[np.int64]:
    slots = np.zeros(cars, np.int64)
    slots[0] = cars - 1
    stream = Stream(seed, "grid")
    free = list(range(cars - 1))
    for car in range(1, cars):
        slots[car] = free.pop(stream.integer(0, len(free)))
    return slots
