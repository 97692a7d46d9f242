"""The scenes of the golden hashes; ``python -m tests.engine_sim.racing.scenes`` prints their hashes anew."""

from __future__ import annotations

from collections.abc import Callable

from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup, World
from engine_sim.tracks.track import DIRT, GRAVEL

from .circuits import oval


def crowd() -> World:
    """Sixteen drivers on a road for two: knocks, barriers, passes."""
    setup = RaceSetup("test-oval", seed=7, rivals=15, laps=3, player="ai", player_skill=0.8)
    return World(setup, oval(straight=160.0, radius=38.0, half_width=4.5, verge=2.0))


def slides() -> World:
    """A player without help on wet dirt among four rivals."""
    setup = RaceSetup(
        "test-oval", seed=3, rivals=4, laps=2, automatic=False, steering_help=0.2, traction_help=0.0, wetness=0.7
    )
    return World(setup, oval(surface=DIRT, verge_surface=GRAVEL, bank=0.06, slope=0.04))


def alone() -> World:
    """A player with keys on a banked oval."""
    return World(RaceSetup("test-oval", rivals=0, laps=2), oval(bank=0.2))


def wild_controls(tick: int) -> Controls:
    """Keys, pedals, gears and resets that a function of the tick makes up."""
    if tick % 1500 > 900:
        steer = ((tick // 37) % 5 - 2) / 2.0
        return Controls(steer=steer, throttle=float(tick % 90 < 70), brake=float(tick % 211 > 180), digital=True)
    return Controls(
        steer=((tick * 7919) % 2003) / 1001.5 - 1.0,
        throttle=min(1.0, (tick % 240) / 100.0),
        brake=max(0.0, ((tick % 400) - 340) / 60.0),
        handbrake=float(tick % 700 > 660),
        gear_shift=1 if tick % 160 == 0 else (-1 if tick % 470 == 0 else 0),
        reset=tick % 1300 == 0,
    )


SCENES: dict[str, tuple[Callable[[], World], int]] = {"crowd": (crowd, 3000), "slides": (slides, 3000), "alone": (alone, 1500)}


def run(name: str) -> World:
    """A scene after its last tick."""
    make, ticks = SCENES[name]
    world = make()
    for _ in range(ticks):
        world.step(wild_controls(world.tick))
    return world


if __name__ == "__main__":
    for scene in SCENES:
        print(scene, run(scene).hash())
