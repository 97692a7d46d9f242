"""Short ways to put a car into a situation."""

from __future__ import annotations

from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup, World
from engine_sim.tracks.track import Track

from .circuits import oval

IDLE = Controls()


def green(track: Track | None = None, rivals: int = 0, **setup: object) -> World:
    """A world just after the green light, the player's car at rest on the grid."""
    world = World(RaceSetup("test-oval", rivals=rivals, **setup), track or oval())  # type: ignore[arg-type]
    while world.phase != "race":
        world.step(IDLE)
    return world


def hold(world: World, controls: Controls, ticks: int) -> None:
    """The same controls for a number of ticks."""
    for _ in range(ticks):
        world.step(controls)


def accelerate(world: World, speed: float) -> None:
    """Full throttle until the speed (m/s) is reached."""
    while world.speed(0) < speed:
        world.step(Controls(throttle=1.0))
