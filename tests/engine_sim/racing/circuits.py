"""Small circuits for tests: an oval with flat or banked bends, on any surface."""

from __future__ import annotations

import functools
import math

import numpy as np

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
    points = []
    arc = math.pi * radius
    length = 2.0 * straight + 2.0 * arc
    count = int(length)
    for k in range(count):
        s = length * k / count
        if s < straight / 2:
            points.append((s, -radius))
        elif s < straight / 2 + arc:
            a = (s - straight / 2) / radius
            points.append((straight / 2 + radius * math.sin(a), -radius * math.cos(a)))
        elif s < 1.5 * straight + arc:
            points.append((straight / 2 - (s - straight / 2 - arc), radius))
        elif s < 1.5 * straight + 2 * arc:
            a = (s - 1.5 * straight - arc) / radius
            points.append((-straight / 2 - radius * math.sin(a), radius * math.cos(a)))
        else:
            points.append((-straight / 2 + (s - 1.5 * straight - 2 * arc), -radius))
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
