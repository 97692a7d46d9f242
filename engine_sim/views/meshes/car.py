"""A GT car: lofted body, glasshouse, wing, lights; and its wheel. Metres, x forward, y left, z up.

The body is a loft of cross-sections along the car: sections are interpolated from one table, so coarser levels of
detail take fewer sections of the same car. Wheel arches are cut by lifting the lower edge of the sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ..materials import Material
from .parts import Finish, Part, join
from .solids import box, creased, grid_triangles, mirrored, quads

Floats = NDArray[np.float64]

AXLE = 1.30  # metres from the middle of the wheelbase to each axle
TRACK = 0.83  # half the distance between wheel centres
WHEEL_RADIUS = 0.34
_ARCH = 0.40  # radius of the wheel arches
_WELL = 0.62  # inner end of the wheel wells, metres from the middle
PAINT, GLASS, TRIM, HEAD, TAIL, RIM = (
    Finish(palette.RIVAL_CAR, m)
    for m in (Material.CAR_PAINT, Material.CAR_GLASS, Material.CAR_TRIM, Material.CAR_HEADLIGHT,
              Material.CAR_TAILLIGHT, Material.CAR_RIM)
)  # fmt: skip
DARK = Finish(palette.RIVAL_CAR, Material.CAR_TRIM, 40, 60)  # inside arches and under the floor
_FINISHES = (PAINT, GLASS, TRIM, HEAD, TAIL, DARK)
_PAINT, _GLASS, _TRIM, _HEAD, _TAIL, _DARK = range(6)

# x, height of the middle, height of the shoulder, half width, height of the lower edge without arches
_SECTIONS = np.array(
    [
        (-2.22, 0.800, 0.790, 0.86, 0.45),
        (-2.16, 0.880, 0.870, 0.90, 0.43),
        (-1.95, 0.880, 0.880, 0.94, 0.38),
        (-1.75, 0.875, 0.890, 0.965, 0.30),
        (-1.54, 0.872, 0.905, 0.975, 0.12),
        (-1.32, 0.868, 0.912, 0.975, 0.11),
        (-1.10, 0.860, 0.900, 0.975, 0.11),
        (-0.89, 0.848, 0.865, 0.955, 0.11),
        (-0.40, 0.825, 0.822, 0.925, 0.11),
        (0.45, 0.790, 0.790, 0.930, 0.11),
        (0.89, 0.750, 0.785, 0.955, 0.11),
        (1.10, 0.728, 0.800, 0.975, 0.11),
        (1.32, 0.700, 0.800, 0.975, 0.11),
        (1.54, 0.665, 0.775, 0.972, 0.11),
        (1.75, 0.620, 0.720, 0.955, 0.11),
        (1.95, 0.560, 0.640, 0.920, 0.11),
        (2.14, 0.480, 0.525, 0.830, 0.12),
        (2.24, 0.415, 0.440, 0.720, 0.14),
        (2.28, 0.350, 0.360, 0.660, 0.17),
    ]
)
# Half profile from the middle outward and down: share of the half width, weight of the shoulder's height.
_TOP = ((0.0, 0.0), (0.42, 0.25), (0.66, 0.75), (0.82, 1.0))
_COARSE_TOP = ((0.0, 0.0), (0.50, 0.40), (0.82, 1.0))


@dataclass(frozen=True)
class Detail:
    """How finely one level of detail of the body is built.

    Args:
        stations: x of the cross-sections, tail to nose.
        top: half profile of the upper side.
        side: heights on the side as shares from the lower edge to the shoulder, top to bottom.
        extras: wing struts, mirrors, splitter, diffuser fins, exhausts.
    """

    stations: tuple[float, ...]
    top: tuple[tuple[float, float], ...]
    side: tuple[float, ...]
    extras: bool


_ARCH_NEAR = (-0.425, -0.38, -0.22, 0.0, 0.22, 0.38, 0.425)
_ARCH_MID = (-0.42, -0.26, 0.0, 0.26, 0.42)
_ARCH_FAR = (-0.42, 0.0, 0.42)


def _stations(tail: tuple[float, ...], arch: tuple[float, ...], door: tuple[float, ...], nose: tuple[float, ...]
              ) -> tuple[float, ...]:  # fmt: skip
    return (*tail, *(-AXLE + a for a in arch), *door, *(AXLE + a for a in arch), *nose)


DETAILS = (
    Detail(_stations((-2.22, -2.16, -1.95), _ARCH_NEAR, (-0.40, 0.45), (1.99, 2.16, 2.24, 2.28)), _TOP,
           (0.93, 0.62, 0.24, 0.0), True),
    Detail(_stations((-2.22, -2.16), _ARCH_MID, (), (2.10, 2.28)), _COARSE_TOP, (0.62, 0.0), False),
    Detail(_stations((-2.20,), _ARCH_FAR, (), (2.26,)), ((0.0, 0.0), (0.82, 1.0)), (0.5, 0.0), False),
)  # fmt: skip


def _lower_edge(x: Floats) -> Floats:
    """Height of the sill, lifted over the wheels."""
    edge = np.interp(x, _SECTIONS[:, 0], _SECTIONS[:, 4])
    for axle in (-AXLE, AXLE):
        inside = np.maximum(_ARCH * _ARCH - (x - axle) ** 2, 0.0)
        edge = np.maximum(edge, np.where(inside > 0.0, WHEEL_RADIUS + np.sqrt(inside), 0.0))
    return edge


def section_points(detail: Detail) -> Floats:
    """The loft ``[stations, profile, 3]``: tail to nose, from the left sill over the top to the right one."""
    x = np.array(detail.stations)
    middle, shoulder, half = (np.interp(x, _SECTIONS[:, 0], _SECTIONS[:, k]) for k in (1, 2, 3))
    sill = _lower_edge(x)
    y = [half * share for share, _ in detail.top]
    z = [middle + (shoulder - middle) * weight for _, weight in detail.top]
    for share in detail.side:
        # The side bulges most at two thirds of its height and tucks in towards the sill.
        bulge = 1.0 - 0.35 * (share - 0.62) ** 2 - (0.03 if share > 0.9 else 0.0)
        y.append(half * bulge)
        z.append(sill + (shoulder - sill) * share)
    left = np.stack([np.broadcast_to(x[:, None], (len(x), len(y))), np.stack(y, 1), np.stack(z, 1)], -1)
    right = left[:, 1:] * np.array([1.0, -1.0, 1.0])
    return np.concatenate([left[:, ::-1], right], 1)


def _shell(detail: Detail) -> Part:
    """Upper side and flanks, with the headlights let in, closed at nose and tail."""
    points = section_points(detail)
    rows, cols = points.shape[:2]
    x = points[:-1, 0, 0]
    finish: NDArray[np.int64] = np.full((rows - 1, cols - 1), _PAINT)
    if detail.extras:
        lamp = (x > 1.95) & (x < 2.2)
        middle = (cols - 1) // 2
        for k in (2, 3):  # between two thirds of the width and the shoulder's edge
            finish[lamp, middle + k] = finish[lamp, middle - k - 1] = _HEAD
    triangles = grid_triangles(rows, cols)
    flat = points.reshape(-1, 3)
    caps, cap_finish = [], []
    for row, outward in ((0, False), (rows - 1, True)):
        fan = _fan(row * cols, cols)
        caps.append(fan if outward else fan[:, ::-1])
        cap_finish.append(np.full(cols - 2, _TRIM if outward else _PAINT))
    triangles = np.concatenate([triangles, *caps])
    finish = np.concatenate([np.repeat(finish.reshape(-1), 2), *cap_finish])
    return creased(flat, triangles, finish, _FINISHES, flat[:, :2])


def _fan(first: int, corners: int) -> NDArray[np.int64]:
    """Zigzag over a symmetric outline, from both sills to the middle: better shaped than a fan from one corner."""
    low, high, out = first, first + corners - 1, []
    while high - low > 1:
        out.append((low, low + 1, high))
        low += 1
        if high - low > 1:
            out.append((low, high - 1, high))
            high -= 1
    return np.array(out)


def _floor(detail: Detail) -> Part:
    """Underside: flat between the wheel wells, lifted over the wheels, with dark walls between, so that arches do not
    show daylight."""
    points = section_points(detail)
    sill = points[:, 0]
    roof = sill.copy()
    roof[:, 1] = np.minimum(_WELL, sill[:, 1])
    flat = roof.copy()
    flat[:, 2] = np.interp(sill[:, 0], _SECTIONS[:, 0], _SECTIONS[:, 4])
    across = np.stack([flat * np.array([1.0, -1.0, 1.0]), flat], 1)
    well = join([_smooth_sheet(np.stack([roof, sill], 1)), _smooth_sheet(np.stack([flat, roof], 1))])
    return join([well, mirrored(well), _smooth_sheet(across)])


def _smooth_sheet(points: Floats) -> Part:
    flat = points.reshape(-1, 3)
    triangles = grid_triangles(*points.shape[:2])
    return creased(flat, triangles, np.full(len(triangles), _DARK), _FINISHES, flat[:, :2])


# Columns base of the windscreen → base of the rear window; rows middle → pillar → belt line.
_CABIN = np.array(
    [
        ((0.90, 0.00, 0.765), (0.83, 0.36, 0.775), (0.66, 0.62, 0.785), (0.62, 0.66, 0.785), (0.60, 0.68, 0.780)),
        ((0.50, 0.00, 0.985), (0.46, 0.33, 0.975), (0.33, 0.545, 0.955), (0.29, 0.585, 0.940), (0.30, 0.70, 0.785)),
        ((0.10, 0.00, 1.165), (0.08, 0.29, 1.155), (0.00, 0.455, 1.130), (-0.02, 0.510, 1.095), (-0.02, 0.72, 0.800)),
        ((-0.30, 0.00, 1.190), (-0.30, 0.30, 1.180), (-0.30, 0.46, 1.150), (-0.30, 0.515, 1.115), (-0.30, 0.73, 0.81)),
        ((-0.68, 0.00, 1.165), (-0.68, 0.29, 1.155), (-0.68, 0.45, 1.125), (-0.66, 0.505, 1.090), (-0.72, 0.73, 0.830)),
        ((-1.12, 0.00, 1.035), (-1.12, 0.28, 1.025), (-1.10, 0.42, 1.000), (-1.06, 0.49, 0.975), (-1.10, 0.69, 0.850)),
        ((-1.66, 0.00, 0.870), (-1.64, 0.30, 0.868), (-1.58, 0.48, 0.862), (-1.52, 0.56, 0.862), (-1.50, 0.60, 0.850)),
    ]
)
_CABIN_FINISH = np.array(
    [
        (_GLASS, _GLASS, _PAINT, _GLASS),
        (_GLASS, _GLASS, _PAINT, _GLASS),
        (_PAINT, _PAINT, _PAINT, _GLASS),
        (_PAINT, _PAINT, _PAINT, _GLASS),
        (_GLASS, _GLASS, _PAINT, _PAINT),
        (_GLASS, _GLASS, _PAINT, _PAINT),
    ]
)


def _cabin(columns: tuple[int, ...], rows: tuple[int, ...]) -> Part:
    """The glasshouse, from the columns and rows of the table that a level of detail keeps."""
    left = _CABIN[np.ix_(columns, rows)][::-1, ::-1]  # tail to nose, left belt to the middle
    points = np.concatenate([left, left[:, -2::-1] * np.array([1.0, -1.0, 1.0])], 1)
    half = _CABIN_FINISH[np.ix_(columns[:-1], rows[:-1])][::-1, ::-1]
    finish = np.concatenate([half, half[:, ::-1]], 1)
    flat = points.reshape(-1, 3)
    triangles = grid_triangles(*points.shape[:2])
    return creased(flat, triangles, np.repeat(finish.reshape(-1), 2), _FINISHES, flat[:, :2], 28.0)


def _wing(full: bool) -> Part:
    """Rear wing: a cambered plane, end plates, and two struts."""
    chord = np.array([(-2.20, 1.165), (-2.06, 1.150), (-1.90, 1.115)])
    upper = np.stack([[(x, 0.80, z), (x, -0.80, z)] for x, z in chord])
    lower = upper[::-1] - np.array([0.0, 0.0, 0.03])
    closed = np.concatenate([upper, lower, upper[:1]])
    flat = closed.reshape(-1, 3)
    triangles = grid_triangles(len(closed), 2)
    parts = [creased(flat, triangles, np.full(len(triangles), _TRIM), _FINISHES, flat[:, :2])]
    parts.append(box((-2.22, 0.79, 1.03), (-1.88, 0.82, 1.20), PAINT))
    if full:
        parts.append(box((-2.08, 0.36, 0.86), (-1.96, 0.39, 1.13), TRIM, "xXyY"))
        return join([parts[0], *parts[1:], *(mirrored(p) for p in parts[1:])])
    return join([parts[0], parts[1], mirrored(parts[1])])


def _lamps(step: float, full: bool = True) -> Part:
    """Tail lights and the dark panels around them, ``step`` metres behind the tail."""
    x = -2.22 - step

    def plate(y0: float, y1: float, z0: float, z1: float, finish: Finish) -> Part:
        return quads([((x, y1, z0), (x, y0, z0), (x, y0, z1), (x, y1, z1))], finish)

    lights = plate(0.34, 0.78, 0.635, 0.725, TAIL)
    if not full:
        return join([lights, mirrored(lights)])
    panels = [plate(-0.34, 0.34, 0.635, 0.725, TRIM), plate(-0.60, 0.60, 0.47, 0.56, TRIM)]
    return join([*panels, lights, mirrored(lights)])


def _diffuser() -> Part:
    """Left half of the ramp under the tail, closed behind, with two fins."""
    front, back, wide = (-1.55, 0.105), (-2.17, 0.31), 0.56
    ramp = [((front[0], 0.0, front[1]), (front[0], wide, front[1]), (back[0], wide, back[1]), (back[0], 0.0, back[1]))]
    rear = [((back[0], wide, back[1]), (back[0], 0.0, back[1]), (back[0], 0.0, 0.46), (back[0], wide, 0.46))]
    side = [((front[0], wide, 0.30), (back[0], wide, 0.46), (back[0], wide, back[1]), (front[0], wide, front[1]))]
    fins = [box((-2.16, y, 0.235), (-1.86, y + 0.02, 0.33), TRIM, "xyYz") for y in (0.18, 0.44)]
    return join([quads([ramp[0][::-1], *rear, side[0][::-1]], TRIM), *fins])


def _extras() -> Part:
    """Splitter, side skirts, side intakes, mirrors, diffuser fins, exhausts: left side and its mirror image."""
    outline = [(1.72, 0.96), (2.02, 0.93), (2.22, 0.82), (2.31, 0.58), (2.33, 0.0)]
    top = [((x0, y0, 0.11), (x0, 0.0, 0.11), (x1, 0.0, 0.11), (x1, y1, 0.11))
           for (x0, y0), (x1, y1) in pairwise(outline)]  # fmt: skip
    rim = [((x0, y0, 0.06), (x0, y0, 0.11), (x1, y1, 0.11), (x1, y1, 0.06))
           for (x0, y0), (x1, y1) in pairwise(outline)]  # fmt: skip
    half = [
        quads(top + rim, TRIM),
        box((-0.90, 0.88, 0.07), (0.90, 0.965, 0.30), TRIM, "xXYZ"),
        quads([((-0.60, 0.950, 0.40), (-0.86, 0.968, 0.40), (-0.86, 0.968, 0.66), (-0.68, 0.952, 0.66))], DARK),
        box((0.46, 0.74, 0.86), (0.60, 0.94, 0.96), PAINT),
        quads([((0.455, 0.93, 0.87), (0.455, 0.75, 0.87), (0.455, 0.75, 0.95), (0.455, 0.93, 0.95))], GLASS),
        box((0.50, 0.69, 0.80), (0.56, 0.76, 0.89), TRIM, "xXyY"),
        _diffuser(),
        box((-2.27, 0.28, 0.475), (-2.20, 0.40, 0.555), RIM, "xyYzZ"),
    ]
    part = join(half)
    return join([part, mirrored(part)])


def body_parts(lod: int) -> Part:
    """The body at one level of detail (0 near, 1 middle, 2 far)."""
    detail = DETAILS[lod]
    if lod == 0:
        return join([_shell(detail), _floor(detail), _cabin(tuple(range(7)), tuple(range(5))), _wing(True),
                     _lamps(0.006), _extras()])  # fmt: skip
    if lod == 1:
        return join([_shell(detail), _floor(detail), _cabin((0, 2, 4, 6), (0, 2, 3, 4)), _wing(False), _lamps(0.02)])
    return join([_shell(detail), _cabin((0, 2, 4, 6), (0, 3, 4)), _lamps(0.03, full=False)])
