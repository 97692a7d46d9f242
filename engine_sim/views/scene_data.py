"""What all views draw: one scene of meshes, and one list a frame of the parts in sight.

Class views and the teacher view read the same scene and the same draw list, so they cover the same pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..tracks.track import Ground

VERTEX_DTYPE = np.dtype(
    [
        ("position", "<f4", 3),  # metres; world axes in static cells, the object's own in prototypes
        ("normal", "<f4", 3),  # unit
        ("uv", "<f4", 2),  # meaning: materials.Material
        ("surface", "u1", 4),  # class id, material id, variation (0–255), ambient openness (255 = open sky)
    ]
)
"""36 bytes a vertex. The class id must be equal on the three corners of a triangle."""

INSTANCE_DTYPE = np.dtype(
    [
        ("rotation", "<f4", (3, 3)),  # rows: world = rotation @ (scale * local) + origin
        ("origin", "<f4", 3),
        ("scale", "<f4", 3),
        ("seed", "<u4"),  # variation of the material
        ("object", "<u4"),  # 0 static, car index + 1 for cars
        ("class_id", "<i4"),  # −1: keep the vertex's class; cars override theirs (player or rival)
    ]
)

MAX_LODS = 6


@dataclass(frozen=True)
class Mesh:
    """Triangles, counter-clockwise seen from outside: ``vertices`` VERTEX_DTYPE [n], ``indices`` uint32 [3 m]."""

    vertices: NDArray[np.void]
    indices: NDArray[np.uint32]


@dataclass(frozen=True)
class Prototype:
    """A mesh drawn many times. ``lods[k]`` is used while the distance is below ``lod_distance[k]`` metres.

    Beyond the last distance the object is not drawn at all. Distances are scaled by nothing: the choice depends on
    the camera's place alone, so every resolution sees the same triangles.
    """

    name: str
    lods: tuple[Mesh, ...]
    lod_distance: tuple[float, ...]
    radius: float  # of the bounding sphere around the local origin at scale 1


@dataclass(frozen=True)
class StaticCells:
    """Road, verges, barriers and ground, cut into cells that share one mesh.

    ``first`` and ``count`` are int64 ``[cells, lods]`` index ranges into ``mesh.indices``; cell c uses lod k while its
    nearest point is closer than ``lod_distance[k]``.
    """

    mesh: Mesh
    center: NDArray[np.float64]  # [cells, 3]
    radius: NDArray[np.float64]  # [cells]
    first: NDArray[np.int64]
    count: NDArray[np.int64]
    lod_distance: tuple[float, ...]


@dataclass(frozen=True)
class Scene:
    """A circuit ready to draw.

    ``prototypes`` hold the scenery kinds and, by name, ``car_body`` and ``car_wheel``. ``instances`` is INSTANCE_DTYPE
    [n], sorted by prototype; ``prototype_of`` int64 [n]. Wheel places are in the car's own axes
    (x forward, y left, z up): ``wheel_offsets`` float64 [4, 3], front left, front right, rear left, rear right.
    """

    name: str
    static: StaticCells
    prototypes: tuple[Prototype, ...]
    instances: NDArray[np.void]
    prototype_of: NDArray[np.int64]
    instance_radius: NDArray[np.float64]
    wheel_offsets: NDArray[np.float64]
    ground: Ground | None = None  # what casts the shadows of hills

    @cached_property
    def lod_table(self) -> NDArray[np.float64]:
        """Distances ``[prototypes, MAX_LODS]``; levels that a prototype lacks begin and end nowhere."""
        table = np.full((len(self.prototypes), MAX_LODS), -1.0)
        for row, prototype in zip(table, self.prototypes, strict=True):
            row[: len(prototype.lod_distance)] = prototype.lod_distance
        return table


@dataclass(frozen=True)
class Batch:
    """All visible instances of one level of detail of one prototype."""

    prototype: int
    lod: int
    instances: NDArray[np.void]  # INSTANCE_DTYPE [k]


@dataclass(frozen=True)
class DrawList:
    """The parts in sight of one frame, in a fixed order."""

    ranges: NDArray[np.int64]  # [r, 2] first index and count in static.mesh.indices
    batches: tuple[Batch, ...]
