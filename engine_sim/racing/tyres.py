"""Tyre forces of one axle: combined slip, and an implicit wheel spin that never chatters.

Slip is normalised: ``ρ = √((κ/κ*)² + (tan α/α*)²)`` with κ* and α* the slips of peak force (the similarity method of
Pacejka, *Tyre and Vehicle Dynamics*, chapter 3). The force is ``capacity · curve(ρ)`` against the slip. Both slips are
measured against ``max(|forward speed|, SLOW)``: at walking pace the tyre becomes a damper, so a car comes to rest
without shaking.
"""

from __future__ import annotations

import math

from ..core.jit import kernel
from ..core.ticks import TICK_SECONDS
from .car import SLOW, WHEEL_RADIUS


@kernel
def stiffness(rho, slide):
    """curve(ρ)/ρ. The curve is 2ρ/(1+ρ²) up to its peak at ρ = 1, then falls smoothly towards ``slide``."""
    if rho <= 1.0:
        return 2.0 / (1.0 + rho * rho)
    return slide / rho + (1.0 - slide) * 2.0 / (1.0 + rho * rho)


@kernel
def slips(forward, side, spin, peak_ratio, peak_angle):
    """(κ/κ*, tan α/α*, scale): normalised slips of a wheel, and the speed that they are measured against.

    Args:
        forward, side: velocity of the contact patch in wheel axes, m/s.
        spin: rad/s.
    """
    scale = max(abs(forward), SLOW)
    return (spin * WHEEL_RADIUS - forward) / (scale * peak_ratio), side / (scale * peak_angle), scale


@kernel
def spin_after(spin, inertia, torque, brake, forward, side, capacity, peak_ratio, peak_angle, slide):
    """Axle speed after one tick, rad/s.

    The tyre acts as a damper with its secant stiffness at the new slip (two fixed-point rounds), which is stable at any
    stiffness; the brake is dry friction: it stops the axle, it never turns it.

    Args:
        spin: rad/s now.
        inertia: kg m².
        torque: drive, N m.
        brake: largest brake torque, N m, ≥ 0.
        forward, side: velocity of the contact patch in wheel axes.
        capacity: N that the axle can hold.
        peak_ratio, peak_angle, slide: shape of the tyre curve on this ground.
    """
    new = spin
    for _ in range(2):
        along, across, scale = slips(forward, side, new, peak_ratio, peak_angle)
        rho = math.sqrt(along * along + across * across)
        damper = capacity * stiffness(rho, slide) / (scale * peak_ratio)
        weight = inertia / TICK_SECONDS + WHEEL_RADIUS * WHEEL_RADIUS * damper
        free = (inertia / TICK_SECONDS * spin + torque + WHEEL_RADIUS * damper * forward) / weight
        hold = brake / weight
        if abs(free) <= hold:
            new = 0.0
        elif free > 0.0:
            new = free - hold
        else:
            new = free + hold
    return new


@kernel
def tyre_force(forward, side, spin, capacity, peak_ratio, peak_angle, slide):
    """(along, across) in wheel axes, N: what the road does to the car."""
    along, across, _ = slips(forward, side, spin, peak_ratio, peak_angle)
    rho = math.sqrt(along * along + across * across)
    k = capacity * stiffness(rho, slide)
    return k * along, -k * across
