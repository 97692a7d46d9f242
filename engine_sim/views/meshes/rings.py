"""The frame that everything along the road hangs on: rings across the ribbon, and the spans that join them.

Ring i stands at sample i; ring n closes the lap at sample 0 with s = length. A span joins two rings of one cell.
Levels of detail skip rings inside a cell but never its first and last one, so neighbouring cells of different
level share their border ring and no crack opens.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...tracks.track import Track

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LODS = 3
CELL_LENGTH = 64.0  # metres along s
_STRIDES = ((1,), (4, 2, 1), (8, 4, 2))  # candidates per level, coarsest first, in samples
_SAGITTA = (0.0, 0.05, 0.35)  # metres that a chord may stray from the curve


class Rings:
    """Cross-sections of a track.

    Args:
        track: where from. All arrays ``[n + 1]`` repeat sample 0 at the end.
    """

    def __init__(self, track: Track) -> None:
        self.track = track
        self.count = track.samples
        self.step = track.step
        self.s = np.arange(self.count + 1) * self.step

    def field(self, name: str) -> NDArray:
        """A field of the track's arrays, closed: ``[n + 1]``."""
        values = getattr(self.track.arrays, name)
        return np.append(values, values[:1])

    @cached_property
    def tangent(self) -> Floats:
        """Direction of travel with the grade, unit ``[n + 1, 3]``."""
        t = np.stack([self.field("tangent_x"), self.field("tangent_y"), self.field("grade")], -1)
        return t / np.sqrt((t * t).sum(-1, keepdims=True))

    @cached_property
    def left(self) -> Floats:
        """Across the road to the left with the bank, ``[n + 1, 3]``: metres gained per metre of d."""
        return np.stack([-self.field("tangent_y"), self.field("tangent_x"), self.field("bank")], -1)

    @cached_property
    def center(self) -> Floats:
        """Centreline, ``[n + 1, 3]``."""
        return np.stack([self.field("x"), self.field("y"), self.field("z")], -1)

    def at(self, d: ArrayLike, up: ArrayLike = 0.0) -> Floats:
        """Points at ``d`` (metres left) and ``up`` metres over the ribbon's plane, ``[n + 1, 3]``."""
        d = np.broadcast_to(np.asarray(d, np.float64), self.s.shape)
        points = self.center + d[:, None] * self.left
        points[:, 2] += np.asarray(up, np.float64)
        return points

    @cached_property
    def cell_edges(self) -> Ints:
        """Rings at the borders of cells, int64 ``[cells + 1]``, from 0 to n."""
        cells = max(1, round(self.count * self.step / CELL_LENGTH))
        return (np.arange(cells + 1) * self.count) // cells

    @cached_property
    def cells(self) -> int:
        """Number of cells of the ribbon."""
        return len(self.cell_edges) - 1

    @cached_property
    def cell_of(self) -> Ints:
        """Cell of the span that starts at each sample, int64 ``[n]``."""
        return np.searchsorted(self.cell_edges, np.arange(self.count), side="right") - 1

    def _bend(self) -> Floats:
        """Largest curvature, in plan at the outer edge or over a crest, of each cell, 1/m."""
        grade = self.field("grade")
        plan = np.abs(self.track.arrays.curvature)
        crest = np.abs(np.diff(grade)) / self.step
        twist = np.abs(np.diff(self.field("bank"))) / self.step
        wide = np.maximum(self.track.arrays.width_left, self.track.arrays.width_right)
        return np.maximum.reduceat(plan + crest + twist * wide / 4.0, self.cell_edges[:-1])

    @cached_property
    def spans(self) -> tuple[tuple[Ints, Ints], ...]:
        """Per level of detail: first and last ring of each span, int64 ``[m]`` each."""
        result = []
        for lod in range(LODS):
            starts = np.concatenate([np.arange(a, b, k) for a, b, k in self._strides(lod)])
            ends = np.append(starts[1:], self.count)
            result.append((starts, ends))
        return tuple(result)

    def _strides(self, lod: int) -> list[tuple[int, int, int]]:
        """First ring, last ring and stride of every cell: the coarsest whose sagitta L²κ/8 is small enough."""
        strides = np.full(self.cells, _STRIDES[lod][-1])
        for stride in reversed(_STRIDES[lod]):
            reach = stride * self.step
            strides = np.where(self._bend() * reach * reach / 8.0 <= _SAGITTA[lod], stride, strides)
        edges = self.cell_edges.tolist()
        return list(zip(edges[:-1], edges[1:], strides.tolist(), strict=True))
