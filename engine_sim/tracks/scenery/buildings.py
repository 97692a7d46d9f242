"""Houses, towers and hangars: rows along the track, a skyline behind them, villages in the fields."""

from __future__ import annotations

from ...core.exact import TWO_PI, sincos
from ...core.random import Stream
from ..noise import fractal
from ..track import HANGAR, HOUSE, TOWER_BLOCK
from .distance import DistanceField, distance_at
from .roadside import Roadside, Size
from .surroundings import Surroundings
from .yard import Proposal, Yard, facing


def build_buildings(yard: Yard, road: Roadside, away: DistanceField, land: Surroundings, seed: int) -> None:
    """Place everything of this module."""
    stream = Stream(seed, "scenery buildings")
    if land.rows == "city":
        _city_front(yard, road, stream)
        _skyline(yard, away, stream)
    elif land.rows == "works":
        _hangar_groups(yard, road, stream, groups=4, longest=3)
    elif land.rows == "airfield":
        _hangar_groups(yard, road, stream, groups=6, longest=6)
        _control_tower(yard, road, stream)
    _villages(yard, road, away, land, stream)


def _city_front(yard: Yard, road: Roadside, stream: Stream) -> None:
    """House fronts and towers on both sides of the track, with side streets between the blocks."""
    salt = stream.integer(0, 1 << 30)
    for side in (1, -1):
        s = stream.uniform(0.0, 30.0)
        while s < road.length - 20.0:
            block_end = s + stream.uniform(60.0, 130.0)
            while s < block_end:
                width = stream.uniform(14.0, 30.0)
                _city_plot(yard, road, s + width / 2.0, side, width, salt, stream)
                s += width + stream.uniform(1.5, 5.0)
            s += stream.uniform(9.0, 24.0)


def _city_plot(yard: Yard, road: Roadside, s: float, side: int, width: float, salt: int, stream: Stream) -> None:
    x, y = road.point(road.index(s), 0.0)
    centre = 0.5 + 0.9 * fractal(x / 420.0, y / 420.0, salt, 2)  # near 1 downtown, near 0 in the suburbs
    gap, tall = stream.uniform(6.0, 13.0), stream.uniform()
    size = Size(width, stream.uniform(12.0, 20.0), 9.0 + 12.0 * tall + max(0.0, centre) * 34.0 * tall * tall)
    if size.z < 13.5 and width < 24.0:
        small = Size(min(width, 13.0), 9.5, stream.uniform(5.5, 8.0))
        yard.add(HOUSE, [road.beside(s, side, gap, small)], 2.5)
    else:
        yard.add(TOWER_BLOCK, [road.beside(s, side, gap, size)], 3.5)


def _skyline(yard: Yard, away: DistanceField, stream: Stream) -> None:
    """Blocks on a street grid, dense behind the first row, thinning out within 560 m."""
    sine, cosine = sincos(stream.uniform(0.0, TWO_PI))
    salt = stream.integer(0, 1 << 30)
    rows, cols = away.metres.shape
    x0, y0, cell = (float(v) for v in away.frame)
    mid_x, mid_y = x0 + cols * cell / 2.0, y0 + rows * cell / 2.0
    reach = int((cols + rows) * cell / 2.0 / 52.0)
    wishes = []
    for row in range(-reach, reach + 1):
        for col in range(-reach, reach + 1):
            a, b = 58.0 * col + stream.uniform(-6.0, 6.0), 46.0 * row + stream.uniform(-3.0, 3.0)
            chance, tall = stream.uniform(), stream.uniform()
            x, y = mid_x + a * cosine - b * sine, mid_y + a * sine + b * cosine
            metres = distance_at(away.metres, away.frame, x, y)
            if not 30.0 < metres < 560.0 or chance > 0.75 - 0.0013 * metres:
                continue
            centre = max(0.0, 0.5 + 0.9 * fractal(x / 420.0, y / 420.0, salt, 2))
            height = 10.0 + 16.0 * tall + 46.0 * centre * centre * tall
            width, depth = 15.0 + 17.0 * stream.uniform(), 13.0 + 9.0 * stream.uniform()
            wishes.append(Proposal(x, y, cosine, sine, width, depth, height))
    yard.add(TOWER_BLOCK, wishes, 5.0)


