"""Questions about any point of the map, for people and agents; rules use the kernels of ``query``."""

from __future__ import annotations

from typing import NamedTuple

from render_bridge.palette import GRASS, ROAD, ROAD_EDGE, TERRAIN

from ..core.errors import UserError
from . import query
from .corners import find_bends
from .corridor import LEVEL
from .generator.outline import crossings
from .track import ASPHALT, CONCRETE, DIRT, GRASS_SURFACE, GRAVEL, KERB, SAND, Track

SURFACE_NAMES = ("asphalt", "kerb", "grass", "dirt", "gravel", "sand", "concrete")
EDGE_LINE = 0.25
"""Width of the white line on the outer edge of the road, metres; its class is road edge."""


class TrackPosition(NamedTuple):
    """Where a point lies: sample before it, s, d in metres, and whether it is between the barriers."""

    sample: int
    s: float
    d: float
    inside: bool


class Corner(NamedTuple):
    """A bend: s of start, end and apex (metres), least radius (metres), direction ``left`` or ``right``."""

    start: float
    end: float
    apex: float
    radius: float
    direction: str


class Bridge(NamedTuple):
    """A crossing on two levels: s of the upper and the lower road, and the height between them, metres."""

    over: float
    under: float
    height: float


def position(track: Track, x: float, y: float, hint: int = -1) -> TrackPosition:
    """Track position of a point, metres; without a hint the upper level of a bridge."""
    a = track.arrays
    index, s, d = query.locate(a, float(x), float(y), hint)
    distance, _ = query.barrier_distance(a, index, s, d)
    return TrackPosition(int(index), float(s), float(d), bool(distance >= 0.0))


def verge_class(surface: int) -> int:
    """Class id of a verge: grass, bare terrain, or road where it is paved."""
    if surface == GRASS_SURFACE:
        return GRASS
    if surface in (DIRT, GRAVEL, SAND):
        return TERRAIN
    if surface in (ASPHALT, CONCRETE):
        return ROAD
    if surface == KERB:
        return ROAD_EDGE
    raise ValueError(f"unknown surface {surface}")


def class_at(track: Track, x: float, y: float) -> int:
    """Class id of the ground at (x, y): road, road edge, verge, or the cover of the land. Objects do not count."""
    place = position(track, x, y)
    if not place.inside:
        ground = track.ground
        row = min(max(int((y - ground.y0) / ground.cell + 0.5), 0), ground.cover.shape[0] - 1)
        col = min(max(int((x - ground.x0) / ground.cell + 0.5), 0), ground.cover.shape[1] - 1)
        return int(ground.cover[row, col])
    a = track.arrays
    surface = int(query.surface_at(a, place.sample, place.s, place.d))
    u = query.fraction(a, place.sample, place.s)
    width = query.blend(a.width_left if place.d >= 0.0 else a.width_right, place.sample, u)
    beyond = abs(place.d) - float(width)
    if beyond <= 0.0:
        return ROAD_EDGE if beyond > -EDGE_LINE else ROAD
    return verge_class(surface)


def surface_name_at(track: Track, x: float, y: float) -> str:
    """Name of the surface under (x, y): of the road, kerb or verge; beyond the barriers that of the land."""
    place = position(track, x, y)
    if place.inside:
        return SURFACE_NAMES[int(query.surface_at(track.arrays, place.sample, place.s, place.d))]
    return "grass" if class_at(track, x, y) == GRASS else "dirt"


def corners(track: Track) -> tuple[Corner, ...]:
    """All bends of the lap, in order of their start."""
    a, step = track.arrays, track.step
    return tuple(
        Corner(
            start=bend.start * step,
            end=bend.end * step,
            apex=bend.apex * step,
            radius=1.0 / abs(float(a.curvature[bend.apex])),
            direction="left" if bend.side > 0 else "right",
        )
        for bend in find_bends(a.curvature, step)
    )


def next_corners(track: Track, s: float, count: int) -> list[Corner]:
    """The next ``count`` bends from s on, first the one that s lies in or comes to; empty without bends.

    Raises:
        UserError: for a negative count.
    """
    if count < 0:
        raise UserError(f"next_corners: count must be 0 or more, got {count}")
    found = corners(track)
    if not found:
        return []
    length = track.length
    s = s % length
    first = min(range(len(found)), key=lambda k: _ahead(found[k], s, length))
    return [found[(first + k) % len(found)] for k in range(count)]


def _ahead(corner: Corner, s: float, length: float) -> float:
    """Metres to the corner; 0 inside it."""
    if (s - corner.start) % length <= (corner.end - corner.start) % length:
        return 0.0
    return (corner.start - s) % length


def nearest_barrier(track: Track, x: float, y: float) -> tuple[float, int]:
    """(metres to the nearer barrier's face, side): +1 left, -1 right; negative metres beyond it."""
    place = position(track, x, y)
    distance, side = query.barrier_distance(track.arrays, place.sample, place.s, place.d)
    return float(distance), int(side)


def bridges(track: Track) -> list[Bridge]:
    """Crossings of the road with itself on two levels."""
    a = track.arrays
    found = []
    for pair in crossings(a.x, a.y, 1):
        low, high = sorted(pair.tolist(), key=lambda i: float(a.z[i]))
        height = float(a.z[high] - a.z[low])
        if height >= LEVEL:
            found.append(Bridge(high * track.step, low * track.step, height))
    return found
