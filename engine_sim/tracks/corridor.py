"""Keeps barriers from crossing the inside of a bend or another stretch of road. Exact kernels."""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import kernel

GAP = 1.6
"""Metres that stay free between the barriers of two neighbouring stretches."""
LEVEL = 4.2
"""Height between two ribbons from which they count as levels of a bridge, metres."""
_INSIDE = 0.82  # share of the bend's radius that a barrier on its inner side may reach
_FLARE = 0.5  # most metres that a barrier moves sideways per metre of road
_STRIDE = 0.5  # metres between probes of free room


@kernel
def _bins(x, y, cell):
    """Samples in cells: (x0, y0, rows, cols, start, items)."""
    x0, y0, x1, y1 = x.min(), y.min(), x.max(), y.max()
    cols, rows = int((x1 - x0) / cell) + 1, int((y1 - y0) / cell) + 1
    start = np.zeros(rows * cols + 1, np.int64)
    n = x.shape[0]
    place = np.zeros(n, np.int64)
    for i in range(n):
        place[i] = int((y[i] - y0) / cell) * cols + int((x[i] - x0) / cell)
        start[place[i] + 1] += 1
    for k in range(rows * cols):
        start[k + 1] += start[k]
    fill, items = start[:-1].copy(), np.zeros(n, np.int64)
    for i in range(n):
        items[fill[place[i]]] = i
        fill[place[i]] += 1
    return x0, y0, rows, cols, start, items


@kernel
def _rivals(x, y, z, i, reach, step, bins, out):
    """Samples of other stretches within ``reach`` of sample i on its level, written to ``out``; their number.

    Another stretch is one whose way along the road is more than 1.4 times the way through the air.
    """
    x0, y0, rows, cols, start, items = bins
    n = x.shape[0]
    cell = reach
    row, col = int((y[i] - y0) / cell), int((x[i] - x0) / cell)
    count = 0
    for r in range(max(0, row - 1), min(rows, row + 2)):
        for c in range(max(0, col - 1), min(cols, col + 2)):
            for k in range(start[r * cols + c], start[r * cols + c + 1]):
                j = items[k]
                dx, dy = x[j] - x[i], y[j] - y[i]
                distance = math.sqrt(dx * dx + dy * dy)
                way = abs(i - j) * step
                way = min(way, n * step - way)
                apart = distance <= reach and way > 1.4 * distance and way > 12.0
                if apart and abs(z[i] - z[j]) < LEVEL and count < out.shape[0]:
                    out[count] = j
                    count += 1
    return count


@kernel
def _free_room(x, y, i, nx, ny, edge, want, edges, rivals, count):
    """How far the barrier of sample i may stand along (nx, ny): nearer to its own road than to any rival's.

    ``edges``: metres from the centreline to the outer edge of road and kerb, per sample (the wider side).
    """
    d = edge
    while d < want:
        probe = min(d + _STRIDE, want)
        px, py = x[i] + probe * nx, y[i] + probe * ny
        for k in range(count):
            j = rivals[k]
            dx, dy = x[j] - px, y[j] - py
            if math.sqrt(dx * dx + dy * dy) - edges[j] < probe - edge + GAP:
                return d
        d = probe
    return want


@kernel
def _limit_flare(field, step):
    """Lower the field until no value exceeds a neighbour's by more than the flare allows (in place)."""
    n = field.shape[0]
    rise = _FLARE * step
    for k in range(2 * n):
        i = k % n
        j = i + 1 if i + 1 < n else 0
        field[j] = min(field[j], field[i] + rise)
    for k in range(2 * n):
        i = n - 1 - k % n
        j = i - 1 if i > 0 else n - 1
        field[j] = min(field[j], field[i] + rise)


@kernel
def clear_barriers(x, y, z, tx, ty, curvature, step, width_left, width_right, kerb_left, kerb_right, left, right):
    """(barrier_left, barrier_right) that keep inside their bends and apart from other stretches.

    Arguments are fields per sample as in ``TrackArrays``; a barrier is never nearer than 0.3 m beyond road and kerb.
    """
    n = x.shape[0]
    out_left, out_right = left.copy(), right.copy()
    edge_left, edge_right = width_left + kerb_left, width_right + kerb_right
    edges = np.maximum(edge_left, edge_right)
    reach = 2.0 * max(left.max(), right.max()) + GAP + 4.0
    bins = _bins(x, y, reach)
    rivals = np.zeros(4096, np.int64)
    for i in range(n):
        count = _rivals(x, y, z, i, reach, step, bins, rivals)
        if curvature[i] > 1e-6:
            out_left[i] = min(out_left[i], _INSIDE / curvature[i])
        elif curvature[i] < -1e-6:
            out_right[i] = min(out_right[i], -_INSIDE / curvature[i])
        out_left[i] = _free_room(x, y, i, -ty[i], tx[i], edge_left[i], out_left[i], edges, rivals, count)
        out_right[i] = _free_room(x, y, i, ty[i], -tx[i], edge_right[i], out_right[i], edges, rivals, count)
    _limit_flare(out_left, step)
    _limit_flare(out_right, step)
    return np.maximum(out_left, edge_left + 0.3), np.maximum(out_right, edge_right + 0.3)
