"""What a circuit builds beside its own track: gantry, pits, stands, boards, marshal posts, lamps."""

from __future__ import annotations

from ...core.random import Stream
from ..track import BOARD, GANTRY, LAMP_POST, MARSHAL_POST, PIT_BUILDING, STAND, PitStraight
from .roadside import Roadside, Size
from .surroundings import Surroundings
from .yard import Proposal, Yard

GANTRY_HEADROOM = 7.4
"""Metres from the road to the top of the gantry; its beam is a metre and a half of them."""
FAST_BEND = 1.0 / 45.0
"""Curvature of the tightest bend that draws a stand, 1/m."""


def build_trackside(yard: Yard, road: Roadside, pit: PitStraight | None, land: Surroundings, seed: int) -> None:
    """Place everything of this module, the most important first."""
    _gantry(yard, road)
    _pits(yard, road, pit)
    stream = Stream(seed, "scenery trackside")
    _start_stands(yard, road, -pit.side if pit else (1 if stream.chance(0.5) else -1), land, stream)
    _bend_stands(yard, road, land, stream)
    if land.stands >= 1.0:
        _rim_stands(yard, road, stream)
    _braking_boards(yard, road, stream)
    _marshal_posts(yard, road)
    _long_boards(yard, road, land, stream)
    _lamps(yard, road, land, stream)


def _gantry(yard: Yard, road: Roadside) -> None:
    left, right = road.barrier(0, 1) + 1.9, road.barrier(0, -1) + 1.9
    tx, ty = road.tangent(0)
    x, y = road.point(0, (left - right) / 2.0)
    feet = []
    for d in (left, -right):
        fx, fy = road.point(0, d)
        feet.append(Proposal(fx, fy, ty, -tx, 1.0, 1.0, 1.0))
    low = min(yard.ground_at(f.x, f.y) for f in feet)
    height = float(road.arrays.z[0]) + GANTRY_HEADROOM - low
    yard.add_bridge(GANTRY, Proposal(x, y, ty, -tx, left + right + 1.0, 1.6, height), feet)


def _pits(yard: Yard, road: Roadside, pit: PitStraight | None) -> None:
    """One building along the pit straight, as long as the place allows."""
    if pit is None:
        return
    span = pit.end - pit.start
    span = span if span > 0.0 else span + road.length
    for share in (0.85, 0.65, 0.5, 0.35, 0.22):
        size = Size(min(share * span, 210.0), 13.0, 7.5)
        for gap in (3.0, 6.0, 10.0):
            for place in (0.5, 0.35, 0.65):
                wish = road.beside(pit.start + place * span, pit.side, gap, size)
                if yard.add(PIT_BUILDING, [wish], max_drop=6.0) == [True]:
                    _open_front(yard, wish, gap + 2.0)
                    return


def _open_front(yard: Yard, built: Proposal, depth: float) -> None:
    """Nothing grows between a front and the barrier that it looks over."""
    fx, fy = built.uy, -built.ux
    reach = (built.size_y + depth) / 2.0 - 0.3
    yard.keep_free([Proposal(built.x + reach * fx, built.y + reach * fy, built.ux, built.uy, built.size_x, depth, 0.0)])


def _add_stand(yard: Yard, road: Roadside, s: float, side: int, size: Size) -> bool:
    for gap in (4.0, 7.0, 11.0):
        wish = road.beside(s, side, gap, size)
        if yard.add(STAND, [wish], max_drop=0.45 * size.z) == [True]:
            _open_front(yard, wish, gap + 2.0)
            return True
    return False


def _stand_size(stream: Stream, longest: float) -> Size:
    rows = stream.uniform(0.0, 1.0)
    return Size(stream.uniform(0.6, 1.0) * longest, 10.0 + 6.0 * rows, 6.5 + 5.0 * rows)


def _start_stands(yard: Yard, road: Roadside, side: int, land: Surroundings, stream: Stream) -> None:
    """Stands along the start straight, opposite the pits; behind the pits too where the crowds are big."""
    back, ahead = road.straight_around(0.0, 190.0 if land.stands < 1.0 else 420.0)
    for where in (side, -side) if land.stands >= 0.5 else (side,):
        s = -back + 4.0
        while s < ahead - 20.0:
            size = _stand_size(stream, 52.0)
            if stream.chance(0.85 if where == side else 0.45):
                _add_stand(yard, road, s + size.x / 2.0, where, size)
            s += size.x + stream.uniform(4.0, 14.0)


