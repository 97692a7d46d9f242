"""Paint on the road: start line and grid boxes, a finger's breadth above the asphalt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ...racing.placing import GRID_COLUMN, GRID_FIRST, GRID_STEP
from ..materials import Material
from .parts import Finish, StaticPart, pack
from .ribbon import from_line
from .rings import Rings

Floats = NDArray[np.float64]

HEIGHT = (0.012, 0.05)  # metres over the road in the near and the middle level; the far one shows no paint
LINE = 0.16
SLOTS = 16
NOSE = 2.5  # metres from the middle of a car to the front of its box
PAINT = Finish(palette.ROAD, Material.GRID_MARK)


def grid_slots(rings: Rings) -> list[tuple[float, float]]:
    """(s, d) of the front of each grid box, metres, where racing.placing puts the cars; s is negative."""
    slots = []
    for slot in range(SLOTS):
        s = -float(np.floor(GRID_FIRST + GRID_STEP * slot))
        i = int(s / rings.step) % rings.count
        name, sign = ("width_left", 1.0) if slot % 2 == 0 else ("width_right", -1.0)
        d = sign * min(0.5 * float(getattr(rings.track.arrays, name)[i]), GRID_COLUMN)
        slots.append((s + NOSE, d))
    return slots


def marking_parts(rings: Rings) -> list[StaticPart]:
    """Start line at s = 0 and a bracket in front of every grid slot."""
    slots = grid_slots(rings)
    right, left = -float(rings.track.arrays.width_right[0]), float(rings.track.arrays.width_left[0])
    bars = [(-0.25, 0.25, right + 0.3, left - 0.3)]
    for s, d in slots:
        bars.append((s, s + LINE, d - 1.25, d + 1.25))
        bars += [(s - 0.9, s, d - 1.25, d - 1.25 + LINE), (s - 0.9, s, d + 1.25 - LINE, d + 1.25)]
    return [p for lod, up in enumerate(HEIGHT) for p in _bars(rings, bars, up, lod)]


def _bars(rings: Rings, bars: list[tuple[float, float, float, float]], up: float, lod: int) -> list[StaticPart]:
    """Rectangles (s0, s1, d0, d1) laid on the road; each belongs to the cell of its middle."""
    boxes = np.array(bars)
    s = boxes[:, [0, 1, 1, 0]]
    d = boxes[:, [2, 2, 3, 3]]
    points, normal = on_road(rings, s.reshape(-1), d.reshape(-1))
    points[:, 2] += up
    vertices = pack(points, normal, np.stack([s.reshape(-1), d.reshape(-1)], -1), PAINT)
    nearest = np.round(s.reshape(-1) / rings.step).astype(np.int64) % rings.count
    vertices["surface"][:, 2] = from_line(rings, d.reshape(-1), nearest)
    triangles = (np.array([[0, 1, 2], [0, 2, 3]])[None] + 4 * np.arange(len(bars))[:, None, None]).reshape(-1, 3)
    middle = (boxes[:, :2].mean(1) / rings.step).astype(np.int64) % rings.count
    cell = np.repeat(rings.cell_of[middle], 2)
    return [StaticPart(vertices, triangles, cell, np.full(len(cell), lod))]


def on_road(rings: Rings, s: Floats, d: Floats) -> tuple[Floats, Floats]:
    """Points of the ribbon at (s, d), between rings as the near mesh has them, and the normals there."""
    u = np.mod(s, rings.count * rings.step) / rings.step
    i = np.minimum(u.astype(np.int64), rings.count - 1)
    f = (u - i)[:, None]
    across = rings.left[i] * (1.0 - f) + rings.left[i + 1] * f
    points = rings.center[i] * (1.0 - f) + rings.center[i + 1] * f + d[:, None] * across
    return points, np.cross(rings.tangent[i], across)
