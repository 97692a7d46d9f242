"""Segments → an evenly sampled closed centreline with its cross-section.

Every step of a segment is an exact arc: from its start a chord of length 2 sin(κs/2)/κ leads in the
direction of the mean heading. Files leave a gap of centimetres between end and start; it
is spread over the lap in proportion to s, so no single place moves more than its share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.core.exact import sincos

from .layout import Layout, Segment

SPACING = 1.0
"""Metres between samples; ``assemble_track`` resamples to its own step."""
MAX_GAP = 2.0
"""Metres that the end of a lap may miss its start by, in the plane. Debian's tracks stay below 0.3."""
MAX_STEP_UP = 1.5
"""Metres that the end of a lap may miss its start by in height, per kilometre of lap, plus 1 m."""

Floats = NDArray[np.float64]
Pose = tuple[float, float, float]


@dataclass(frozen=True)
class Sampled:
    """Samples at s = i * step, step close to SPACING; ``part`` is the share of the segment that lies behind."""

    x: Floats
    y: Floats
    z: Floats
    bank: Floats
    curvature: Floats
    segment: NDArray[np.int64]
    part: Floats
    starts: tuple[float, ...]  # s at which each segment starts, and the length of the lap
    gap: float  # metres in the plane before it was spread

    @property
    def step(self) -> float:
        """Metres between samples."""
        return self.starts[-1] / len(self.x)


def advance(pose: Pose, length: float, curvature: float) -> Pose:
    """(x, y, heading) after ``length`` metres of an arc."""
    x, y, heading = pose
    half = curvature * length / 2.0
    chord = length if abs(half) < 1e-12 else 2.0 * sincos(half)[0] / curvature
    sine, cosine = sincos(heading + half)
    return x + chord * cosine, y + chord * sine, heading + 2.0 * half


def sample_layout(layout: Layout, source: str) -> Sampled:
    """The closed centreline of a layout.

    Raises:
        UserError: the lap does not close.
    """
    starts = [0.0]
    for segment in layout.segments:
        starts.append(starts[-1] + segment.length)
    count = max(16, int(starts[-1] / SPACING + 0.5))
    x, y, z, bank, curvature, part = (np.zeros(count) for _ in range(6))
    which = np.zeros(count, np.int64)
    pose: Pose = (0.0, 0.0, 0.0)
    done = 0
    for index, segment in enumerate(layout.segments):
        first = done
        pose, done = _sample_segment(segment, pose, starts[index], starts[-1] / count, done, x, y, curvature)
        which[first:done] = index
        for i in range(first, done):
            part[i] = min(1.0, (i * (starts[-1] / count) - starts[index]) / segment.length)
            z[i], bank[i] = segment.heights.at(float(part[i]), segment.length, layout.width)
    rise = _end_height(layout)
    _check_closed(source, pose, rise, starts[-1])
    share = np.arange(done) / count
    gap = math.sqrt(pose[0] * pose[0] + pose[1] * pose[1])
    return Sampled(
        x[:done] - share * pose[0], y[:done] - share * pose[1], z[:done] - share * rise, bank[:done], curvature[:done],
        which[:done], part[:done], tuple(starts), gap,
    )  # fmt: skip


def _sample_segment(
    segment: Segment, pose: Pose, start: float, step: float, done: int, x: Floats, y: Floats, curvature: Floats
) -> tuple[Pose, int]:
    """Fill in the samples of one segment; (pose at its end, number of samples done so far)."""
    s = start
    for length, bend in segment.steps:
        while done < len(x) and done * step < s + length:
            x[done], y[done], _ = advance(pose, done * step - s, bend)
            curvature[done] = bend
            done += 1
        pose = advance(pose, length, bend)
        s += length
    return pose, done


def _end_height(layout: Layout) -> float:
    """Height of the end of the lap over its start."""
    start = layout.segments[0].heights.at(0.0, 1.0, layout.width)[0]
    end = layout.segments[-1].heights.at(1.0, 1.0, layout.width)[0]
    return end - start


def _check_closed(source: str, pose: Pose, rise: float, length: float) -> None:
    gap = math.sqrt(pose[0] * pose[0] + pose[1] * pose[1])
    _, cosine = sincos(pose[2])
    if gap > MAX_GAP or cosine < 0.999:
        raise UserError(
            f"{source}: expected a lap that closes within {MAX_GAP:g} m, got a gap of {gap:.2f} m and a turn of "
            f"{pose[2] * 180.0 / math.pi:.2f} degrees after {length:.0f} m; is a segment missing or changed?"
        )
    if abs(rise) > 1.0 + MAX_STEP_UP * length / 1000.0:
        raise UserError(
            f"{source}: expected a lap that ends at its starting height, got a step of {rise:.2f} m; "
            "is a 'z end' or 'grade' missing or changed?"
        )
