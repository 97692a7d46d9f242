"""Small circuits for tests: an oval with flat or banked bends, on any surface."""

from __future__ import annotations

import functools

import numpy as np

from engine_sim.core.exact import PI, sincos
from engine_sim.tracks.build import Centreline, CrossSection, TrackLabel, assemble_track
from engine_sim.tracks.track import ASPHALT, CONCRETE_WALL, GRASS_SURFACE, GUARD_RAIL, Track


@functools.lru_cache(maxsize=16)
def oval(
    straight: float = 200.0, radius: float = 60.0, half_width: float = 7.0, surface: int = ASPHALT, bank: float = 0.0,
    slope: float = 0.0, verge: float = 8.0, verge_surface: int = GRASS_SURFACE,
) -> Track:  # fmt: skip
    """Counter-clockwise oval, start line in the middle of the lower straight.

    Args:
        straight, radius: metres.
        half_width: of the road.
        surface: of the road.
        bank: inward slope everywhere, rise over run.
        slope: the plane falls to the west by this much per metre of x.
        verge: metres from road to barrier.
        verge_surface: surface there.
    """
    arc = PI * radius
    length = 2.0 * straight + 2.0 * arc
    count = int(length)
    points = [_oval_point(length * k / count, straight, radius, arc) for k in range(count)]
    x, y = (np.array(v) for v in zip(*points, strict=True))

    def flat(value: float) -> np.ndarray:
        return np.full(count, float(value))

    def kind(value: int) -> np.ndarray:
        return np.full(count, value, np.int64)

    section = CrossSection(
        flat(half_width), flat(half_width), flat(0), flat(0), flat(half_width + verge), flat(half_width + verge),
        kind(surface), kind(verge_surface), kind(verge_surface), kind(GUARD_RAIL), kind(CONCRETE_WALL),
    )  # fmt: skip
    label = TrackLabel("test-oval", "oval", "built-in", "train")
    return assemble_track(label, Centreline(x, y, slope * x, flat(-bank)), section)


def _oval_point(s: float, straight: float, radius: float, arc: float) -> tuple[float, float]:
    """Point of the centreline at s, from the middle of the lower straight on."""
    turned = s - 0.5 * straight
    if turned < 0.0:
        return s, -radius
    half = straight + arc  # the second half is the first one turned about the centre
    sign = 1.0
    if turned >= half:
        turned, sign = turned - half, -1.0
    if turned < arc:
        sine, cosine = sincos(turned / radius)
        return sign * (0.5 * straight + radius * sine), -sign * radius * cosine
    return sign * (0.5 * straight - (turned - arc)), sign * radius
