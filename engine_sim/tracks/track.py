"""What a circuit is: a closed, evenly sampled centreline with its cross-section, ground and scenery.

Axes: x east, y north, z up, metres. ``s`` runs along the centreline in driving
direction, ``d`` across it, positive to the left. Angles are radians, counter-clockwise
from +x. The road surface at (s, d) lies at ``z(s) + bank(s) * d`` inside the barriers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Surfaces (what a tyre feels), stored per sample and side.
ASPHALT, KERB, GRASS_SURFACE, DIRT, GRAVEL, SAND, CONCRETE = range(7)
# Barrier styles (what stands there).
NO_BARRIER, GUARD_RAIL, CONCRETE_WALL, TYRE_WALL, FENCE = range(5)
# Kinds of scenery objects.
(TREE_BROADLEAF, TREE_CONIFER, BUSH, BOULDER, HOUSE, TOWER_BLOCK, HANGAR, PIT_BUILDING, STAND,
 BOARD, GANTRY, MARSHAL_POST, LAMP_POST) = range(13)  # fmt: skip


class TrackArrays(NamedTuple):
    """The numeric part, as kernels take it. Samples are ``float64 [n]`` at s = i * step unless said otherwise.

    Sample n would be sample 0 again. ``grid_*`` is a uniform grid over the plane: cell (row, col)
    lists the samples whose road, verges and a margin touch it, in
    ``cell_items[cell_start[k] : cell_start[k + 1]]`` with k = row * cols + col.
    """

    x: Floats
    y: Floats
    z: Floats
    tangent_x: Floats  # unit tangent in the plane
    tangent_y: Floats
    curvature: Floats  # 1/m, positive in left-hand bends
    bank: Floats  # dz/dd
    grade: Floats  # dz/ds
    width_left: Floats  # road from d = -width_right …
    width_right: Floats  # … to d = +width_left, metres, both positive
    kerb_left: Floats  # width of the kerb beyond the road, 0 for none
    kerb_right: Floats
    barrier_left: Floats  # d of the barrier's face, > width_left + kerb_left
    barrier_right: Floats  # distance to the right, positive
    surface_road: Ints
    surface_left: Ints  # between kerb and barrier
    surface_right: Ints
    style_left: Ints  # barrier style
    style_right: Ints
    line_d: Floats  # racing line
    line_curvature: Floats
    line_speed: Floats  # m/s for a car of full grip
    scalars: Floats  # [length, step, grid_x0, grid_y0, grid_cell]
    grid_shape: Ints  # [rows, cols]
    cell_start: Ints
    cell_items: Ints


SCENERY_DTYPE = np.dtype(
    [
        ("kind", np.int32),
        ("x", np.float64),
        ("y", np.float64),
        ("z", np.float64),  # ground under the object's origin
        ("yaw", np.float64),
        ("size_x", np.float64),  # along the object's own x, metres
        ("size_y", np.float64),
        ("size_z", np.float64),  # height
        ("seed", np.uint32),  # variation: prototype, colour, brand, crowd
    ]
)


@dataclass(frozen=True)
class Ground:
    """A height field around the circuit: ``z`` and ``cover`` are ``[rows, cols]``, row 0 at ``y0``.

    ``z`` lies below the ribbon of road and verges wherever they overlap. ``cover`` is a class id
    (grass, terrain or rock).
    """

    x0: float
    y0: float
    cell: float
    z: Floats
    cover: NDArray[np.uint8]


@dataclass(frozen=True)
class PitStraight:
    """Where the pit lane is: from ``start`` to ``end`` (s, metres) on ``side`` (+1 left, -1 right)."""

    start: float
    end: float
    side: int


@dataclass(frozen=True)
class Track:
    """One circuit, complete and immutable.

    Args:
        name: unique, lower case, words joined by ``-``.
        kind: ``road``, ``dirt`` or ``oval``.
        arrays: centreline and cross-section.
        ground: height field that carries everything outside the barriers.
        scenery: structured array of SCENERY_DTYPE.
        pit: pit straight, or None.
        source: ``built-in`` or ``torcs``.
        split: ``train`` or ``held-out``, by the written rule of ``tracks.catalogue``.
    """

    name: str
    kind: str
    arrays: TrackArrays
    ground: Ground
    scenery: NDArray[np.void]
    pit: PitStraight | None
    source: str
    split: str

    @property
    def length(self) -> float:
        """Length of a lap along the centreline, metres."""
        return float(self.arrays.scalars[0])

    @property
    def step(self) -> float:
        """Distance between samples, metres (about 2)."""
        return float(self.arrays.scalars[1])

    @property
    def samples(self) -> int:
        """Number of samples of the closed centreline."""
        return len(self.arrays.x)
