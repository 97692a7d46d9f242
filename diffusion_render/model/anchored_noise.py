"""Noise that sticks to the world, for texture that neither flickers nor has to be invented.

Every pixel's world position (depth guide plane, camera) reads value noise whose cells are about 2, 4 and 8 pixels
wide *at that pixel*: the level of detail follows the pixel's footprint and blends between powers of two,
like mip levels, so grain is as fine far away as near and still stays with its place.
Grain and windows do not come through latents at 1/32 (LEARNABILITY, section 9).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

OCTAVES = 3
FAR = 1.0e4
"""Depths beyond this (metres) count as sky: no noise."""


class Cameras(NamedTuple):
    """Pinhole cameras of M frames: ``[M, 3]`` position, unit forward and up; ``[M]`` vertical field of view, rad."""

    position: Tensor
    forward: Tensor
    up: Tensor
    fov_y: Tensor


class Crop(NamedTuple):
    """Where M crops lie in their pictures: int64 ``[M]`` top rows and left columns; full height and width."""

    top: Tensor
    left: Tensor
    height: int
    width: int


def world_positions(depth: Tensor, cameras: Cameras, crop: Crop | None = None) -> Tensor:
    """Depth along the viewing axis ``[M, h, w]`` (metres) → world positions ``[M, h, w, 3]`` relative to the camera.

    Args:
        crop: where ``depth`` lies in the picture, if it is not all of it.
    """
    m, h, w = depth.shape
    zero = torch.zeros(m, dtype=torch.int64, device=depth.device)
    top, left, full_h, full_w = crop or Crop(zero, zero, h, w)
    half = torch.tan(cameras.fov_y / 2.0)[:, None, None]
    rows = (top[:, None] + torch.arange(h, device=depth.device)).float() + 0.5
    cols = (left[:, None] + torch.arange(w, device=depth.device)).float() + 0.5
    up_part = (1.0 - 2.0 * rows / full_h)[:, :, None] * half
    right_part = ((2.0 * cols / full_w - 1.0) * (full_w / full_h))[:, None, :] * half
    right = torch.linalg.cross(cameras.forward, cameras.up)
    ray = cameras.forward[:, None, None] + right_part[..., None] * right[:, None, None]
    ray = ray + up_part[..., None] * cameras.up[:, None, None]
    return depth.float()[..., None] * ray


def anchored_noise(depth: Tensor, cameras: Cameras, seed: int, crop: Crop | None = None) -> Tensor:
    """Noise planes in [−1, 1], ``[M, OCTAVES, h, w]``, zero where the depth is sky.

    Args as in ``world_positions``; ``seed`` picks the noise field.
    """
    relative = world_positions(depth, cameras, crop)
    footprint = _footprint(relative)
    place = relative + cameras.position[:, None, None]
    level = torch.log2(footprint.clamp(1e-3, 1e3))
    whole = torch.floor(level)
    share = level - whole
    planes = []
    for octave in range(OCTAVES):
        near = _value_noise(place, torch.exp2(whole + octave + 1), seed + octave)
        far = _value_noise(place, torch.exp2(whole + octave + 2), seed + octave)
        planes.append(near * (1.0 - share) + far * share)
    return torch.stack(planes, 1) * (depth < FAR)[:, None]


def _footprint(position: Tensor) -> Tensor:
    """Geometric mean of a pixel's size across and along, ``[M, h, w, 3]`` → ``[M, h, w]``, with edges replicated."""
    dx = (position[:, :, 1:] - position[:, :, :-1]).norm(dim=-1)
    dy = (position[:, 1:] - position[:, :-1]).norm(dim=-1)
    dx = torch.cat([dx, dx[:, :, -1:]], 2)
    dy = torch.cat([dy, dy[:, -1:]], 1)
    return torch.sqrt(dx * dy.clamp(max=1e3))


def _value_noise(place: Tensor, cell: Tensor, seed: int) -> Tensor:
    """Trilinear value noise of cell size ``cell`` ``[M, h, w]`` at ``place`` ``[M, h, w, 3]``, in [−1, 1]."""
    scaled = place / cell[..., None]
    low = torch.floor(scaled)
    t = scaled - low
    t = t * t * (3.0 - 2.0 * t)
    # Levels must not share corners, or grain would line up across them.
    salt = torch.log2(cell).round().to(torch.int32) * 7919 + seed * 104729
    corner = low.to(torch.int32)
    total = torch.zeros_like(cell)
    for dz in (0, 1):
        for dy in (0, 1):
            for dx in (0, 1):
                offset = corner.new_tensor([dx, dy, dz])
                weight = torch.where(offset.bool(), t, 1.0 - t).prod(-1)
                total = total + weight * _hash_unit(corner + offset, salt)
    return total


def _hash_unit(corner: Tensor, salt: Tensor) -> Tensor:
    """Integer corners ``[..., 3]`` → [−1, 1): multiply, xor and shift in wrapping int32."""
    h = corner[..., 0] * 374761393 + corner[..., 1] * 668265263 + corner[..., 2] * 1440662683 + salt * 362437
    h = (h ^ (h >> 13)) * 1274126177
    h = (h ^ (h >> 16)) * 374761393
    h = h ^ (h >> 15)
    return (h & 0xFFFF).float() / 32768.0 - 1.0
