"""The land around a circuit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from render_bridge.palette import GRASS

from .track import Ground, TrackArrays


@dataclass(frozen=True)
class GroundPlan:
    """Character of the land around a circuit."""

    setting: str = "meadow"
    seed: int = 0
    reach: float = 600.0
    cell: float = 8.0


def build_ground(arrays: TrackArrays, plan: GroundPlan) -> Ground:
    """Height field around the ribbon."""
    x0, y0 = float(arrays.x.min()) - plan.reach, float(arrays.y.min()) - plan.reach
    cols = int((float(arrays.x.max()) + plan.reach - x0) / plan.cell) + 2
    rows = int((float(arrays.y.max()) + plan.reach - y0) / plan.cell) + 2
    z = np.full((rows, cols), float(arrays.z.min()) - 3.0)
    return Ground(x0, y0, plan.cell, z, np.full((rows, cols), GRASS, np.uint8))
