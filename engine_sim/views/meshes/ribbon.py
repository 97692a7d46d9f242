"""The road and what belongs to it between the barriers: lines, kerbs, verges, and the skirt outside."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ...tracks import track as tracks
from ..materials import LINE_REACH, Material
from .parts import Finish, StaticPart
from .rings import Rings
from .strips import Edge, strip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LINE_WIDTH = 0.25  # metres of white line inside each road edge
KERB_HEIGHT = 0.05
SHOULDER = 0.8  # ground behind the barrier's face that still belongs to the ribbon
SKIRT_DEPTH = 1.2  # metres that the skirt dives under the ground
LEFT, RIGHT = 1, -1

_ROAD = {
    tracks.ASPHALT: Finish(palette.ROAD, Material.ASPHALT),
    tracks.KERB: Finish(palette.ROAD_EDGE, Material.KERB),
    tracks.GRASS_SURFACE: Finish(palette.ROAD, Material.DIRT_ROAD),
    tracks.DIRT: Finish(palette.ROAD, Material.DIRT_ROAD),
    tracks.GRAVEL: Finish(palette.ROAD, Material.DIRT_ROAD),
    tracks.SAND: Finish(palette.ROAD, Material.DIRT_ROAD),
    tracks.CONCRETE: Finish(palette.ROAD, Material.CONCRETE),
}
_VERGE = {
    tracks.ASPHALT: Finish(palette.ROAD, Material.ASPHALT, 0),
    tracks.KERB: Finish(palette.ROAD_EDGE, Material.KERB),
    tracks.GRASS_SURFACE: Finish(palette.GRASS, Material.GRASS_MOWN),
    tracks.DIRT: Finish(palette.TERRAIN, Material.SOIL),
    tracks.GRAVEL: Finish(palette.TERRAIN, Material.GRAVEL),
    tracks.SAND: Finish(palette.TERRAIN, Material.SAND),
    tracks.CONCRETE: Finish(palette.ROAD, Material.CONCRETE, 40),
}
_SKIRT = {
    **_VERGE,
    tracks.ASPHALT: Finish(palette.GRASS, Material.GRASS_WILD),
    tracks.CONCRETE: Finish(palette.GRASS, Material.GRASS_WILD),
}
_KERB = Finish(palette.ROAD_EDGE, Material.KERB)
# Variation 255: a dirt road has no paint; its edge is a strip of thrown-out stones.
_LINES = {
    surface: Finish(palette.ROAD_EDGE, Material.EDGE_LINE, 255 if finish.material == Material.DIRT_ROAD else 128)
    for surface, finish in _ROAD.items()
}


class Side:
    """Fields of one side of the ribbon, closed ``[n + 1]``, with distances positive outward.

    Args:
        rings: cross-sections.
        sign: LEFT or RIGHT.
    """

    def __init__(self, rings: Rings, sign: int) -> None:
        name = "left" if sign == LEFT else "right"
        self.rings, self.sign = rings, sign
        self.road: Floats = rings.field(f"width_{name}")
        self.kerb: Floats = rings.field(f"kerb_{name}")
        self.barrier: Floats = np.maximum(rings.field(f"barrier_{name}"), self.road + self.kerb)
        self.surface: Ints = getattr(rings.track.arrays, f"surface_{name}")
        self.style: Ints = getattr(rings.track.arrays, f"style_{name}")

    def edge(self, distance: Floats, up: Floats | float = 0.0, openness: int = 255) -> Edge:
        """An edge at ``distance`` outward and ``up`` metres over the plane of the ribbon; uv across = d."""
        return Edge(self.rings.at(self.sign * distance, up), self.sign * distance, openness)

    def strip(self, inner: Edge, outer: Edge, keys: Ints, finishes: tuple[Finish, ...], **how) -> list[StaticPart]:
        """A strip seen from above, or from the road where it stands up."""
        if self.sign == LEFT:
            return strip(self.rings, inner, outer, keys, finishes, **how)
        return strip(self.rings, outer, inner, keys, finishes, **how)


def road_parts(rings: Rings) -> list[StaticPart]:
    """The driving surface, in two halves so that a twisting bank stays close to its plane, and its white lines."""
    left, right = Side(rings, LEFT), Side(rings, RIGHT)
    surface = rings.track.arrays.surface_road
    edges = tuple(
        replace(edge, variation=from_line(rings, np.asarray(edge.across)))
        for edge in (right.edge(right.road - LINE_WIDTH), left.edge(0.5 * (left.road - right.road)),
                     left.edge(left.road - LINE_WIDTH))
    )  # fmt: skip
    parts = strip(rings, edges[0], edges[2], surface, table(_ROAD), lods=(2,))
    for a, b in pairwise(edges):
        parts += strip(rings, a, b, surface, table(_ROAD), lods=(0, 1))
    for side in (left, right):
        parts += side.strip(side.edge(side.road - LINE_WIDTH), side.edge(side.road), surface, table(_LINES))
    return parts


def from_line(rings: Rings, d: Floats, ring: Ints | slice = slice(None)) -> Ints:
    """Distance from the racing line as a vertex's variation: 128 on it, more to its left; 0 is for what is no road.

    Args:
        d: metres left, of points at these rings.
    """
    away = np.round((d - rings.field("line_d")[ring]) * (127.0 / LINE_REACH))
    return 128 + np.clip(away, -127.0, 127.0).astype(np.int64)


def side_parts(rings: Rings, sign: int, bridge: NDArray[np.bool_], ground: Floats) -> list[StaticPart]:
    """Kerb, verge, shoulder and skirt of one side.

    Args:
        bridge: samples whose skirt a bridge deck replaces, bool ``[n]``.
        ground: height of the ground under the foot of the skirt, ``[n + 1]``.
    """
    side = Side(rings, sign)
    surface = side.surface
    kerb_end = side.road + side.kerb
    top = side.road + 0.7 * side.kerb
    has_kerb = np.where((side.kerb[:-1] > 0.01) | (side.kerb[1:] > 0.01), 0, -1)
    height = KERB_HEIGHT * np.minimum(1.0, side.kerb)
    ridge, end = side.edge(top, height), side.edge(kerb_end)
    foot = side.barrier + SHOULDER
    inner = side.edge(side.road)
    parts = side.strip(inner, ridge, has_kerb, (_KERB,), present=True, lods=(0, 1))
    parts += side.strip(ridge, end, has_kerb, (_KERB,), present=True, lods=(0, 1))
    parts += side.strip(inner, end, has_kerb, (_KERB,), present=True, lods=(2,))
    face = side.edge(side.barrier, openness=200)
    parts += side.strip(end, face, surface, table(_VERGE))
    outside = np.where(bridge, -1, surface)
    shoulder, buried = side.edge(foot), skirt_edge(side, ground)
    parts += side.strip(face, shoulder, surface, table(_SKIRT), lods=(0, 1))
    parts += side.strip(shoulder, buried, outside, table(_SKIRT), lods=(0, 1))
    parts += side.strip(face, shoulder, np.where(bridge, surface, -1), table(_SKIRT), lods=(2,))
    parts += side.strip(face, buried, outside, table(_SKIRT), lods=(2,))
    return parts


def skirt_edge(side: Side, ground: Floats) -> Edge:
    """The buried end of the skirt: under the ground, never above the ribbon, a slope of about 35°."""
    foot = side.barrier + SHOULDER
    top = side.rings.at(side.sign * foot)[:, 2]
    bottom = np.minimum(top - 0.6, ground - SKIRT_DEPTH)
    reach = foot + np.clip(1.4 * (top - bottom), 1.0, 4.0)
    points = side.rings.at(side.sign * reach)
    points[:, 2] = bottom
    return Edge(points, side.sign * reach)


def table(finishes: dict[int, Finish]) -> tuple[Finish, ...]:
    """Finishes of surfaces 0 … 6 as the tuple that ``strip`` indexes."""
    return tuple(finishes[i] for i in range(len(finishes)))


def verge_finish(surface: int) -> Finish:
    """Class and material of a verge surface."""
    return _VERGE[surface]