def _bend_stands(yard: Yard, road: Roadside, land: Surroundings, stream: Stream) -> None:
    """Stands outside of bends, best where drivers arrive fast."""
    for bend in road.bends:
        wanted = stream.chance(land.stands)
        size = _stand_size(stream, 44.0)
        sharp = abs(float(road.arrays.curvature[bend.apex]))
        if not wanted or bend.angle < 0.35 or sharp > FAST_BEND:
            continue
        length = ((bend.end - bend.start) % road.count) * road.step
        for k in range(max(1, min(5, int(length / 90.0)) if land.stands >= 1.0 else 1)):
            _add_stand(yard, road, bend.start * road.step + 0.25 * length + 80.0 * k, -bend.side, size)


def _rim_stands(yard: Yard, road: Roadside, stream: Stream) -> None:
    """Stands along the other straights of a stadium, outside."""
    for k, bend in enumerate(road.bends):
        before = road.bends[k - 1]
        straight = ((bend.start - before.end) % road.count) * road.step
        for m in range(min(6, int(straight / 75.0))):
            size = _stand_size(stream, 50.0)
            if stream.chance(0.6):
                _add_stand(yard, road, before.end * road.step + 75.0 * (m + 0.5), -bend.side, size)


def _braking_boards(yard: Yard, road: Roadside, stream: Stream) -> None:
    """Distance boards before a bend, and big boards behind it that oncoming drivers look at."""
    for start, end, loss in road.braking_zones():
        bend = road.bend_after(start)
        if bend is None:
            continue
        outside = -bend.side
        turn_in = bend.start * road.step
        marks = [m for m in (50.0, 100.0, 150.0) if m < 4.0 * loss + 20.0]
        yard.add(BOARD, [road.beside(turn_in - m, outside, 0.6, Size(1.3, 0.25, 2.3), 0.94) for m in marks], 3.0)
        size = Size(stream.uniform(7.0, 11.0), 0.7, stream.uniform(4.2, 5.6))
        for k in range(2 if loss > 18.0 else 1):
            s = 0.5 * (turn_in + end if end > turn_in else 2.0 * turn_in) + 24.0 * k
            wish = road.beside(s, outside, 2.0 + 1.5 * k, size, 0.7)
            if yard.add(BOARD, [wish], 3.0) == [True]:
                _open_front(yard, wish, 16.0)


def _marshal_posts(yard: Yard, road: Roadside) -> None:
    """A post outside every bend, and on long straights one about every 350 m."""
    size = Size(2.6, 2.4, 2.9)
    wishes = []
    for k, bend in enumerate(road.bends):
        s = bend.start * road.step - 6.0
        wishes.append(road.beside(s, -bend.side, 1.0, size))
        before = road.bends[k - 1]
        straight = ((bend.start - before.end) % road.count) * road.step
        for m in range(1, int(straight / 350.0) + 1):
            s = before.end * road.step + straight * m / (int(straight / 350.0) + 1)
            wishes.append(road.beside(s, 1 if m % 2 else -1, 1.0, size))
    yard.add(MARSHAL_POST, wishes, 2.5)


def _long_boards(yard: Yard, road: Roadside, land: Surroundings, stream: Stream) -> None:
    """Groups of low boards along the barrier, now left, now right."""
    s = stream.uniform(10.0, land.boards)
    while s < road.length - 20.0:
        side = 1 if stream.chance(0.5) else -1
        size = Size(stream.uniform(5.0, 8.0), 0.3, 2.1)
        group = stream.integer(1, 5)
        yard.add(BOARD, [road.beside(s + (size.x + 1.6) * k, side, 0.5, size, 0.12) for k in range(group)], 1.5)
        s += land.boards * stream.uniform(0.6, 1.4)


def _lamps(yard: Yard, road: Roadside, land: Surroundings, stream: Stream) -> None:
    """Lamp posts in step along the track, on alternating sides, missing where something stands."""
    if land.lamps <= 0.0:
        return
    size = Size(0.5, 0.2 * land.lamp_height + 0.6, land.lamp_height)
    first = stream.uniform(0.0, land.lamps)
    count = int(road.length / land.lamps)
    wishes = [road.beside(first + k * road.length / count, 1 if k % 2 else -1, 0.7, size) for k in range(count)]
    yard.add(LAMP_POST, wishes, 4.0)
