"""Manners of driving that recordings can ask for: the hard cases of a renderer, played by a script.

What a driver on its line never shows is what a person does first: stand still, drive backwards, spin, ram a rival,
leave the road. Each manner gives controls for car 0, tick by tick, from what the world shows; so what it drove is
recorded as inputs like anybody's, and replays without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Protocol

from ..core.ticks import TICK_RATE
from ..racing.controls import Controls
from ..racing.state import YAW, S, X, Y
from ..racing.world import World
from ..tracks.query import point_at
from .restless import RestlessDriver, pedals_for, steer_along, steer_to

RACE = "race"
"""The agent of the race itself, which needs no controls."""


class Driver(Protocol):
    """Somebody at the wheel of car 0."""

    def controls(self, world: World) -> Controls:
        """Controls for the world's next tick."""


class _Scripted:
    """Waits for the green light, and then does what its kind does.

    Args:
        act: seconds since the green light and the world → controls.
    """

    def __init__(self, act: Callable[[float, World], Controls]) -> None:
        self._act = act
        self._green = 0

    def controls(self, world: World) -> Controls:
        if world.countdown_ticks > 0:
            self._green = int(world.tick) + 1
            return Controls()
        return self._act((world.tick - self._green) / TICK_RATE, world)


def _stand(_seconds: float, _world: World) -> Controls:
    return Controls()


def _reverse(_seconds: float, world: World) -> Controls:
    """Backwards along the road: the brake, held at a standstill, becomes reverse. Front wheels that point to the left
    take a car that rolls backwards to its left too."""
    arrays, row = world.track.arrays, world.state.cars[0]
    x, y, _ = point_at(arrays, row[S] - 9.0, 0.0)
    dx, dy, heading = x - row[X], y - row[Y], float(row[YAW])
    aside = dy * math.cos(heading) - dx * math.sin(heading)
    steer = max(-1.0, min(1.0, aside / 3.0))
    return Controls(steer=steer, brake=0.6 if world.speed(0) > -9.0 else 0.0)


def _spin(seconds: float, world: World) -> Controls:
    """A run-up of four seconds, then the handbrake with full lock, once to each side; and back on the road."""
    turn, at = divmod(seconds, 8.0)
    if at < 4.0:
        return Controls(steer=steer_along(world, 0.0), throttle=1.0)
    if at < 6.0:
        return Controls(steer=1.0 if turn % 2 else -1.0, throttle=0.4, handbrake=1.0)
    if at < 7.0:
        return Controls(brake=1.0 if world.speed(0) > 1.0 else 0.0)
    return Controls(reset=at < 7.0 + 1.5 / TICK_RATE)


def _ram(_seconds: float, world: World) -> Controls:
    """At the nearest rival ahead with all there is; along the road if there is none."""
    row = world.state.cars[0]
    heading = float(row[YAW])
    nearest, goal = 90.0, None
    for rival in world.state.cars[1:]:
        dx, dy = float(rival[X] - row[X]), float(rival[Y] - row[Y])
        distance = math.hypot(dx, dy)
        if distance < nearest and dx * math.cos(heading) + dy * math.sin(heading) > 0.0:
            nearest, goal = distance, (float(rival[X]), float(rival[Y]))
    steer = steer_along(world, 0.0) if goal is None else steer_to(world, *goal)
    return Controls(steer=steer, throttle=1.0 if goal or world.speed(0) < 45.0 else 0.4)


def _stray(seconds: float, world: World) -> Controls:
    """Three half widths beside the middle of the road, over grass and gravel, then back on it, in turn."""
    side = 3.0 if seconds % 16.0 > 4.0 and seconds % 16.0 < 13.0 else 0.0
    steer = steer_along(world, side if int(seconds / 16.0) % 2 else -side)
    return pedals_for(world, steer, 0.55)


_SCRIPTS: Mapping[str, Callable[[float, World], Controls]] = {
    "stand": _stand, "reverse": _reverse, "spin": _spin, "ram": _ram, "stray": _stray,
}  # fmt: skip
MANNERS = (RACE, "restless", *_SCRIPTS)
"""Names of all manners."""


def driver_of(manner: str, seed: int) -> Driver | None:
    """Who drives in this manner, one of MANNERS; None for the race's own agent."""
    if manner == RACE:
        return None
    return RestlessDriver(seed) if manner == "restless" else _Scripted(_SCRIPTS[manner])
