"""Independent geometry for the tests: plain numpy, no grid, no kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine_sim.tracks.track import BOULDER, BUSH, GANTRY, TREE_BROADLEAF, TREE_CONIFER, Ground, Track

PLANTS = (TREE_BROADLEAF, TREE_CONIFER, BUSH, BOULDER)
Floats = NDArray[np.float64]


def axes(rows: NDArray[np.void]) -> tuple[Floats, Floats]:
    """Own x and own y of objects, ``[k, 2]`` each."""
    c, s = np.cos(rows["yaw"]), np.sin(rows["yaw"])
    return np.stack([c, s], -1), np.stack([-s, c], -1)


def middles(rows: NDArray[np.void]) -> Floats:
    """``[k, 2]``."""
    return np.stack([rows["x"], rows["y"]], -1)


def outline(rows: NDArray[np.void], fractions: tuple[float, ...] = (-1.0, -0.5, 0.0, 0.5, 1.0)) -> Floats:
    """Points on a lattice over each footprint, rim included, ``[k, m, 2]``."""
    u, v = axes(rows)
    parts = [
        middles(rows) + u * (rows["size_x"] / 2 * a)[:, None] + v * (rows["size_y"] / 2 * b)[:, None]
        for a in fractions
        for b in fractions
    ]
    return np.stack(parts, 1)


def feet(gantry: NDArray[np.void]) -> Floats:
    """Middles of a gantry's two feet, ``[2, 2]``."""
    u, _ = axes(gantry)
    reach = (gantry["size_x"][0] - 1.0) / 2
    return np.stack([middles(gantry)[0] + u[0] * reach, middles(gantry)[0] - u[0] * reach])


def footprint_points(track: Track) -> Floats:
    """Points of everything that stands on the ground: the whole lattice of solids, the crown's rim of plants."""
    rows = track.scenery
    solid = rows[~np.isin(rows["kind"], (*PLANTS, GANTRY))]
    plants = rows[np.isin(rows["kind"], PLANTS)]
    angle = np.linspace(0.0, 2 * np.pi, 9)[:-1]
    ring = np.stack([np.cos(angle), np.sin(angle)], -1)[None] * (plants["size_x"] / 2)[:, None, None]
    parts = [outline(solid).reshape(-1, 2), (middles(plants)[:, None] + ring).reshape(-1, 2), middles(plants)]
    return np.concatenate([*parts, feet(rows[rows["kind"] == GANTRY])])


def inside_barriers(track: Track, points: Floats) -> NDArray[np.bool_]:
    """Which points lie between the barriers of some stretch of the track, ``[k]``."""
    a = track.arrays
    inside = np.zeros(len(points), bool)
    reach = max(a.barrier_left.max(), a.barrier_right.max()) + 3.0
    order = np.argsort(points[:, 0])
    sorted_x = points[order, 0]
    for i in range(track.samples):
        low, high = np.searchsorted(sorted_x, [a.x[i] - reach, a.x[i] + reach])
        near = order[low:high]
        dx, dy = points[near, 0] - a.x[i], points[near, 1] - a.y[i]
        along = dx * a.tangent_x[i] + dy * a.tangent_y[i]
        across = dy * a.tangent_x[i] - dx * a.tangent_y[i]
        hit = (np.abs(along) <= track.step / 2) & (across < a.barrier_left[i]) & (across > -a.barrier_right[i])
        inside[near[hit]] = True
    return inside


def ground_height(ground: Ground, points: Floats) -> Floats:
    """Bilinear height of the field at points ``[..., 2]``."""
    u, v = (points[..., 0] - ground.x0) / ground.cell, (points[..., 1] - ground.y0) / ground.cell
    c, r = np.floor(u).astype(int), np.floor(v).astype(int)
    fu, fv = u - c, v - r
    z = ground.z
    low = z[r, c] * (1 - fu) + z[r, c + 1] * fu
    high = z[r + 1, c] * (1 - fu) + z[r + 1, c + 1] * fu
    return low * (1 - fv) + high * fv


def contains(row: np.void, points: Floats, margin: float = 0.0) -> NDArray[np.bool_]:
    """Which points lie in the footprint of one object."""
    c, s = np.cos(row["yaw"]), np.sin(row["yaw"])
    dx, dy = points[..., 0] - row["x"], points[..., 1] - row["y"]
    along, across = dx * c + dy * s, dy * c - dx * s
    return (np.abs(along) < row["size_x"] / 2 + margin) & (np.abs(across) < row["size_y"] / 2 + margin)


def to_nearest_sample(track: Track, points: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """(vectors ``[k, 2]`` to the nearest sample of the centreline, its index)."""
    line = np.stack([track.arrays.x, track.arrays.y], -1)
    index = np.array([((line - p) ** 2).sum(-1).argmin() for p in points])
    return line[index] - points, index
