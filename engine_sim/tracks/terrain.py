"""The open land of a setting: what the ground would be if the circuit only set its broad height. Exact kernels."""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import kernel
from .noise import ease, fractal, ridged

_SHARE = 4  # the coarse field has one vertex per 4 × 4 of the ground


@kernel
def coarse_fields(x, y, z, x0, y0, cell, rows, cols):
    """(height, distance, inside) ``[rows // 4 + 2, cols // 4 + 2]``: the circuit seen from afar.

    Height is Shepard's inverse-distance mean with weight 1 / (r² + 50²)² over every fourth sample, distance that to
    the nearest of them; inside is 1 in the infield (even-odd rule) and 0 outside the lap.
    """
    coarse_rows, coarse_cols = rows // _SHARE + 2, cols // _SHARE + 2
    height = np.zeros((coarse_rows, coarse_cols))
    distance = np.zeros((coarse_rows, coarse_cols))
    inside = np.zeros((coarse_rows, coarse_cols))
    last = (x.shape[0] - 1) // 4 * 4
    for row in range(coarse_rows):
        for col in range(coarse_cols):
            px, py = x0 + col * cell * _SHARE, y0 + row * cell * _SHARE
            total, weights, nearest, odd = 0.0, 0.0, 1e300, False
            for i in range(0, x.shape[0], 4):
                j = i - 4 if i > 0 else last
                if (y[i] > py) != (y[j] > py) and px < x[i] + (x[j] - x[i]) * (py - y[i]) / (y[j] - y[i]):
                    odd = not odd
                dx, dy = x[i] - px, y[i] - py
                square = dx * dx + dy * dy
                nearest = min(nearest, square)
                weight = 1.0 / ((square + 2500.0) * (square + 2500.0))
                total += weight * z[i]
                weights += weight
            height[row, col] = total / weights
            distance[row, col] = math.sqrt(nearest)
            inside[row, col] = 1.0 if odd else 0.0
    return height, distance, inside


@kernel
def coarse_at(field, row, col):
    """A coarse field at a vertex of the ground, bilinear."""
    i, j = row // _SHARE, col // _SHARE
    v, u = (row - i * _SHARE) / _SHARE, (col - j * _SHARE) / _SHARE
    low = field[i, j] * (1.0 - u) + field[i, j + 1] * u
    high = field[i + 1, j] * (1.0 - u) + field[i + 1, j + 1] * u
    return low * (1.0 - v) + high * v


@kernel
def _terraced(height, size, share, shift):
    """Height pulled towards steps of ``size`` metres by ``share``; ``shift`` moves the steps up by a part of one."""
    t = height / size + shift
    floor = math.floor(t)
    step = size * (floor + ease((t - floor - 0.35) / 0.25) - shift)
    return height * (1.0 - share) + step * share


@kernel
def land_height(px, py, broad, distance, inside, frame, land, seed):
    """Height of the open land at a point.

    Args:
        px, py: metres.
        broad, distance, inside: the coarse fields there.
        frame: [centre x, centre y, axis x, axis y, half length along, half width across, shore, sea level].
        land: [roll, roll_size, horizon, rough, axis, sea, terrace, near, rise, infield] of ``settings.Land``.
        seed: int64.
    """
    x, y = px - frame[0], py - frame[1]
    along, across = x * frame[2] + y * frame[3], y * frame[2] - x * frame[3]
    roll = land[0] * fractal(px / land[1], py / land[1], seed, 4) * ease((distance - 12.0) / 130.0)
    crest = ridged(px / 420.0, py / 420.0, seed + 7, 4)
    down = 0.5 + 0.5 * fractal(px / 520.0, py / 520.0, seed + 13, 3)
    shape = (1.0 - land[3]) * (0.35 + 0.65 * down) + land[3] * (0.15 + crest)
    sides = abs(across) / (frame[5] + 60.0)
    shape *= (1.0 - land[4] * (1.0 - ease((sides - 0.45) / 0.9))) * (1.0 - (1.0 - land[9]) * inside)
    far = ease((distance - land[7]) / land[8])
    height = land[2] * shape * far + roll
    if land[6] > 0.0:
        shift = 0.9 * fractal(px / 210.0, py / 210.0, seed + 19, 2)
        height = _terraced(height, 24.0, land[6] * ease((distance - 50.0) / 70.0), shift)
    height += broad
    if land[5] > 0.0:
        wave = 30.0 * fractal(px / 160.0, py / 160.0, seed + 29, 3)
        drop = land[5] * ease((along - frame[6] + wave) / 170.0)
        height = height * (1.0 - drop) + (frame[7] + 0.8 * fractal(px / 40.0, py / 40.0, seed + 31, 2)) * drop
    return height


@kernel
def open_land(height, distance, inside, x0, y0, cell, rows, cols, frame, land, seed):
    """``land_height`` on every vertex, ``[rows, cols]``."""
    out = np.zeros((rows, cols))
    for row in range(rows):
        for col in range(cols):
            x, y, within = x0 + col * cell, y0 + row * cell, coarse_at(inside, row, col)
            broad, away = coarse_at(height, row, col), coarse_at(distance, row, col)
            out[row, col] = land_height(x, y, broad, away, within, frame, land, seed)
    return out


@kernel
def ground_cover(z, cell, x0, y0, bare, rock_slope, seed, grass, terrain, rock):
    """Class of every vertex, uint8 ``[rows, cols]``: rock where it is steep, bare in patches, else grass."""
    rows, cols = z.shape
    out = np.zeros((rows, cols), np.uint8)
    for row in range(rows):
        for col in range(cols):
            left, right = max(col - 1, 0), min(col + 1, cols - 1)
            low, high = max(row - 1, 0), min(row + 1, rows - 1)
            gx = (z[row, right] - z[row, left]) / (cell * (right - left))
            gy = (z[high, col] - z[low, col]) / (cell * (high - low))
            slope = math.sqrt(gx * gx + gy * gy)
            x, y = x0 + col * cell, y0 + row * cell
            patch = 0.5 + 0.5 * fractal(x / 70.0, y / 70.0, seed + 3, 3)
            if slope > rock_slope * (0.75 + 0.5 * patch):
                out[row, col] = rock
            elif 1.5 * (patch - 0.5) + 0.5 < bare + 0.25 * slope:
                out[row, col] = terrain
            else:
                out[row, col] = grass
    return out
