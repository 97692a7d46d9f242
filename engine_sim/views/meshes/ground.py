"""The height field around the circuit in square cells, three levels of detail, pressed below the ribbon."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ...core.jit import kernel
from ...tracks.track import Ground, Track
from ..materials import Material
from .parts import Finish, StaticPart, pack
from .rings import LODS, Rings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELL_SIZE = 100.0  # metres
_STRIDES = (1, 2, 4)
_MARGIN = (0.10, 0.25, 1.0)  # metres that each level stays below the ribbon
_SKIRT = (0.0, 1.5, 6.0)  # metres; the nearer level of two neighbours never needs one
BRIDGE_GAP = 3.0  # metres of air under a ribbon that make it a bridge


def ground_height(ground: Ground, x: Floats, y: Floats) -> Floats:
    """Height of the field at points, bilinear, clamped to its border; any shape."""
    rows, cols = ground.z.shape
    u = np.clip((x - ground.x0) / ground.cell, 0.0, cols - 1.0001)
    v = np.clip((y - ground.y0) / ground.cell, 0.0, rows - 1.0001)
    c, r = u.astype(np.int64), v.astype(np.int64)
    fu, fv = u - c, v - r
    z = ground.z
    low = z[r, c] * (1.0 - fu) + z[r, c + 1] * fu
    high = z[r + 1, c] * (1.0 - fu) + z[r + 1, c + 1] * fu
    return low * (1.0 - fv) + high * fv


def ribbon_points(rings: Rings) -> Floats:
    """Points of the ribbon that rests on the ground, ``[k, 3]``: about every 2 m along, 16 across."""
    left, right = rings.field("barrier_left") + 0.8, rings.field("barrier_right") + 0.8
    points = np.concatenate([rings.at(-right + (left + right) * t) for t in np.linspace(0.0, 1.0, 17)])
    gap = points[:, 2] - ground_height(rings.track.ground, points[:, 0], points[:, 1])
    return points[gap < BRIDGE_GAP]


@kernel
def press(z, x0, y0, cell, points, margin):
    """Lower field vertices, in place, until every point lies ``margin`` above the two triangles of its quad.

    Quads are cut from their (row, col) corner to (row + 1, col + 1), as the mesh cuts them.
    """
    rows, cols = z.shape
    for k in range(points.shape[0]):
        u = (points[k, 0] - x0) / cell
        v = (points[k, 1] - y0) / cell
        c = int(u)
        r = int(v)
        if u < 0.0 or v < 0.0 or c >= cols - 1 or r >= rows - 1:
            continue
        fu = u - c
        fv = v - r
        if fu >= fv:
            height = z[r, c] * (1.0 - fu) + z[r, c + 1] * (fu - fv) + z[r + 1, c + 1] * fv
        else:
            height = z[r, c] * (1.0 - fv) + z[r + 1, c] * (fv - fu) + z[r + 1, c + 1] * fu
        excess = height - (points[k, 2] - margin)
        if excess > 0.0:
            z[r, c] -= excess
            z[r, c + 1] -= excess
            z[r + 1, c] -= excess
            z[r + 1, c + 1] -= excess


class Level:
    """One level of detail of the field: every row and column, every second or every fourth; always the last ones.

    Args:
        track: where from.
        points: of the ribbon, to stay below.
        lod: 0 is the finest.
    """

    def __init__(self, track: Track, points: Floats, lod: int) -> None:
        ground = track.ground
        rows, cols = ground.z.shape
        stride = _STRIDES[lod]
        self.lod, self.stride, self.cell = lod, stride, ground.cell * stride
        # Rows and columns that do not fill a coarse quad repeat the border: such quads are dropped as degenerate.
        r = np.minimum(np.arange(-(-(rows - 1) // stride) + 1) * stride, rows - 1)
        c = np.minimum(np.arange(-(-(cols - 1) // stride) + 1) * stride, cols - 1)
        self.x = ground.x0 + ground.cell * c
        self.y = ground.y0 + ground.cell * r
        self.z = np.ascontiguousarray(ground.z[np.ix_(r, c)])
        self.cover = ground.cover[np.ix_(r, c)].astype(np.int64)
        press(self.z, ground.x0, ground.y0, self.cell, points, _MARGIN[lod])

    def positions(self) -> Floats:
        """``[rows, cols, 3]``."""
        x, y = np.meshgrid(self.x, self.y)
        return np.stack([x, y, self.z], -1)

    def normals(self) -> Floats:
        """From central differences, not yet unit, ``[rows, cols, 3]``."""
        dzdy = np.gradient(self.z, self.cell, axis=0)
        dzdx = np.gradient(self.z, self.cell, axis=1)
        return np.stack([-dzdx, -dzdy, np.ones_like(self.z)], -1)

    def openness(self) -> NDArray[np.uint8]:
        """255 on ridges and plains, less in hollows, ``[rows, cols]``."""
        padded = np.pad(self.z, 1, mode="edge")
        around = (padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]) / 4.0
        return np.clip(255.0 - 90.0 * np.maximum(around - self.z, 0.0) / self.cell * 4.0, 90.0, 255.0).astype(np.uint8)


def finishes(track: Track) -> dict[int, Finish]:
    """Class → finish of wild ground; dirt circuits lie in sand."""
    bare = Material.SAND if track.kind == "dirt" else Material.SOIL
    return {
        palette.GRASS: Finish(palette.GRASS, Material.GRASS_WILD),
        palette.TERRAIN: Finish(palette.TERRAIN, bare),
        palette.ROCK: Finish(palette.ROCK, Material.ROCK),
    }


def ground_parts(track: Track, rings: Rings, first_cell: int) -> list[StaticPart]:
    """The field as static parts, with cells numbered from ``first_cell``."""
    points = ribbon_points(rings)
    parts = []
    for lod in range(LODS):
        parts += _level_parts(track, Level(track, points, lod), first_cell)
    return parts


def cell_grid(ground: Ground) -> tuple[int, int, int]:
    """(quads of the finest level along a cell, cells per row, cells per column)."""
    quads = max(4, 4 * round(CELL_SIZE / ground.cell / 4.0))
    rows, cols = ground.z.shape
    return quads, -(-(cols - 1) // quads), -(-(rows - 1) // quads)


def _level_parts(track: Track, level: Level, first_cell: int) -> list[StaticPart]:
    rows, cols = level.z.shape
    quads, across, _ = cell_grid(track.ground)
    block = quads // level.stride
    r, c = (v.reshape(-1) for v in np.meshgrid(np.arange(rows - 1), np.arange(cols - 1), indexing="ij"))
    v00 = r * cols + c
    cell = first_cell + (r // block) * across + c // block
    tri = np.stack([v00, v00 + 1, v00 + cols + 1, v00, v00 + cols + 1, v00 + cols], -1).reshape(-1, 3)
    cell = np.repeat(cell, 2)
    cover = level.cover.reshape(-1)[tri]
    # Majority of the corners; with three different ones, the first.
    kind = np.where(cover[:, 1] == cover[:, 2], cover[:, 1], cover[:, 0])
    data = (level.positions().reshape(-1, 3), level.normals().reshape(-1, 3), level.openness().reshape(-1))
    parts = []
    for class_id, finish in finishes(track).items():
        chosen = kind == class_id
        if chosen.any():
            parts.append(_class_part(data, tri[chosen], cell[chosen], level.lod, finish))
    if _SKIRT[level.lod] > 0.0:
        parts += _skirts(track, level, first_cell, block, across)
    return parts


def _class_part(
    data: tuple[Floats, Floats, NDArray[np.uint8]], tri: Ints, cell: Ints, lod: int, finish: Finish
) -> StaticPart:
    position, normal, openness = data
    used = np.zeros(len(position), bool)
    used[tri] = True
    vertices = pack(position[used], normal[used], position[used, :2], finish)
    vertices["surface"][:, 3] = openness[used]
    return StaticPart(vertices, (np.cumsum(used) - 1)[tri], cell, np.full(len(tri), lod))


def _skirts(track: Track, level: Level, first_cell: int, block: int, across: int) -> list[StaticPart]:
    """Curtains hanging from the borders of cells, facing out, so that a lower neighbour shows no gap."""
    rows, cols = level.z.shape
    index = np.arange(rows * cols).reshape(rows, cols)
    loops, owners = [], []
    for r0 in range(0, rows - 1, block):
        r1 = min(r0 + block, rows - 1)
        for c0 in range(0, cols - 1, block):
            c1 = min(c0 + block, cols - 1)
            loop = np.concatenate([index[r0, c0:c1], index[r0:r1, c1], index[r1, c1:c0:-1], index[r1:r0:-1, c0]])
            loops.append(np.stack([loop, np.roll(loop, -1)]))
            owners.append(np.full(len(loop), first_cell + (r0 // block) * across + c0 // block))
    a, b = np.concatenate(loops, axis=1)
    cell = np.concatenate(owners)
    position, normal = level.positions().reshape(-1, 3), level.normals().reshape(-1, 3)
    cover = level.cover.reshape(-1)[a]
    parts = []
    drop = np.array([0.0, 0.0, _SKIRT[level.lod]])
    for class_id, finish in finishes(track).items():
        m = cover == class_id
        if m.any():
            quad = np.stack([position[a[m]] - drop, position[b[m]] - drop, position[b[m]], position[a[m]]], 1)
            normals = np.stack([normal[a[m]], normal[b[m]], normal[b[m]], normal[a[m]]], 1).reshape(-1, 3)
            vertices = pack(quad, normals, quad.reshape(-1, 3)[:, :2], finish)
            count = int(m.sum())
            tri = (np.array([[0, 1, 2], [0, 2, 3]])[None] + 4 * np.arange(count)[:, None, None]).reshape(-1, 3)
            parts.append(StaticPart(vertices, tri, np.repeat(cell[m], 2), np.full(2 * count, level.lod)))
    return parts
