"""The sky of a look: light scattered in a spherical atmosphere, integrated once per look into a small table.

Single scattering with Rayleigh, aerosol and ozone along every ray, plus an isotropic estimate of all further orders
after Hillaire, "A Scalable and Production Ready Sky and Atmosphere Rendering Technique" (2020). Lengths in
kilometres, radiance relative to a sun of irradiance 1 above the air. The same table lights the scene, so sky, ambient
light, haze and reflections can never disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

GROUND, TOP = 6360.0, 6460.0
EYE = GROUND + 0.25
RAYLEIGH = np.array([5.802, 13.558, 33.1]) * 1e-3
AEROSOL, AEROSOL_LOSS = 3.996e-3, 4.44e-3
OZONE = np.array([0.65, 1.881, 0.085]) * 1e-3
ASYMMETRY = 0.78
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


def _densities(height: Floats, turbidity: float) -> tuple[Floats, Floats]:
    """Scattering of air ``[..., 3]`` and of aerosol ``[...]``, 1/km."""
    air = RAYLEIGH * np.exp(-height / 8.0)[..., None]
    return air, turbidity * AEROSOL * np.exp(-height / 1.2)


def _loss(height: Floats, turbidity: float) -> Floats:
    air, aerosol = _densities(height, turbidity)
    ozone = OZONE * np.maximum(0.0, 1.0 - np.abs(height - 25.0) / 15.0)[..., None]
    return air + ozone + (aerosol * (AEROSOL_LOSS / AEROSOL))[..., None]


def _reach(radius: Floats, cosine: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Length of a ray to the top of the air or to the ground, and whether it meets the ground."""
    half = radius * cosine
    below = half * half - (radius * radius - GROUND * GROUND)
    hits = (cosine < 0.0) & (below > 0.0)
    to_top = -half + np.sqrt(np.maximum(half * half - (radius * radius - TOP * TOP), 0.0))
    return np.where(hits, -half - np.sqrt(np.maximum(below, 0.0)), to_top), hits


@lru_cache(maxsize=8)
def _sun_table(turbidity: float) -> NDArray[np.float32]:
    """Share of sunlight left, float32 ``[64, 160, 3]``, over height (root) and cosine of the sun's zenith angle."""
    height = (np.linspace(0.0, 1.0, 64) ** 2) * (TOP - GROUND)
    cosine = np.linspace(-0.25, 1.0, 160)
    radius = (GROUND + height)[:, None]
    length, hits = _reach(radius, cosine[None, :])
    depth = np.zeros((64, 160, 3))
    steps = 40
    for k in range(steps):
        t = ((k + 0.5) / steps) ** 2 * length
        width = (((k + 1) / steps) ** 2 - (k / steps) ** 2) * length
        at = np.sqrt(radius**2 + t**2 + 2.0 * radius * t * cosine) - GROUND
        depth += _loss(np.maximum(at, 0.0), turbidity) * width[..., None]
    # The sun is half a degree wide: the shadow of the earth has a soft border.
    horizon = -np.sqrt(np.maximum(1.0 - (GROUND / np.maximum(radius, GROUND + 1e-3)) ** 2, 0.0))
    visible = np.clip((cosine[None, :] - horizon) / 0.012 + 0.5, 0.0, 1.0)
    depth[hits] = np.minimum(depth[hits], 60.0)
    return (np.exp(-depth) * visible[..., None]).astype(np.float32)


def _sunlight(table: NDArray[np.float32], height: Floats, cosine: Floats) -> Floats:
    rows = np.sqrt(np.clip(height / (TOP - GROUND), 0.0, 1.0)) * 63.0
    cols = np.clip((cosine + 0.25) / 1.25, 0.0, 1.0) * 159.0
    shape = np.broadcast(rows, cols).shape
    grid = [np.ascontiguousarray(np.broadcast_to(a, shape).reshape(-1, 1), np.float32) for a in (cols, rows)]
    out = np.concatenate([cv2.remap(table, g0, g1, cv2.INTER_LINEAR) for g0, g1 in _chunks(grid)])
    return out.reshape(*shape, 3).astype(np.float64)


def _chunks(grid: list[NDArray[np.float32]]) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    limit = 30000  # rows of one remap; OpenCV counts them in 16 bits
    return [(grid[0][i : i + limit], grid[1][i : i + limit]) for i in range(0, len(grid[0]), limit)]


