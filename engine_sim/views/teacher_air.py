"""Light along one ray through the air, compiled: the inner loops of ``teacher_sky``.

Lengths in kilometres, radiance relative to a sun of irradiance 1 above the air.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import kernel

GROUND, TOP = 6360.0, 6460.0
AEROSOL, AEROSOL_LOSS = 3.996e-3, 4.44e-3
ASYMMETRY = 0.78
HEIGHTS, COSINES = 64, 160
"""Size of the table of sunlight: height (root), and cosine of the sun's zenith angle from −0.25 to 1."""
_RAYLEIGH = (5.802e-3, 13.558e-3, 33.1e-3)
_OZONE = (0.65e-3, 1.881e-3, 0.085e-3)
_SUN_STEPS, _VIEW_STEPS = 40, 32


@kernel
def reach(radius, cosine):
    """Length of a ray to the top of the air or to the ground, and whether it meets the ground."""
    half = radius * cosine
    below = half * half - (radius * radius - GROUND * GROUND)
    if cosine < 0.0 and below > 0.0:
        return -half - math.sqrt(below), True
    return -half + math.sqrt(max(half * half - (radius * radius - TOP * TOP), 0.0)), False


@kernel
def fill_sun_table(turbidity, table):
    """Share of sunlight left, into ``table`` ``[HEIGHTS, COSINES, 3]``; the earth's shadow has a soft border."""
    for row in range(HEIGHTS):
        height = (row / (HEIGHTS - 1.0)) ** 2 * (TOP - GROUND)
        radius = GROUND + height
        ratio = GROUND / max(radius, GROUND + 1e-3)
        horizon = -math.sqrt(max(1.0 - ratio * ratio, 0.0))
        for col in range(COSINES):
            cosine = -0.25 + 1.25 * col / (COSINES - 1.0)
            visible = min(max((cosine - horizon) / 0.012 + 0.5, 0.0), 1.0)
            length, hits = reach(radius, cosine)
            d0, d1, d2 = 0.0, 0.0, 0.0
            for k in range(_SUN_STEPS):
                t = ((k + 0.5) / _SUN_STEPS) ** 2 * length
                width = (2.0 * k + 1.0) / (_SUN_STEPS * _SUN_STEPS) * length
                at = max(math.sqrt(radius * radius + t * t + 2.0 * radius * t * cosine) - GROUND, 0.0)
                gas, aerosol = math.exp(-at / 8.0), turbidity * AEROSOL_LOSS * math.exp(-at / 1.2)
                ozone = max(0.0, 1.0 - abs(at - 25.0) / 15.0)
                d0 += (_RAYLEIGH[0] * gas + aerosol + _OZONE[0] * ozone) * width
                d1 += (_RAYLEIGH[1] * gas + aerosol + _OZONE[1] * ozone) * width
                d2 += (_RAYLEIGH[2] * gas + aerosol + _OZONE[2] * ozone) * width
            most = 60.0 if hits else 1e9
            table[row, col, 0] = math.exp(-min(d0, most)) * visible
            table[row, col, 1] = math.exp(-min(d1, most)) * visible
            table[row, col, 2] = math.exp(-min(d2, most)) * visible


@kernel
def sunlight(table, height, cosine, out):
    """Share of sunlight left at a height towards a sun of that zenith cosine, into ``out`` ``[3]``."""
    y = math.sqrt(min(max(height / (TOP - GROUND), 0.0), 1.0)) * (HEIGHTS - 1)
    x = min(max((cosine + 0.25) / 1.25, 0.0), 1.0) * (COSINES - 1)
    row, col = min(int(y), HEIGHTS - 2), min(int(x), COSINES - 2)
    fy, fx = y - row, x - col
    for c in range(3):
        low = table[row, col, c] + (table[row, col + 1, c] - table[row, col, c]) * fx
        high = table[row + 1, col, c] + (table[row + 1, col + 1, c] - table[row + 1, col, c]) * fx
        out[c] = low + (high - low) * fy


@kernel
def march(turbidity, ground, start, directions, sun, table, further, radiance, share):
    """Radiance and share scattered of rays from a height above the ground.

    Args:
        turbidity: aerosol against clean air. ground: albedo ``[3]``. start: km.
        directions: unit ``[n, 3]``. sun: unit ``[3]``.
        table: of ``fill_sun_table``.
        further: radiance of the higher orders at 16 heights up to 40 km ``[16, 3]``; ``[0, 3]`` scatters evenly, for
            that very estimate.
        radiance, share: results ``[n, 3]``.
    """
    sunny = np.zeros(3)
    light = np.zeros(3)
    evenly = len(further) == 0
    for i in range(len(directions)):
        dx, dy, dz = directions[i, 0], directions[i, 1], directions[i, 2]
        toward = dx * sun[0] + dy * sun[1] + dz * sun[2]
        length, hits = reach(GROUND + start, dz)
        clear = 3.0 / (16.0 * math.pi) * (1.0 + toward * toward)
        g = ASYMMETRY
        bend = 1.0 + g * g - 2.0 * g * toward
        hazy = 3.0 * (1.0 - g * g) * (1.0 + toward * toward) / (8.0 * math.pi * (2.0 + g * g) * bend * math.sqrt(bend))
        for c in range(3):
            light[c], radiance[i, c], share[i, c] = 1.0, 0.0, 0.0
        for k in range(_VIEW_STEPS):
            t = ((k + 0.5) / _VIEW_STEPS) ** 2 * length
            width = (2.0 * k + 1.0) / (_VIEW_STEPS * _VIEW_STEPS) * length
            x, y, z = dx * t, dy * t, dz * t + GROUND + start
            r = math.sqrt(x * x + y * y + z * z)
            height = max(r - GROUND, 0.0)
            gas, aerosol = math.exp(-height / 8.0), turbidity * AEROSOL * math.exp(-height / 1.2)
            ozone = max(0.0, 1.0 - abs(height - 25.0) / 15.0)
            sunlight(table, height, (x * sun[0] + y * sun[1] + z * sun[2]) / r, sunny)
            place = min(height / 40.0, 1.0) * 15.0
            low = min(int(place), 14)
            for c in range(3):
                air = _RAYLEIGH[c] * gas
                lost = air + _OZONE[c] * ozone + aerosol * (AEROSOL_LOSS / AEROSOL)
                if evenly:
                    source = (air + aerosol) * sunny[c] / (4.0 * math.pi)
                else:
                    mixed = further[low, c] + (further[low + 1, c] - further[low, c]) * (place - low)
                    source = (air * clear + aerosol * hazy) * sunny[c] + (air + aerosol) * mixed
                kept = math.exp(-lost * width)
                inside = light[c] * (1.0 - kept) / max(lost, 1e-12)
                radiance[i, c] += source * inside
                share[i, c] += (air + aerosol) * inside
                light[c] *= kept
        if hits:
            sunlight(table, 0.0, sun[2], sunny)
            for c in range(3):
                radiance[i, c] += light[c] * sunny[c] * max(sun[2], 0.0) / math.pi * ground[c]
