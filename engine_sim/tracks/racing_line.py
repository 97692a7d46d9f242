"""The racing line of a circuit: the smoothest path inside the road, and how fast a car of full grip can follow it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.jit import kernel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LineGrip:
    """What the reference car of ``line_speed`` can do, on a surface of grip 1.

    Args:
        lateral: friction coefficient across.
        braking: friction coefficient along, brakes.
        traction: friction coefficient along, engine.
        power: engine power over mass, W/kg.
        drag: air resistance over mass, 1/m (deceleration = drag v²).
        margin, wall: metres that the line keeps from the edge of the road and from a barrier.
    """

    lateral: float = 1.15
    braking: float = 1.0
    traction: float = 0.75
    power: float = 260.0
    drag: float = 0.00095
    margin: float = 1.6
    wall: float = 3.0


@kernel
def _relax_point(x, y, nx, ny, d, i, stride, low, high):
    """Best d of one point: least sum of the three squared second differences that it takes part in."""
    n = x.shape[0]
    numerator, denominator = 0.0, 0.0
    for k in range(-1, 2):
        a, b, c = (i + (k - 1) * stride) % n, (i + k * stride) % n, (i + (k + 1) * stride) % n
        weight = -2.0 if k == 0 else 1.0
        sx = x[a] + d[a] * nx[a] - 2.0 * (x[b] + d[b] * nx[b]) + x[c] + d[c] * nx[c]
        sy = y[a] + d[a] * ny[a] - 2.0 * (y[b] + d[b] * ny[b]) + y[c] + d[c] * ny[c]
        numerator += weight * (sx * nx[i] + sy * ny[i])
        denominator += weight * weight
    best = d[i] - numerator / denominator
    if best < low:
        return low
    if best > high:
        return high
    return best


@kernel
def _relax_level(x, y, nx, ny, d, low, high, stride, sweeps):
    """Gauss–Seidel on every ``stride``-th point, over-relaxed; the points between follow linearly."""
    n = x.shape[0]
    count = n // stride
    for sweep in range(sweeps):
        for k in range(count):
            i = (k if sweep % 2 == 0 else count - 1 - k) * stride
            d[i] = _relax_point(x, y, nx, ny, d, i, stride, low[i], high[i])
    for k in range(count):
        i = k * stride
        last = n if k == count - 1 else i + stride
        j = last % n
        for m in range(i + 1, last):
            t = (m - i) / (last - i)
            value = d[i] * (1.0 - t) + d[j] * t
            d[m] = min(max(value, low[m]), high[m])


@kernel
def smoothest_line(x, y, nx, ny, low, high):
    """d of the path of least bending with low ≤ d ≤ high, coarse to fine.

    Minimises the sum of squared second differences of P + d N (the discrete bending energy).
    """
    n = x.shape[0]
    d = np.zeros(n)
    for i in range(n):
        d[i] = min(max(0.0, low[i]), high[i])
    stride = 32
    while stride >= 1:
        if n // stride >= 8:
            _relax_level(x, y, nx, ny, d, low, high, stride, 60)
        stride //= 2
    return d


@kernel
def line_curvature(x, y, nx, ny, d):
    """Curvature of the path P + d N, 1/m, positive to the left (circle through three points, two steps apart)."""
    n = x.shape[0]
    out = np.zeros(n)
    for i in range(n):
        a, c = (i - 2) % n, (i + 2) % n
        ax, ay = x[a] + d[a] * nx[a], y[a] + d[a] * ny[a]
        bx, by = x[i] + d[i] * nx[i], y[i] + d[i] * ny[i]
        cx, cy = x[c] + d[c] * nx[c], y[c] + d[c] * ny[c]
        ux, uy, vx, vy = bx - ax, by - ay, cx - bx, cy - by
        wx, wy = cx - ax, cy - ay
        size = math.sqrt((ux * ux + uy * uy) * (vx * vx + vy * vy) * (wx * wx + wy * wy))
        out[i] = 2.0 * (ux * vy - uy * vx) / size if size > 1e-12 else 0.0
    return out


@kernel
def corner_speed(curvature, bank, crest, grip, top):
    """Fastest speed round a bend: v² |κ| = (g + v² k_z) G, with G = (μ + β) / (1 − μ β), β the inward slope.

    Args:
        curvature: 1/m, signed.
        bank: dz/dd of the road.
        crest: d(grade)/ds, negative over crests, where the car grows light.
        grip: friction coefficient μ.
        top: highest speed returned.
    """
    bend = abs(curvature)
    inward = -bank if curvature > 0.0 else bank
    hold = 1.0 - grip * inward
    if hold <= 0.05:
        return top
    reach = (grip + inward) / hold
    need = bend - crest * reach
    if need * top * top <= 9.81 * reach:
        return top
    return math.sqrt(9.81 * reach / need)


@kernel
def _spare(v, limit):
    """Share of the grip that cornering at v leaves for braking and driving (friction circle)."""
    used = v * v / (limit * limit)
    used *= used
    return math.sqrt(1.0 - used) if used < 1.0 else 0.0


@kernel
def speed_profile(limit, grip, grade, length, braking, traction, power, drag):
    """Speed at each sample, m/s: corner limits, then a pass forward (driving) and one backward (braking).

    Args:
        limit: corner speed per sample.
        grip: grip factor of the surface per sample.
        grade: dz/ds.
        length: distance along the line from each sample to the next.
        braking, traction, power, drag: see ``LineGrip``.
    """
    n = limit.shape[0]
    v = limit.copy()
    for lap in range(2 * n):  # twice round, so that the seam does not matter
        i = lap % n
        j = i + 1 if i + 1 < n else 0
        push = traction * 9.81 * grip[i] * _spare(v[i], limit[i])
        engine = power / max(v[i], 8.0)
        a = min(push, engine) - drag * v[i] * v[i] - 9.81 * grade[i]
        v[j] = min(v[j], math.sqrt(max(v[i] * v[i] + 2.0 * a * length[i], 9.0)))
    for lap in range(2 * n):
        j = n - 1 - lap % n
        i = j + 1 if j + 1 < n else 0
        a = braking * 9.81 * grip[j] * _spare(v[i], limit[i]) + drag * v[i] * v[i] + 9.81 * grade[j]
        v[j] = min(v[j], math.sqrt(v[i] * v[i] + 2.0 * max(a, 0.5) * length[j]))
    return v


@kernel
def corner_limits(curvature, bank, crest, grip, top):
    """``corner_speed`` per sample."""
    out = np.zeros(curvature.shape[0])
    for i in range(out.shape[0]):
        out[i] = corner_speed(curvature[i], bank[i], crest[i], grip[i], top)
    return out


@kernel
def line_steps(x, y, nx, ny, d):
    """Distance along the path P + d N from each sample to the next, metres."""
    n = x.shape[0]
    out = np.zeros(n)
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        dx = x[j] + d[j] * nx[j] - x[i] - d[i] * nx[i]
        dy = y[j] + d[j] * ny[j] - y[i] - d[i] * ny[i]
        out[i] = math.sqrt(dx * dx + dy * dy)
    return out