def _march(air: Atmosphere, start: float, directions: Floats, sun: Floats, further: Floats | None
           ) -> tuple[Floats, Floats]:  # fmt: skip
    """Radiance and single-scattering throughput of rays from height ``start`` above the ground.

    Args:
        directions: unit, ``[n, 3]``. sun: unit ``[3]``.
        further: radiance of the higher orders by height ``[16, 3]``; None scatters evenly, for that very estimate.
    Returns:
        radiance ``[n, 3]``, and the share scattered along the way ``[n, 3]``.
    """
    table = _sun_table(air.turbidity)
    radius, cosine = np.full(len(directions), GROUND + start), directions[:, 2]
    length, hits = _reach(radius, cosine)
    toward = directions @ sun
    total, share = np.zeros((len(directions), 3)), np.zeros((len(directions), 3))
    light = np.ones((len(directions), 3))
    steps = 32
    for k in range(steps):
        t = ((k + 0.5) / steps) ** 2 * length
        width = ((((k + 1) / steps) ** 2 - (k / steps) ** 2) * length)[:, None]
        point = directions * t[:, None] + np.array([0.0, 0.0, GROUND + start])
        r = np.sqrt((point * point).sum(1))
        height = np.maximum(r - GROUND, 0.0)
        gas, aerosol = _densities(height, air.turbidity)
        loss = _loss(height, air.turbidity)
        direct = _sunlight(table, height, (point @ sun) / r)
        scattered = gas + aerosol[:, None]
        if further is None:
            source = scattered * direct / (4.0 * np.pi)
        else:
            phase = gas * _rayleigh(toward)[:, None] + (aerosol * _aerosol(toward))[:, None]
            rows = np.clip(height / 40.0, 0.0, 1.0) * 15.0
            low = np.minimum(rows.astype(np.int64), 14)
            mixed = further[low] + (further[low + 1] - further[low]) * (rows - low)[:, None]
            source = phase * direct + scattered * mixed
        kept = np.exp(-loss * width)
        inside = (1.0 - kept) / np.maximum(loss, 1e-12)
        total += light * source * inside
        share += light * scattered * inside
        light *= kept
    ground = _sunlight(table, np.zeros(1), sun[2:3]) * max(sun[2], 0.0) / np.pi * np.array(air.ground)
    total += light * ground * hits[:, None]
    return total, share


def _rayleigh(cosine: Floats) -> Floats:
    return 3.0 / (16.0 * np.pi) * (1.0 + cosine * cosine)


def _aerosol(cosine: Floats) -> Floats:
    """Cornette–Shanks phase function."""
    g = ASYMMETRY
    top = 3.0 * (1.0 - g * g) * (1.0 + cosine * cosine)
    return top / (8.0 * np.pi * (2.0 + g * g) * (1.0 + g * g - 2.0 * g * cosine) ** 1.5)


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
        second, share = _march(air, max(height, 0.05), directions, sun, None)
        rows.append(second.mean(0) / np.maximum(1.0 - share.mean(0), 0.05))
    return np.stack(rows)


@lru_cache(maxsize=32)
def clear_sky(air: Atmosphere) -> ClearSky:
    """The sky without clouds; a tenth of a second, kept for the last 32 atmospheres."""
    height = np.radians(air.elevation)
    sun = np.array([np.cos(height), 0.0, np.sin(height)])
    azimuth = table_azimuths()
    elevation = elevation_of((np.arange(ELEVATIONS) + 0.5) / ELEVATIONS)
    flat = np.cos(elevation)[:, None]
    height_of = np.broadcast_to(np.sin(elevation)[:, None], (ELEVATIONS, AZIMUTHS))
    directions = np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), height_of], -1)
    further = _further_orders(air, sun)
    radiance, _ = _march(air, EYE - GROUND, directions.reshape(-1, 3), sun, further)
    table = radiance.reshape(ELEVATIONS, AZIMUTHS, 3).astype(np.float32)
    table.setflags(write=False)
    direct = _sunlight(_sun_table(air.turbidity), np.array([EYE - GROUND]), sun[2:3])[0]
    return ClearSky(table, direct)
