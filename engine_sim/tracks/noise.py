"""Value noise of our own: integer hash at lattice points, smoothstep between them. Exact arithmetic only."""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import kernel
from ..core.random import mix64

_X, _Y = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SHIFT = np.uint64(11)
_MASK = 0xFFFFFFFF  # a plain Python integer below zero does not become an unsigned one by itself
_UNIT = 1.0 / 9007199254740992.0


@kernel
def lattice(ix, iy, seed):
    """Value in [-1, 1) of a lattice point (int64 coordinates, int64 seed)."""
    word = mix64(np.uint64(ix & _MASK) * _X ^ np.uint64(iy & _MASK) * _Y ^ np.uint64(seed & _MASK))
    return 2.0 * (np.float64(word >> _SHIFT) * _UNIT) - 1.0


@kernel
def ease(t):
    """Smoothstep: 0 below 0, 1 above 1."""
    if t <= 0.0:
        return 0.0
    if t >= 1.0:
        return 1.0
    return t * t * (3.0 - 2.0 * t)


@kernel
def noise(x, y, seed):
    """Value noise in [-1, 1) with lattice distance 1."""
    fx, fy = math.floor(x), math.floor(y)
    ix, iy = int(fx), int(fy)
    u, v = ease(x - fx), ease(y - fy)
    a = lattice(ix, iy, seed) * (1.0 - u) + lattice(ix + 1, iy, seed) * u
    b = lattice(ix, iy + 1, seed) * (1.0 - u) + lattice(ix + 1, iy + 1, seed) * u
    return a * (1.0 - v) + b * v


@kernel
def fractal(x, y, seed, octaves):
    """Octaves of noise, each half as high and twice as fine, turned against each other; about [-1, 1]."""
    total, height, sum_heights = 0.0, 1.0, 0.0
    for k in range(octaves):
        total += height * noise(x, y, seed + 101 * k)
        sum_heights += height
        height *= 0.5
        x, y = 1.6 * x - 1.2 * y + 17.3, 1.2 * x + 1.6 * y - 5.1  # turn by 53 degrees, scale by 2
    return total / sum_heights


@kernel
def ridged(x, y, seed, octaves):
    """Sharp crests and gullies in [0, 1]."""
    total, height, sum_heights = 0.0, 1.0, 0.0
    for k in range(octaves):
        crest = 1.0 - abs(noise(x, y, seed + 211 * k))
        total += height * crest * crest
        sum_heights += height
        height *= 0.5
        x, y = 1.6 * x - 1.2 * y + 9.7, 1.2 * x + 1.6 * y + 3.9
    return total / sum_heights


@kernel
def around(t, count, seed):
    """Noise on a closed line: t in [0, 1) once around, ``count`` lattice points; in [-1, 1)."""
    x = t * count
    fx = math.floor(x)
    i = int(fx) % count
    u = ease(x - fx)
    return lattice(i, 0, seed) * (1.0 - u) + lattice((i + 1) % count, 0, seed) * u
