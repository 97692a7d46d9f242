"""Solids that prototypes are put together from: boxes, prisms, grids, lathes, spheres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .parts import Finish, Part, pack, unit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_QUAD = np.array([[0, 1, 2], [0, 2, 3]])


def quads(corners: ArrayLike, finish: Finish, uv: ArrayLike | None = None) -> Part:
    """Flat quads ``[k, 4, 3]``, corners counter-clockwise from outside.

    Args:
        uv: ``[k, 4, 2]``; by default (along the horizontal, up) in the units of the corners.
    """
    corners = np.asarray(corners, np.float64).reshape(-1, 4, 3)
    normal = unit(np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]))
    coordinates = wall_uv(corners, normal) if uv is None else np.asarray(uv, np.float64)
    vertices = pack(corners, np.repeat(normal, 4, axis=0), coordinates.reshape(-1, 2), finish)
    triangles = (_QUAD[None] + 4 * np.arange(len(corners))[:, None, None]).reshape(-1, 3)
    return Part(vertices, triangles)


def wall_uv(corners: Floats, normal: Floats) -> Floats:
    """(along, up) of corners ``[k, c, 3]``: along is x, or y where the face looks along x; up is z, or y on flats."""
    facing_x = (np.abs(normal[:, 0]) > np.abs(normal[:, 1]))[:, None]
    flat = (np.abs(normal[:, 2]) > 0.8)[:, None]
    along = np.where(facing_x & ~flat, corners[:, :, 1], corners[:, :, 0])
    up = np.where(flat, corners[:, :, 1], corners[:, :, 2])
    return np.stack([along, up], -1)


def box(low: Sequence[float], high: Sequence[float], finish: Finish, faces: str = "xXyYzZ") -> Part:
    """An axis-aligned box; ``faces`` names the sides to build (lower case: the low side)."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    sides = {
        "x": ((x0, y1, z0), (x0, y0, z0), (x0, y0, z1), (x0, y1, z1)),
        "X": ((x1, y0, z0), (x1, y1, z0), (x1, y1, z1), (x1, y0, z1)),
        "y": ((x0, y0, z0), (x1, y0, z0), (x1, y0, z1), (x0, y0, z1)),
        "Y": ((x1, y1, z0), (x0, y1, z0), (x0, y1, z1), (x1, y1, z1)),
        "z": ((x0, y1, z0), (x1, y1, z0), (x1, y0, z0), (x0, y0, z0)),
        "Z": ((x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)),
    }
    return quads([sides[f] for f in faces], finish)


def grid_triangles(rows: int, cols: int) -> Ints:
    """Two triangles a quad of a ``[rows, cols]`` grid: outside where columns run right and rows run up."""
    r, c = np.meshgrid(np.arange(rows - 1), np.arange(cols - 1), indexing="ij")
    v = (r * cols + c).reshape(-1)
    return np.stack([v, v + 1, v + cols + 1, v, v + cols + 1, v + cols], -1).reshape(-1, 3)


