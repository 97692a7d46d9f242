"""From a look to light: the exposed sky table and every number of the look block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .look import Look
from .look_color import to_linear
from .look_lighting import Lighting
from .teacher_blocks import LOOK
from .teacher_materials import brand_table, kind_tables, livery_table
from .teacher_sky import AZIMUTHS, ELEVATIONS, Atmosphere, clear_sky, elevation_of, table_azimuths

Floats = NDArray[np.float64]
Values = dict[str, ArrayLike]
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


@dataclass(frozen=True)
class SceneLight:
    """Light of one look.

    Args:
        sky: float16 ``[96, 64, 4]``, exposed radiance by elevation and azimuth from the sun.
        block: bytes of the look block.
        sun: unit vector to the sun, float64 ``[3]``; None if it is down or hidden and casts no shadow.
    """

    sky: NDArray[np.float16]
    block: bytes
    sun: Floats | None


@lru_cache(maxsize=1)
def _grid() -> tuple[Floats, Floats, Floats]:
    """Elevation ``[96]``, azimuth ``[64]``, and solid angle of a table entry with its mirror image ``[96, 64]``.

    Always the same arrays, which nobody may change.
    """
    edge = elevation_of(np.linspace(0.0, 1.0, ELEVATIONS + 1))
    elevation = elevation_of((np.arange(ELEVATIONS) + 0.5) / ELEVATIONS)
    azimuth = table_azimuths()
    width = np.diff(np.concatenate([[0.0], 0.5 * (azimuth[1:] + azimuth[:-1]), [np.pi]]))
    grid = elevation, azimuth, np.outer(np.diff(np.sin(edge)), 2.0 * width)
    for values in grid:
        values.setflags(write=False)
    return grid


def _irradiance(table: Floats) -> Floats:
    """Light that falls on level ground, ``[3]``."""
    elevation, _, angle = _grid()
    return np.einsum("ea,eac->c", angle * np.maximum(np.sin(elevation), 0.0)[:, None], table)


def _warmth(look: Look) -> Floats:
    w = look.weather.warmth
    return np.array([1.0 + 0.07 * w, 1.0 + 0.01 * w, 1.0 - 0.09 * w])


def _sky_gain(elevation: float) -> float:
    """Taste, not physics: skies of a high sun drawn brighter than they measure, or noon looks like the Moon."""
    return 1.15 + 0.75 * float(np.clip((elevation - 8.0) / 25.0, 0.0, 1.0))


def _deck_radiance(light: Lighting, total: Floats) -> Floats:
    """A closed deck ``[96, 64, 3]``: brighter overhead when even, dark overhead with a bright rim in a storm."""
    elevation, azimuth, _ = _grid()
    up = np.maximum(np.sin(elevation), 0.0)
    if light.shaft:
        gradient = 0.26 + 0.9 * np.exp(-up * 7.0)
    else:
        gradient = 0.74 + 0.26 * up
    toward = 1.0 + (0.8 if light.shaft else 0.25) * np.exp(-((azimuth / 0.9) ** 2))
    level = total @ _LUMINANCE * 0.28 / np.pi
    return level * gradient[:, None, None] * toward[None, :, None] * np.array(light.deck_tint)


def _harmonics(table: Floats, sun_azimuth: float, ground: Floats) -> Floats:
    """Ambient light by normal, ``[9, 3]``: cosine-convolved harmonics over pi (Ramamoorthi and Hanrahan, 2001).

    The half below the horizon is replaced by light from the ground.
    """
    elevation, azimuth, angle = _grid()
    radiance = np.where((elevation > 0.0)[:, None, None], table, ground)
    total = np.zeros((9, 3))
    for sign in (1.0, -1.0):
        around = sun_azimuth + sign * azimuth
        x = np.cos(elevation)[:, None] * np.cos(around)
        y = np.cos(elevation)[:, None] * np.sin(around)
        z = np.broadcast_to(np.sin(elevation)[:, None], x.shape)
        shapes = (np.ones_like(x), y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y)
        total += 0.5 * np.stack([np.einsum("ea,eac->c", angle * s, radiance) for s in shapes])
    norm = np.array([0.282095, *[0.488603] * 3, 1.092548, 1.092548, 0.315392, 1.092548, 0.546274]) ** 2
    cosine = np.array([np.pi, *[2.0943951] * 3, *[0.78539816] * 5]) / np.pi
    return total * (norm * cosine)[:, None]


def _adapted(harmonics: Floats) -> Floats:
    """Shade seen with half-adapted eyes: skylight keeps its hue, but not all of its blue."""
    return harmonics + 0.42 * ((harmonics @ _LUMINANCE)[:, None] - harmonics)


def light_of(look: Look) -> SceneLight:
    """All light of a look; about a tenth of a second for a new sky, less for one seen before."""
    light, weather = look.lighting, look.weather
    elevation = round(weather.sun_elevation, 2)
    sky = clear_sky(Atmosphere(elevation, light.turbidity))
    height = np.radians(elevation)
    sun = np.array(
        [np.cos(height) * np.cos(weather.sun_azimuth), np.cos(height) * np.sin(weather.sun_azimuth), np.sin(height)]
    )
    direct = sky.sun * _warmth(look)
    table = sky.table.astype(np.float64) * _warmth(look) * _sky_gain(elevation)
    high = 1.0 - np.exp(-np.maximum(_grid()[0], 0.0) / 0.22)
    table = table * (1.0 + (np.array(light.zenith_tint) - 1.0) * high[:, None])[:, None]
    total = _irradiance(table) + direct * max(sun[2], 0.0)
    table = table + (_deck_radiance(light, total) - table) * light.deck
    through = np.exp(-0.45 * weather.haze * light.haze_height / 1000.0 / max(sun[2], 0.1))
    hidden = 0.0 if light.shaft else light.deck
    direct = direct * through * (1.0 - hidden) ** 2 * (1.0 if sun[2] > 0.0 else 0.0)
    seen = 0.3 if light.shaft else 1.0
    grey = (_irradiance(table) + direct * seen * max(sun[2], 0.16)) @ _LUMINANCE
    exposure = light.key * np.pi / grey
    table, direct = table * exposure, direct * exposure
    rgba = np.ones((ELEVATIONS, AZIMUTHS, 4), np.float16)
    rgba[..., :3] = np.clip(table, 0.0, 200.0)
    values = {
        **_light_values(look, table, direct, sun), **_weather_values(look, table, direct, sun), **_surface_values(look),
    }  # fmt: skip
    return SceneLight(rgba, LOOK.pack(values), sun if _casts(direct) else None)


def _casts(direct: Floats) -> bool:
    """Whether the sun is strong enough for shadows that anybody would see."""
    return bool(direct @ _LUMINANCE > 0.15)


def _lift(direct: Floats, sun: Floats) -> float:
    """How far the dark is lifted: most under a high sun, where shade would be black beside what it lights."""
    return 0.1 + 0.14 * _casts(direct) * min(max(sun[2] / 0.35, 0.0), 1.0)


def _car_reach(light: Lighting, sun: Floats) -> float:
    """How far a car's shadow or its head lamps reach, metres."""
    shadow = 3.5 + min(1.2 / max(sun[2], 0.02), 30.0)
    return max(shadow, 45.0 if light.lamps > 0.3 else 0.0)


