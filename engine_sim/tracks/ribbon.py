"""From a closed polyline to evenly spaced samples with tangents, curvature, grade and the lookup grid."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..core.exact import atan2
from ..core.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def chord_lengths(x, y):
    """``float64 [n + 1]``: length of the closed polyline up to each point; the last entry is the whole."""
    n = x.shape[0]
    along = np.zeros(n + 1)
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        dx, dy = x[j] - x[i], y[j] - y[i]
        along[i + 1] = along[i] + math.sqrt(dx * dx + dy * dy)
    return along


@kernel
def _places(along, count):
    """For ``count`` even places around: index of the point before each, and the fraction of its chord."""
    index = np.zeros(count, np.int64)
    part = np.zeros(count)
    step = along[-1] / count
    i = 0
    for k in range(count):
        s = k * step
        while i + 2 < along.shape[0] and along[i + 1] <= s:
            i += 1
        index[k] = i
        chord = along[i + 1] - along[i]
        part[k] = (s - along[i]) / chord if chord > 0.0 else 0.0
    return index, part


@kernel
def resample_linear(field, along, count):
    """A field of the polyline at ``count`` even places, linear in between."""
    n = field.shape[0]
    index, part = _places(along, count)
    out = np.zeros(count)
    for k in range(count):
        i = index[k]
        j = i + 1 if i + 1 < n else 0
        out[k] = field[i] * (1.0 - part[k]) + field[j] * part[k]
    return out


@kernel
def resample_nearest(field, along, count):
    """An integer field of the polyline at ``count`` even places: value of the point before."""
    index, _ = _places(along, count)
    out = np.zeros(count, np.int64)
    for k in range(count):
        out[k] = field[index[k]]
    return out


@kernel
def _slope(field, along, i):
    """Derivative at point i of the parabola through it and its neighbours."""
    n = field.shape[0]
    before = i - 1 if i > 0 else n - 1
    after = i + 1 if i + 1 < n else 0
    h0 = along[before + 1] - along[before]
    h1 = along[i + 1] - along[i]
    if h0 <= 0.0 or h1 <= 0.0:
        return 0.0
    return ((field[i] - field[before]) / h0 * h1 + (field[after] - field[i]) / h1 * h0) / (h0 + h1)


@kernel
def resample_cubic(field, along, count):
    """A field at ``count`` even places by cubic Hermite pieces with parabolic slopes (bends stay round)."""
    n = field.shape[0]
    index, part = _places(along, count)
    out = np.zeros(count)
    for k in range(count):
        i = index[k]
        j = i + 1 if i + 1 < n else 0
        h = along[i + 1] - along[i]
        t = part[k]
        t2 = t * t
        t3 = t2 * t
        out[k] = (
            (2.0 * t3 - 3.0 * t2 + 1.0) * field[i]
            + (t3 - 2.0 * t2 + t) * h * _slope(field, along, i)
            + (3.0 * t2 - 2.0 * t3) * field[j]
            + (t3 - t2) * h * _slope(field, along, j)
        )
    return out


@kernel
def tangents(x, y):
    """Unit tangents (tx, ty) of evenly spaced closed samples, by central differences."""
    n = x.shape[0]
    tx, ty = np.zeros(n), np.zeros(n)
    for i in range(n):
        before = i - 1 if i > 0 else n - 1
        after = i + 1 if i + 1 < n else 0
        dx, dy = x[after] - x[before], y[after] - y[before]
        size = math.sqrt(dx * dx + dy * dy)
        tx[i], ty[i] = dx / size, dy / size
    return tx, ty


@kernel
def turning(tx, ty, step):
    """Curvature 1/m, positive to the left: angle between the neighbours' tangents over two steps."""
    n = tx.shape[0]
    out = np.zeros(n)
    for i in range(n):
        before = i - 1 if i > 0 else n - 1
        after = i + 1 if i + 1 < n else 0
        cross = tx[before] * ty[after] - ty[before] * tx[after]
        along = tx[before] * tx[after] + ty[before] * ty[after]
        out[i] = atan2(cross, along) / (2.0 * step)
    return out