def smooth_normals(position: Floats, triangles: Ints) -> Floats:
    """Area-weighted normals of shared vertices, unit ``[n, 3]``; vertices at one place share theirs."""
    a, b, c = (position[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    _, place = np.unique(np.round(position, 6), axis=0, return_inverse=True)
    place = place.reshape(-1)
    total = np.zeros((place.max() + 1, 3))
    for k in range(3):
        np.add.at(total, place[triangles[:, k]], face)
    return unit(total[place])


def sheet(points: Floats, finish: Finish, uv: Floats | None = None) -> Part:
    """A smooth grid of points ``[rows, cols, 3]``: outside where columns run right and rows run up."""
    rows, cols = points.shape[:2]
    flat = points.reshape(-1, 3)
    triangles = grid_triangles(rows, cols)
    coordinates = flat[:, [0, 2]] if uv is None else uv.reshape(-1, 2)
    return Part(pack(flat, smooth_normals(flat, triangles), coordinates, finish), triangles)


def lathe(profile: Sequence[tuple[float, float]], sides: int, finish: Finish, axis: int = 2) -> Part:
    """Turn (radius, height) points, bottom to top, around an axis (2: z up, 1: y); smooth around and along.

    uv = (around in units of length at the widest point, height).
    """
    angle = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    radius, height = (np.array(v) for v in zip(*profile, strict=True))
    x = radius[:, None] * np.cos(angle)
    y = radius[:, None] * np.sin(angle)
    z = np.broadcast_to(height[:, None], x.shape)
    points = np.stack([x, y, z], -1) if axis == 2 else np.stack([y, z, x], -1)
    around = np.broadcast_to(angle * radius.max(), x.shape)
    return sheet(points, finish, np.stack([around, z], -1))


def icosphere(level: int) -> tuple[Floats, Ints]:
    """Unit sphere: points ``[n, 3]`` and triangles ``[20 · 4^level, 3]``."""
    g = (1.0 + 5.0**0.5) / 2.0
    points = np.array(
        [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g),
         (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)], float)  # fmt: skip
    triangles = np.array(
        [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
         (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10),
         (8, 6, 7), (9, 8, 1)])  # fmt: skip
    for _ in range(level):
        points, triangles = _split(points, triangles)
    return unit(points), triangles


def _split(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Each triangle into four; midpoints shared."""
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    pairs, which = np.unique(edges, axis=0, return_inverse=True)
    middle = len(points) + which.reshape(3, -1)
    a, b, c = triangles.T
    ab, bc, ca = middle
    four = np.stack([a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca], -1).reshape(-1, 3)
    added = unit(points[pairs[:, 0]] + points[pairs[:, 1]])
    return np.concatenate([unit(points), added]), four


def creased(position: Floats, triangles: Ints, finish: Ints, finishes: Sequence[Finish], uv: Floats,
            degrees: float = 40.0) -> Part:  # fmt: skip
    """A part whose normals are smooth across edges that bend less than ``degrees`` and hard across the others.

    Args:
        position: ``[n, 3]``; corners at one place belong together whether or not they share a number.
        finish: index into ``finishes`` per triangle, int64 ``[m]``.
        uv: ``[n, 2]``.
    """
    a, b, c = (position[triangles[:, k]] for k in range(3))
    weighted = np.cross(b - a, c - a)
    face = unit(weighted)
    _, place = np.unique(np.round(position, 5), axis=0, return_inverse=True)
    corner_place = place.reshape(-1)[triangles].reshape(-1)
    corner_face = np.repeat(np.arange(len(triangles)), 3)
    # Every pair of corners that meet at a place; few, because prototypes are small.
    order = np.argsort(corner_place, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(corner_place[order]) != 0))
    groups = np.split(order, starts[1:])
    normal = np.zeros((len(corner_face), 3))
    limit = np.cos(np.radians(degrees))
    for group in groups:
        faces = corner_face[group]
        close = face[faces] @ face[faces].T > limit
        normal[group] = close @ weighted[faces]
    corners = triangles.reshape(-1)
    rows = np.concatenate(
        [np.round(position[corners], 5), np.round(unit(normal), 4), uv[corners], np.repeat(finish, 3)[:, None]], 1
    )
    rows, index = np.unique(rows, axis=0, return_inverse=True)
    vertices = pack(rows[:, :3], rows[:, 3:6], rows[:, 6:8], finishes[0])
    table = np.array([(f.class_id, f.material, f.variation, f.openness) for f in finishes], np.uint8)
    vertices["surface"] = table[rows[:, 8].astype(np.int64)]
    return Part(vertices, index.reshape(-1, 3))


def mirrored(part: Part) -> Part:
    """The part reflected at the plane y = 0."""
    vertices = part.vertices.copy()
    vertices["position"][:, 1] *= -1.0
    vertices["normal"][:, 1] *= -1.0
    return Part(vertices, part.triangles[:, ::-1])


def moved(part: Part, offset: ArrayLike = (0.0, 0.0, 0.0), turn: float = 0.0) -> Part:
    """The part turned by ``turn`` radians around z, then shifted."""
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    vertices = part.vertices.copy()
    vertices["position"] = part.vertices["position"] @ rotation.T + np.asarray(offset)
    vertices["normal"] = part.vertices["normal"] @ rotation.T
    return Part(vertices, part.triangles)
