"""Knocks: impulses at a point of a car, with friction and restitution."""

from __future__ import annotations

from ..core.exact import clamp
from ..core.jit import kernel
from .car import INERTIA, MASS
from .state import YAW_RATE, U, V

MOST_SPIN = 9.0  # rad/s that a knock leaves at most: past it a car would blur, and the tyre model with it
_BOUNCE_FROM = 1.0  # m/s of approach below which nothing bounces: resting contacts stay quiet


@kernel
def point_speed(car, sine, cosine, rx, ry):
    """World velocity (vx, vy) of the point of the car at offset (rx, ry) from its centre, world axes.

    ``sine``, ``cosine`` belong to its yaw.
    """
    vx = car[U] * cosine - car[V] * sine
    vy = car[U] * sine + car[V] * cosine
    return vx - car[YAW_RATE] * ry, vy + car[YAW_RATE] * rx


@kernel
def push(car, sine, cosine, rx, ry, jx, jy):
    """Apply the impulse (jx, jy), N s in world axes, at offset (rx, ry)."""
    car[U] += (jx * cosine + jy * sine) / MASS
    car[V] += (jy * cosine - jx * sine) / MASS
    car[YAW_RATE] = clamp(car[YAW_RATE] + (rx * jy - ry * jx) / INERTIA, -MOST_SPIN, MOST_SPIN)


@kernel
def yield_to(rx, ry, nx, ny):
    """1/kg by which the point (rx, ry) of a car gives way to an impulse along the unit vector (nx, ny)."""
    arm = rx * ny - ry * nx
    return 1.0 / MASS + arm * arm / INERTIA


@kernel
def knock_impulse(closing, sliding, ease_normal, ease_along, bounce, friction):
    """(normal, along) impulses, N s, of a contact.

    Args:
        closing: speed of approach along the normal, m/s, > 0.
        sliding: speed along the contact, signed; the along impulse opposes it.
        ease_normal, ease_along: summed ``yield_to`` in both directions.
        bounce, friction: coefficients.
    """
    back = bounce if closing > _BOUNCE_FROM else 0.0
    normal = (1.0 + back) * closing / ease_normal
    most = friction * normal
    return normal, clamp(-sliding / ease_along, -most, most)
