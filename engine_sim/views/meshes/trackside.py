"""What a circuit builds for itself: pits, stands, boards, gantry, marshal posts, lamps. Unit box, fronts face −y."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from render_bridge import palette

from ..materials import LAMP_HEAD, START_LIGHTS, Material
from .buildings import CONCRETE, FLAT_ROOF, METAL, plan_box_top, plan_quads
from .parts import Finish, Part, join
from .solids import box, lathe, moved, quads

PIT = Finish(palette.BUILDING, Material.FACADE_PIT)
SEATS = Finish(palette.GRANDSTAND, Material.STAND_SEATS)
FRAME = Finish(palette.GRANDSTAND, Material.STAND_FRAME)
SHADED = Finish(palette.GRANDSTAND, Material.STAND_FRAME, 128, 120)
FACE = Finish(palette.BILLBOARD, Material.BOARD_FACE)
BOARD_BACK = Finish(palette.BILLBOARD, Material.BOARD_FRAME)
HUT = Finish(palette.BUILDING, Material.FACADE_PIT, 60)
LAMP = Finish(palette.BUILDING, Material.METAL, LAMP_HEAD)
SIGNAL = Finish(palette.BUILDING, Material.METAL, START_LIGHTS)
BASE = -0.45
PIT_BAYS = (6, 14, 28)
STAND_BAYS = (3, 6, 10)
BOARD_LOW, BOARD_TALL, BOARD_MARKER = range(3)


def pit_building(form: int, lod: int) -> Part:
    """Garages behind pillars under a glazed upper floor, a roof terrace in front, a control room at the back."""
    bays = PIT_BAYS[form]
    parts = [
        box((-0.5, -0.38, BASE), (0.5, 0.5, 0.46), PIT, "xXyY"),
        box((-0.5, -0.5, 0.46), (0.5, 0.5, 0.80), PIT, "xXyYz"),
        plan_quads([((-0.5, -0.5, 0.80), (0.5, -0.5, 0.80), (0.5, 0.14, 0.80), (-0.5, 0.14, 0.80))], FLAT_ROOF),
        box((-0.5, 0.14, 0.80), (0.5, 0.5, 1.0), PIT, "xXyY"),
        plan_box_top((-0.5, 0.14), (0.5, 0.5), 1.0),
    ]
    if lod == 2:
        return join(parts)
    parts.append(box((-0.505, -0.53, 0.76), (0.505, -0.5, 0.82), CONCRETE, "xXyzZY"))
    if lod == 0:
        half = 0.05 / bays
        edges = np.linspace(-0.5 + half, 0.5 - half, bays + 1)
        parts += [box((x - half, -0.5, BASE), (x + half, -0.46, 0.46), CONCRETE, "xXyY") for x in edges]
        parts.append(box((-0.5, -0.495, 0.915), (0.5, -0.49, 0.935), METAL, "yYzZ"))
        rails = np.linspace(-0.5, 0.5, 2 * bays + 1)[1:-1]
        thin = 0.008 / bays
        parts += [box((x - thin, -0.495, 0.80), (x + thin, -0.49, 0.92), METAL, "xXyY") for x in rails]
        parts.append(box((-0.5, 0.10, 0.965), (0.5, 0.14, 1.0), CONCRETE, "xXyzZ"))
    return join(parts)


def stand(form: int, lod: int) -> Part:
    """Stepped rows under a cantilevered roof with a raised front edge."""
    rows = (9, 4, 1)[lod]
    front, back, low, high = -0.5, 0.34, 0.10, 0.62
    parts = [_steps(rows, front, back, low, high), _stand_walls(front, back, low, high)]
    roof = [(-0.34, 0.985), (0.10, 0.93), (0.5, 0.90)]
    upper = [((-0.5, ya, za), (0.5, ya, za), (0.5, yb, zb), (-0.5, yb, zb))
             for (ya, za), (yb, zb) in pairwise(roof)]  # fmt: skip
    lower = [[(x, y, z - 0.035) for x, y, z in reversed(q)] for q in upper]
    ends = []
    for a, b, c, d in upper:
        down = [(x, y, z - 0.035) for x, y, z in (a, b, c, d)]
        ends += [(down[1], down[2], c, b), (down[3], down[0], a, d)]
    parts += [quads(upper, FRAME), quads(lower, SHADED), quads(ends, FRAME)]
    parts.append(box((-0.5, -0.36, 0.94), (0.5, -0.34, 1.0), FRAME, "xXyYzZ"))
    parts.append(box((-0.5, 0.46, BASE), (0.5, 0.5, 0.90), FRAME, "xXyY"))
    if lod < 2:
        parts += _stand_posts(STAND_BAYS[form] if lod == 0 else max(2, STAND_BAYS[form] // 2), lod)
    return join(parts)


def _steps(rows: int, front: float, back: float, low: float, high: float) -> Part:
    """Risers and treads, or one slope; uv = position in plan, risers taking the last third of the row before them."""
    if rows == 1:
        slope = [((-0.5, front, low), (0.5, front, low), (0.5, back, high), (-0.5, back, high))]
        return plan_quads(slope, SEATS)
    y = np.linspace(front, back, rows + 1)
    z = np.linspace(low, high, rows + 1)
    depth = (back - front) / rows
    corners, uv = [], []
    for k in range(rows):
        y0, y1, z0, z1 = y[k], y[k + 1], z[k], z[k + 1]
        corners += [((-0.5, y0, z0), (0.5, y0, z0), (0.5, y0, z1), (-0.5, y0, z1)),
                    ((-0.5, y0, z1), (0.5, y0, z1), (0.5, y1, z1), (-0.5, y1, z1))]  # fmt: skip
        below = y0 - 0.33 * depth
        uv += [((-0.5, below), (0.5, below), (0.5, y0), (-0.5, y0)), ((-0.5, y0), (0.5, y0), (0.5, y1), (-0.5, y1))]
    return quads(corners, SEATS, uv)


def _stand_walls(front: float, back: float, low: float, high: float) -> Part:
    """Front wall and rail, sloping side walls, floor behind the last row."""
    sides = []
    for x, order in ((-0.5, 1), (0.5, -1)):
        profile = [(x, 0.5, BASE), (x, front, BASE), (x, front, low + 0.06), (x, back, high + 0.09)]
        rest = [(x, 0.5, BASE), (x, back, high + 0.09), (x, 0.5, high + 0.09), (x, 0.5, BASE)]
        sides += [profile[::order], rest[::order]]
    inner = [[(x * 0.994, y, z) for x, y, z in reversed(q)] for q in sides]
    rims = []
    for x in (-0.5, 0.5):
        (ya, za), (yb, zb) = (front, low + 0.06), (back, high + 0.09)
        a, b = sorted((x, 0.994 * x))
        rims.append(((a, ya, za), (b, ya, za), (b, yb, zb), (a, yb, zb)))
        rims.append(((a, yb, zb), (b, yb, zb), (b, 0.5, zb), (a, 0.5, zb)))
    parts = [quads(sides, FRAME), quads(inner, SHADED), quads(rims, FRAME)]
    parts.append(box((-0.5, front - 0.012, BASE), (0.5, front + 0.012, low + 0.07), FRAME, "xXyYZ"))
    parts.append(quads([((-0.5, back, high), (0.5, back, high), (0.5, 0.5, high), (-0.5, 0.5, high))], SHADED))
    return join(parts)


def _stand_posts(bays: int, lod: int) -> list[Part]:
    """Columns behind the seats and the girders that carry the roof forward."""
    half = 0.012 * 3.0 / bays + 0.003
    parts = []
    for x in np.linspace(-0.5 + half, 0.5 - half, bays + 1):
        parts.append(box((x - half, 0.32, 0.60), (x + half, 0.36, 0.91), FRAME, "xXyY"))
        if lod == 0:
            tip, root, hook = (-0.33, 0.95), (0.34, 0.89), (0.34, 0.80)
            left = [(x - half, y, z) for y, z in (root, hook, tip)]
            right = [(x + half, y, z) for y, z in (tip, hook, root)]
            under = [(x + half, *hook), (x + half, *tip), (x - half, *tip), (x - half, *hook)]
            faces = [(left[0], left[1], left[2], left[2]), (right[0], right[1], right[2], right[2]), under]
            parts.append(quads(faces, SHADED))
    return parts


def board(form: int, lod: int) -> Part:
    """A face on a frame: low beside the track, tall on posts, or a small marker."""
    bottom = (0.10, 0.32, 0.30)[form]
    uv = [((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))]
    front = [((-0.5, -0.5, bottom), (0.5, -0.5, bottom), (0.5, -0.5, 1.0), (-0.5, -0.5, 1.0))]
    parts = [quads(front, FACE, uv)]
    back = (0.5, 0.0, 0.2)[form]
    parts.append(box((-0.5, -0.5, bottom), (0.5, back, 1.0), BOARD_BACK, "xXYzZ"))
    if lod < 2:
        half = (0.012, 0.018, 0.035)[form]
        places = (-0.46, -0.15, 0.15, 0.46) if form == BOARD_LOW and lod == 0 else (-0.34, 0.34)
        parts += [box((x - half, -0.1, BASE - 0.1), (x + half, 0.4, bottom + 0.02), BOARD_BACK, "xXyY") for x in places]
    return join(parts)


def gantry(lod: int) -> Part:
    """Legs and a beam across the road: boards on both faces in its top fifth, start lights towards the grid."""
    beam = 0.805
    parts = []
    for x in (-0.488, 0.488):
        for y in (-0.38, 0.38) if lod == 0 else (0.0,):
            wide = 0.14 if lod == 0 else 0.4
            parts.append(box((x - 0.008, y - wide, BASE), (x + 0.008, y + wide, beam), METAL, "xXyY"))
        if lod == 0:
            for z in (0.15, 0.4, 0.65):
                parts.append(box((x - 0.006, -0.3, z), (x + 0.006, 0.3, z + 0.02), METAL, "xXzZ"))
    parts.append(box((-0.5, -0.42, beam), (0.5, 0.42, 1.0), METAL, "xXzZ"))
    uv = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    faces = []
    for y, order in ((-0.42, 1), (0.42, -1)):
        low, high = (beam, 1.0)
        faces.append(((-0.5 * order, y, low), (0.5 * order, y, low), (0.5 * order, y, high), (-0.5 * order, y, high)))
    parts.append(quads(faces, FACE, [uv, uv]))
    if lod == 0:
        low, high = beam - 0.05, beam + 0.03
        parts.append(box((-0.07, -0.5, low), (0.07, -0.44, high), SIGNAL, "xXYzZ"))
        parts.append(
            quads([((-0.07, -0.5, low), (0.07, -0.5, low), (0.07, -0.5, high), (-0.07, -0.5, high))], SIGNAL, [uv])
        )
    return join(parts)


def marshal_post(lod: int) -> Part:
    """A hut on a platform with an open front and a lid."""
    parts = [
        box((-0.5, -0.5, BASE), (0.5, 0.5, 0.42), HUT, "xXyYZ"),
        box((-0.5, -0.05, 0.42), (0.5, 0.5, 0.90), HUT, "xXyY"),
        box((-0.56, -0.56, 0.90), (0.56, 0.54, 1.0), METAL, "xXyYzZ"),
    ]
    if lod < 2:
        parts += [box((x - 0.03, -0.50, 0.42), (x + 0.03, -0.44, 0.89), HUT, "xXyY") for x in (-0.46, 0.46)]
    return join(parts)


def lamp_post(lod: int) -> Part:
    """A tapered pole at the back of its box, an arm towards −y, a lamp head at its end."""
    sides = (8, 5, 3)[lod]
    pole = lathe([(0.15, -0.05), (0.09, 0.985)], sides, METAL)
    pole.vertices["position"][:, 1] *= 0.26
    pole = moved(pole, (0.0, 0.40, 0.0))
    arm = box((-0.07, -0.25, 0.965), (0.07, 0.42, 0.982), METAL, "xXyYzZ" if lod == 0 else "xXzZ")
    head = box((-0.26, -0.5, 0.955), (0.26, -0.16, 0.98), LAMP, "xXyYzZ")
    return join([pole, arm, head])
