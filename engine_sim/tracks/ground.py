"""The height field that carries everything outside the barriers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import GRASS, ROCK, TERRAIN

from ..core.exact import TWO_PI, sincos
from ..core.jit import kernel
from ..core.random import Stream
from .footing import edge_fields, join, push_below
from .settings import Land, named_setting
from .terrain import coarse_fields, ground_cover, open_land
from .track import Ground, TrackArrays

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GroundPlan:
    """Character of the land around a circuit.

    Args:
        setting: a name of ``settings.SETTINGS``.
        seed: of hills, patches and the direction of the shore.
        reach: metres of land beyond the circuit on every side.
        cell: metres between vertices; 0 chooses 6, 8 or 10 by the size of the circuit.
    """

    setting: str = "meadow"
    seed: int = 0
    reach: float = 600.0
    cell: float = 0.0


def build_ground(arrays: TrackArrays, plan: GroundPlan) -> Ground:
    """Height field around and below the ribbon.

    Raises:
        UserError: for an unknown setting.
    """
    land = named_setting(plan.setting).land
    seed = Stream(plan.seed, "ground").integer(0, 1 << 30)
    cell = plan.cell or _cell_size(arrays)
    x0, y0 = float(arrays.x.min()) - plan.reach, float(arrays.y.min()) - plan.reach
    cols = int((float(arrays.x.max()) + plan.reach - x0) / cell) + 2
    rows = int((float(arrays.y.max()) + plan.reach - y0) / cell) + 2
    far = coarse_fields(arrays.x, arrays.y, arrays.z, x0, y0, cell, rows, cols)
    z = open_land(*far, x0, y0, cell, rows, cols, _frame(arrays, plan.seed), _shape(land), seed)
    distance, edge, cap = edge_fields(arrays, x0, y0, cell, rows, cols)
    z = join(z, distance, edge, cap, cell, 8)
    push_below(z, arrays, x0, y0, cell, 2)
    cover = ground_cover(z, cell, x0, y0, land.bare, land.rock_slope, seed, GRASS, TERRAIN, ROCK)
    return Ground(x0, y0, cell, z, cover)


@kernel
def ground_height(z, x0, y0, cell, x, y):
    """Height of a ``Ground``'s field at (x, y), bilinear; outside the field, that of its border."""
    rows, cols = z.shape
    fx = min(max((x - x0) / cell, 0.0), cols - 1.000001)
    fy = min(max((y - y0) / cell, 0.0), rows - 1.000001)
    col, row = int(fx), int(fy)
    u, v = fx - col, fy - row
    low = z[row, col] * (1.0 - u) + z[row, col + 1] * u
    high = z[row + 1, col] * (1.0 - u) + z[row + 1, col + 1] * u
    return low * (1.0 - v) + high * v


def _shape(land: Land) -> Floats:
    """Numbers of a ``Land`` in the order of ``terrain.land_height``."""
    return np.array([
        land.roll, land.roll_size, land.horizon, land.rough, land.axis, land.sea, land.terrace, land.near, land.rise,
        land.infield,
    ])  # fmt: skip


def _cell_size(arrays: TrackArrays) -> float:
    extent = max(float(arrays.x.max() - arrays.x.min()), float(arrays.y.max() - arrays.y.min()))
    return 6.0 if extent < 700.0 else 8.0 if extent < 1800.0 else 10.0


def _frame(arrays: TrackArrays, seed: int) -> Floats:
    """Axes of the land for ``terrain.land_height``: the shore lies beyond the circuit in direction of the axis."""
    x_mid = (float(arrays.x.min()) + float(arrays.x.max())) / 2.0
    y_mid = (float(arrays.y.min()) + float(arrays.y.max())) / 2.0
    axis_y, axis_x = sincos(Stream(seed, "land axis").uniform(0.0, TWO_PI))
    along = (arrays.x - x_mid) * axis_x + (arrays.y - y_mid) * axis_y
    across = (arrays.y - y_mid) * axis_x - (arrays.x - x_mid) * axis_y
    shore = float(along.max()) + 95.0
    half_length, half_width = float(np.abs(along).max()), float(np.abs(across).max())
    level = float(arrays.z.min()) - 7.0
    return np.array([x_mid, y_mid, axis_x, axis_y, half_length, half_width, shore, level])
