"""The plain twin, in torch: what anchored noise *is*. Runs on any device and compiles into a few kernels.

Every pixel's world position (depth guide plane, camera) reads a field of value noise whose cells are about 2, 4 and
8 pixels wide *at that pixel*: the level of detail follows the pixel's footprint and blends between powers of
two, like mip levels, so grain is as fine far away as near and still stays with its place. Grain and windows do not come
through latents at 1/32 (LEARNABILITY, section 9).

The field is one periodic volume, read at the nearest of its samples: four samples a cell lie closer than pixels do. The
level is chosen once per block of 4×4 pixels. No transcendental function is used, so twins agree to the bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

OCTAVES = 3
BLOCK = 4
FAR = 1.0e4
"""Depths beyond this (metres) count as sky: no noise."""
LATTICE, PER_CELL = 32, 4
SIDE = LATTICE * PER_CELL
"""Samples along an edge of the volume; it repeats after LATTICE cells."""
SEED = 20_261
SMALLEST, LARGEST = 2.0**-10, 2.0**10
"""Footprints, metres, outside of which the level of detail stays."""


class Cameras(NamedTuple):
    """Pinhole cameras of M frames: ``[M, 3]`` position, unit forward and up; ``[M]`` vertical field of view, rad."""

    position: Tensor
    forward: Tensor
    up: Tensor
    fov_y: Tensor


class Crop(NamedTuple):
    """Where M crops lie in their pictures: int64 ``[M]`` top rows and left columns; full height and width, pixels."""

    top: Tensor
    left: Tensor
    height: int
    width: int


def noise_volume() -> NDArray[np.int8]:
    """The field: smooth periodic value noise, int8 ``[SIDE, SIDE, SIDE]`` for −1 … 1; always the same numbers."""
    lattice = np.random.Generator(np.random.PCG64(SEED)).uniform(-1.0, 1.0, (LATTICE,) * 3)
    t = np.arange(PER_CELL) / PER_CELL
    t = t * t * (3.0 - 2.0 * t)
    field = lattice
    for axis in range(3):
        here, there = np.expand_dims(field, axis + 1), np.expand_dims(np.roll(field, -1, axis), axis + 1)
        weight = t.reshape([PER_CELL if k == axis + 1 else 1 for k in range(4)])
        field = (here * (1.0 - weight) + there * weight).reshape([SIDE if k <= axis else LATTICE for k in range(3)])
    return np.round(field * 127.0).astype(np.int8)


def view_rays(cameras: Cameras, height: int, width: int, crop: Crop | None = None) -> Tensor:
    """World-space rays with unit depth, float32 ``[M, height, width, 3]``, through pixel centres of the crop."""
    m, device = cameras.fov_y.shape[0], cameras.fov_y.device
    zero = torch.zeros(m, dtype=torch.int64, device=device)
    top, left, full_h, full_w = crop or Crop(zero, zero, height, width)
    half = torch.tan(cameras.fov_y.double() / 2.0).float()[:, None]
    rows = (top[:, None] + torch.arange(height, device=device)).float() + 0.5
    cols = (left[:, None] + torch.arange(width, device=device)).float() + 0.5
    upward = ((1.0 - rows * (2.0 / full_h)) * half)[:, :, None, None]
    sideward = ((cols * (2.0 / full_w) - 1.0) * (full_w / full_h) * half)[:, None, :, None]
    forward, up = cameras.forward.float(), cameras.up.float()
    right = torch.linalg.cross(forward, up)
    return forward[:, None, None] + sideward * right[:, None, None] + upward * up[:, None, None]


def anchored_noise(depth: Tensor, cameras: Cameras, volume: Tensor, crop: Crop | None = None) -> Tensor:
    """Noise of M frames, unshuffled to a quarter of their size.

    Args:
        depth: ``[M, h, w]`` metres along the viewing axis; h and w divisible by 4.
        cameras: of the frames.
        volume: ``noise_volume()`` as a tensor on the device of ``depth``.
        crop: where ``depth`` lies in its pictures, if it is not all of them; corners divisible by 4.

    Returns:
        float32 ``[M, OCTAVES · 16, h/4, w/4]`` in [−1, 1], octave · 16 + row · 4 + column of the block (the order of
        ``pixel_unshuffle``); zero where the depth is sky.
    """
    m, height, width = depth.shape
    if height % BLOCK or width % BLOCK:
        raise ValueError(f"depth must be divisible by {BLOCK}, got {height} × {width}")
    depth = depth.float()
    relative = depth[..., None] * view_rays(cameras, height, width, crop)
    scale, share = _detail(relative)
    place = relative + cameras.position.float()[:, None, None]
    place = place.view(m, height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3).permute(0, 2, 4, 1, 3, 5).flatten(1, 2)
    flat = volume.flatten()
    levels = [_read(flat, place * (scale[:, None] * 0.5**k)[..., None]) for k in range(OCTAVES + 1)]
    share = share[:, None]
    planes = torch.stack([levels[k] + share * (levels[k + 1] - levels[k]) for k in range(OCTAVES)], 1)
    seen = (depth < FAR).view(m, height // BLOCK, BLOCK, width // BLOCK, BLOCK).permute(0, 2, 4, 1, 3).flatten(1, 2)
    return (planes * seen[:, None]).flatten(1, 2)


def _detail(relative: Tensor) -> tuple[Tensor, Tensor]:
    """Positions ``[M, h, w, 3]`` → samples per metre of the finest level and share of the next, ``[M, h/4, w/4]``.

    A block's footprint is taken between three of its middle pixels. Along a slant it lies between the geometric mean of
    width and depth (where grain would shimmer) and the larger of the two (where it would blur).
    """
    middle = relative[:, 1::BLOCK, 1::BLOCK]
    across = _length(relative[:, 1::BLOCK, 2::BLOCK] - middle)
    along = _length(relative[:, 2::BLOCK, 1::BLOCK] - middle)
    footprint = torch.sqrt(torch.maximum(across, along) * torch.sqrt(across * along)).clamp(SMALLEST, LARGEST)
    mantissa, exponent = torch.frexp(footprint)  # footprint = mantissa · 2^exponent, mantissa in [½, 1)
    # Cells of the finest level are 2^exponent … 2 · 2^exponent, so 1 to 2 footprints wide or more.
    return torch.ldexp(torch.full_like(footprint, float(PER_CELL)), -exponent), 2.0 * mantissa - 1.0


def _length(v: Tensor) -> Tensor:
    x, y, z = v.unbind(-1)
    return torch.sqrt(x * x + y * y + z * z)


def _read(volume: Tensor, at: Tensor) -> Tensor:
    """Nearest samples of the flat volume at ``[..., 3]`` in samples, float32 in [−1, 1]."""
    x, y, z = (torch.floor(at).long() & (SIDE - 1)).unbind(-1)
    return volume[(x * SIDE + y) * SIDE + z].float() * (1.0 / 127.0)
