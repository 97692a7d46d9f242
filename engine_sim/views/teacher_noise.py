"""Tileable noise pictures from integer hashes: the raw stuff of the detail textures. No random state, no files."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]  # float32; OpenCV promises no narrower type
_U32 = np.uint32


def hash_grid(rows: int, cols: int, seed: int) -> NDArray[np.uint32]:
    """uint32 ``[rows, cols]`` of well-mixed words (multiply–xorshift finaliser of MurmurHash3)."""
    y, x = np.mgrid[:rows, :cols].astype(_U32)
    h = x * _U32(0x9E3779B1) ^ (y * _U32(0x85EBCA77) + _U32(seed * 0x27D4EB2F & 0xFFFFFFFF))
    h ^= h >> _U32(16)
    h *= _U32(0x85EBCA6B)
    h ^= h >> _U32(13)
    h *= _U32(0xC2B2AE35)
    return h ^ (h >> _U32(16))


def white(rows: int, cols: int, seed: int) -> Image:
    """float32 ``[rows, cols]`` uniform in [0, 1)."""
    return (hash_grid(rows, cols, seed) >> _U32(8)).astype(np.float32) / np.float32(1 << 24)


def value_noise(size: int, cells: int | tuple[int, int], seed: int) -> Image:
    """Smooth noise ``[size, size]`` in [0, 1] that tiles; ``cells`` lattice cells (y, x) across the tile."""
    rows, cols = (cells, cells) if isinstance(cells, int) else cells
    lattice = np.pad(white(rows, cols, seed), 2, mode="wrap")
    y = (np.arange(size, dtype=np.float32) + 0.5) * rows / size + 1.5
    x = (np.arange(size, dtype=np.float32) + 0.5) * cols / size + 1.5
    grid_x, grid_y = np.meshgrid(x, y)
    return np.clip(cv2.remap(lattice, grid_x, grid_y, cv2.INTER_CUBIC), 0.0, 1.0)


def fractal(size: int, cells: int | tuple[int, int], octaves: int, seed: int, gain: float = 0.5) -> Image:
    """Sum of ``octaves`` of ``value_noise``, each twice as fine and ``gain`` as strong; stretched to [0, 1]."""
    rows, cols = (cells, cells) if isinstance(cells, int) else cells
    total = np.zeros((size, size), np.float32)
    weight = 1.0
    for octave in range(octaves):
        total += np.float32(weight) * value_noise(size, (rows << octave, cols << octave), seed + 101 * octave)
        weight *= gain
    return stretch(total)


def stretch(image: Image, low: float = 0.5, high: float = 99.5) -> Image:
    """Scale so that the given percentiles become 0 and 1; clip."""
    a, b = np.percentile(image[::4, ::4], (low, high))
    return np.clip((image - np.float32(a)) / np.float32(max(b - a, 1e-6)), 0.0, 1.0)


def stones(size: int, cells: int, seed: int, squash: float = 1.0) -> tuple[Image, Image]:
    """Pebbles that tile: one per cell of a jittered grid.

    Returns:
        height ``[size, size]``: 0 in the joints … 1 on top; number ``[size, size]``: a random value per pebble.
    """
    jitter_x, jitter_y = white(cells, cells, seed), white(cells, cells, seed + 1)
    value = white(cells, cells, seed + 2)
    pitch = size / cells
    pad = 2
    rows, cols = np.mgrid[-pad : cells + pad, -pad : cells + pad]
    wrapped = rows % cells, cols % cells
    x = ((cols + 0.15 + 0.7 * jitter_x[wrapped]) * pitch).astype(np.int64)
    y = ((rows + 0.15 + 0.7 * jitter_y[wrapped]) * pitch).astype(np.int64)
    margin = int(pad * pitch)
    canvas = np.ones((size + 2 * margin, int((size + 2 * margin) * squash)), np.uint8)
    inside = (x >= -margin) & (x < size + margin) & (y >= -margin) & (y < size + margin)
    px, py = ((x[inside] + margin) * squash).astype(np.int64), y[inside] + margin
    canvas[py, px] = 0
    reach, label = cv2.distanceTransformWithLabels(canvas, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    of_label = np.zeros(int(label.max()) + 1, np.float32)
    of_label[label[py, px]] = value[wrapped][inside]
    view = (slice(margin, margin + size), slice(margin, margin + size))
    if squash != 1.0:
        shape = (size + 2 * margin, size + 2 * margin)
        reach = cv2.resize(reach, shape)
        label = cv2.resize(label, shape, interpolation=cv2.INTER_NEAREST)
    height = np.clip(1.0 - reach[view] / np.float32(0.62 * pitch), 0.0, 1.0)
    return height, of_label[label[view]]


def blurred(image: Image, sigma: float) -> Image:
    """Gaussian blur of a tiling picture, which goes on tiling."""
    return cv2.GaussianBlur(np.pad(image, 8, mode="wrap"), (0, 0), sigma)[8:-8, 8:-8]


def normals(height: Image, strength: float) -> tuple[Image, Image]:
    """Slope of a tiling height picture as two channels around 0.5: the normal's x (right) and y (up the picture)."""
    dx = np.roll(height, 1, 1) - np.roll(height, -1, 1)
    dy = np.roll(height, -1, 0) - np.roll(height, 1, 0)
    scale = np.float32(strength)
    return np.clip(0.5 + scale * dx, 0.0, 1.0), np.clip(0.5 + scale * dy, 0.0, 1.0)


def pack(*channels: Image) -> NDArray[np.uint8]:
    """Channels in [0, 1] → uint8 ``[size, size, channels]``."""
    return np.clip(np.stack(channels, -1) * 255.0 + 0.5, 0, 255).astype(np.uint8)
