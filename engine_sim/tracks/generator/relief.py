"""Heights and banking along the outline. Exact kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...core.exact import PI, sincos
from ...core.jit import kernel
from ...core.random import Stream
from ..noise import around
from ..ribbon import smooth_closed
from ..settings import named_setting
from .parameters import CircuitPlan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def corner_places(owner, corners):
    """Place of the middle of each corner's arc, as a fraction of the lap; -1 for a corner without an arc."""
    n = owner.shape[0]
    first, last = np.full(corners, -1), np.full(corners, -1)
    for i in range(n):
        if owner[i] >= 0:
            if first[owner[i]] < 0:
                first[owner[i]] = i
            last[owner[i]] = i
    out = np.full(corners, -1.0)
    for k in range(corners):
        if first[k] >= 0:
            out[k] = 0.5 * (first[k] + last[k]) / n
    return out


@kernel
def _knot_slopes(t, z):
    """Slopes of the monotone cubic through closed knots (harmonic mean of the neighbours' secants)."""
    n = t.shape[0]
    out = np.zeros(n)
    for i in range(n):
        before, after = (i - 1) % n, (i + 1) % n
        h0 = t[i] - t[before] if i > 0 else t[i] - t[before] + 1.0
        h1 = t[after] - t[i] if i + 1 < n else t[after] - t[i] + 1.0
        d0, d1 = (z[i] - z[before]) / h0, (z[after] - z[i]) / h1
        if d0 * d1 > 0.0:
            out[i] = 3.0 * (h0 + h1) / ((2.0 * h1 + h0) / d0 + (h1 + 2.0 * h0) / d1)
    return out


@kernel
def through_knots(t, z, count):
    """Closed monotone cubic through knots (t ascending in [0, 1)) at ``count`` even places: no overshoot."""
    n = t.shape[0]
    out = np.zeros(count)
    if n == 1:
        out[:] = z[0]
        return out
    slope = _knot_slopes(t, z)
    for k in range(count):
        place = k / count
        i = n - 1
        for j in range(n):
            if t[j] > place:
                break
            i = j
        j = (i + 1) % n
        begin = t[i] if place >= t[i] else t[i] - 1.0
        h = t[j] - begin if t[j] > begin else t[j] - begin + 1.0
        u = (place - begin) / h
        u2 = u * u
        u3 = u2 * u
        out[k] = (
            (2.0 * u3 - 3.0 * u2 + 1.0) * z[i]
            + (u3 - 2.0 * u2 + u) * h * slope[i]
            + (3.0 * u2 - 2.0 * u3) * z[j]
            + (u3 - u2) * h * slope[j]
        )
    return out


@kernel
def waves(count, spacing, height, seed):
    """Small waves along the road: two octaves of noise, about 160 and 70 m long."""
    out = np.zeros(count)
    length = count * spacing
    long_waves, short_waves = max(3, int(length / 160.0)), max(5, int(length / 70.0))
    for k in range(count):
        t = k / count
        out[k] = height * (around(t, long_waves, seed) + 0.4 * around(t, short_waves, seed + 1))
    return out


def heights(plan: CircuitPlan, owner: Ints, spacing: float) -> Floats:
    """Height of the centreline per point of the outline, before banks lift it."""
    places = corner_places(owner, len(plan.corners))
    knots = sorted(
        (float(t), corner.height)
        for t, corner in zip(places, plan.corners, strict=True)
        if t >= 0.0 and corner.height is not None
    )
    if not knots:
        knots = [(0.0, 0.0)]
    t, z = (np.array(values, np.float64) for values in zip(*knots, strict=True))
    out = through_knots(t, z, len(owner))
    if plan.undulation > 0.0:
        out = out + waves(len(owner), spacing, plan.undulation, Stream(plan.seed, "waves").integer(0, 1 << 30))
    return smooth_closed(out, int(18.0 / spacing), 2)


def _slope(degrees: float) -> float:
    sine, cosine = sincos(degrees * (PI / 180.0))
    return sine / cosine


@kernel
def _camber(curvature, camber):
    """Bank of plain bends: ``camber`` at 60 m radius, more where it is tighter, at most 1.5 times as much."""
    out = np.zeros(curvature.shape[0])
    for i in range(out.shape[0]):
        bend = min(abs(curvature[i]) * 60.0, 1.5)
        out[i] = -camber * bend if curvature[i] > 0.0 else camber * bend
    return out


def banks(plan: CircuitPlan, owner: Ints, curvature: Floats, turn_side: int, spacing: float) -> Floats:
    """dz/dd per point: given banks in their arcs, the setting's camber in other bends; eased in and out."""
    camber = named_setting(plan.setting).side.camber if plan.kind != "oval" else 0.0
    out = _camber(curvature, camber)
    if plan.straight_bank > 0.0:
        out = np.where(owner < 0, -turn_side * _slope(plan.straight_bank), out)
    for k, corner in enumerate(plan.corners):
        if corner.bank is not None:
            inside = owner == k
            out = np.where(inside, np.where(curvature >= 0.0, -1.0, 1.0) * _slope(corner.bank), out)
    half = 32.0 if plan.kind == "oval" else 14.0
    return smooth_closed(out, int(half / spacing), 2)


@kernel
def lift(z, bank, left, right):
    """Centreline raised so that the lower edge of the banked ribbon keeps the height z."""
    out = z.copy()
    for i in range(out.shape[0]):
        out[i] += -bank[i] * left[i] if bank[i] < 0.0 else bank[i] * right[i]
    return out


def climb(z: Floats) -> float:
    """Metres from the lowest to the highest point."""
    return math.fabs(float(z.max()) - float(z.min()))
