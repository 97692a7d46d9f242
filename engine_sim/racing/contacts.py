"""Car against car: oriented boxes by separating axes, one impulse at the middle of the overlap."""

from __future__ import annotations

from ..core.exact import sincos
from ..core.jit import kernel
from .car import LENGTH, WIDTH
from .impulse import knock_impulse, point_speed, push, yield_to
from .state import YAW, X, Y, Z

_BOUNCE = 0.18
_FRICTION = 0.25
_LEVEL = 2.2  # metres of height from which cars are on different levels
_REACH2 = LENGTH * LENGTH + WIDTH * WIDTH  # squared distance of centres from which boxes cannot touch
_PULL_APART = 0.4  # share of the overlap that each car gives way by per tick


@kernel
def _axis_overlap(dx, dy, ax, ay, cos_a, sin_a, cos_b, sin_b):
    """Overlap of both boxes' shadows on the unit axis (ax, ay), metres; negative when apart."""
    shadow = 0.0
    for k in range(2):
        c, s = (cos_a, sin_a) if k == 0 else (cos_b, sin_b)
        shadow += 0.5 * LENGTH * abs(c * ax + s * ay) + 0.5 * WIDTH * abs(c * ay - s * ax)
    return shadow - abs(dx * ax + dy * ay)


@kernel
def box_overlap(dx, dy, cos_a, sin_a, cos_b, sin_b):
    """(depth, nx, ny): least overlap of two car boxes and the axis from a to b; depth ≤ 0 when apart.

    ``dx, dy`` is the centre of b minus the centre of a.
    """
    depth, nx, ny = 1e300, 1.0, 0.0
    for k in range(4):
        if k == 0:
            ax, ay = cos_a, sin_a
        elif k == 1:
            ax, ay = -sin_a, cos_a
        elif k == 2:
            ax, ay = cos_b, sin_b
        else:
            ax, ay = -sin_b, cos_b
        overlap = _axis_overlap(dx, dy, ax, ay, cos_a, sin_a, cos_b, sin_b)
        if overlap < depth - 1e-9:
            depth, nx, ny = overlap, ax, ay
            if overlap <= 0.0:
                break
    if dx * nx + dy * ny < 0.0:
        return depth, -nx, -ny
    return depth, nx, ny


@kernel
def _corners_inside(dx, dy, cos_a, sin_a, cos_b, sin_b):
    """(sum x, sum y, count) of b's corners inside a, relative to the centre of a."""
    total_x, total_y, count = 0.0, 0.0, 0
    for k in range(4):
        along = 0.5 * LENGTH if k < 2 else -0.5 * LENGTH
        side = 0.5 * WIDTH if k % 2 == 0 else -0.5 * WIDTH
        x = dx + along * cos_b - side * sin_b
        y = dy + along * sin_b + side * cos_b
        if abs(x * cos_a + y * sin_a) <= 0.5 * LENGTH and abs(y * cos_a - x * sin_a) <= 0.5 * WIDTH:
            total_x, total_y, count = total_x + x, total_y + y, count + 1
    return total_x, total_y, count


@kernel
def contact_point(dx, dy, cos_a, sin_a, cos_b, sin_b):
    """Middle of the corners that lie inside the other box, relative to the centre of a."""
    x, y, count = _corners_inside(dx, dy, cos_a, sin_a, cos_b, sin_b)
    other_x, other_y, other = _corners_inside(-dx, -dy, cos_b, sin_b, cos_a, sin_a)
    count += other
    if count == 0:
        return 0.5 * dx, 0.5 * dy
    return (x + other_x + other * dx) / count, (y + other_y + other * dy) / count


@kernel
def collide(a, b):
    """Resolve the contact of two cars (rows of the state). Speed of approach in m/s; 0 for a touch; -1 when apart."""
    dx, dy = b[X] - a[X], b[Y] - a[Y]
    if dx * dx + dy * dy > _REACH2 or abs(a[Z] - b[Z]) > _LEVEL:
        return -1.0
    sin_a, cos_a = sincos(a[YAW])
    sin_b, cos_b = sincos(b[YAW])
    depth, nx, ny = box_overlap(dx, dy, cos_a, sin_a, cos_b, sin_b)
    if depth <= 0.0:
        return -1.0
    ax, ay = contact_point(dx, dy, cos_a, sin_a, cos_b, sin_b)
    bx, by = ax - dx, ay - dy
    step = _PULL_APART * min(depth, 0.3)
    a[X], a[Y] = a[X] - nx * step, a[Y] - ny * step
    b[X], b[Y] = b[X] + nx * step, b[Y] + ny * step
    avx, avy = point_speed(a, sin_a, cos_a, ax, ay)
    bvx, bvy = point_speed(b, sin_b, cos_b, bx, by)
    closing = (avx - bvx) * nx + (avy - bvy) * ny
    if closing <= 0.0:
        return 0.0
    sliding = (avy - bvy) * nx - (avx - bvx) * ny
    ease_normal = yield_to(ax, ay, nx, ny) + yield_to(bx, by, nx, ny)
    ease_along = yield_to(ax, ay, -ny, nx) + yield_to(bx, by, -ny, nx)
    normal, along = knock_impulse(closing, sliding, ease_normal, ease_along, _BOUNCE, _FRICTION)
    jx, jy = -normal * nx - along * ny, -normal * ny + along * nx
    push(a, sin_a, cos_a, ax, ay, jx, jy)
    push(b, sin_b, cos_b, bx, by, -jx, -jy)
    return closing