@kernel
def central_slope(field, step):
    """d(field)/ds of a closed even field, by central differences."""
    n = field.shape[0]
    out = np.zeros(n)
    for i in range(n):
        before = i - 1 if i > 0 else n - 1
        after = i + 1 if i + 1 < n else 0
        out[i] = (field[after] - field[before]) / (2.0 * step)
    return out


@kernel
def smooth_closed(field, half, passes):
    """Moving average over ``2 half + 1`` samples of a closed field, ``passes`` times."""
    n = field.shape[0]
    out = field.copy()
    if half <= 0:
        return out
    width = 2.0 * half + 1.0
    for _ in range(passes):
        source = out.copy()
        total = 0.0
        for k in range(-half, half + 1):
            total += source[k % n]
        for i in range(n):
            out[i] = total / width
            total += source[(i + half + 1) % n] - source[(i - half) % n]
    return out


@kernel
def _touched(x, y, tx, ty, left, right, i, margin, x0, y0, cell, rows, cols):
    """Cells (row0, row1, col0, col1) of the box around step i's ribbon with a margin."""
    n = x.shape[0]
    low_x, low_y, high_x, high_y = 1e300, 1e300, -1e300, -1e300
    for end in range(2):
        j = (i + end) % n
        for side in range(2):
            d = left[j] + margin if side == 0 else -right[j] - margin
            px, py = x[j] - d * ty[j], y[j] + d * tx[j]
            low_x, high_x = min(low_x, px), max(high_x, px)
            low_y, high_y = min(low_y, py), max(high_y, py)
    row0 = max(0, math.floor((low_y - y0) / cell))
    row1 = min(rows - 1, math.floor((high_y - y0) / cell))
    col0 = max(0, math.floor((low_x - x0) / cell))
    col1 = min(cols - 1, math.floor((high_x - x0) / cell))
    return row0, row1, col0, col1


@kernel
def _fill_grid(x, y, tx, ty, left, right, margin, x0, y0, cell, rows, cols):
    """(cell_start, cell_items) of the lookup grid, items in order of the samples."""
    n = x.shape[0]
    start = np.zeros(rows * cols + 1, np.int64)
    for i in range(n):
        row0, row1, col0, col1 = _touched(x, y, tx, ty, left, right, i, margin, x0, y0, cell, rows, cols)
        for row in range(row0, row1 + 1):
            for col in range(col0, col1 + 1):
                start[row * cols + col + 1] += 1
    for k in range(rows * cols):
        start[k + 1] += start[k]
    items = np.zeros(start[-1], np.int64)
    fill = start[:-1].copy()
    for i in range(n):
        row0, row1, col0, col1 = _touched(x, y, tx, ty, left, right, i, margin, x0, y0, cell, rows, cols)
        for row in range(row0, row1 + 1):
            for col in range(col0, col1 + 1):
                k = row * cols + col
                items[fill[k]] = i
                fill[k] += 1
    return start, items


def lookup_grid(
    x: Floats, y: Floats, tx: Floats, ty: Floats, left: Floats, right: Floats, margin: float = 6.0, cell: float = 16.0
) -> tuple[float, float, Ints, Ints, Ints]:
    """(x0, y0, shape, cell_start, cell_items): cells of ``cell`` metres that list the steps touching them."""
    reach = max(float(left.max()), float(right.max())) + margin + cell
    x0, y0 = float(x.min()) - reach, float(y.min()) - reach
    cols = int((float(x.max()) + reach - x0) / cell) + 1
    rows = int((float(y.max()) + reach - y0) / cell) + 1
    start, items = _fill_grid(x, y, tx, ty, left, right, margin, x0, y0, cell, rows, cols)
    return x0, y0, np.array([rows, cols], np.int64), start, items
