"""Strips of quads along the ribbon: two edges, a finish per sample, every level of detail from one set of vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .parts import Finish, StaticPart, pack, unit
from .rings import LODS, Rings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NOTHING = -1


@dataclass(frozen=True)
class Edge:
    """One long side of a strip.

    Args:
        points: ``[n + 1, 3]``.
        across: second coordinate of uv, ``[n + 1]`` or one value.
        openness: 255 = open sky.
        direction: first coordinate of uv is ``direction · s``; −1 on walls that are read from the left of the track.
        variation: in place of the finish's own, ``[n + 1]``, 0–255.
    """

    points: Floats
    across: ArrayLike
    openness: int = 255
    direction: int = 1
    variation: Ints | None = None


def span_keys(rings: Rings, keys: Ints, lod: int, present: bool = False) -> Ints:
    """Finish of each span: that of its first sample, or with ``present`` of its first sample that has one."""
    starts, _ = rings.spans[lod]
    if not present:
        return keys[starts]
    return np.maximum.reduceat(keys, starts)


def strip(
    rings: Rings,
    right: Edge,
    left: Edge,
    keys: Ints,
    finishes: tuple[Finish, ...],
    lods: tuple[int, ...] = tuple(range(LODS)),
    present: bool = False,
) -> list[StaticPart]:
    """Quads between two edges, outside on the side of ``tangent × (left − right)``.

    Args:
        right: edge seen on the right by someone who stands outside and looks along the lap.
        left: the other edge.
        keys: index into ``finishes`` per sample, int64 ``[n]``; NOTHING leaves the span out.
        lods: levels that show the strip.
        present: a span is drawn if any of its samples has a finish (kerbs that start inside a long span).
    """
    normal = unit(np.cross(rings.tangent, left.points - right.points))
    parts = []
    per_lod = {lod: span_keys(rings, keys, lod, present) for lod in lods}
    for key, finish in enumerate(finishes):
        chosen = [(lod, np.flatnonzero(per_lod[lod] == key)) for lod in lods]
        used = np.zeros(rings.count + 1, bool)
        for lod, spans in chosen:
            used[rings.spans[lod][0][spans]] = True
            used[rings.spans[lod][1][spans]] = True
        if used.any():
            parts.append(_emit(rings, right, left, normal, finish, used, chosen))
    return parts


def _emit(
    rings: Rings, right: Edge, left: Edge, normal: Floats, finish: Finish, used: NDArray[np.bool_],
    chosen: list[tuple[int, Ints]],
) -> StaticPart:  # fmt: skip
    index = np.cumsum(used) - 1
    size = int(index[-1]) + 1
    uv = [np.stack([e.direction * rings.s, np.broadcast_to(e.across, rings.s.shape)], -1)[used] for e in (right, left)]
    rows = [pack(e.points[used], normal[used], c, finish) for e, c in zip((right, left), uv, strict=True)]
    for row, edge in zip(rows, (right, left), strict=True):
        row["surface"][:, 3] = min(finish.openness, edge.openness)
        if edge.variation is not None:
            row["surface"][:, 2] = edge.variation[used]
    triangles, cells, levels = [], [], []
    for lod, spans in chosen:
        i, j = rings.spans[lod][0][spans], rings.spans[lod][1][spans]
        a, b = index[i], index[j]
        quad = np.stack([a, b, b + size, a, b + size, a + size], -1).reshape(-1, 3)
        triangles.append(quad)
        cells.append(np.repeat(rings.cell_of[i], 2))
        levels.append(np.full(len(quad), lod))
    return StaticPart(np.concatenate(rows), np.concatenate(triangles), np.concatenate(cells), np.concatenate(levels))
