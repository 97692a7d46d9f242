"""From a track to everything that can be drawn of it: static cells, prototypes, instances."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..tracks.track import Track
from .meshes import barriers, bridges, car, ground, horizon, markings, prototypes, ribbon
from .meshes.parts import to_static
from .meshes.rings import Rings
from .scene_data import INSTANCE_DTYPE, Prototype, Scene, StaticCells

STATIC_LOD_DISTANCE = (110.0, 340.0, 5000.0)
WHEEL_OFFSETS = np.array(
    [(x * car.AXLE, y * car.TRACK, car.WHEEL_RADIUS) for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
)

_built: dict[str, tuple[Track, Scene]] = {}


def build_scene(track: Track) -> Scene:
    """The scene of a track; the last four are kept."""
    kept = _built.get(track.name)
    if kept is not None and kept[0] is track:
        return kept[1]
    scene = _build(track)
    while len(_built) >= 4:
        _built.pop(next(iter(_built)))
    _built[track.name] = (track, scene)
    return scene


def _build(track: Track) -> Scene:
    plants_and_houses, cars = _prototypes()
    all_prototypes = plants_and_houses + cars
    instances, prototype_of = _instances(track.scenery)
    boxes = np.stack([prototypes.extents(p) for p in all_prototypes])
    half = boxes[prototype_of] * instances["scale"].astype(np.float64)
    return Scene(
        name=track.name,
        static=static_cells(track),
        prototypes=all_prototypes,
        instances=instances,
        prototype_of=prototype_of,
        instance_radius=np.sqrt((half * half).sum(-1)),
        wheel_offsets=WHEEL_OFFSETS,
        ground=track.ground,
    )


@lru_cache(maxsize=1)
def _prototypes() -> tuple[tuple[Prototype, ...], tuple[Prototype, ...]]:
    return prototypes.scenery_prototypes(), prototypes.car_prototypes()


def static_cells(track: Track) -> StaticCells:
    """Ribbon cells first, then those of the height field, then the horizon's."""
    rings = Rings(track)
    bridge = bridges.bridge_samples(rings)
    under = {sign: _ground_beside(rings, sign) for sign in (ribbon.LEFT, ribbon.RIGHT)}
    parts = ribbon.road_parts(rings) + markings.marking_parts(rings)
    for sign in (ribbon.LEFT, ribbon.RIGHT):
        parts += ribbon.side_parts(rings, sign, bridge, under[sign])
        parts += barriers.barrier_parts(rings, sign)
    parts += bridges.bridge_parts(rings, bridge, under)
    parts += ground.ground_parts(track, rings, rings.cells)
    _, across, up = ground.cell_grid(track.ground)
    parts += horizon.horizon_parts(track, rings.cells + across * up)
    return to_static(parts, STATIC_LOD_DISTANCE)


def _ground_beside(rings: Rings, sign: int) -> NDArray[np.float64]:
    """Height of the ground just outside the barrier, the lower of two places, ``[n + 1]``."""
    side = ribbon.Side(rings, sign)
    heights = []
    for beyond in (0.0, 3.0):
        points = rings.at(sign * (side.barrier + ribbon.SHOULDER + beyond))
        heights.append(ground.ground_height(rings.track.ground, points[:, 0], points[:, 1]))
    return np.minimum(*heights)


def _instances(scenery: NDArray[np.void]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Scenery as instances, sorted by prototype (stable)."""
    chosen = prototypes.choose(scenery)
    order = np.argsort(chosen, kind="stable")
    objects = scenery[order]
    instances = np.zeros(len(objects), INSTANCE_DTYPE)
    c, s = np.cos(objects["yaw"]), np.sin(objects["yaw"])
    rotation = instances["rotation"]
    rotation[:, 0, 0], rotation[:, 0, 1] = c, -s
    rotation[:, 1, 0], rotation[:, 1, 1] = s, c
    rotation[:, 2, 2] = 1.0
    instances["origin"] = np.stack([objects["x"], objects["y"], objects["z"]], -1)
    instances["scale"] = np.stack([objects["size_x"], objects["size_y"], objects["size_z"]], -1)
    instances["seed"] = objects["seed"]
    instances["class_id"] = -1
    return instances, chosen[order]
