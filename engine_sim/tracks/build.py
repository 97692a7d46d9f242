"""Any closed centreline with its cross-section becomes a ``Track``: used by our generator and by the TORCS reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import ribbon
from .corridor import clear_barriers
from .ground import GroundPlan, build_ground
from .racing_line import LineGrip, corner_limits, line_curvature, line_steps, smoothest_line, speed_profile
from .track import SCENERY_DTYPE, PitStraight, Track, TrackArrays

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GRIP = (1.0, 0.95, 0.5, 0.68, 0.45, 0.4, 0.95)
"""Grip of each surface (``track.ASPHALT`` …) that the reference speed reckons with."""
SAMPLE_STEP = 2.0


class Centreline(NamedTuple):
    """Points of a closed curve, ``float64 [m]`` each, point m would be point 0 again; best ≤ 2 m apart."""

    x: Floats
    y: Floats
    z: Floats
    bank: Floats  # dz/dd


class CrossSection(NamedTuple):
    """Cross-section at every point of the centreline; meaning as in ``TrackArrays``."""

    width_left: Floats
    width_right: Floats
    kerb_left: Floats
    kerb_right: Floats
    barrier_left: Floats
    barrier_right: Floats
    surface_road: Ints
    surface_left: Ints
    surface_right: Ints
    style_left: Ints
    style_right: Ints


@dataclass(frozen=True)
class TrackLabel:
    """What a circuit is called and where it belongs; see ``Track``."""

    name: str
    kind: str
    source: str
    split: str


def assemble_track(
    label: TrackLabel,
    line: Centreline,
    section: CrossSection,
    pit: PitStraight | None = None,
    ground: GroundPlan | None = None,
    scenery: NDArray[np.void] | None = None,
) -> Track:
    """Resample, pull overlapping barriers in, find the racing line, lay the ground.

    Args:
        label: name, kind, source, split.
        line: closed centreline, x, y, z in metres, any spacing.
        section: cross-section per point of ``line``.
        pit: pit straight, s along the given centreline; held inside the lap.
        ground: character of the land; default: gentle meadows, seed 0.
        scenery: SCENERY_DTYPE [k]; default: none.
    """
    arrays = build_arrays(line, section)
    length = float(arrays.scalars[0])
    if pit is not None:
        pit = PitStraight(min(max(pit.start, 0.0), length), min(max(pit.end, 0.0), length), pit.side)
    return Track(
        name=label.name,
        kind=label.kind,
        arrays=arrays,
        ground=build_ground(arrays, ground or GroundPlan()),
        scenery=np.zeros(0, SCENERY_DTYPE) if scenery is None else scenery,
        pit=pit,
        source=label.source,
        split=label.split,
    )


def build_arrays(line: Centreline, section: CrossSection, grip: LineGrip = LineGrip()) -> TrackArrays:  # noqa: B008
    """The numeric part of a track: everything on one even step of about 2 m."""
    along = ribbon.chord_lengths(line.x, line.y)
    count = max(16, int(along[-1] / SAMPLE_STEP + 0.5))
    x, y, z, bank = (ribbon.resample_cubic(field, along, count) for field in line)
    section = CrossSection(
        *(ribbon.resample_linear(field, along, count) for field in section[:6]),
        *(ribbon.resample_nearest(field, along, count) for field in section[6:]),
    )
    step = float(along[-1]) / count
    tx, ty = ribbon.tangents(x, y)
    curvature = ribbon.turning(tx, ty, step)
    left, right = clear_barriers(x, y, z, tx, ty, curvature, step, *section[:6])
    section = section._replace(barrier_left=left, barrier_right=right)
    grade = ribbon.central_slope(z, step)
    x0, y0, shape, start, items = ribbon.lookup_grid(x, y, tx, ty, left, right)
    line_fields = _racing_line(x, y, tx, ty, bank, grade, step, section, grip)
    scalars = np.array([step * count, step, x0, y0, 16.0])
    return TrackArrays(
        x, y, z, tx, ty, curvature, bank, grade, *section, *line_fields, scalars, shape, start, items
    )  # fmt: skip


def _racing_line(
    x: Floats, y: Floats, tx: Floats, ty: Floats, bank: Floats, grade: Floats, step: float,
    section: CrossSection, grip: LineGrip,
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """(line_d, line_curvature, line_speed) on the samples."""
    high = _reach(section.width_left, section.barrier_left, grip)
    low = -_reach(section.width_right, section.barrier_right, grip)
    d = smoothest_line(x, y, -ty, tx, low, high)
    bend = line_curvature(x, y, -ty, tx, d)
    surface = np.array(GRIP)[section.surface_road]
    crest = ribbon.smooth_closed(ribbon.central_slope(grade, step), 4, 1)
    limit = corner_limits(bend, bank, crest, grip.lateral * surface, 95.0)
    steps = line_steps(x, y, -ty, tx, d)
    speed = speed_profile(limit, surface, grade, steps, grip.braking, grip.traction, grip.power, grip.drag)
    return d, bend, speed


def _reach(width: Floats, barrier: Floats, grip: LineGrip) -> Floats:
    """How far the line may go to one side; on very narrow roads a quarter of it all the same."""
    return np.maximum(np.minimum(width - grip.margin, barrier - grip.wall), 0.25 * width)
