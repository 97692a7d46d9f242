"""The cameras of frames, read from the matrices that travel with them (PROTOCOL.md section 12)."""

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

Matrix = Sequence[float] | None
"""Row-major 4 × 4 for column vectors, or None where a frame has none."""
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


def camera_tensors(
    views: Sequence[Matrix], projections: Sequence[Matrix], width: int, height: int
) -> list[Tensor | None]:
    """Position, forward and up (three each), vertical field of view in rad, near and far in metres, of each frame.

    All frames of a chunk are read at once: one by one they take as long as a graphics card takes for half a chunk.

    Args:
        views: world → eye, looking along −z, y up.
        projections: eye → clip, depth −1 … 1.
        width, height: of the pictures, pixels.

    Returns:
        float64 ``[12]`` for each frame, or None unless its matrices are those of an upright pinhole camera with square
        pixels and its axis in the middle of the picture: no other kind can anchor texture.
    """
    cameras: list[Tensor | None] = [None] * len(views)
    given = [k for k in range(len(views)) if views[k] is not None and projections[k] is not None]
    if not given:
        return cameras
    v = np.array([views[k] for k in given], np.float64).reshape(-1, 4, 4)
    p = np.array([projections[k] for k in given], np.float64).reshape(-1, 4, 4)
    fit = _rigid(v) & _pinhole(p, width, height)
    for k, row in zip(np.flatnonzero(fit), torch.from_numpy(_rows(v[fit], p[fit])), strict=True):
        cameras[given[k]] = row
    return cameras


def camera_tensor(view: Matrix, projection: Matrix, width: int, height: int) -> Tensor | None:
    """``camera_tensors`` of one frame."""
    return camera_tensors([view], [projection], width, height)[0]


def _rows(v: Floats, p: Floats) -> Floats:
    turn = v[:, :3, :3]
    position = -(turn.transpose(0, 2, 1) @ v[:, :3, 3:])[..., 0]
    lens = [2.0 * np.arctan(1.0 / p[:, 1, 1]), p[:, 2, 3] / (p[:, 2, 2] - 1.0), p[:, 2, 3] / (p[:, 2, 2] + 1.0)]
    return np.concatenate([position, -turn[:, 2], turn[:, 1], np.stack(lens, 1)], 1)


def _rigid(v: Floats) -> Truths:
    """Which are a turn and a shift by a distance that can be meant."""
    bounded = np.asarray((np.abs(v[:, :3, :3]) < 2.0).all((1, 2)) & (np.abs(v[:, :3, 3]) <= FARTHEST).all(1))
    turn = np.where(bounded[:, None, None], v[:, :3, :3], 0.0)  # nothing below can overflow, then
    up = turn[:, 2]
    across, along = turn[:, 0], turn[:, 1]
    # The triple product by hand: numpy's cross takes longer than all the rest.
    right_handed = (
        (across[:, 1] * along[:, 2] - across[:, 2] * along[:, 1]) * up[:, 0]
        + (across[:, 2] * along[:, 0] - across[:, 0] * along[:, 2]) * up[:, 1]
        + (across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]) * up[:, 2]
    ) > 0
    straight = _near(turn @ turn.transpose(0, 2, 1), IDENTITY[:3, :3])
    return bounded & straight & right_handed & _near(v[:, 3:], IDENTITY[3])


def _pinhole(p: Floats, width: int, height: int) -> Truths:
    """Which have the form of OpenGL's symmetric perspective matrix, near before far."""
    bounded = np.asarray((np.abs(p) <= FARTHEST).all((1, 2)))
    p = np.where(bounded[:, None, None], p, 0.0)
    sane = (p[:, 0, 0] > 0) & (p[:, 1, 1] > TOLERANCE) & (p[:, 2, 3] < 0) & (p[:, 2, 2] < -1.0)
    expected = np.zeros_like(p)
    expected[:, 0, 0], expected[:, 1, 1] = p[:, 1, 1] * height / width, p[:, 1, 1]
    expected[:, 2, 2], expected[:, 2, 3], expected[:, 3, 2] = p[:, 2, 2], p[:, 2, 3], -1.0
    return bounded & sane & _near(p, expected)


def _near(found: Floats, expected: Floats) -> Truths:
    """Which matrices ``[F, …, …]`` are as expected, within TOLERANCE, absolute and relative."""
    near: Truths = np.abs(found - expected) <= TOLERANCE + TOLERANCE * np.abs(expected)
    return np.asarray(near.all((1, 2)))
