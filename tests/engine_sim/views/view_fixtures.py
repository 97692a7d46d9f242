"""Scenes made by hand for the tests of the views: every pixel's class can be told without the engine's meshes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine_sim.tracks import query
from engine_sim.tracks.track import Track
from engine_sim.views.frame import Camera, CarPose, FrameState
from engine_sim.views.scene_data import (
    INSTANCE_DTYPE,
    VERTEX_DTYPE,
    Batch,
    DrawList,
    Mesh,
    Prototype,
    Scene,
    StaticCells,
)
from render_bridge.palette import BUILDING, GRASS, PLAYER_CAR, RIVAL_CAR, ROAD, TERRAIN, VEGETATION


def mesh_of(corners: NDArray | list, classes: int | list[int]) -> Mesh:
    """Mesh of separate triangles: corners [n, 3, 3] in metres, one class for all or one per triangle."""
    corners = np.asarray(corners, np.float32).reshape(-1, 3, 3)
    vertices = np.zeros(3 * len(corners), VERTEX_DTYPE)
    vertices["position"] = corners.reshape(-1, 3)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    vertices["normal"] = np.repeat(normal, 3, axis=0)
    vertices["surface"][:, 0] = np.repeat(np.broadcast_to(classes, len(corners)), 3)
    vertices["surface"][:, 3] = 255
    return Mesh(vertices, np.arange(len(vertices), dtype=np.uint32))


def box_mesh(size: tuple[float, float, float], class_id: int) -> Mesh:
    """Box on the ground plane, centred in x and y, counter-clockwise from outside."""
    half_x, half_y, height = size[0] / 2, size[1] / 2, size[2]
    points = [(x, y, z) for z in (0.0, height) for y in (-half_y, half_y) for x in (-half_x, half_x)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    corners = [[points[q[i]] for i in t] for q in quads for t in ((0, 1, 2), (0, 2, 3))]
    return mesh_of(corners, class_id)


def cone_mesh(radius: float, height: float, sides: int, class_id: int) -> Mesh:
    """Cone with its base on the ground plane."""
    ring = [
        (radius * math.cos(2 * math.pi * i / sides), radius * math.sin(2 * math.pi * i / sides), 0.0)
        for i in range(sides)
    ]
    corners = [[ring[i], ring[(i + 1) % sides], (0.0, 0.0, height)] for i in range(sides)]
    return mesh_of(corners, class_id)


def scene_of(cells: list[Mesh], prototypes: tuple[Prototype, ...] = (), instances: NDArray | None = None,
             prototype_of: list[int] | None = None) -> Scene:  # fmt: skip
    """Scene of one level of detail: each mesh a cell; instances with their prototypes, sorted."""
    vertices = np.concatenate([m.vertices for m in cells])
    offsets = np.cumsum([0] + [len(m.vertices) for m in cells[:-1]])
    indices = np.concatenate([m.indices + np.uint32(o) for m, o in zip(cells, offsets, strict=True)])
    count = np.array([[len(m.indices)] for m in cells], np.int64)
    first = np.cumsum(count, axis=0) - count
    center = np.array([m.vertices["position"].mean(axis=0) for m in cells], np.float64)
    radius = np.array([
        np.linalg.norm(m.vertices["position"] - c, axis=1).max() for m, c in zip(cells, center, strict=True)
    ])  # fmt: skip
    static = StaticCells(Mesh(vertices, indices), center, radius, first, count, (1e9,))
    if instances is None:
        instances = np.zeros(0, INSTANCE_DTYPE)
    owners = np.array(prototype_of or [], np.int64)
    return Scene("by-hand", static, prototypes, instances, owners, np.ones(len(instances)), np.zeros((4, 3)))


def whole_list(scene: Scene, extra: tuple[Batch, ...] = ()) -> DrawList:
    """Draw list of everything at the finest level, nothing culled."""
    ranges = np.concatenate([scene.static.first[:, :1], scene.static.count[:, :1]], axis=1)
    batches = [
        Batch(k, 0, scene.instances[scene.prototype_of == k])
        for k in range(len(scene.prototypes))
        if (scene.prototype_of == k).any()
    ]
    return DrawList(ranges, (*batches, *extra))


def instance(x: float, y: float, z: float = 0.0, yaw: float = 0.0, scale: float = 1.0, object_id: int = 0,
             class_id: int = -1) -> NDArray[np.void]:  # fmt: skip
    """One INSTANCE_DTYPE row, [1]."""
    row = np.zeros(1, INSTANCE_DTYPE)
    c, s = math.cos(yaw), math.sin(yaw)
    row["rotation"] = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    row["origin"] = (x, y, z)
    row["scale"] = scale
    row["object"] = object_id
    row["class_id"] = class_id
    return row


def pose(x: float = 0.0, y: float = 0.0, z: float = 0.0, yaw: float = 0.0, speed: float = 0.0) -> CarPose:
    """Car on flat ground."""
    return CarPose(x, y, z, yaw, 0.0, 0.0, 0.0, 0.0, False, speed)


def look_along(position: tuple[float, float, float], yaw: float, pitch: float = 0.0, fov_y: float = 0.8) -> Camera:
    """Level camera at a place, by heading and pitch (up positive), radians."""
    cp, sp, cy, sy = math.cos(pitch), math.sin(pitch), math.cos(yaw), math.sin(yaw)
    return Camera(position, (cp * cy, cp * sy, sp), (-sp * cy, -sp * sy, cp), fov_y)


def frame_at(camera: Camera, cars: tuple[CarPose, ...] = (), tick: int = 0) -> FrameState:
    """Frame of the given camera and cars."""
    return FrameState(tick, camera, cars)


FACING = Camera((0.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0), math.pi / 2)
"""Camera at the origin looking down −z: at depth 1 the picture spans y from −1 to 1."""


def flat_triangle(corners: list[tuple[float, float]], depth: float, class_id: int) -> Mesh:
    """Triangle facing the FACING camera; corners in units of half the picture's height at depth 1."""
    return mesh_of([[(x * depth, y * depth, -depth) for x, y in corners]], class_id)


