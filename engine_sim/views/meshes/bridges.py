"""Where the ribbon has air under it: deck, abutments and pillars."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ..materials import Material
from .barriers import every_lod
from .ground import BRIDGE_GAP, ground_height
from .parts import Finish, Part, StaticPart
from .ribbon import LEFT, RIGHT, SHOULDER, Side, skirt_edge
from .rings import Rings
from .solids import quads
from .strips import Edge, strip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DECK = 0.9  # metres from the road to the underside
PILLAR_EVERY = 22.0  # metres along the bridge
_PILLAR_HALF = 0.5
_CLEARANCE = 1.5  # metres that a pillar keeps from the barriers of a road below
CONCRETE = Finish(palette.BUILDING, Material.CONCRETE_WALL)
SHADED = Finish(palette.BUILDING, Material.CONCRETE_WALL, 128, 90)


def bridge_samples(rings: Rings) -> NDArray[np.bool_]:
    """Samples whose span to the next one has more than BRIDGE_GAP of air under its whole width, bool ``[n]``."""
    left, right = Side(rings, LEFT), Side(rings, RIGHT)
    free = np.ones(rings.count + 1, bool)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        d = -(right.barrier + SHOULDER) * (1.0 - share) + (left.barrier + SHOULDER) * share
        points = rings.at(d)
        gap = points[:, 2] - ground_height(rings.track.ground, points[:, 0], points[:, 1])
        free &= gap > BRIDGE_GAP
    return free[:-1] & free[1:]


def bridge_parts(rings: Rings, bridge: NDArray[np.bool_], under: dict[int, Floats]) -> list[StaticPart]:
    """Everything below the road of all bridges.

    Args:
        bridge: as from ``bridge_samples``.
        under: ground height at the foot of the skirt by side, ``[n + 1]``.
    """
    if not bridge.any():
        return []
    keys = np.where(bridge, 0, -1)
    bottoms = {}
    parts = []
    for sign in (LEFT, RIGHT):
        side = Side(rings, sign)
        foot = side.barrier + SHOULDER
        top, bottom = Edge(rings.at(sign * foot), 0.0), Edge(rings.at(sign * foot, -DECK), -DECK)
        parts += side.strip(top, bottom, keys, (CONCRETE,))
        bottoms[sign] = Edge(bottom.points, sign * foot)
    parts += strip(rings, bottoms[LEFT], bottoms[RIGHT], keys, (SHADED,))
    return parts + _abutments(rings, bridge, under) + _pillars(rings, bridge)


def _abutments(rings: Rings, bridge: NDArray[np.bool_], under: dict[int, Floats]) -> list[StaticPart]:
    """Walls across the road where a bridge begins and ends, from skirt to skirt, facing the open span."""
    begins = np.flatnonzero(bridge & ~np.roll(bridge, 1))
    stops = np.flatnonzero(~bridge & np.roll(bridge, 1))
    corners = []
    for sign in (LEFT, RIGHT):
        side = Side(rings, sign)
        corners.append(rings.at(sign * (side.barrier + SHOULDER)))
        corners.append(skirt_edge(side, under[sign]).points)
    left_top, left_low, right_top, right_low = corners
    wall = np.stack([left_low, right_low, right_top, left_top], 1)  # faces against the lap
    parts = []
    for samples, outline in ((begins, wall[:, ::-1]), (stops, wall)):
        if len(samples):
            part = quads(outline[samples], CONCRETE)
            parts.append(every_lod(part.vertices, part.triangles, np.repeat(rings.cell_of[samples], 2)))
    return parts


def _pillars(rings: Rings, bridge: NDArray[np.bool_]) -> list[StaticPart]:
    every = max(1, round(PILLAR_EVERY / rings.step))
    at = np.flatnonzero(bridge & (np.arange(rings.count) % every == every // 2))
    parts = []
    for sign in (LEFT, RIGHT):
        side = Side(rings, sign)
        tops = rings.at(sign * 0.6 * side.barrier, -DECK)[at]
        feet = ground_height(rings.track.ground, tops[:, 0], tops[:, 1]) - 0.5
        stands = _free_below(rings, tops)
        for i, top, foot in zip(at[stands].tolist(), tops[stands], feet[stands], strict=True):
            part = _pillar(top, foot, rings.tangent[i], rings.left[i])
            parts.append(every_lod(part.vertices, part.triangles, np.full(len(part.triangles), rings.cell_of[i])))
    return parts


def _pillar(top: Floats, foot: float, tangent: Floats, left: Floats) -> Part:
    corners = [top + _PILLAR_HALF * (a * tangent + b * left) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    faces = []
    for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
        low_a, low_b = np.array([a[0], a[1], foot]), np.array([b[0], b[1], foot])
        faces.append((low_a, low_b, b, a))
    return quads(np.array(faces), CONCRETE)


def _free_below(rings: Rings, points: Floats) -> NDArray[np.bool_]:
    """Points that no lower stretch of the ribbon passes under, bool ``[k]``."""
    arrays = rings.track.arrays
    dx = points[:, None, 0] - arrays.x[None]
    dy = points[:, None, 1] - arrays.y[None]
    along = np.abs(dx * arrays.tangent_x + dy * arrays.tangent_y)
    across = dy * arrays.tangent_x - dx * arrays.tangent_y
    lower = arrays.z[None] < points[:, None, 2] - 1.0
    close = (across < arrays.barrier_left + _CLEARANCE) & (across > -arrays.barrier_right - _CLEARANCE)
    return np.logical_not((lower & close & (along < rings.step + _CLEARANCE)).any(1))