def _light_values(look: Look, table: Floats, direct: Floats, sun: Floats) -> Values:
    light = look.lighting
    ground = np.array(to_linear(look.palette.wild)) * 0.5 + 0.04
    falls = _irradiance(table) + direct * max(sun[2], 0.0) * (0.3 if light.shaft else 1.0)
    below = ground * falls / np.pi
    return {
        "sun": (*sun, float(direct @ _LUMINANCE) * _casts(direct)),
        "sun_flat": (np.cos(look.weather.sun_azimuth), np.sin(look.weather.sun_azimuth)),
        "sun_light": direct,
        "sun_disc": direct * (1.0 - 0.8 * light.deck),
        "sh": _adapted(_harmonics(table, look.weather.sun_azimuth, below)),
        "ground_light": below,
        "lamp_light": (2.4 * light.lamps**1.5, 0.7 * light.lamps, light.windows, 1.9 * light.lamps**2 + 0.15),
        "brake_light": (1.0,),
        "lamp_reach": (_car_reach(light, sun) ** 2,),
        "grade": (light.contrast, light.saturation, 0.16 + 0.1 * light.lamps, 0.32),
        "grade_shadow": (*light.shadow_tint, _lift(direct, sun)),
        "grade_light": light.light_tint,
    }


def _horizon(table: Floats) -> Floats:
    """Mean colour a few degrees above the horizon, ``[3]``."""
    elevation, _, _ = _grid()
    band = (elevation > np.radians(1.0)) & (elevation < np.radians(6.0))
    return table[band].mean((0, 1))


