"""A race without rules: cars on a ring, the player where the keys put him. Starts at once, compiles nothing."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup
from engine_sim.views.frame import Camera, CarPose, FrameState

CAMERA = Camera((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0)
RADIUS, CARS, COUNTDOWN = 100.0, 4, 60


def ring() -> SimpleNamespace:
    """As much of a track as a map needs."""
    angle = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    wide = np.full(200, 10.0)
    arrays = SimpleNamespace(
        x=RADIUS * np.cos(angle), y=RADIUS * np.sin(angle), barrier_left=wide, barrier_right=wide
    )  # fmt: skip
    return SimpleNamespace(name="ring", arrays=arrays, samples=200)


class RingWorld:
    """What the game reads of a world."""

    def __init__(self, setup: RaceSetup) -> None:
        self.setup = setup
        self.tick = 0
        self.distance = 0.0
        self.controls: list[Controls] = []

    @property
    def phase(self) -> str:
        return "countdown" if self.tick < COUNTDOWN else "race"

    @property
    def countdown_ticks(self) -> int:
        return max(0, COUNTDOWN - self.tick)

    @property
    def lap_time(self) -> float:
        return max(0, self.tick - COUNTDOWN) / 120

    def step(self, controls: Controls) -> None:
        self.tick += 1
        self.distance += controls.throttle
        self.controls.append(controls)

    def poses(self) -> tuple[CarPose, ...]:
        angles = [self.distance / RADIUS + 0.1 * car for car in range(CARS)]
        still = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, False, 0.0)
        return tuple(CarPose(RADIUS * np.cos(a), RADIUS * np.sin(a), *still) for a in angles)

    @property
    def cars(self) -> int:
        return CARS

    def pose(self, car: int) -> CarPose:
        return self.poses()[car]

    def speed(self, car: int) -> float:
        return 30.0

    def gear(self, car: int) -> int:
        return 3

    def laps_done(self, car: int) -> int:
        return 0

    def standings(self) -> list[int]:
        return [1, 0, 2, 3]


class RingDrive:
    """What the game needs of a drive."""

    def __init__(self, setup: RaceSetup) -> None:
        self.track = ring()
        self.world = RingWorld(setup)
        self.rig = SimpleNamespace(kind="chase")

    @property
    def tick(self) -> int:
        return self.world.tick

    def step(self, controls: Controls = Controls()) -> None:  # noqa: B008
        self.world.step(controls)

    def frame(self) -> FrameState:
        return FrameState(self.world.tick, CAMERA, self.world.poses())
