"""Which prototypes there are, how far each level of detail reaches, and which one a scenery object is drawn with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...tracks import track as tracks
from ..scene_data import Prototype
from . import buildings, car, plants, trackside, wheel
from .parts import Part, to_mesh

Ints = NDArray[np.int64]


class Kind(NamedTuple):
    """Prototypes of one scenery kind: builder (form, lod) → part, number of forms, reach of the levels in metres.

    Odd forms reach only as far as ``odd_reach`` where that is given: far woods are thinned out, not cut off.
    """

    name: str
    build: Callable[[int, int], Part]
    forms: int
    reach: tuple[float, ...]
    odd_reach: float = 0.0


_TREES = (45.0, 110.0, 260.0, 1000.0)
KINDS: dict[int, Kind] = {
    tracks.TREE_BROADLEAF: Kind("broadleaf", plants.broadleaf, plants.BROADLEAF_FORMS, _TREES, 480.0),
    tracks.TREE_CONIFER: Kind("conifer", plants.conifer, plants.CONIFER_FORMS, _TREES, 480.0),
    tracks.BUSH: Kind("bush", plants.bush, plants.BUSH_FORMS, (25.0, 70.0, 280.0)),
    tracks.BOULDER: Kind("boulder", plants.boulder, plants.BOULDER_FORMS, (25.0, 80.0, 450.0)),
    tracks.HOUSE: Kind("house", buildings.house, buildings.HOUSE_FORMS, (90.0, 260.0, 2000.0)),
    tracks.TOWER_BLOCK: Kind("tower", buildings.tower, buildings.TOWER_FORMS, (110.0, 320.0, 2600.0)),
    tracks.HANGAR: Kind("hangar", buildings.hangar, buildings.HANGAR_FORMS, (100.0, 300.0, 2000.0)),
    tracks.PIT_BUILDING: Kind("pits", trackside.pit_building, len(trackside.PIT_BAYS), (90.0, 260.0, 2000.0)),
    tracks.STAND: Kind("stand", trackside.stand, len(trackside.STAND_BAYS), (80.0, 240.0, 2000.0)),
    tracks.BOARD: Kind("board", trackside.board, 3, (70.0, 180.0, 800.0)),
    tracks.GANTRY: Kind("gantry", lambda form, lod: trackside.gantry(lod), 1, (100.0, 300.0, 1500.0)),
    tracks.MARSHAL_POST: Kind("marshal", lambda form, lod: trackside.marshal_post(lod), 1, (60.0, 160.0, 500.0)),
    tracks.LAMP_POST: Kind("lamp", lambda form, lod: trackside.lamp_post(lod), 1, (60.0, 160.0, 600.0)),
}
_PLANTS = ("broadleaf", "conifer", "bush", "boulder")  # they bake their own openness
CAR_REACH = {"car_body": (22.0, 70.0, 1500.0), "car_wheel": (22.0, 70.0, 500.0)}


def scenery_prototypes() -> tuple[Prototype, ...]:
    """All forms of all kinds, in the order of the kinds."""
    result = []
    for kind in KINDS.values():
        for form in range(kind.forms):
            parts = [kind.build(form, lod) for lod in range(len(kind.reach))]
            if kind.name not in _PLANTS:
                parts = [grounded(p, 0.25, 0.6) for p in parts]
            reach = (*kind.reach[:-1], kind.odd_reach) if form % 2 and kind.odd_reach else kind.reach
            result.append(_prototype(f"{kind.name}_{form}", parts, reach))
    return tuple(result)


def car_prototypes() -> tuple[Prototype, Prototype]:
    """The car's body and its wheel."""
    body = [grounded(car.body_parts(lod), 0.5, 0.5) for lod in range(3)]
    round_ = [wheel.wheel_parts(lod) for lod in range(3)]
    return (
        _prototype("car_body", body, CAR_REACH["car_body"]),
        _prototype("car_wheel", round_, CAR_REACH["car_wheel"]),
    )


def grounded(part: Part, height: float, least: float) -> Part:
    """The part with its openness reduced towards the ground: times ``least`` at z = 0, unchanged from ``height`` on."""
    share = np.clip(part.vertices["position"][:, 2] / height, 0.0, 1.0)
    vertices = part.vertices.copy()
    vertices["surface"][:, 3] = vertices["surface"][:, 3] * (least + (1.0 - least) * share)
    return Part(vertices, part.triangles)


def _prototype(name: str, parts: list[Part], reach: tuple[float, ...]) -> Prototype:
    meshes = tuple(to_mesh([part]) for part in parts)
    position = np.concatenate([m.vertices["position"] for m in meshes]).astype(np.float64)
    return Prototype(name, meshes, reach, float(np.sqrt((position * position).sum(-1).max())))


def extents(prototype: Prototype) -> NDArray[np.float64]:
    """Largest |x|, |y|, |z| over all levels, ``[3]``: with a scale they bound any instance."""
    return np.max([np.abs(m.vertices["position"].astype(np.float64)).max(0) for m in prototype.lods], 0)


def choose(scenery: NDArray[np.void]) -> Ints:
    """Prototype of each scenery object, int64 ``[n]``: by its size where forms differ in size, else by its seed."""
    first = np.cumsum([0] + [k.forms for k in KINDS.values()])
    starts = dict(zip(KINDS, first.tolist()))
    chosen = np.zeros(len(scenery), np.int64)
    for kind, info in KINDS.items():
        mine = scenery["kind"] == kind
        chosen[mine] = starts[kind] + _form(kind, info.forms, scenery[mine])
    return chosen


def _form(kind: int, forms: int, objects: NDArray[np.void]) -> Ints:
    if kind == tracks.PIT_BUILDING:
        return np.searchsorted([45.0, 110.0], objects["size_x"])
    if kind == tracks.STAND:
        return np.searchsorted([22.0, 38.0], objects["size_x"])
    if kind == tracks.BOARD:
        small = objects["size_x"] < 2.5
        return np.where(small, trackside.BOARD_MARKER, np.where(objects["size_z"] > 3.2, trackside.BOARD_TALL, 0))
    return (objects["seed"].astype(np.int64) >> 3) % forms
