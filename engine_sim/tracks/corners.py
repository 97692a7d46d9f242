"""The bends of a circuit, read from its curvature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.jit import kernel

BEND = 1.0 / 380.0
"""Curvature from which a stretch counts as a bend, 1/m."""


class Bend(NamedTuple):
    """A bend in samples; ``end`` may be smaller than ``start`` across the start line."""

    start: int
    end: int
    apex: int  # sharpest sample
    side: int  # +1 left, -1 right
    angle: float  # radians turned, positive


@kernel
def _runs(curvature, step, bend, least, gap):
    """int64 ``[k, 4]`` start, end, apex, side and float64 ``[k]`` angle, in order from the first straight on."""
    n = curvature.shape[0]
    origin = 0
    for i in range(n):
        if abs(curvature[i]) < bend:
            origin = i
            break
    rows, angles = np.zeros((n // 2 + 1, 4), np.int64), np.zeros(n // 2 + 1)
    count = 0
    for k in range(n):
        i = (origin + k) % n
        if abs(curvature[i]) < bend:
            continue
        side = 1 if curvature[i] > 0.0 else -1
        joined = count > 0 and rows[count - 1, 3] == side and (i - rows[count - 1, 1]) % n <= gap
        if not joined:
            rows[count, 0], rows[count, 2], rows[count, 3] = i, i, side
            angles[count] = 0.0
            count += 1
        rows[count - 1, 1] = i
        angles[count - 1] += abs(curvature[i]) * step
        if abs(curvature[i]) > abs(curvature[rows[count - 1, 2]]):
            rows[count - 1, 2] = i
    kept = 0
    for k in range(count):
        if angles[k] >= least:
            rows[kept], angles[kept] = rows[k], angles[k]
            kept += 1
    return rows[:kept].copy(), angles[:kept].copy()


def find_bends(curvature: NDArray[np.float64], step: float, least: float = 0.15, gap: float = 12.0) -> list[Bend]:
    """Bends of at least ``least`` radians; two of one side closer than ``gap`` metres are one. Sorted by start."""
    rows, angles = _runs(curvature, step, BEND, least, int(gap / step))
    bends = [Bend(int(a), int(b), int(c), int(s), float(t)) for (a, b, c, s), t in zip(rows, angles, strict=True)]
    return sorted(bends)