def village(seed: int = 5, cells: int = 10, objects: int = 400) -> Scene:
    """Rolling ground of several classes with a road, boxes and cones: a few thousand triangles, 40 m cells."""
    rng = np.random.default_rng(seed)
    meshes = [_ground_cell(i, j, cells) for i in range(cells) for j in range(cells)]
    prototypes = (
        Prototype("box", (box_mesh((4.0, 6.0, 5.0), BUILDING),), (1e9,), 6.0),
        Prototype("cone", (cone_mesh(2.0, 7.0, 9, VEGETATION),), (1e9,), 7.5),
        Prototype("car_body", (box_mesh((4.4, 1.9, 1.2), RIVAL_CAR),), (1e9,), 3.0),
    )
    rows, owners = [np.zeros(0, INSTANCE_DTYPE)], []
    for k in range(objects):
        x, y = rng.uniform(-20.0 * cells, 20.0 * cells, 2)
        rows.append(instance(x, y, _height(x, y), rng.uniform(0, 6.28), rng.uniform(0.4, 1.6)))
        owners.append(k % 2)
    order = np.argsort(owners, kind="stable")
    return scene_of(meshes, prototypes, np.concatenate(rows)[order], [owners[k] for k in order])


def car_batch(scene: Scene, cars: list[tuple[float, float, float]]) -> Batch:
    """Cars of ``village`` at (x, y, yaw); the first is the player."""
    k = [p.name for p in scene.prototypes].index("car_body")
    rows = [
        instance(x, y, _height(x, y), yaw, 1.0, n + 1, PLAYER_CAR if n == 0 else RIVAL_CAR)
        for n, (x, y, yaw) in enumerate(cars)
    ]
    return Batch(k, 0, np.concatenate(rows))


def _height(x: float | NDArray, y: float | NDArray) -> NDArray:
    return 3.0 * np.sin(x * 0.021) * np.cos(y * 0.017) + 0.6 * np.sin(0.11 * x + 0.07 * y)


def _ground_cell(i: int, j: int, cells: int, steps: int = 10, size: float = 40.0) -> Mesh:
    x0, y0 = (i - cells / 2) * size, (j - cells / 2) * size
    grid = np.linspace(0.0, size, steps + 1)
    x, y = np.meshgrid(x0 + grid, y0 + grid, indexing="ij")
    p = np.stack([x, y, _height(x, y)], axis=-1)
    a, b, c, d = p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]
    corners = np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)], axis=2).reshape(-1, 3, 3)
    middle = corners.mean(axis=1)
    classes = np.where(np.abs(middle[:, 1]) < 6.0, ROAD, np.where(np.sin(middle[:, 0] * 0.05) > 0.3, TERRAIN, GRASS))
    return mesh_of(corners, list(classes))


def pose_on_track(track: Track, s: float, d: float, speed: float = 0.0) -> CarPose:
    """Car at a track position, along the track, leaning with the road."""
    arrays = track.arrays
    x, y, z = query.point_at(arrays, s, d)
    tx, ty = query.heading_at(arrays, s)
    grade, bank = query.sample_at(arrays.grade, arrays, s), query.sample_at(arrays.bank, arrays, s)
    return CarPose(x, y, z, math.atan2(ty, tx), math.atan(grade), math.atan(bank), 0.0, 0.0, False, speed)
