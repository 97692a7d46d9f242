"""Colours of looks: ``#rrggbb`` text outside, OKLCH to choose them, linear light to draw them, words to say them.

OKLab and OKLCH follow Björn Ottosson, "A perceptual color space for image processing" (2020): equal steps look
equal, so ranges of lightness, chroma and hue stay plausible, and the nearest named colour is the one people would say.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from engine_sim.core.errors import UserError

Rgb = tuple[float, float, float]
_HEX = re.compile(r"#[0-9a-f]{6}")

NAMES: dict[str, str] = {
    "black": "#101010", "charcoal": "#34363a", "dark grey": "#4c4c4e", "grey": "#808082", "light grey": "#b4b4b6",
    "silver": "#ccced2", "white": "#f6f6f6", "ivory": "#f2ecd8", "cream": "#eadfb8", "beige": "#d2c09a",
    "warm grey": "#8c8378", "dark warm grey": "#57504a", "blue-grey": "#76848f", "slate": "#4b5965",
    "sand": "#cbb080", "tan": "#b48a5a", "ochre": "#c28a2e", "brown": "#7a4e2c", "dark brown": "#46301f",
    "umber": "#5e4632", "rust": "#a34a22", "terracotta": "#c0643f", "brick red": "#93402f", "maroon": "#6a1a20",
    "crimson": "#b4142c", "red": "#da2222", "scarlet": "#ee3a1c", "coral": "#f0745c", "salmon": "#eb9c8a",
    "orange": "#f0801c", "amber": "#f2a81e", "gold": "#d8ac34", "yellow": "#f4da30", "lemon": "#f2ec7a",
    "olive": "#74742e", "khaki": "#a29c62", "lime green": "#98d82c", "yellow-green": "#92a83a", "moss green": "#5e7434",
    "grass green": "#4c9032", "green": "#2a9c3c", "forest green": "#245c2a", "dark green": "#1c3a20",
    "sage": "#92a684", "pale green": "#a8d69a", "mint": "#8fe0bc", "emerald": "#109c68", "teal": "#127e80",
    "turquoise": "#34c2bc", "cyan": "#2cd0ea", "pale blue": "#a8ccea", "sky blue": "#62aeea", "azure": "#2284e0",
    "blue": "#2050d0", "cobalt": "#20429e", "navy": "#1a2450", "indigo": "#3c2c8c", "violet": "#7a3cc8",
    "purple": "#76308c", "plum": "#5c2c50", "lavender": "#b6a2e0", "lilac": "#d0a8d8", "magenta": "#d824a0",
    "pink": "#f07cb0", "pale pink": "#f2c2cc", "rose": "#d2496e", "mauve": "#96707f",
}  # fmt: skip


def check_hex(text: object, where: str) -> str:
    """Return ``text`` if it is a lower-case ``#rrggbb`` colour; UserError naming ``where`` otherwise."""
    if not isinstance(text, str) or not _HEX.fullmatch(text):
        raise UserError(f"{where}: expected a colour like '#8a3c20' (lower case), got {text!r}")
    return text


def to_rgb(text: str) -> Rgb:
    """``#rrggbb`` → sRGB, each 0 … 1."""
    return int(text[1:3], 16) / 255.0, int(text[3:5], 16) / 255.0, int(text[5:7], 16) / 255.0


def to_hex(rgb: Rgb) -> str:
    """sRGB 0 … 1 (clipped) → ``#rrggbb``."""
    return "#" + "".join(f"{round(255 * min(max(v, 0.0), 1.0)):02x}" for v in rgb)


def to_linear(text: str) -> Rgb:
    """``#rrggbb`` → linear light, each 0 … 1 (IEC 61966-2-1)."""
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in to_rgb(text))
    return r, g, b


def _encode(v: float) -> float:
    return 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


@lru_cache(maxsize=16384)
def oklab(text: str) -> Rgb:
    """``#rrggbb`` → OKLab (lightness 0 … 1, a, b)."""
    r, g, b = to_linear(text)
    long = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    medium = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    short = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def oklch(text: str) -> Rgb:
    """``#rrggbb`` → lightness 0 … 1, chroma, hue in degrees 0 … 360."""
    lightness, a, b = oklab(text)
    return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360.0


def _linear_of(lightness: float, chroma: float, hue: float) -> Rgb:
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def from_oklch(lightness: float, chroma: float, hue: float) -> str:
    """OKLCH → ``#rrggbb``; chroma outside the screen's gamut is lowered until it fits, lightness and hue stay."""
    for _ in range(40):
        rgb = _linear_of(lightness, chroma, hue)
        if all(-1e-4 <= v <= 1.0001 for v in rgb):
            break
        chroma *= 0.93
    r, g, b = (_encode(min(max(v, 0.0), 1.0)) for v in _linear_of(lightness, chroma, hue))
    return to_hex((r, g, b))


def distance(first: str, second: str) -> float:
    """OKLab distance of two ``#rrggbb`` colours; 0.02 is just visible, black to white is 1."""
    return math.dist(oklab(first), oklab(second))


@lru_cache(maxsize=4096)
def color_name(text: str) -> str:
    """The English name nearest to a colour, e.g. ``"terracotta"``. Hue counts twice as much as lightness."""
    wanted = oklab(text)

    def apart(name: str) -> float:
        lightness, a, b = oklab(NAMES[name])
        return (lightness - wanted[0]) ** 2 + 4.0 * ((a - wanted[1]) ** 2 + (b - wanted[2]) ** 2)

    return min(NAMES, key=apart)
