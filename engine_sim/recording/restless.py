"""A scripted player who drives as people do on a bad day: all over the road, off it, into things, backwards.

Drivers of ``racing`` keep to their line, so clips of them alone would hold little grass, few knocks and no spins,
and the renderer would meet those first in play. The driver reads the world and gives controls, like a person with a
pad; nothing of it is part of the race.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.exact import clamp, cos, sin
from ..core.random import Stream
from ..core.ticks import TICK_RATE
from ..racing.controls import Controls
from ..racing.state import YAW, S, U, X, Y
from ..racing.world import World
from ..tracks.query import point_at, sample_at


@dataclass(frozen=True)
class Habits:
    """How restless.

    Args:
        shortest, longest: seconds until the mind changes.
        reach: goals beside the road, as a multiple of its half width; above 1 lies the verge.
        slides, backs: share of changes that begin a handbrake slide, or a drive in reverse.
        patience: seconds at walking pace until the reset key is pressed.
    """

    shortest: float = 0.8
    longest: float = 4.0
    reach: float = 1.5
    slides: float = 0.08
    backs: float = 0.04
    patience: float = 3.0


class RestlessDriver:
    """Controls for car 0, tick by tick, from a seed and what the world shows.

    Args:
        seed: of the stream that decides everything.
        habits: how restless.
    """

    def __init__(self, seed: int, habits: Habits = Habits()) -> None:
        self._stream = Stream(seed, "restless driver")
        self._habits = habits
        self._until = 0
        self._mood = "drive"
        self._side = 0.0
        self._pace = 1.0
        self._slow = 0

    def controls(self, world: World) -> Controls:
        """Controls for the world's next tick."""
        if world.tick >= self._until:
            self._change(world.tick)
        waiting = world.countdown_ticks > 0
        self._slow = 0 if waiting or abs(world.speed(0)) > 2.0 else self._slow + 1
        if self._slow > self._habits.patience * TICK_RATE:
            self._slow = 0
            return Controls(reset=True)
        if waiting:
            return Controls()
        if self._mood == "slide":
            return Controls(steer=1.0 if self._side > 0.0 else -1.0, throttle=0.3, handbrake=1.0)
        steer = steer_along(world, self._side)
        if self._mood == "back":
            return Controls(steer=-steer, brake=0.8)
        return pedals_for(world, steer, self._pace)

    def _change(self, tick: int) -> None:
        habits, stream = self._habits, self._stream
        mood = stream.uniform()
        self._mood = "slide" if mood < habits.slides else "back" if mood < habits.slides + habits.backs else "drive"
        seconds = stream.uniform(habits.shortest, habits.longest)
        self._until = tick + int(TICK_RATE * (0.3 * seconds if self._mood == "slide" else seconds))
        self._side = stream.uniform(-habits.reach, habits.reach)
        self._pace = stream.uniform(0.35, 1.1)


def steer_along(world: World, side: float) -> float:
    """Steering of car 0 towards a point of the road ahead, ``side`` half widths to the left of its middle."""
    arrays, row = world.track.arrays, world.state.cars[0]
    ahead = row[S] + 9.0 + 0.4 * abs(row[U])
    wide = sample_at(arrays.width_left if side > 0.0 else arrays.width_right, arrays, row[S])
    x, y, _ = point_at(arrays, ahead, side * wide)
    return steer_to(world, x, y)


def steer_to(world: World, x: float, y: float) -> float:
    """Steering of car 0 towards a point of the world, metres; full lock if it lies behind."""
    row = world.state.cars[0]
    dx, dy = x - row[X], y - row[Y]
    heading_x, heading_y = cos(row[YAW]), sin(row[YAW])
    along, across = dx * heading_x + dy * heading_y, dy * heading_x - dx * heading_y
    if along <= 0.0:
        return 1.0 if across > 0.0 else -1.0
    return float(clamp(3.0 * across / (along + abs(across)), -1.0, 1.0))


def pedals_for(world: World, steer: float, pace: float) -> Controls:
    """Controls of car 0 that seek ``pace`` times the speed of the racing line."""
    arrays, row = world.track.arrays, world.state.cars[0]
    wanted = pace * sample_at(arrays.line_speed, arrays, row[S] + 0.8 * abs(row[U]))
    missing = float(wanted - row[U])
    if missing >= 0.0:
        return Controls(steer=steer, throttle=float(clamp(0.25 * missing, 0.0, 1.0)))
    return Controls(steer=steer, brake=float(clamp(-0.12 * missing, 0.0, 1.0)))