def _weather_values(look: Look, table: Floats, direct: Floats, sun: Floats) -> Values:
    light, weather = look.lighting, look.weather
    shift = np.array([weather.cloud_seed % 256, weather.cloud_seed // 256]) * 331.0
    sky_mean = _irradiance(table) / np.pi
    elevation, _, _ = _grid()
    glow = table[(elevation > 0.0) & (elevation < 0.2), :8].mean((0, 1))
    bright = direct * 0.38 + sky_mean * 0.6 if sun[2] > 0.0 else glow * 0.3 + sky_mean * 0.3
    misty = float(np.clip((weather.haze - 0.6) / 3.0, 0.0, 1.0))
    even = sky_mean * 0.85 + direct * 0.06
    tint = 1.0 + (even / np.maximum(_horizon(table), 1e-4) - 1.0) * misty
    spread = 0.006 * light.turbidity * (1.0 + 3.0 * misty)
    cover = weather.cloud_cover
    return {
        "haze": (weather.haze / 1000.0, light.haze_height),
        "haze_tint": (*tint, misty),
        "haze_glow": (spread, spread * 1.8),
        "cloud": (0.74 - 0.5 * cover, 0.2, 1150.0, 0.82 * (cover > 0.02) * (1.0 - light.deck)),
        "cloud_shift": (*shift, min(1.0, cover * 8.0) * (light.deck < 0.5), 0.7),
        "cloud_bright": bright,
        "cloud_dark": sky_mean * (0.62 if sun[2] > 0.0 else 0.4),
        "wind": (7.0, 3.0),
        "deck": (light.deck * (light.deck > 0.4), 0.5 + light.shaft, 0.15 + 0.35 * light.shaft),
        "deck_glow": direct * 0.05 * light.shaft,
        "shaft": (light.shaft, *(shift * 0.13), 1900.0),
        "shaft_light": direct * 0.13 * light.shaft + sky_mean * 0.3 * (1.0 - light.shaft),
        "shaft_steps": (6 if light.shaft else 0,),
        "shadow_bias": (0.12, 0.55),
        "weather": (weather.wetness,),
    }


def _surface_values(look: Look) -> Values:
    s = look.surfaces
    return {
        "road_state": (s.road_wear, s.rubber, s.line_wear, s.kerb_length),
        "plant_state": (s.dryness, s.flowers, s.mown_strength, s.mown_width),
        "plant_gaps": (s.leaf_gaps,),
        "surface_state": (s.dust, s.crowd, look.seed % 16),
        "tower_state": (s.tower_glass,),
        "house_third": to_linear(look.palette.wall_c),
        "livery": livery_table(look),
        "brand_paint": brand_table(look.seed),
        **kind_tables(look.palette),
    }