def _hangar_groups(yard: Yard, road: Roadside, stream: Stream, groups: int, longest: int) -> None:
    """Rows of hangars that face the track across an apron on which nothing grows."""
    for k in range(groups):
        s = (k + stream.uniform(0.1, 0.9)) * road.length / groups
        side = 1 if stream.chance(0.5) else -1
        size = Size(stream.uniform(22.0, 36.0), stream.uniform(18.0, 30.0), stream.uniform(8.0, 12.5))
        gap = stream.uniform(14.0, 46.0)
        for m in range(stream.integer(2, longest + 1)):
            wish = road.beside(s + m * (size.x + 7.0), side, gap, size)
            if yard.add(HANGAR, [wish], 3.5) == [True]:
                fx, fy = wish.uy, -wish.ux
                apron = (size.y + 16.0) / 2.0
                yard.keep_free(
                    [Proposal(wish.x + apron * fx, wish.y + apron * fy, wish.ux, wish.uy, size.x, 15.0, 0.0)]
                )


def _control_tower(yard: Yard, road: Roadside, stream: Stream) -> None:
    for _ in range(6):
        s = stream.uniform(0.0, road.length)
        wish = road.beside(s, 1 if stream.chance(0.5) else -1, stream.uniform(30.0, 70.0), Size(9.0, 9.0, 24.0))
        if yard.add(TOWER_BLOCK, [wish], 3.0) == [True]:
            return


def _villages(yard: Yard, road: Roadside, away: DistanceField, land: Surroundings, stream: Stream) -> None:
    """Hamlets and farms within sight: a short street with houses on both sides, roughly along the track."""
    wanted = land.villages * road.length / 1000.0
    count = int(wanted) + (1 if stream.chance(wanted - int(wanted)) else 0)
    for k in range(count):
        s = (k + stream.uniform()) * road.length / count
        side = 1 if stream.chance(0.5) else -1
        i = road.index(s)
        x, y = road.point(i, side * (road.barrier(i, side) + stream.uniform(32.0, 95.0)))
        turn = stream.uniform(-0.6, 0.6)
        tx, ty = road.tangent(i)
        sine, cosine = sincos(turn)
        _village(yard, away, x, y, tx * cosine - ty * sine, tx * sine + ty * cosine, stream)


def _village(yard: Yard, away: DistanceField, x: float, y: float, ax: float, ay: float, stream: Stream) -> None:
    farm = stream.chance(0.35)
    length = 34.0 if farm else stream.uniform(80.0, 190.0)
    along = -length / 2.0
    while along < length / 2.0:
        for side in (1.0, -1.0):
            size = Size(stream.uniform(8.5, 13.5), stream.uniform(7.0, 9.5), stream.uniform(5.5, 8.5))
            back = stream.uniform(7.0, 11.0) + size.y / 2.0
            shift = stream.uniform(-3.0, 3.0)
            px, py = x + (along + shift) * ax - side * back * ay, y + (along + shift) * ay + side * back * ax
            if stream.chance(0.82) and distance_at(away.metres, away.frame, px, py) > 12.0:
                yard.add(HOUSE, [Proposal(px, py, *facing(side * ay, -side * ax), *size)], 2.6)
        along += stream.uniform(16.0, 25.0)
    if farm:
        barn = Size(stream.uniform(14.0, 20.0), stream.uniform(10.0, 14.0), stream.uniform(6.0, 8.0))
        px, py = x + (length / 2.0 + 16.0) * ax, y + (length / 2.0 + 16.0) * ay
        if distance_at(away.metres, away.frame, px, py) > 16.0:
            yard.add(HANGAR, [Proposal(px, py, *facing(-ax, -ay), *barn)], 3.0)
