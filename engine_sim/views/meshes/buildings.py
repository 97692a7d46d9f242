"""Houses, tower blocks and hangars in a unit box: x and y in −0.5 … 0.5, z in 0 … 1, fronts face −y.

Walls go on below z = 0, so that a house on a slope has a base and no gap. Windows and doors are the shader's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from render_bridge import palette

from ..materials import Material
from .parts import Finish, Part, join
from .solids import box, creased, grid_triangles, moved, quads

HOUSE_FORMS, TOWER_FORMS, HANGAR_FORMS = 3, 3, 2
FLAT_ROOF, TILES, SHEET_METAL = (Finish(palette.BUILDING, Material.ROOF, v) for v in (48, 128, 208))
HOUSE = Finish(palette.BUILDING, Material.FACADE_HOUSE)
BLOCK = Finish(palette.BUILDING, Material.FACADE_BLOCK)
HANGAR = Finish(palette.BUILDING, Material.FACADE_HANGAR)
CONCRETE = Finish(palette.BUILDING, Material.CONCRETE_WALL)
METAL = Finish(palette.BUILDING, Material.METAL)
UNDER = Finish(palette.BUILDING, Material.ROOF, 128, 110)
BASE = -0.4
_RECTANGLE = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


def plan_quads(corners: ArrayLike, finish: Finish) -> Part:
    """Flat quads whose uv is their position in plan."""
    corners = np.asarray(corners, np.float64).reshape(-1, 4, 3)
    return quads(corners, finish, corners[:, :, :2])


def gable(low: tuple[float, float], high: tuple[float, float], eaves: float, ridge: float, overhang: float,
          wall: Finish, lod: int) -> Part:  # fmt: skip
    """Walls over a rectangle in plan under a pitched roof with its ridge along x."""
    (x0, y0), (x1, y1) = low, high
    middle = 0.5 * (y0 + y1)
    slope = (ridge - eaves) / (middle - y0)
    a, b = x0 - overhang, x1 + overhang
    front, back, drop = y0 - overhang, y1 + overhang, eaves - overhang * slope
    parts = [box((x0, y0, BASE), (x1, y1, eaves), wall, "xXyY")]
    ends = [((x0, y1, eaves), (x0, y0, eaves), (x0, middle, ridge), (x0, middle, ridge)),
            ((x1, y0, eaves), (x1, y1, eaves), (x1, middle, ridge), (x1, middle, ridge))]  # fmt: skip
    parts.append(quads(ends, wall))
    slopes = [((a, front, drop), (b, front, drop), (b, middle, ridge), (a, middle, ridge)),
              ((b, back, drop), (a, back, drop), (a, middle, ridge), (b, middle, ridge))]  # fmt: skip
    parts.append(plan_quads(slopes, TILES))
    below = [[(x, y, z - 0.025) for x, y, z in reversed(s)] for s in slopes]
    parts.append(plan_quads(below, UNDER))
    if lod == 0:
        rims = []
        for s in slopes:
            lowered = [(x, y, z - 0.025) for x, y, z in s]
            for k, m in ((0, 1), (1, 2), (3, 0)):
                rims.append((lowered[k], lowered[m], s[m], s[k]))
        parts.append(quads(rims, UNDER))
    return join(parts)


def house(form: int, lod: int) -> Part:
    """Gabled, hipped, or gabled with a front wing."""
    chimney = box((0.16, 0.06, 0.60), (0.23, 0.15, 1.0), CONCRETE, "xXyYZ")
    extra = [chimney] if lod < 2 else []
    if form == 1:
        return join([_hipped(lod), *extra])
    body = gable((-0.46, -0.40 if form == 0 else -0.16), (0.46, 0.44), 0.55, 0.94, 0.05, HOUSE, lod)
    if form == 0:
        porch = box((-0.10, -0.5, 0.0), (0.10, -0.40, 0.36), HOUSE, "xXy")
        lid = plan_quads(((-0.13, -0.53, 0.34), (0.13, -0.53, 0.34), (0.13, -0.40, 0.44), (-0.13, -0.40, 0.44)), TILES)
        return join([body, *extra, *((porch, lid) if lod == 0 else ())])
    wing = moved(gable((-0.10, -0.17), (0.44, 0.17), 0.55, 0.86, 0.04, HOUSE, lod), (-0.22, 0.0, 0.0), -np.pi / 2.0)
    return join([body, wing, *extra])


def _hipped(lod: int) -> Part:
    eaves, ridge = 0.58, 0.93
    parts = [box((-0.45, -0.44, BASE), (0.45, 0.44, eaves), HOUSE, "xXyY")]
    z = eaves - 0.04
    left_front, right_front, right_back, left_back = ((x, y, z) for x, y in _RECTANGLE)
    slopes = [
        (left_front, right_front, (0.18, 0.0, ridge), (-0.18, 0.0, ridge)),
        (right_back, left_back, (-0.18, 0.0, ridge), (0.18, 0.0, ridge)),
        (right_front, right_back, (0.18, 0.0, ridge), (0.18, 0.0, ridge)),
        (left_back, left_front, (-0.18, 0.0, ridge), (-0.18, 0.0, ridge)),
    ]
    parts.append(plan_quads(slopes, TILES))
    parts.append(box((-0.5, -0.5, z - 0.03), (0.5, 0.5, z), UNDER, "xXyYz" if lod == 0 else "z"))
    return join(parts)


def tower(form: int, lod: int) -> Part:
    """Slab with parapet and stair head, stepped tower, or slab with corner piers."""
    top = (0.94, 0.70, 0.95)[form]
    parts = [box((-0.5, -0.5, BASE), (0.5, 0.5, top), BLOCK, "xXyY")]
    if lod == 2:
        parts.append(plan_box_top((-0.5, -0.5), (0.5, 0.5), top))
        if form == 1:
            parts += [box((-0.34, -0.34, top), (0.34, 0.34, 0.97), BLOCK, "xXyY"),
                      plan_box_top((-0.34, -0.34), (0.34, 0.34), 0.97)]  # fmt: skip
        return join(parts)
    parts.append(_parapet(0.5, top))
    if form == 1:
        parts += [box((-0.34, -0.34, top - 0.03), (0.34, 0.34, 0.95), BLOCK, "xXyY"), _parapet(0.34, 0.95)]
        parts.append(box((-0.10, 0.02, 0.92), (0.12, 0.22, 1.0), CONCRETE, "xXyYZ"))
    else:
        parts.append(box((-0.18, 0.05, top - 0.03), (0.14, 0.34, 1.0), CONCRETE, "xXyYZ"))
    if lod == 0:
        parts.append(box((-0.38, -0.30, top - 0.03), (-0.24, -0.14, top + 0.012), METAL, "xXyYZ"))
        parts.append(box((0.24, -0.34, top - 0.03), (0.36, -0.22, top + 0.018), METAL, "xXyYZ"))
        if form == 2:
            for x in (-0.5, 0.5):
                for y in (-0.5, 0.5):
                    low, high = (x - 0.035, y - 0.035, BASE), (x + 0.035, y + 0.035, top)
                    parts.append(box(low, high, CONCRETE, "xXyYZ"))
    return join(parts)


def plan_box_top(low: tuple[float, float], high: tuple[float, float], z: float) -> Part:
    """A flat roof."""
    (x0, y0), (x1, y1) = low, high
    return plan_quads([((x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z))], FLAT_ROOF)


def _parapet(half: float, top: float) -> Part:
    """A flat roof let in behind a low wall."""
    inner, floor = half - 0.025, top - 0.02
    ring = []
    for (ax, ay), (bx, by) in (((-1, -1), (1, -1)), ((1, -1), (1, 1)), ((1, 1), (-1, 1)), ((-1, 1), (-1, -1))):
        outer_a, outer_b = (half * ax, half * ay, top), (half * bx, half * by, top)
        inner_a, inner_b = (inner * ax, inner * ay, top), (inner * bx, inner * by, top)
        ring.append((outer_a, outer_b, inner_b, inner_a))
        ring.append((inner_a, inner_b, (inner * bx, inner * by, floor), (inner * ax, inner * ay, floor)))
    return join([quads(ring, CONCRETE), plan_box_top((-inner, -inner), (inner, inner), floor)])


def hangar(form: int, lod: int) -> Part:
    """A hall with a curved roof, arched towards its front: full barrel (0) or shallow arch on walls (1)."""
    eaves = (0.30, 0.62)[form]
    count = (10, 6, 4)[lod]
    angle = np.linspace(0.0, np.pi, count + 1)
    arch = np.stack([0.5 * np.cos(angle), np.zeros(count + 1), eaves + (1.0 - eaves) * np.sin(angle)], -1)
    shell = np.stack([arch + np.array([0.0, 0.5, 0.0]), arch - np.array([0.0, 0.5, 0.0])], 0)
    flat = shell.reshape(-1, 3)
    triangles = grid_triangles(2, count + 1)
    parts = [creased(flat, triangles, np.zeros(len(triangles), int), (SHEET_METAL,), flat[:, :2], 50.0)]
    parts.append(box((-0.5, -0.5, BASE), (0.5, 0.5, eaves), HANGAR, "xXyY"))
    for y, outward in ((-0.5, 1), (0.5, -1)):
        tops = [((a[0], y, eaves), (b[0], y, eaves), (b[0], y, b[2]), (a[0], y, a[2]))
                for a, b in zip(arch[::-1][:-1], arch[::-1][1:], strict=True)]  # fmt: skip
        parts.append(quads([t[::outward] for t in tops], HANGAR))
    if lod < 2:
        height = eaves + 0.30 * (1.0 - eaves)
        door = Finish(palette.BUILDING, Material.METAL, 60)
        parts.append(box((-0.32, -0.512, 0.0), (0.32, -0.49, height), door, "xXyZ"))
        if lod == 0:
            parts.append(box((-0.36, -0.52, height), (0.36, -0.49, height + 0.03), CONCRETE, "xXyzZ"))
            parts.append(box((-0.05, -0.30, 0.985), (0.05, 0.30, 1.0), METAL, "xXyYZ"))
    return join(parts)
