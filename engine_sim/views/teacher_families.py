"""Families of materials: what one shader program can paint, and the text of programs that paint some or all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import IntEnum

import numpy as np

from .materials import Material as M
from .scene_data import Mesh, Scene
from .teacher_blocks import source


class Family(IntEnum):
    """Materials whose shading shares most of its work."""

    SKY = 0
    ROAD = 1
    HARD = 2
    GRASS = 3
    LOOSE = 4
    ROCK = 5
    BARRIER = 6
    FACADE = 7
    ROOF = 8
    STAND = 9
    BOARD = 10
    FRAME = 11
    PLANT = 12
    CAR = 13


NOTHING = 15
"""Where a pixel has no further part."""

_MEMBERS: dict[Family, tuple[M, ...]] = {
    Family.ROAD: (M.ASPHALT, M.EDGE_LINE, M.GRID_MARK),
    Family.HARD: (M.CONCRETE, M.KERB),
    Family.GRASS: (M.GRASS_MOWN, M.GRASS_WILD),
    Family.LOOSE: (M.DIRT_ROAD, M.SOIL, M.GRAVEL, M.SAND),
    Family.ROCK: (M.ROCK,),
    Family.BARRIER: (M.GUARD_RAIL, M.CONCRETE_WALL, M.TYRE_WALL, M.FENCE),
    Family.FACADE: (M.FACADE_HOUSE, M.FACADE_BLOCK, M.FACADE_HANGAR, M.FACADE_PIT),
    Family.ROOF: (M.ROOF,),
    Family.STAND: (M.STAND_SEATS,),
    Family.BOARD: (M.BOARD_FACE,),
    Family.FRAME: (M.STAND_FRAME, M.BOARD_FRAME, M.METAL),
    Family.PLANT: (M.BARK, M.LEAVES, M.NEEDLES),
    Family.CAR: tuple(M(k) for k in range(M.CAR_PAINT, M.CAR_TAILLIGHT + 1)),
}
FAMILY_OF = {material: family for family, members in _MEMBERS.items() for material in members}

_GROUND = {Family.ROAD, Family.HARD, Family.GRASS, Family.LOOSE, Family.ROCK}
_BUILT = {Family.BARRIER, Family.FACADE, Family.ROOF, Family.STAND, Family.BOARD, Family.FRAME}
_FILES: tuple[tuple[str, set[Family]], ...] = (
    ("teacher_ground.glsl", _GROUND),
    ("teacher_built.glsl", _BUILT),
    ("teacher_barriers.glsl", {Family.BARRIER}),
    ("teacher_buildings.glsl", {Family.FACADE, Family.ROOF}),
    ("teacher_stands.glsl", {Family.STAND, Family.BOARD}),
    ("teacher_things.glsl", _BUILT),
    ("teacher_plants.glsl", {Family.PLANT}),
    ("teacher_car_wear.glsl", {Family.CAR}),
    ("teacher_cars.glsl", {Family.CAR}),
    ("teacher_sky.glsl", {Family.SKY}),
)


def families_of(scene: Scene) -> dict[Family, bool]:
    """Families that a scene can show, in order, the sky always; True for those that objects show too."""
    static = _shown([scene.static.mesh])
    objects = _shown([mesh for prototype in scene.prototypes for mesh in prototype.lods])
    return {family: family in objects for family in sorted({Family.SKY} | static | objects)}


def _shown(meshes: Sequence[Mesh]) -> set[Family]:
    kinds = np.unique(np.concatenate([np.unique(mesh.vertices["surface"][:, 1]) for mesh in meshes]))
    return {FAMILY_OF[M(kind)] for kind in kinds.tolist()}


def painter_source(families: Collection[Family], entry: tuple[str, ...], features: tuple[str, ...] = ()) -> str:
    """Text of a program that paints some families.

    Args:
        families: which.
        entry: files that come last and hold ``main``.
        features: further defines.
    """
    chosen = set(families)
    defines = [f"PAINTS_{family.name}" for family in sorted(chosen)]
    defines += ["PAINTS_GROUND"] * bool(chosen & _GROUND) + ["PAINTS_BUILT"] * bool(chosen & _BUILT)
    defines += ["PAINTS_THINGS"] * bool(chosen - {Family.SKY})
    if len(chosen) > 1:
        defines.append("MATTE (material >= BARK && material <= NEEDLES)")
    else:
        defines.append("MATTE true" if Family.PLANT in chosen else "MATTE false")
    files = [name for name, painted in _FILES if chosen & painted]
    shared = ("teacher_common.glsl", "teacher_point.glsl", "teacher_light.glsl", "teacher_detail.glsl")
    return source(*shared, *files, "teacher_shade.glsl", *entry, features=(*defines, *features))


def family_table() -> tuple[str, str]:
    """Defines: the family of every material id, and the number of none."""
    names = ", ".join(str(int(FAMILY_OF[material])) for material in M)
    return f"NOTHING {NOTHING}", f"FAMILY_OF int[{len(M)}]({names})"
