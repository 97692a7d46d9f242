"""The free camera: where it is, where it looks, how it moves. Plain numbers; nothing here draws or listens."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from engine_sim.views.frame import Camera

NEAR = 0.25


class Motion(NamedTuple):
    """What hands ask for at a moment, each −1 … 1.

    Args:
        ahead, aside, up: along the view on the ground, to the right of it, along z.
        turn, tilt: to the left, upwards. zoom: closer. fast: 0 … 1.
    """

    ahead: float = 0.0
    aside: float = 0.0
    up: float = 0.0
    turn: float = 0.0
    tilt: float = 0.0
    zoom: float = 0.0
    fast: float = 0.0

    @property
    def still(self) -> bool:
        """True if nothing is asked for."""
        return not any(self[:6])


class Room(NamedTuple):
    """Where the camera may be: a box in metres, and how far above the ground."""

    left: float
    bottom: float
    right: float
    top: float
    highest: float = 300.0
    lowest: float = 0.35


@dataclass(frozen=True)
class FreeCamera:
    """A camera in somebody's hands.

    Args:
        position: metres. yaw: radians, counter-clockwise from east. tilt: radians, up positive. fov: vertical, radians.
    """

    position: tuple[float, float, float]
    yaw: float
    tilt: float
    fov: float

    def camera(self) -> Camera:
        """As views take it: level, whatever it looks at."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        ct, st = math.cos(self.tilt), math.sin(self.tilt)
        return Camera(self.position, (c * ct, s * ct, st), (-c * st, -s * st, ct), self.fov, NEAR)


@dataclass(frozen=True)
class Handling:
    """How it answers.

    Args:
        speed: metres a second; fast: times so much with ``Motion.fast``. turn: radians a second. zoom: share a second.
        steepest: radians. narrowest, widest: field of view, radians.
    """

    speed: float = 8.0
    fast: float = 6.0
    turn: float = 1.1
    zoom: float = 0.9
    steepest: float = 1.45
    narrowest: float = math.radians(8.0)
    widest: float = math.radians(100.0)


def from_camera(camera: Camera) -> FreeCamera:
    """The free camera that sees what this one sees; a roll is lost."""
    x, y, z = camera.forward
    return FreeCamera(camera.position, math.atan2(y, x), math.asin(max(-1.0, min(1.0, z))), camera.fov_y)


def moved(
    free: FreeCamera, motion: Motion, seconds: float, room: Room, ground: float, handling: Handling = Handling()
) -> FreeCamera:
    """The camera after so much time; it turns slower the closer it looks, and stays in its room.

    Args:
        ground: height below the camera, metres.
    """
    speed = handling.speed * (1.0 + (handling.fast - 1.0) * motion.fast) * seconds
    c, s = math.cos(free.yaw), math.sin(free.yaw)
    x, y, z = free.position
    x = min(room.right, max(room.left, x + speed * (motion.ahead * c + motion.aside * s)))
    y = min(room.top, max(room.bottom, y + speed * (motion.ahead * s - motion.aside * c)))
    z = min(ground + room.highest, max(ground + room.lowest, z + speed * motion.up))
    turn = handling.turn * seconds * min(1.0, free.fov)
    tilt = min(handling.steepest, max(-handling.steepest, free.tilt + turn * motion.tilt))
    fov = min(handling.widest, max(handling.narrowest, free.fov * math.exp(-handling.zoom * seconds * motion.zoom)))
    return replace(
        free, position=(x, y, z), yaw=math.remainder(free.yaw + turn * motion.turn, math.tau), tilt=tilt, fov=fov
    )
