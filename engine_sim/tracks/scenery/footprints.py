"""Where things touch in the plane: rectangles against each other and against the ribbon. Exact kernels.

A rectangle is a row (x, y, ux, uy, hx, hy): middle, unit vector of its own x axis, half sizes in metres.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.jit import kernel

BEHIND = 1.0
"""Metres behind a barrier's face that belong to the barrier: nothing stands there."""


@kernel
def rectangles_touch(ax, ay, aux, auy, ahx, ahy, bx, by, bux, buy, bhx, bhy, gap):
    """True if two rectangles come closer than ``gap``: separating axes of both (Gottschalk, 1996), a grown by gap."""
    dx, dy = bx - ax, by - ay
    ahx, ahy = ahx + gap, ahy + gap
    c, s = abs(aux * bux + auy * buy), abs(aux * buy - auy * bux)
    if abs(dx * aux + dy * auy) > ahx + bhx * c + bhy * s:
        return False
    if abs(dy * aux - dx * auy) > ahy + bhx * s + bhy * c:
        return False
    if abs(dx * bux + dy * buy) > bhx + ahx * c + ahy * s:
        return False
    return abs(dy * bux - dx * buy) <= bhy + ahx * s + ahy * c


@kernel
def step_quad(arrays, i, quad):
    """Corners of step i of the ribbon, from barrier to barrier and BEHIND, written into ``float64 [4, 2]``."""
    n = arrays.x.shape[0]
    j = i + 1 if i + 1 < n else 0
    for k in range(4):
        at = i if k < 2 else j
        d = arrays.barrier_left[at] + BEHIND if k == 0 or k == 3 else -arrays.barrier_right[at] - BEHIND
        quad[k, 0] = arrays.x[at] - d * arrays.tangent_y[at]
        quad[k, 1] = arrays.y[at] + d * arrays.tangent_x[at]


@kernel
def rectangle_meets_quad(x, y, ux, uy, hx, hy, quad):
    """True if a rectangle and a convex quadrilateral share a point: separating axes of both."""
    for axis in range(2):
        nx, ny, half = (ux, uy, hx) if axis == 0 else (-uy, ux, hy)
        low, high = 1e300, -1e300
        for k in range(4):
            value = (quad[k, 0] - x) * nx + (quad[k, 1] - y) * ny
            low, high = min(low, value), max(high, value)
        if low > half or high < -half:
            return False
    for k in range(4):
        m = (k + 1) % 4
        nx, ny = quad[m, 1] - quad[k, 1], quad[k, 0] - quad[m, 0]
        low, high = 1e300, -1e300
        for c in range(4):
            value = (quad[c, 0] - x) * nx + (quad[c, 1] - y) * ny
            low, high = min(low, value), max(high, value)
        reach = hx * abs(ux * nx + uy * ny) + hy * abs(uy * nx - ux * ny)
        if low > reach or high < -reach:
            return False
    return True


@kernel
def meets_ribbon(arrays, x, y, ux, uy, hx, hy):
    """True if a rectangle touches any stretch of the track, barriers included; asks the lookup grid."""
    rows, cols, cell = arrays.grid_shape[0], arrays.grid_shape[1], arrays.scalars[4]
    reach = math.sqrt(hx * hx + hy * hy)
    quad = np.empty((4, 2))
    row0 = max(0, math.floor((y - reach - arrays.scalars[3]) / cell))
    row1 = min(rows - 1, math.floor((y + reach - arrays.scalars[3]) / cell))
    col0 = max(0, math.floor((x - reach - arrays.scalars[2]) / cell))
    col1 = min(cols - 1, math.floor((x + reach - arrays.scalars[2]) / cell))
    for row in range(row0, row1 + 1):
        for col in range(col0, col1 + 1):
            k = row * cols + col
            for item in range(arrays.cell_start[k], arrays.cell_start[k + 1]):
                step_quad(arrays, arrays.cell_items[item], quad)
                if rectangle_meets_quad(x, y, ux, uy, hx, hy, quad):
                    return True
    return False
