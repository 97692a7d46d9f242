"""Written parameters become a centreline with its cross-section."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..build import Centreline, CrossSection
from ..corners import find_bends
from ..ribbon import chord_lengths, resample_linear, resample_nearest, smooth_closed, tangents, turning
from ..track import CONCRETE_WALL, PitStraight
from .outline import crossings, rounded_polygon
from .parameters import CircuitPlan
from .relief import banks, heights, lift
from .roadside import assign, make_section

_SPACING = 1.0  # metres between points of the outline
_DECK = 18.0  # metres of road before and after a crossing that count as bridge and underpass


class Circuit(NamedTuple):
    """What ``build.assemble_track`` takes."""

    line: Centreline
    section: CrossSection
    pit: PitStraight | None


def make_circuit(plan: CircuitPlan) -> Circuit:
    """Centreline, cross-section and pit straight of a plan; the same bits on every machine."""
    x, y, owner, spacing = _outline(plan)
    count = len(x)
    tx, ty = tangents(x, y)
    curvature = smooth_closed(turning(tx, ty, spacing), 2, 1)
    turn_side = _turn_side(x, y)
    bends = find_bends(curvature, spacing)
    section, pit = make_section(plan, bends, spacing, count, turn_side)
    z = heights(plan, owner, spacing)
    bank = banks(plan, owner, curvature, turn_side, spacing)
    if plan.kind == "oval":
        z = lift(z, bank, section.barrier_left, section.barrier_right)
    section = _bridges(x, y, z, section, spacing)
    return Circuit(Centreline(x, y, z, bank), section, pit)


def _outline(plan: CircuitPlan) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], float]:
    """(x, y, owner, spacing): rounded polygon, evenly spaced, straights eased into bends."""
    px, py, radius = (np.array([corner[k] for corner in plan.corners], np.float64) for k in range(3))
    xs, ys, owners = rounded_polygon(px, py, radius, plan.start)
    along = chord_lengths(xs, ys)
    count = int(along[-1] / _SPACING)
    spacing = float(along[-1]) / count
    half = int(plan.ease / spacing)
    x, y = (smooth_closed(resample_linear(field, along, count), half, 2) for field in (xs, ys))
    return x, y, resample_nearest(owners, along, count), spacing


def _turn_side(x: NDArray[np.float64], y: NDArray[np.float64]) -> int:
    """+1 if the area that the outline encloses lies to its left (Gauss's area formula, summed in order)."""
    area = 0.0
    px, py = x.tolist(), y.tolist()
    for i in range(len(px)):
        area += px[i - 1] * py[i] - py[i - 1] * px[i]
    return 1 if area >= 0.0 else -1


def _bridges(
    x: NDArray[np.float64], y: NDArray[np.float64], z: NDArray[np.float64], section: CrossSection, spacing: float
) -> CrossSection:
    """Where the outline crosses itself, the upper road becomes a deck between walls, the lower an underpass."""
    length = len(x) * spacing
    verge = {"left": section.barrier_left - section.width_left, "right": section.barrier_right - section.width_right}
    for pair in crossings(x, y, 4):
        low, high = sorted(pair.tolist(), key=lambda i: float(z[i]))
        for point, limit in ((high, 1.2), (low, 2.0)):
            start, end = point * spacing - _DECK, point * spacing + _DECK
            for side, style in (("left", section.style_left), ("right", section.style_right)):
                _narrow(verge[side], spacing, start % length, end - start, limit)
                assign(style, spacing, start - 8.0, end + 8.0, CONCRETE_WALL)
    return section._replace(
        barrier_left=section.width_left + np.maximum(verge["left"], section.kerb_left + 0.4),
        barrier_right=section.width_right + np.maximum(verge["right"], section.kerb_right + 0.4),
    )


def _narrow(field: NDArray[np.float64], spacing: float, start: float, span: float, limit: float) -> None:
    """field = min(field, limit) over the stretch, rising again by 1 m in 3 m outside (in place)."""
    n = len(field)
    length = n * spacing
    s = np.arange(n) * spacing
    offset = np.mod(s - start, length)
    away = np.where(offset <= span, 0.0, np.minimum(offset - span, length - offset))
    np.minimum(field, limit + away / 3.0, out=field)
