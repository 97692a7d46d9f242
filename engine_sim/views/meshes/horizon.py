"""Land beyond the height field: rings of ground that rise to distant hills, so that the view ends in a skyline."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ...core.random import Stream
from ...tracks.track import Track
from .barriers import every_lod
from .ground import finishes, ground_height
from .parts import StaticPart, pack
from .solids import grid_triangles, smooth_normals

Floats = NDArray[np.float64]

SECTORS = 24  # cells around
_COLUMNS = 6  # quads of a sector along the border
REACH = (0.0, 40.0, 160.0, 380.0, 700.0, 1100.0, 1500.0, 1900.0, 2400.0)  # metres beyond the border of the field
_HILLS = 90.0  # metres; largest height of the distant hills over the border of the field


def horizon_parts(track: Track, first_cell: int) -> list[StaticPart]:
    """SECTORS cells, the same in all levels of detail; they overlap the field by a little and lie under its border."""
    border = _border(track, SECTORS * _COLUMNS)
    points = _rings(track, border)
    flat = points.reshape(-1, 3)
    triangles = grid_triangles(len(REACH), SECTORS * _COLUMNS + 1)[:, ::-1]
    normal = smooth_normals(flat, triangles)
    steep = 1.0 - normal[:, 2]
    quad = np.repeat(np.arange(len(triangles) // 2), 2)
    cell = first_cell + (quad % (SECTORS * _COLUMNS)) // _COLUMNS
    kind = np.where(steep[triangles].mean(1) > 0.035, palette.TERRAIN, palette.GRASS)
    parts = []
    for class_id, finish in finishes(track).items():
        chosen = kind == class_id
        if chosen.any():
            parts.append(every_lod(pack(flat, normal, flat[:, :2], finish), triangles[chosen], cell[chosen]))
    return parts


def _border(track: Track, count: int) -> Floats:
    """Points of the field's border seen at even angles from its middle, closed ``[count + 1, 2]``."""
    ground = track.ground
    rows, cols = ground.z.shape
    half = 0.5 * ground.cell * np.array([cols - 1, rows - 1])
    angle = 2.0 * np.pi * np.arange(count + 1) / count
    # Even steps in a stretched angle: corners of the rectangle are met when the sectors divide by four.
    direction = np.stack([np.cos(angle), np.sin(angle)], -1)
    direction /= np.abs(direction).max(1, keepdims=True)
    middle = np.array([ground.x0, ground.y0]) + half
    return middle + direction * half


def _rings(track: Track, border: Floats) -> Floats:
    """Rings outward from the border, ``[rings, count + 1, 3]``."""
    ground = track.ground
    rows, cols = ground.z.shape
    middle = np.array([ground.x0, ground.y0]) + 0.5 * ground.cell * np.array([cols - 1, rows - 1])
    out = border - middle
    out /= np.sqrt((out * out).sum(-1, keepdims=True))
    edge = ground_height(ground, border[:, 0], border[:, 1])
    mean = float(edge.mean())
    rings = []
    for reach in REACH:
        plan = border + out * reach
        fade = min(1.0, reach / 500.0)
        hills = _hills(track, plan) * _HILLS * min(1.0, max(0.0, reach - 100.0) / 1500.0)
        height = edge * (1.0 - fade) + mean * fade + hills - (1.5 if reach == 0.0 else 0.0)
        rings.append(np.column_stack([plan, height]))
    return np.stack(rings)


def _hills(track: Track, plan: Floats) -> Floats:
    """Rolling heights, 0 … 1, from a few waves of the track's own."""
    stream = Stream(0, f"horizon {track.name}")
    total = np.zeros(len(plan))
    for wavelength, weight in ((2300.0, 0.5), (1250.0, 0.3), (640.0, 0.2)):
        angle, phase = stream.uniform(0.0, 6.2832), stream.uniform(0.0, 6.2832)
        along = plan[:, 0] * np.cos(angle) + plan[:, 1] * np.sin(angle)
        across = plan[:, 1] * np.cos(angle) - plan[:, 0] * np.sin(angle)
        k = 2.0 * np.pi / wavelength
        total += weight * (0.5 + 0.5 * np.sin(k * along + phase) * np.cos(0.7 * k * across + 2.0 * phase))
    return total
