"""A scene as the loops of the draw list read it: plain arrays, made once and kept while the scene lives."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .culling_kernels import WORDS
from .scene_data import Scene

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CAR_PARTS = ("car_body", "car_wheel")
"""Prototypes of what a car consists of."""
_GROUP_SIZE = 128.0  # metres along a side of the squares whose scenery is looked at together
_MARGIN = 0.1
"""Metres: a group may be looked at in vain, but never missed by rounding or a camera that is not quite unit."""


class SceneTables(NamedTuple):
    """All arrays are contiguous; their order is that of the arguments of ``culling_kernels.everything_in_view``."""

    center: Floats  # of static cells [cells, 3]
    radius: Floats  # [cells]
    first: Ints  # [cells, lods]
    counts: Ints  # [cells, lods]
    lod_distance: Floats  # [lods]
    places: Floats  # of scenery, by groups of neighbours [n, 4]: x, y, z, radius
    prototype_of: Ints  # in the same order [n]
    levels: Floats  # Scene.lod_table
    members: Ints  # which record each of them has [n]
    group_end: Ints  # end of each group in them [groups]
    group_sphere: Floats  # [groups, 5] around all of its spheres: x, y, z, radius; distance of its last level
    records: NDArray[np.uint64]  # of scenery [n, WORDS]
    car_prototypes: Ints  # [2] body, wheel; −1 where a scene has none
    car_radius: Floats  # [2]


_known: dict[int, tuple[weakref.ref[Scene], SceneTables]] = {}


def tables_of(scene: Scene) -> SceneTables:
    """The scene's tables."""
    key = id(scene)
    known = _known.get(key)
    if known is None or known[0]() is not scene:
        known = weakref.ref(scene, lambda gone: _forget(key, gone)), _make(scene)
        _known[key] = known
    return known[1]


def records_of(scene: Scene) -> NDArray[np.uint64]:
    """Instance records of the scenery, uint64 ``[n, WORDS]``, in the scene's own memory where they can be."""
    return np.ascontiguousarray(scene.instances).view(np.uint64).reshape(-1, WORDS)


def _forget(key: int, gone: weakref.ref[Scene]) -> None:
    # Another scene may live at the same address, and have its tables here, before the end of the first is told.
    if key in _known and _known[key][0] is gone:
        del _known[key]


def _make(scene: Scene) -> SceneTables:
    static = scene.static
    places = np.column_stack([scene.instances["origin"], scene.instance_radius]).astype(np.float64)
    names = [p.name for p in scene.prototypes]
    cars = [names.index(name) if name in names else -1 for name in CAR_PARTS]
    members, group_end, group_sphere = _groups(places, scene.lod_table.max(1, initial=-1.0)[scene.prototype_of])
    return SceneTables(
        center=np.ascontiguousarray(static.center),
        radius=np.ascontiguousarray(static.radius),
        first=np.ascontiguousarray(static.first),
        counts=np.ascontiguousarray(static.count),
        lod_distance=np.array(static.lod_distance, np.float64),
        places=places[members],
        prototype_of=scene.prototype_of[members],
        levels=scene.lod_table,
        members=members,
        group_end=group_end,
        group_sphere=group_sphere,
        records=records_of(scene),
        car_prototypes=np.array(cars, np.int64),
        car_radius=np.array([scene.prototypes[number].radius if number >= 0 else 0.0 for number in cars]),
    )


def _groups(places: Floats, farthest: Floats) -> tuple[Ints, Ints, Floats]:
    """Scenery by squares of the plane; ``farthest`` [n]: distance at which each is no longer drawn."""
    square = np.floor(places[:, :2] / _GROUP_SIZE)
    members = np.lexsort(square.T)
    sorted_square = square[members]
    last = np.ones(len(members), bool)
    last[:-1] = (sorted_square[1:] != sorted_square[:-1]).any(1)
    end = np.flatnonzero(last) + 1
    spheres = []
    for mine in np.split(members, end[:-1]) if len(members) else []:
        x = places[mine]
        middle = 0.5 * (x[:, :3].min(0) + x[:, :3].max(0))
        radius = (np.linalg.norm(x[:, :3] - middle, axis=1) + x[:, 3]).max() + _MARGIN
        spheres.append([*middle, radius, farthest[mine].max()])
    return members, end, np.array(spheres, np.float64).reshape(-1, 5)
