"""Which prototype each scenery object is drawn with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ...tracks import track as tracks
from ..materials import Material
from ..scene_data import Prototype
from .parts import Finish, to_mesh
from .solids import box, lathe

_B = [
    (tracks.TREE_BROADLEAF, palette.VEGETATION, Material.LEAVES), (tracks.TREE_CONIFER, palette.VEGETATION, Material.NEEDLES),
    (tracks.BUSH, palette.VEGETATION, Material.LEAVES), (tracks.BOULDER, palette.ROCK, Material.ROCK),
    (tracks.HOUSE, palette.BUILDING, Material.FACADE_HOUSE), (tracks.TOWER_BLOCK, palette.BUILDING, Material.FACADE_BLOCK),
    (tracks.HANGAR, palette.BUILDING, Material.FACADE_HANGAR), (tracks.PIT_BUILDING, palette.BUILDING, Material.FACADE_PIT),
    (tracks.STAND, palette.GRANDSTAND, Material.STAND_SEATS), (tracks.BOARD, palette.BILLBOARD, Material.BOARD_FACE),
    (tracks.GANTRY, palette.BILLBOARD, Material.BOARD_FACE), (tracks.MARSHAL_POST, palette.BUILDING, Material.FACADE_HOUSE),
    (tracks.LAMP_POST, palette.BARRIER, Material.METAL),
]


def scenery_prototypes() -> tuple[Prototype, ...]:
    out = []
    for kind, cls, mat in _B:
        f = Finish(cls, mat)
        if kind <= tracks.BUSH:
            m = to_mesh([lathe([(0.0, 0.0), (0.5, 0.3), (0.0, 1.0)], 8, f)])
        else:
            m = to_mesh([box((-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), f)])
        out.append(Prototype(str(kind), (m,), (900.0,), 1.23))
    return tuple(out)


def choose(scenery: NDArray[np.void]) -> NDArray[np.int64]:
    return scenery["kind"].astype(np.int64)


def car_prototypes() -> tuple[Prototype, Prototype]:
    f = Finish(palette.RIVAL_CAR, Material.CAR_PAINT)
    body = to_mesh([box((-1.9, -0.97, 0.2), (2.4, 0.97, 0.7), f), box((-1.2, -0.7, 0.7), (0.6, 0.7, 1.15), Finish(palette.RIVAL_CAR, Material.CAR_GLASS))])
    wheel = to_mesh([lathe([(0.0, -0.14), (0.33, -0.14), (0.33, 0.14), (0.0, 0.14)], 16, Finish(palette.RIVAL_CAR, Material.CAR_TYRE), axis=1)])
    return (Prototype("car_body", (body,), (1500.0,), 2.7), Prototype("car_wheel", (wheel,), (300.0,), 0.4))
