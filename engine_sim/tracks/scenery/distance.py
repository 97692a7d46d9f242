"""How far every place is from the track: a coarse exact distance transform, for densities that thin out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.jit import kernel
from ..track import Ground, TrackArrays

CELL = 6.0


class DistanceField(NamedTuple):
    """``metres`` float64 ``[rows, cols]`` from the ribbon (0 on it) to cell centres; ``frame`` = [x0, y0, cell]."""

    metres: NDArray[np.float64]
    frame: NDArray[np.float64]


def distance_field(arrays: TrackArrays, ground: Ground) -> DistanceField:
    """Distance to the nearest barrier over the whole ground, good to about a cell."""
    rows = int(ground.cell * (ground.z.shape[0] - 1) / CELL) + 1
    cols = int(ground.cell * (ground.z.shape[1] - 1) / CELL) + 1
    square = _mark(arrays, ground.x0, ground.y0, CELL, rows, cols)
    return DistanceField(_transform(square, CELL), np.array([ground.x0, ground.y0, CELL]))


@kernel
def _mark(arrays, x0, y0, cell, rows, cols):
    """0 in cells that the ribbon touches, else a large number; ``float64 [rows, cols]``."""
    out = np.full((rows, cols), 1e12)
    for i in range(arrays.x.shape[0]):
        left, right = arrays.barrier_left[i], arrays.barrier_right[i]
        count = int((left + right) / (0.5 * cell)) + 1
        for k in range(count + 1):
            d = -right + (left + right) * k / count
            col = math.floor((arrays.x[i] - d * arrays.tangent_y[i] - x0) / cell)
            row = math.floor((arrays.y[i] + d * arrays.tangent_x[i] - y0) / cell)
            if 0 <= row < rows and 0 <= col < cols:
                out[row, col] = 0.0
    return out


@kernel
def _lower_envelope(values, out, site, border):
    """Squared distance in one dimension: lower envelope of parabolas (Felzenszwalb and Huttenlocher, 2012)."""
    n = values.shape[0]
    k = 0
    site[0], border[0], border[1] = 0, -1e30, 1e30
    for q in range(1, n):
        while True:
            p = site[k]
            cross = ((values[q] + q * q) - (values[p] + p * p)) / (2.0 * (q - p))
            if cross > border[k]:
                break
            k -= 1
        k += 1
        site[k], border[k], border[k + 1] = q, cross, 1e30
    k = 0
    for q in range(n):
        while border[k + 1] < q:
            k += 1
        out[q] = (q - site[k]) * (q - site[k]) + values[site[k]]


@kernel
def _transform(square, cell):
    rows, cols = square.shape
    longest = max(rows, cols)
    site, border = np.zeros(longest, np.int64), np.zeros(longest + 1)
    line = np.zeros(longest)
    for col in range(cols):
        _lower_envelope(square[:, col].copy(), line, site, border)
        for row in range(rows):
            square[row, col] = line[row]
    for row in range(rows):
        _lower_envelope(square[row].copy(), line, site, border)
        for col in range(cols):
            square[row, col] = math.sqrt(line[col]) * cell
    return square


@kernel
def distance_at(metres, frame, x, y):
    """Metres from the ribbon to the cell of (x, y); outside the field, that of its border."""
    row = int(min(max((y - frame[1]) / frame[2], 0.0), metres.shape[0] - 1.0))
    col = int(min(max((x - frame[0]) / frame[2], 0.0), metres.shape[1] - 1.0))
    return metres[row, col]
