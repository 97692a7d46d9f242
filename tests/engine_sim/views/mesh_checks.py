"""Questions that the mesh tests ask of triangles, and the track that they ask about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.jit import kernel
from engine_sim.views.scene_data import Mesh, Scene

ROAD_TRACK, BRIDGE_TRACK = "acorn-loop", "ribbon-eight"


def corners(mesh: Mesh) -> NDArray[np.float64]:
    """Positions of the corners of every triangle, ``[m, 3, 3]``."""
    return mesh.vertices["position"].astype(np.float64)[mesh.indices.reshape(-1, 3)]


def face_normals(mesh: Mesh) -> NDArray[np.float64]:
    """Cross products, twice the area long, ``[m, 3]``."""
    p = corners(mesh)
    return np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])


def agreement(mesh: Mesh) -> NDArray[np.float64]:
    """Cosine between each triangle's own normal and the mean of its corners' normals, ``[m]``."""
    face = face_normals(mesh)
    face /= np.linalg.norm(face, axis=1, keepdims=True)
    mean = mesh.vertices["normal"].astype(np.float64)[mesh.indices.reshape(-1, 3)].mean(1)
    return (face * mean).sum(1)


def surface_of(mesh: Mesh, channel: int) -> NDArray[np.uint8]:
    """One surface channel (0 class, 1 material) at every corner, ``[m, 3]``."""
    return mesh.vertices["surface"][:, channel][mesh.indices.reshape(-1, 3)]


def level_mesh(scene: Scene, lod: int) -> Mesh:
    """The static mesh at one level of detail."""
    static = scene.static
    first, count = int(static.first[:, lod].min()), int(static.count[:, lod].sum())
    return Mesh(static.mesh.vertices, static.mesh.indices[first : first + count])


def cell_triangles(scene: Scene, cell: int, lod: int) -> NDArray[np.float64]:
    """Corners of one cell's triangles, ``[m, 3, 3]``."""
    static = scene.static
    first, count = int(static.first[cell, lod]), int(static.count[cell, lod])
    return (
        static.mesh.vertices["position"]
        .astype(np.float64)[static.mesh.indices[first : first + count]]
        .reshape(-1, 3, 3)
    )


def instance_triangles(scene: Scene, lod: int) -> NDArray[np.float64]:
    """Corners of all scenery at one level of detail in world axes, ``[m, 3, 3]``."""
    result = []
    for number, prototype in enumerate(scene.prototypes):
        mine = scene.instances[scene.prototype_of == number]
        if len(mine):
            local = corners(prototype.lods[min(lod, len(prototype.lods) - 1)])
            scaled = local[None] * mine["scale"].astype(np.float64)[:, None, None, :]
            world = np.einsum("nij,nmkj->nmki", mine["rotation"].astype(np.float64), scaled)
            result.append((world + mine["origin"].astype(np.float64)[:, None, None]).reshape(-1, 3, 3))
    return np.concatenate(result)


class PointGrid(NamedTuple):
    """Points sorted into square cells of the plane."""

    points: NDArray[np.float64]
    frame: NDArray[np.float64]  # x0, y0, cell
    shape: NDArray[np.int64]  # rows, cols
    start: NDArray[np.int64]
    items: NDArray[np.int64]


def point_grid(points: NDArray[np.float64], cell: float = 4.0) -> PointGrid:
    """Sort points ``[k, 3]`` into cells."""
    x0, y0 = points[:, 0].min() - 1.0, points[:, 1].min() - 1.0
    col = ((points[:, 0] - x0) / cell).astype(np.int64)
    row = ((points[:, 1] - y0) / cell).astype(np.int64)
    cols, rows = int(col.max()) + 1, int(row.max()) + 1
    key = row * cols + col
    items = np.argsort(key, kind="stable")
    start = np.searchsorted(key[items], np.arange(rows * cols + 1))
    return PointGrid(points, np.array([x0, y0, cell]), np.array([rows, cols]), start, items)


@kernel
def covered(triangles, grid, low, high):
    """For each point of the grid a triangle that passes between ``low`` and ``high`` metres over it, or −1."""
    found = np.full(grid.points.shape[0], -1)
    x0, y0, cell = grid.frame[0], grid.frame[1], grid.frame[2]
    rows, cols = grid.shape[0], grid.shape[1]
    for t in range(triangles.shape[0]):
        ax, ay, az = triangles[t, 0, 0], triangles[t, 0, 1], triangles[t, 0, 2]
        bx, by, bz = triangles[t, 1, 0], triangles[t, 1, 1], triangles[t, 1, 2]
        cx, cy, cz = triangles[t, 2, 0], triangles[t, 2, 1], triangles[t, 2, 2]
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if abs(area) < 1e-9:
            continue
        c0, c1 = max(0, int((min(ax, bx, cx) - x0) / cell)), min(cols - 1, int((max(ax, bx, cx) - x0) / cell))
        r0, r1 = max(0, int((min(ay, by, cy) - y0) / cell)), min(rows - 1, int((max(ay, by, cy) - y0) / cell))
        for r in range(r0, r1 + 1):
            for c in range(c0, c1 + 1):
                for k in range(grid.start[r * cols + c], grid.start[r * cols + c + 1]):
                    i = grid.items[k]
                    x, y = grid.points[i, 0] - ax, grid.points[i, 1] - ay
                    u = (x * (cy - ay) - (cx - ax) * y) / area
                    v = ((bx - ax) * y - x * (by - ay)) / area
                    if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
                        over = az + u * (bz - az) + v * (cz - az) - grid.points[i, 2]
                        if low < over < high:
                            found[i] = t
    return found
