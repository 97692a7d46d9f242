"""What of a race is heard: the player's own car, read from the world's state. Reading changes nothing."""

from __future__ import annotations

from engine_sim.racing.car import WHEEL_RADIUS
from engine_sim.racing.state import LOOSE, RPM, SPIN_REAR, THROTTLE, U, V
from engine_sim.racing.world import World

from .synth import CarSound

PLAYER = 0
CREEP = 4.0
"""m/s added to the speed below the slip, so that a car that hardly moves does not scream."""


def heard(world: World) -> CarSound:
    """The player's car at this moment."""
    car = world.state.cars[PLAYER].tolist()
    sliding = max(abs(car[V]), abs(car[SPIN_REAR] * WHEEL_RADIUS - car[U]))
    return CarSound(
        rpm=max(0.0, car[RPM]),
        throttle=min(1.0, max(0.0, car[THROTTLE])),
        speed=car[U],
        slip=sliding / (abs(car[U]) + CREEP),
        paved=1.0 if car[LOOSE] < 1.5 else 0.0,
    )
