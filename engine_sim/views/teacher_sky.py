"""The sky of a look: light scattered in a spherical atmosphere, integrated once per look into a small table.

Single scattering with Rayleigh, aerosol and ozone along every ray, plus an isotropic estimate of all further orders
after Hillaire, "A Scalable and Production Ready Sky and Atmosphere Rendering Technique" (2020). Lengths in
kilometres, radiance relative to a sun of irradiance 1 above the air. The same table lights the scene, so sky, ambient
light, haze and reflections can never disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .teacher_air import COSINES, HEIGHTS, fill_sun_table, march, sunlight

Floats = NDArray[np.float64]

EYE = 0.25  # kilometres above the ground
AZIMUTHS, ELEVATIONS = 64, 96
"""Table size: azimuth from the sun 0 … π, elevation −π/2 … π/2; finer near the sun and the horizon."""


@dataclass(frozen=True)
class Atmosphere:
    """What the air is like: elevation of the sun in degrees, aerosol against clean air, albedo of the ground."""

    elevation: float
    turbidity: float
    ground: tuple[float, float, float] = (0.16, 0.17, 0.1)


@dataclass(frozen=True)
class ClearSky:
    """``table`` float32 ``[96, 64, 3]``, radiance by elevation and azimuth from the sun; ``sun`` irradiance below."""

    table: NDArray[np.float32]
    sun: Floats


def elevation_of(v: Floats) -> Floats:
    """Row coordinate in [0, 1] → elevation in radians: half of the rows lie within 15° of the horizon."""
    t = 2.0 * v - 1.0
    return np.arcsin(np.sign(t) * t * t)


def table_azimuths() -> Floats:
    """Azimuth of each column from the sun, ``[64]``: even steps of the sine of its half."""
    return 2.0 * np.arcsin(np.arange(AZIMUTHS) / (AZIMUTHS - 1.0))


@lru_cache(maxsize=8)
def _sun_table(turbidity: float) -> NDArray[np.float32]:
    table = np.zeros((HEIGHTS, COSINES, 3), np.float32)
    fill_sun_table(turbidity, table)
    return table


def _march(air: Atmosphere, start: float, directions: Floats, sun: Floats, further: Floats) -> tuple[Floats, Floats]:
    """Radiance and share scattered ``[n, 3]`` of rays from a height; see ``teacher_air.march``."""
    radiance, share = np.zeros((2, len(directions), 3))
    march(
        air.turbidity, np.array(air.ground), start, directions, sun, _sun_table(air.turbidity), further, radiance, share
    )
    return radiance, share


def _further_orders(air: Atmosphere, sun: Floats) -> Floats:
    """Isotropic radiance of the second and all later orders at 16 heights up to 40 km, ``[16, 3]``."""
    z = np.linspace(-0.94, 0.94, 10)
    around = (np.arange(8) + 0.5) * (2.0 * np.pi / 8)
    flat = np.sqrt(1.0 - z * z)
    directions = np.stack(
        [np.outer(flat, np.cos(around)), np.outer(flat, np.sin(around)), np.repeat(z[:, None], 8, 1)], -1
    ).reshape(-1, 3)
    rows = []
    for height in np.linspace(0.0, 40.0, 16):
        second, share = _march(air, max(height, 0.05), directions, sun, np.zeros((0, 3)))
        rows.append(second.mean(0) / np.maximum(1.0 - share.mean(0), 0.05))
    return np.stack(rows)


@lru_cache(maxsize=32)
def clear_sky(air: Atmosphere) -> ClearSky:
    """The sky without clouds; a few hundredths of a second, kept for the last 32 atmospheres."""
    height = np.radians(air.elevation)
    sun = np.array([np.cos(height), 0.0, np.sin(height)])
    azimuth = table_azimuths()
    elevation = elevation_of((np.arange(ELEVATIONS) + 0.5) / ELEVATIONS)
    flat = np.cos(elevation)[:, None]
    height_of = np.broadcast_to(np.sin(elevation)[:, None], (ELEVATIONS, AZIMUTHS))
    directions = np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), height_of], -1)
    further = _further_orders(air, sun)
    radiance, _ = _march(air, EYE, directions.reshape(-1, 3), sun, further)
    table = radiance.reshape(ELEVATIONS, AZIMUTHS, 3).astype(np.float32)
    table.setflags(write=False)
    direct = np.zeros(3)
    sunlight(_sun_table(air.turbidity), EYE, sun[2], direct)
    return ClearSky(table, direct)
