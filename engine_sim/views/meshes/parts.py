"""Pieces of mesh: packing vertices, joining pieces, and cutting a static mesh into cells.

Triangles are counter-clockwise seen from outside. A piece is a ``Part``; a static piece also says, per triangle,
which cell and which level of detail it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..scene_data import VERTEX_DTYPE, Mesh, StaticCells

_SMALLEST_AREA = 1e-7  # m²; below it a triangle covers no pixel at any distance


class Part(NamedTuple):
    """A piece of mesh: ``vertices`` VERTEX_DTYPE ``[n]``, ``triangles`` int64 ``[m, 3]``."""

    vertices: NDArray[np.void]
    triangles: NDArray[np.int64]


class StaticPart(NamedTuple):
    """A piece of the static mesh; ``cell`` and ``lod`` are int64 ``[m]``, one value a triangle."""

    vertices: NDArray[np.void]
    triangles: NDArray[np.int64]
    cell: NDArray[np.int64]
    lod: NDArray[np.int64]


class Finish(NamedTuple):
    """What a surface is: class id, material id, variation and openness, 0–255 each."""

    class_id: int
    material: int
    variation: int = 128
    openness: int = 255


def pack(position: ArrayLike, normal: ArrayLike, uv: ArrayLike, finish: Finish) -> NDArray[np.void]:
    """Vertices VERTEX_DTYPE ``[n]`` from positions ``[n, 3]``, normals ``[n, 3]`` (made unit) and uv ``[n, 2]``."""
    position = np.asarray(position, np.float64).reshape(-1, 3)
    vertices = np.zeros(len(position), VERTEX_DTYPE)
    vertices["position"] = position
    vertices["normal"] = unit(np.broadcast_to(np.asarray(normal, np.float64), position.shape))
    vertices["uv"] = uv
    vertices["surface"] = (finish.class_id, finish.material, finish.variation, finish.openness)
    return vertices


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors ``[..., 3]`` scaled to length one; a zero vector becomes straight up."""
    length = np.sqrt((vectors * vectors).sum(-1, keepdims=True))
    return np.where(length > 1e-12, vectors / np.maximum(length, 1e-12), np.array([0.0, 0.0, 1.0]))


def areas(vertices: NDArray[np.void], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Area of each triangle, float64 ``[m]``, m²."""
    p = vertices["position"].astype(np.float64)
    a = p[triangles[:, 0]]
    cross = np.cross(p[triangles[:, 1]] - a, p[triangles[:, 2]] - a)
    return 0.5 * np.sqrt((cross * cross).sum(-1))


def join(parts: Sequence[Part]) -> Part:
    """One part of many, in their order."""
    offsets = np.cumsum([0] + [len(p.vertices) for p in parts[:-1]])
    return Part(
        np.concatenate([p.vertices for p in parts]),
        np.concatenate([p.triangles + o for p, o in zip(parts, offsets, strict=True)]),
    )


def to_mesh(parts: Sequence[Part]) -> Mesh:
    """A drawable mesh; triangles without area are dropped."""
    part = join(parts)
    keep = areas(part.vertices, part.triangles) > _SMALLEST_AREA
    used, index = np.unique(part.triangles[keep], return_inverse=True)
    return Mesh(part.vertices[used], index.reshape(-1).astype(np.uint32))


def to_static(parts: Sequence[StaticPart], lod_distance: tuple[float, ...]) -> StaticCells:
    """Join static pieces and sort their triangles by level of detail, then cell.

    Cells of one level lie side by side, so neighbouring cells in sight become one index range. A cell's sphere encloses
    the vertices of all its levels.
    """
    joined = join([Part(p.vertices, p.triangles) for p in parts])
    cell = np.concatenate([p.cell for p in parts])
    lod = np.concatenate([p.lod for p in parts])
    keep = areas(joined.vertices, joined.triangles) > _SMALLEST_AREA
    triangles, cell, lod = joined.triangles[keep], cell[keep], lod[keep]
    cells, lods = int(cell.max()) + 1, len(lod_distance)
    order = np.argsort(lod * cells + cell, kind="stable")
    count = np.bincount(lod * cells + cell, minlength=lods * cells)
    first = np.cumsum(count) - count
    center, radius = _spheres(joined.vertices["position"].astype(np.float64), triangles, cell, cells)
    return StaticCells(
        mesh=Mesh(joined.vertices, np.ascontiguousarray(triangles[order]).astype(np.uint32).reshape(-1)),
        center=center,
        radius=radius,
        first=np.ascontiguousarray(3 * first.reshape(lods, cells).T),
        count=np.ascontiguousarray(3 * count.reshape(lods, cells).T),
        lod_distance=lod_distance,
    )


def _spheres(
    position: NDArray[np.float64], triangles: NDArray[np.int64], cell: NDArray[np.int64], cells: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centre of the bounding box and distance of the farthest vertex, per cell."""
    order = np.argsort(cell, kind="stable")
    corners = position[triangles[order]].reshape(-1, 3)
    starts = 3 * np.searchsorted(cell[order], np.arange(cells))
    if np.any(np.diff(np.append(starts, len(corners))) == 0):
        raise ValueError("a cell of the static mesh has no triangles")
    low = np.minimum.reduceat(corners, starts)
    high = np.maximum.reduceat(corners, starts)
    center = 0.5 * (low + high)
    away = corners - np.repeat(center, np.diff(np.append(starts, len(corners))), axis=0)
    radius = np.sqrt(np.maximum.reduceat((away * away).sum(-1), starts))
    return center, radius + 0.01
