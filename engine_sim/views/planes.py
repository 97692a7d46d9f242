"""Guide planes beside the class map: depth, object and exact motion, from what lies at each pixel.

Motion leads from a pixel's centre to where the same point of the same surface was in an earlier frame. Static things
stand still in the world; a car's pixels move with its body as one rigid thing, wheels included (their spin and steering
are left out: what turns there is texture, the outline goes with the body); the sky is infinitely far, so only the
camera's turning moves it.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import SKY

from ..core.jit import kernel
from .culling import body_rotation
from .frame import Camera, CarPose, FrameState, view_matrix

PLANES = ("class", "depth", "motion", "object")
SKY_DEPTH = 65504.0
"""Depth of the sky: the largest finite float16."""
OUT_OF_SIGHT = 32768.0
"""Both components of motion where the point was behind the earlier camera: finite, and outside every picture."""


class Surfaces(NamedTuple):
    """What lies at each pixel, [H, W] each, row 0 at the top."""

    class_id: NDArray[np.uint8]
    object_id: NDArray[np.uint8]  # 0 static, car index + 1
    distance: NDArray[np.float32]  # metres along the viewing axis, inf for sky


def assemble(
    names: Collection[str], surfaces: Surfaces, frame: FrameState, previous: FrameState
) -> dict[str, NDArray[np.generic]]:
    """The named planes, each [H, W] or [H, W, 2], row 0 at the top.

    * ``class`` uint8: the class map.
    * ``object`` uint8: 0 for everything static, car index + 1 on a car.
    * ``depth`` float16: metres along the viewing axis; SKY_DEPTH for the sky.
    * ``motion`` float32 [H, W, 2]: pixels (x right, y down) to add to this pixel's place to find its surface point in
      ``previous``; OUT_OF_SIGHT where it was not in front of that camera.

    Args:
        names: of PLANES.
        surfaces: what lies at each pixel of ``frame``.
        frame, previous: the moment drawn, and the one that motion leads to.
    """
    planes: dict[str, NDArray[np.generic]] = {}
    for name in names:
        if name == "class":
            planes[name] = surfaces.class_id
        elif name == "object":
            planes[name] = surfaces.object_id
        elif name == "depth":
            planes[name] = half_depth(surfaces.distance)
        elif name == "motion":
            planes[name] = motion(surfaces, frame, previous)
    return planes


def half_depth(distance: NDArray[np.float32]) -> NDArray[np.float16]:
    """Distances ≥ 0 in metres, or inf, as halves of the same shape, at most SKY_DEPTH, ties to even.

    Its twin is ``plain_half_depth``; numpy makes halves one by one, which took longer than all other work on a frame.
    """
    halves = np.empty(distance.shape, np.uint16)
    flat = np.ascontiguousarray(distance).reshape(-1)
    _halves(flat, flat.view(np.uint32), halves.reshape(-1))
    return halves.view(np.float16)


def plain_half_depth(distance: NDArray[np.float32]) -> NDArray[np.float16]:
    """``half_depth`` in numpy's own words."""
    return np.minimum(distance, np.float32(SKY_DEPTH)).astype(np.float16)


@kernel
def _halves(values, bits, halves):
    """Halves' bits from floats ≥ 0 and the same floats' bits."""
    for k in range(bits.shape[0]):
        b = min(bits[k], np.uint32(0x477FE000))  # SKY_DEPTH
        # Exponents move from a bias of 127 to one of 15, and 13 digits are rounded away.
        normal = (b - np.uint32(0x38000000) + np.uint32(0x0FFF) + ((b >> np.uint32(13)) & np.uint32(1))) >> np.uint32(
            13
        )
        # Below the smallest normal half, halves are multiples of 2⁻²⁴: what floats are rounded to beside 0.5.
        small = np.uint32(((values[k] + np.float32(0.5)) - np.float32(0.5)) * np.float32(16777216.0))
        halves[k] = normal if b >= np.uint32(0x38800000) else small


def motion(surfaces: Surfaces, frame: FrameState, previous: FrameState) -> NDArray[np.float32]:
    """Motion plane float32 [H, W, 2]; see ``assemble``."""
    height, width = surfaces.class_id.shape
    world_from_eye = np.linalg.inv(view_matrix(frame.camera))
    to_previous = _pixel_matrix(previous.camera, width, height) @ view_matrix(previous.camera)
    matrices = np.empty((len(frame.cars) + 1, 3, 4))
    matrices[0] = to_previous @ world_from_eye
    for k, pose in enumerate(frame.cars):
        moved = _place(previous.cars[k]) @ np.linalg.inv(_place(pose)) if k < len(previous.cars) else np.eye(4)
        matrices[k + 1] = to_previous @ moved @ world_from_eye
    half_y = math.tan(frame.camera.fov_y / 2.0)
    result = np.empty((height, width, 2), np.float32)
    half_x = half_y * width / height
    _motion(*surfaces, matrices, half_x, half_y, previous.camera.near, result)
    return result


@kernel
def _motion(class_plane, object_plane, distance, matrices, half_x, half_y, near, result):
    height, width = class_plane.shape
    for row in range(height):
        y = half_y * (1.0 - (2.0 * row + 1.0) / height)
        for col in range(width):
            x = half_x * ((2.0 * col + 1.0) / width - 1.0)
            sky = class_plane[row, col] == SKY
            m = matrices[0 if sky else object_plane[row, col]]
            far = 1.0 if sky else np.float64(distance[row, col])
            shift = 0.0 if sky else 1.0
            px = far * (m[0, 0] * x + m[0, 1] * y - m[0, 2]) + shift * m[0, 3]
            py = far * (m[1, 0] * x + m[1, 1] * y - m[1, 2]) + shift * m[1, 3]
            pw = far * (m[2, 0] * x + m[2, 1] * y - m[2, 2]) + shift * m[2, 3]
            if pw < (1e-6 if sky else 0.5 * near):
                result[row, col, 0] = OUT_OF_SIGHT
                result[row, col, 1] = OUT_OF_SIGHT
            else:
                result[row, col, 0] = px / pw - (col + 0.5)
                result[row, col, 1] = py / pw - (row + 0.5)


def _pixel_matrix(camera: Camera, width: int, height: int) -> NDArray[np.float64]:
    """Eye space → (column · w, row · w, w), float64 [3, 4]; pixel centres lie at half columns and rows."""
    f = 0.5 * height / math.tan(camera.fov_y / 2.0)
    return np.array([[f, 0.0, -0.5 * width, 0.0], [0.0, -f, -0.5 * height, 0.0], [0.0, 0.0, -1.0, 0.0]])


def _place(pose: CarPose) -> NDArray[np.float64]:
    """Car axes → world, float64 [4, 4]."""
    matrix = np.eye(4)
    matrix[:3, :3] = body_rotation(pose)
    matrix[:3, 3] = pose.x, pose.y, pose.z
    return matrix
