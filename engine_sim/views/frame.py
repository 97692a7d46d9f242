"""The moment that a view draws: camera and cars, copied out of the world so that drawing can change nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Camera(NamedTuple):
    """A pinhole camera. Axes of the world; the picture's x runs right, its y down."""

    position: tuple[float, float, float]  # metres
    forward: tuple[float, float, float]  # unit
    up: tuple[float, float, float]  # unit, orthogonal to forward
    fov_y: float  # vertical field of view, radians
    near: float = 0.3  # metres
    far: float = 2500.0


class CarPose(NamedTuple):
    """One car as a view needs it. Origin: centre of the wheelbase at road level."""

    x: float
    y: float
    z: float
    yaw: float
    pitch: float  # nose up positive
    roll: float  # left side up positive
    steer: float  # front wheels, radians, left positive
    wheel_turn: float  # rolled angle of the wheels, radians
    brake_light: bool
    speed: float  # m/s along the nose; negative in reverse


@dataclass(frozen=True)
class FrameState:
    """Everything that decides a picture of a given scene, except the look.

    Args:
        tick: simulation tick of the moment (clouds, crowds and flags move by it).
        camera: where from.
        cars: car 0 is the player; the rest are rivals.
        hide_player: True for the cockpit camera.
    """

    tick: int
    camera: Camera
    cars: tuple[CarPose, ...]
    hide_player: bool = False


def picture_right(camera: Camera) -> tuple[float, float, float]:
    """The picture's x axis in the world, unit: forward × up."""
    (fx, fy, fz), (ux, uy, uz) = camera.forward, camera.up
    return fy * uz - fz * uy, fz * ux - fx * uz, fx * uy - fy * ux


def view_matrix(camera: Camera) -> NDArray[np.float64]:
    """World → camera, ``float64 [4, 4]``, column vectors; camera looks along -z, y up (OpenGL's eye space)."""
    (rx, ry, rz), (ux, uy, uz), (fx, fy, fz) = picture_right(camera), camera.up, camera.forward
    matrix = np.array([[rx, ry, rz, 0.0], [ux, uy, uz, 0.0], [-fx, -fy, -fz, 0.0], [0.0, 0.0, 0.0, 1.0]], np.float64)
    matrix[:3, 3] = -matrix[:3, :3] @ np.array(camera.position)
    return matrix


def projection_matrix(camera: Camera, width: int, height: int) -> NDArray[np.float64]:
    """Eye → clip space, ``float64 [4, 4]``, OpenGL convention (depth −1 … 1)."""
    f = 1.0 / np.tan(camera.fov_y / 2.0)
    near, far = camera.near, camera.far
    depth, shift = (far + near) / (near - far), 2.0 * far * near / (near - far)
    rows = [[f * height / width, 0.0, 0.0, 0.0], [0.0, f, 0.0, 0.0], [0.0, 0.0, depth, shift], [0.0, 0.0, -1.0, 0.0]]
    return np.array(rows, np.float64)
