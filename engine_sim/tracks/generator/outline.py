"""A polygon with rounded corners, as points about a metre apart. Exact kernels."""

from __future__ import annotations

import math

import numpy as np

from ...core.exact import atan2, sincos
from ...core.jit import kernel


@kernel
def _direction(px, py, i, j):
    dx, dy = px[j] - px[i], py[j] - py[i]
    size = math.sqrt(dx * dx + dy * dy)
    return dx / size, dy / size, size


@kernel
def fit_radii(px, py, radius):
    """(radius, tangent length) per corner, shrunk where two roundings would overlap on their common side."""
    n = px.shape[0]
    half_tangent, fitted = np.zeros(n), radius.copy()
    edge = np.zeros(n)
    for i in range(n):
        ax, ay, _ = _direction(px, py, (i - 1) % n, i)
        bx, by, edge[i] = _direction(px, py, i, (i + 1) % n)
        cross, dot = ax * by - ay * bx, ax * bx + ay * by
        half_tangent[i] = abs(cross) / max(1.0 + dot, 1e-6)  # tan of half the turn
    for i in range(n):
        share = 1.0
        for side in range(2):
            k = (i - 1) % n if side == 0 else i
            j = (k + 1) % n
            need = radius[k] * half_tangent[k] + radius[j] * half_tangent[j]
            share = min(share, edge[k] / need if need > edge[k] else 1.0)
        fitted[i] = radius[i] * share
    return fitted, fitted * half_tangent


@kernel
def rounded_polygon(px, py, radius, start):
    """(x, y, owner) of the closed outline, beginning ``start`` of the way along the straight into corner 0.

    ``owner`` is the corner that an arc's point belongs to, -1 on straights.
    """
    n = px.shape[0]
    radius, tangent = fit_radii(px, py, radius)
    total = 0.0
    for i in range(n):
        _, _, size = _direction(px, py, i, (i + 1) % n)
        total += size
    xs, ys = np.zeros(int(total) * 2 + 8 * n), np.zeros(int(total) * 2 + 8 * n)
    owner = np.full(xs.shape[0], -1)
    k = 0
    for corner in range(n + 1):  # corner 0 comes twice: its straight is cut in two by the start line
        i = corner % n
        ax, ay, size = _direction(px, py, (i - 1) % n, i)
        straight = size - tangent[(i - 1) % n] - tangent[i]
        first = start if corner == 0 else 0.0
        last = start if corner == n else 1.0
        x0, y0 = px[i - 1] + ax * tangent[i - 1], py[i - 1] + ay * tangent[i - 1]
        steps = max(1, int(straight * (last - first))) if straight > 1e-6 else 0
        for m in range(steps):
            along = straight * (first + (last - first) * m / steps)
            xs[k], ys[k] = x0 + ax * along, y0 + ay * along
            k += 1
        if corner == n:
            break
        bx, by, _ = _direction(px, py, i, (i + 1) % n)
        side = 1.0 if ax * by - ay * bx >= 0.0 else -1.0
        turn = atan2(abs(ax * by - ay * bx), ax * bx + ay * by)
        begin_x, begin_y = px[i] - ax * tangent[i], py[i] - ay * tangent[i]
        steps = max(2, int(turn * radius[i]) + 1)
        for m in range(steps):
            sine, cosine = sincos(turn * m / steps)
            along, across = radius[i] * sine, side * radius[i] * (1.0 - cosine)
            xs[k], ys[k] = begin_x + ax * along - ay * across, begin_y + ay * along + ax * across
            owner[k] = i
            k += 1
    return xs[:k].copy(), ys[:k].copy(), owner[:k].copy()


@kernel
def crossings(x, y, stride):
    """Pairs of point indices, int64 ``[k, 2]``, where the closed outline crosses itself."""
    n = x.shape[0] // stride
    found = np.zeros((64, 2), np.int64)
    count = 0
    for a in range(n):
        i, i2 = a * stride, ((a + 1) % n) * stride
        for b in range(a + 2, n):
            j, j2 = b * stride, ((b + 1) % n) * stride
            if j2 == i:
                continue
            ux, uy, vx, vy = x[i2] - x[i], y[i2] - y[i], x[j2] - x[j], y[j2] - y[j]
            cross = ux * vy - uy * vx
            if cross * cross <= 1e-6 * (ux * ux + uy * uy) * (vx * vx + vy * vy):  # parallel: no crossing
                continue
            wx, wy = x[j] - x[i], y[j] - y[i]
            t, s = (wx * vy - wy * vx) / cross, (wx * uy - wy * ux) / cross
            if 0.0 <= t < 1.0 and 0.0 <= s < 1.0 and count < 64:
                found[count, 0], found[count, 1] = i, j
                count += 1
    return found[:count].copy()
