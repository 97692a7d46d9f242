"""What the head-up display says, as plain values read from the world. Nothing here draws or changes anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.ticks import TICK_RATE
from engine_sim.tracks.plan import map_frame
from engine_sim.tracks.track import Track
from engine_sim.views.frame import CarPose

if TYPE_CHECKING:
    from engine_sim.racing.world import World

LAMPS = 3
GO_SECONDS = 1.0
KMH = 3.6
PLAYER = 0
MAP_SIDE = 256


@dataclass(frozen=True)
class Hud:
    """One moment of the display.

    Args:
        lamps: red lamps lit, 0 … LAMPS.
        dots: (x, y, player) on the map, 0 … 1 each, y down; the player last.
    """

    speed: str
    gear: str
    lap: str
    position: str
    lap_time: str
    lamps: int
    go: bool
    banner: str
    dots: tuple[tuple[float, float, bool], ...]


def read_hud(world: World, plan: Minimap, started_tick: int | None) -> Hud:
    """The display of this moment.

    Args:
        world: whose moment.
        plan: the circuit's map.
        started_tick: tick of the green light, None before it.
    """
    laps, place, cars = world.setup.laps, world.standings().index(PLAYER) + 1, world.cars
    since_start = None if started_tick is None else (world.tick - started_tick) / TICK_RATE
    return Hud(
        speed=f"{abs(world.speed(PLAYER)) * KMH:.0f}",
        gear=gear_name(world.gear(PLAYER)),
        lap=f"{min(world.laps_done(PLAYER) + 1, laps)}/{laps}",
        position=f"{place}/{cars}",
        lap_time=clock_text(world.lap_time),
        lamps=lamps_lit(world.phase, world.countdown_ticks),
        go=since_start is not None and 0.0 <= since_start < GO_SECONDS,
        banner=f"Finished {ordinal(place)} of {cars}" if world.laps_done(PLAYER) >= laps else "",
        dots=plan.dots(world.poses()),
    )


def lamps_lit(phase: str, countdown_ticks: int) -> int:
    """Red lamps: one more with every second of the countdown, all of them in its last second, none in the race."""
    if phase != "countdown":
        return 0
    seconds_left = -(-countdown_ticks // TICK_RATE)
    return max(1, min(LAMPS, LAMPS + 1 - seconds_left))


def gear_name(gear: int) -> str:
    """``R``, ``N`` or the number."""
    return {-1: "R", 0: "N"}.get(gear, str(gear))


def clock_text(seconds: float) -> str:
    """``1:02.34``: minutes, seconds and hundredths, cut off and not rounded up, as clocks run."""
    hundredths = int(seconds * 100 + 1e-6)
    return f"{hundredths // 6000}:{hundredths // 100 % 60:02d}.{hundredths % 100:02d}"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``11th``."""
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


class Minimap:
    """A circuit's centreline in a unit square, north up, and the cars on it.

    Args:
        track: the circuit.
        points: most points of the outline.
    """

    def __init__(self, track: Track, points: int = 240) -> None:
        self._frame = map_frame(track, (MAP_SIDE, MAP_SIDE))
        stride = max(1, track.samples // points)
        self.outline = self.place(track.arrays.x[::stride], track.arrays.y[::stride])

    def place(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """World x, y ``[n]`` → map ``[n, 2]``, x right, y down, 0 … 1 for points of the circuit."""
        return self._frame.pixels(x, y) / MAP_SIDE

    def dots(self, cars: tuple[CarPose, ...]) -> tuple[tuple[float, float, bool], ...]:
        """One dot a car; the player last, so that it is drawn on top."""
        placed = self.place(np.array([c.x for c in cars]), np.array([c.y for c in cars])).tolist()
        rows = [(x, y, car == PLAYER) for car, (x, y) in enumerate(placed)]
        return tuple(rows[1:] + rows[:1])
