"""The camera of a frame, read from the matrices that travel with it (PROTOCOL.md section 12)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

TOLERANCE = 1e-3
IDENTITY = np.eye(4)
FARTHEST = 1e7
"""Metres from the origin: the renderer's float32 positions are a metre apart there."""


def camera_row(
    view: Sequence[float] | None, projection: Sequence[float] | None, width: int, height: int
) -> tuple[float, ...] | None:
    """Position, forward and up (three each), vertical field of view in rad, near and far in metres.

    Args:
        view: world → eye, looking along −z, y up; row-major 4 × 4 for column vectors.
        projection: eye → clip, depth −1 … 1.
        width, height: of the picture, pixels.

    Returns:
        12 numbers, or None unless the matrices are those of an upright pinhole camera with square pixels and its
        axis in the middle of the picture: no other kind can anchor texture.
    """
    if view is None or projection is None:
        return None
    v, p = np.array(view, np.float64).reshape(4, 4), np.array(projection, np.float64).reshape(4, 4)
    if not (_is_rigid(v) and _is_pinhole(p, width, height)):
        return None
    turn = v[:3, :3]
    position = -turn.T @ v[:3, 3]
    near, far = p[2, 3] / (p[2, 2] - 1.0), p[2, 3] / (p[2, 2] + 1.0)
    fov_y = 2.0 * np.arctan(1.0 / p[1, 1])
    return (*position.tolist(), *(-turn[2]).tolist(), *turn[1].tolist(), float(fov_y), float(near), float(far))


def camera_tensor(
    view: Sequence[float] | None, projection: Sequence[float] | None, width: int, height: int
) -> Tensor | None:
    """``camera_row`` as float64 ``[12]``."""
    row = camera_row(view, projection, width, height)
    return None if row is None else torch.tensor(row, dtype=torch.float64)


def _is_rigid(v: np.ndarray) -> bool:
    """True for a turn and a shift by a distance that can be meant."""
    turn = v[:3, :3]
    if not (np.abs(turn).max() < 2.0 and np.abs(v[:3, 3]).max() <= FARTHEST):  # nothing below can overflow, then
        return False
    straight = _near(turn @ turn.T, IDENTITY[:3, :3]) and np.dot(np.cross(turn[0], turn[1]), turn[2]) > 0
    return bool(straight and _near(v[3], IDENTITY[3]))


def _is_pinhole(p: np.ndarray, width: int, height: int) -> bool:
    """True for the form of OpenGL's symmetric perspective matrix, near before far."""
    if not np.isfinite(p).all() or p[0, 0] <= 0 or p[1, 1] <= TOLERANCE or p[2, 3] >= 0 or p[2, 2] >= -1.0:
        return False
    if np.abs(p).max() > FARTHEST:
        return False
    expected = np.zeros((4, 4))
    expected[0, 0], expected[1, 1] = p[1, 1] * height / width, p[1, 1]
    expected[2, 2], expected[2, 3], expected[3, 2] = p[2, 2], p[2, 3], -1.0
    return _near(p, expected)


def _near(found: NDArray[np.float64], expected: NDArray[np.float64]) -> bool:
    """``np.allclose``, which takes five times as long for so few numbers; eight frames of a chunk ask four times."""
    return bool((np.abs(found - expected) <= TOLERANCE + TOLERANCE * np.abs(expected)).all())
