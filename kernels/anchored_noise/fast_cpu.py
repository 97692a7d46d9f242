"""The fast path for processors: the plain twin fused into one pass over the pixels (numba)."""

from __future__ import annotations

import math
from functools import lru_cache

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .plain import BLOCK, FAR, LARGEST, OCTAVES, PER_CELL, SIDE, SMALLEST, Cameras, noise_volume

CHANNELS = OCTAVES * BLOCK * BLOCK


@lru_cache(maxsize=1)
def _volume() -> NDArray[np.int8]:
    return noise_volume().reshape(-1)


def anchored_noise_cpu(depth: Tensor, cameras: Cameras) -> Tensor:
    """As ``plain.anchored_noise`` for whole pictures on the CPU; channels-last in memory."""
    m, height, width = depth.shape
    if height % BLOCK or width % BLOCK:
        raise ValueError(f"depth must be divisible by {BLOCK}, got {height} × {width}")
    out = np.empty((m, height // BLOCK, width // BLOCK, CHANNELS), np.float32)
    forward, up = cameras.forward.float(), cameras.up.float()
    half = torch.tan(cameras.fov_y.double() / 2.0).float()
    axes = torch.stack([forward, torch.linalg.cross(forward, up), up, cameras.position.float()], 1)
    _fill(depth.float().contiguous().numpy(), axes.contiguous().numpy(), half.contiguous().numpy(), _volume(), out)
    return torch.from_numpy(out).permute(0, 3, 1, 2)


@numba.njit(cache=True, nogil=True, inline="always")
def _relative(depth, row, col, height, width, half, axes, out):
    # The order of operations is the plain twin's: both round alike.
    one, two = np.float32(1.0), np.float32(0.5)
    upward = (one - (np.float32(row) + two) * np.float32(2.0 / height)) * half
    sideward = ((np.float32(col) + two) * np.float32(2.0 / width) - one) * np.float32(width / height) * half
    for k in range(3):
        out[k] = depth[row, col] * (axes[0, k] + sideward * axes[1, k] + upward * axes[2, k])


@numba.njit(cache=True, nogil=True, inline="always")
def _distance(a, b):
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return np.sqrt(x * x + y * y + z * z)


@numba.njit(cache=True, nogil=True)
def _fill(depth, axes, half, volume, out):
    frames, rows, cols, _ = out.shape
    here, there = np.empty(3, np.float32), np.empty(3, np.float32)
    levels = np.empty(OCTAVES + 1, np.float32)
    height, width = rows * BLOCK, cols * BLOCK
    for f in range(frames):
        for i in range(rows):
            for j in range(cols):
                row, col = i * BLOCK, j * BLOCK
                _relative(depth[f], row + 1, col + 1, height, width, half[f], axes[f], here)
                _relative(depth[f], row + 1, col + 2, height, width, half[f], axes[f], there)
                across = _distance(there, here)
                _relative(depth[f], row + 2, col + 1, height, width, half[f], axes[f], there)
                along = _distance(there, here)
                footprint = np.sqrt(max(across, along) * np.sqrt(across * along))
                footprint = min(max(footprint, np.float32(SMALLEST)), np.float32(LARGEST))
                mantissa, exponent = math.frexp(footprint)
                share = np.float32(2.0) * np.float32(mantissa) - np.float32(1.0)
                finest = np.float32(math.ldexp(float(PER_CELL), -exponent))
                for y in range(BLOCK):
                    for x in range(BLOCK):
                        channel = y * BLOCK + x
                        if depth[f, row + y, col + x] >= np.float32(FAR):
                            for k in range(OCTAVES):
                                out[f, i, j, channel + k * 16] = np.float32(0.0)
                            continue
                        _relative(depth[f], row + y, col + x, height, width, half[f], axes[f], here)
                        scale = finest
                        for k in range(OCTAVES + 1):
                            index = np.int64(0)
                            for axis in range(3):
                                at = np.floor((here[axis] + axes[f, 3, axis]) * scale)
                                index = index * SIDE + (np.int64(at) & (SIDE - 1))
                            levels[k] = np.float32(volume[index]) * np.float32(1.0 / 127.0)
                            scale *= np.float32(0.5)
                        for k in range(OCTAVES):
                            value = levels[k] + share * (levels[k + 1] - levels[k])
                            out[f, i, j, channel + k * 16] = value
