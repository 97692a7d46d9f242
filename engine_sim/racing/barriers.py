"""Car against barrier: each corner of the car is held inside the faces that the track gives."""

from __future__ import annotations

import math

from ..core.exact import sincos
from ..core.jit import kernel
from .car import LENGTH, WIDTH
from .impulse import knock_impulse, point_speed, push, yield_to
from .road import (
    CURVATURE,
    LEFT_STYLE,
    RIGHT_STYLE,
    WALL_LEFT,
    WALL_RIGHT,
    beyond_walls,
    follow,
    mix,
    part_of,
    way_at,
)
from .state import INDEX, YAW, D, S, X, Y

# By style: NO_BARRIER (a bank of earth), GUARD_RAIL, CONCRETE_WALL, TYRE_WALL, FENCE.
BOUNCE = (0.0, 0.22, 0.28, 0.08, 0.10)
FRICTION = (0.45, 0.16, 0.20, 0.40, 0.28)
_NEAR = 3.2  # metres from the centre of the car within which a corner can touch
_PUSH_OUT = 0.35  # most metres a corner is put back per tick


@kernel
def face_at(road, kinds, step, index, u, d):
    """(depth, along, across, style) of the barrier nearest to a point.

    Depth in metres beyond the face (negative inside); (along, across) is the unit normal of the face in track axes,
    pointing back onto the track.
    """
    left = d - mix(road, WALL_LEFT, index, u)
    right = -d - mix(road, WALL_RIGHT, index, u)
    if left >= right:
        depth, sign, face, style = left, -1.0, WALL_LEFT, kinds[index, LEFT_STYLE]
    else:
        depth, sign, face, style = right, 1.0, WALL_RIGHT, kinds[index, RIGHT_STYLE]
    following = index + 1 if index + 1 < road.shape[0] else 0
    stretch = max(1.0 - road[index, CURVATURE] * d, 0.1)
    slope = (road[following, face] - road[index, face]) / (step * stretch)
    size = math.sqrt(1.0 + slope * slope)
    return depth / size, slope / size, sign / size, style


@kernel
def hold_corner(road, kinds, step, car, index, sine, cosine, rx, ry):
    """Resolve one corner at offset (rx, ry). Speed of the knock, m/s; 0 for a touch; -1 when free."""
    corner, u, d, _ = follow(road, car[X] + rx, car[Y] + ry, index)
    depth, along, across, style = face_at(road, kinds, step, corner, u, d)
    if depth <= 0.0:
        return -1.0
    tx, ty = way_at(road, corner, u)
    nx, ny = along * tx - across * ty, along * ty + across * tx
    out = min(depth, _PUSH_OUT)
    car[X] += nx * out
    car[Y] += ny * out
    vx, vy = point_speed(car, sine, cosine, rx, ry)
    closing = -(vx * nx + vy * ny)
    if closing <= 0.0:
        return 0.0
    sliding = vy * nx - vx * ny
    normal, drag = knock_impulse(
        closing, sliding, yield_to(rx, ry, nx, ny), yield_to(rx, ry, -ny, nx), BOUNCE[style], FRICTION[style]
    )
    push(car, sine, cosine, rx, ry, normal * nx - drag * ny, normal * ny + drag * nx)
    return closing


@kernel
def hit_barrier(road, kinds, step, car, marks):
    """Hold all four corners of a car inside the barriers. Speed of the hardest knock; 0 for a touch; -1 when free."""
    if beyond_walls(road, marks[INDEX], part_of(car[S], step, marks[INDEX]), car[D]) < -_NEAR:
        return -1.0
    sine, cosine = sincos(car[YAW])
    hardest = -1.0
    for k in range(4):
        x = 0.5 * LENGTH if k < 2 else -0.5 * LENGTH
        y = 0.5 * WIDTH if k % 2 == 0 else -0.5 * WIDTH
        rx, ry = x * cosine - y * sine, x * sine + y * cosine
        hardest = max(hardest, hold_corner(road, kinds, step, car, marks[INDEX], sine, cosine, rx, ry))
    return hardest
