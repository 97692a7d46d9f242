"""How the ground meets the ribbon: it passes below road and verges and rises or falls away from the barriers."""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import kernel
from .noise import ease
from .query import ahead_of, blend, on_step

CLEARANCE = 0.35
"""Metres by which the ground lies below the ribbon."""
_BLEND = 32.0  # metres over which the edge of the ribbon passes into the open land


@kernel
def _span(middle, reach, cell, count):
    """First and last vertex of a line of ``count`` within ``reach`` metres of ``middle``."""
    return max(0, math.ceil((middle - reach) / cell)), min(count - 1, math.floor((middle + reach) / cell))


@kernel
def edge_fields(arrays, x0, y0, cell, rows, cols):
    """(distance, edge, cap) ``[rows, cols]`` near the ribbon.

    ``distance``: metres outside the nearest barrier (0 under the ribbon, 1e9 far away). ``edge``: height of the
    ribbons' edges there, weighted by nearness. ``cap``: highest ground allowed (1e9 where anything is).
    """
    distance = np.full((rows, cols), 1e9)
    edge, weights = np.zeros((rows, cols)), np.zeros((rows, cols))
    cap = np.full((rows, cols), 1e9)
    n = arrays.x.shape[0]
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        reach = max(arrays.barrier_left[i], arrays.barrier_right[i]) + _BLEND + 1.5 * cell
        row0, row1 = _span(arrays.y[i] - y0, reach, cell, rows)
        col0, col1 = _span(arrays.x[i] - x0, reach, cell, cols)
        for row in range(row0, row1 + 1):
            for col in range(col0, col1 + 1):
                x, y = x0 + col * cell, y0 + row * cell
                if ahead_of(arrays, i, x, y) < 0.0 or ahead_of(arrays, j, x, y) >= 0.0:
                    continue
                u, d = on_step(arrays, i, x, y)
                left, right = blend(arrays.barrier_left, i, u), -blend(arrays.barrier_right, i, u)
                held = min(max(d, right), left)
                outside = abs(d - held)
                if outside > _BLEND + 1.5 * cell:
                    continue
                z, bank = blend(arrays.z, i, u), blend(arrays.bank, i, u)
                weight = 1.0 / (outside + 2.0)
                weight *= weight
                weight *= weight
                edge[row, col] += weight * (z + bank * held)
                weights[row, col] += weight
                distance[row, col] = min(distance[row, col], outside)
                if outside <= 1.5 * cell:
                    cap[row, col] = min(cap[row, col], z + bank * held - CLEARANCE)
    for row in range(rows):
        for col in range(cols):
            if weights[row, col] > 0.0:
                edge[row, col] /= weights[row, col]
    return distance, edge, cap


@kernel
def join(land, distance, edge, cap, cell, sweeps):
    """Open land and edges of the ribbon as one surface, creases between two stretches relaxed away."""
    rows, cols = land.shape
    z = land.copy()
    for row in range(rows):
        for col in range(cols):
            if distance[row, col] < 1e8:
                t = ease((distance[row, col] - cell) / _BLEND)
                z[row, col] = (edge[row, col] - CLEARANCE) * (1.0 - t) + land[row, col] * t
    start = z.copy()
    for _ in range(sweeps):
        for row in range(1, rows - 1):
            for col in range(1, cols - 1):
                if cell < distance[row, col] < 1e8:
                    around = z[row - 1, col] + z[row + 1, col] + z[row, col - 1] + z[row, col + 1]
                    z[row, col] = (1.5 * start[row, col] + around) / 5.5
    for row in range(rows):
        for col in range(cols):
            z[row, col] = min(z[row, col], cap[row, col])
    return z


@kernel
def highest_in_cell(z, row, col, v, u):
    """Highest of the surfaces that a cell's corners can span at (v, u): cut along either diagonal, or bilinear."""
    a, b = z[row, col], z[row, col + 1]
    c, d = z[row + 1, col], z[row + 1, col + 1]
    if u >= v:
        first = a + (b - a) * u + (d - b) * v
    else:
        first = a + (d - c) * u + (c - a) * v
    if u + v <= 1.0:
        second = a + (b - a) * u + (c - a) * v
    else:
        second = d + (c - d) * (1.0 - u) + (b - d) * (1.0 - v)
    return max(first, second)


@kernel
def push_below(z, arrays, x0, y0, cell, passes):
    """Lower the corners of every cell in which the ground would come within 0.3 m of the ribbon (in place)."""
    n = arrays.x.shape[0]
    rows, cols = z.shape
    for _ in range(passes):
        for i in range(n):
            left, right = arrays.barrier_left[i] + 0.4, arrays.barrier_right[i] + 0.4
            count = int((left + right) / 1.5) + 1
            for k in range(count + 1):
                d = -right + (left + right) * k / count
                x, y = arrays.x[i] - d * arrays.tangent_y[i], arrays.y[i] + d * arrays.tangent_x[i]
                fx, fy = (x - x0) / cell, (y - y0) / cell
                col, row = math.floor(fx), math.floor(fy)
                if row < 0 or col < 0 or row + 1 >= rows or col + 1 >= cols:
                    continue
                excess = highest_in_cell(z, row, col, fy - row, fx - col) - (arrays.z[i] + arrays.bank[i] * d - 0.31)
                if excess > 0.0:
                    z[row, col] -= excess
                    z[row, col + 1] -= excess
                    z[row + 1, col] -= excess
                    z[row + 1, col + 1] -= excess
