"""Palettes: which colours a surface may take in which style, as OKLCH ranges, and how one palette is drawn from them.

Natural styles (about four looks of five) are regions and seasons. Stylised ones keep the lightness order of the natural
world (sky over ground, lines over road, crowns darker than grass), so a picture stays readable whatever its hues.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from engine_sim.core.random import Stream

from .look_color import from_oklch

Box = tuple[float, float, float, float, float, float]  # lightness, chroma, hue: low and high of each


@dataclass(frozen=True)
class Palette:
    """One ``#rrggbb`` colour per kind of surface."""

    asphalt: str
    concrete: str
    dirt: str
    line: str
    kerb_a: str
    kerb_b: str
    grass: str
    grass_dry: str
    wild: str
    soil: str
    gravel: str
    sand: str
    rock: str
    rock_dark: str
    leaves_a: str
    leaves_b: str
    needles: str
    bark: str
    wall_a: str
    wall_b: str
    wall_c: str
    roof_a: str
    roof_b: str
    block_a: str
    block_b: str
    hangar_a: str
    hangar_b: str
    pit: str
    rail: str
    barrier: str
    tyres_a: str
    tyres_b: str
    seats_a: str
    seats_b: str
    frame: str
    metal: str


_NATURAL: dict[str, Box] = {
    "asphalt": (0.46, 0.62, 0.0, 0.012, 40, 290),
    "concrete": (0.66, 0.76, 0.008, 0.028, 60, 110),
    "dirt": (0.48, 0.62, 0.045, 0.085, 55, 80),
    "line": (0.88, 0.95, 0.0, 0.02, 80, 110),
    "kerb_a": (0.5, 0.58, 0.17, 0.21, 22, 32),
    "kerb_b": (0.9, 0.95, 0.0, 0.015, 80, 110),
    "grass": (0.51, 0.59, 0.085, 0.115, 118, 132),
    "grass_dry": (0.6, 0.68, 0.07, 0.095, 92, 108),
    "wild": (0.47, 0.56, 0.075, 0.11, 116, 132),
    "soil": (0.4, 0.54, 0.03, 0.065, 50, 80),
    "gravel": (0.62, 0.74, 0.015, 0.045, 65, 95),
    "sand": (0.7, 0.79, 0.045, 0.075, 75, 92),
    "rock": (0.52, 0.66, 0.01, 0.035, 50, 100),
    "rock_dark": (0.36, 0.46, 0.01, 0.03, 40, 100),
    "leaves_a": (0.46, 0.53, 0.07, 0.1, 120, 136),
    "leaves_b": (0.51, 0.59, 0.075, 0.105, 108, 124),
    "needles": (0.4, 0.46, 0.04, 0.065, 135, 165),
    "bark": (0.36, 0.48, 0.02, 0.045, 50, 75),
    "wall_a": (0.8, 0.9, 0.015, 0.05, 60, 100),
    "wall_b": (0.68, 0.8, 0.04, 0.09, 40, 95),
    "wall_c": (0.55, 0.75, 0.03, 0.09, 20, 260),
    "roof_a": (0.44, 0.54, 0.07, 0.11, 32, 46),
    "roof_b": (0.34, 0.46, 0.008, 0.035, 20, 260),
    "block_a": (0.66, 0.8, 0.008, 0.035, 50, 110),
    "block_b": (0.5, 0.66, 0.02, 0.06, 30, 260),
    "hangar_a": (0.62, 0.76, 0.01, 0.04, 180, 260),
    "hangar_b": (0.45, 0.62, 0.05, 0.1, 20, 260),
    "pit": (0.8, 0.92, 0.0, 0.02, 60, 260),
    "rail": (0.66, 0.76, 0.004, 0.016, 220, 270),
    "barrier": (0.7, 0.82, 0.008, 0.028, 60, 110),
    "tyres_a": (0.5, 0.62, 0.14, 0.2, 20, 290),
    "tyres_b": (0.9, 0.95, 0.0, 0.015, 80, 110),
    "seats_a": (0.42, 0.58, 0.08, 0.15, 0, 360),
    "seats_b": (0.7, 0.9, 0.02, 0.1, 0, 360),
    "frame": (0.55, 0.8, 0.002, 0.02, 200, 270),
    "metal": (0.6, 0.75, 0.004, 0.014, 220, 270),
}

STYLES: dict[str, dict[str, Box]] = {
    "lush summer": {},
    "spring": {
        "grass": (0.55, 0.61, 0.1, 0.125, 120, 132), "wild": (0.54, 0.61, 0.09, 0.115, 116, 128),
        "leaves_a": (0.52, 0.6, 0.11, 0.14, 120, 132), "leaves_b": (0.6, 0.68, 0.09, 0.13, 104, 122),
    },
    "dry summer": {
        "grass": (0.57, 0.64, 0.08, 0.1, 106, 120), "wild": (0.62, 0.7, 0.07, 0.09, 90, 104),
        "grass_dry": (0.68, 0.75, 0.07, 0.09, 84, 94), "leaves_a": (0.44, 0.5, 0.07, 0.09, 116, 130),
        "leaves_b": (0.5, 0.57, 0.07, 0.09, 102, 116), "soil": (0.52, 0.62, 0.05, 0.075, 60, 80),
    },
    "autumn": {
        "grass": (0.5, 0.58, 0.075, 0.1, 108, 124), "wild": (0.5, 0.6, 0.065, 0.09, 88, 108),
        "leaves_a": (0.5, 0.6, 0.11, 0.15, 42, 66), "leaves_b": (0.62, 0.74, 0.12, 0.15, 70, 92),
        "grass_dry": (0.58, 0.66, 0.06, 0.08, 76, 92), "soil": (0.38, 0.48, 0.035, 0.06, 45, 65),
    },
    "mediterranean": {
        "grass": (0.55, 0.62, 0.075, 0.1, 108, 122), "wild": (0.6, 0.68, 0.055, 0.08, 88, 106),
        "leaves_a": (0.46, 0.54, 0.05, 0.075, 118, 138), "leaves_b": (0.52, 0.6, 0.045, 0.07, 108, 124),
        "rock": (0.72, 0.82, 0.02, 0.045, 65, 85), "wall_a": (0.86, 0.93, 0.015, 0.04, 70, 95),
        "wall_b": (0.72, 0.8, 0.07, 0.11, 50, 75), "roof_a": (0.55, 0.63, 0.09, 0.13, 38, 50),
        "soil": (0.54, 0.64, 0.06, 0.09, 45, 65),
    },
    "alpine": {
        "grass": (0.52, 0.58, 0.085, 0.112, 122, 133), "wild": (0.5, 0.57, 0.075, 0.1, 118, 130),
        "leaves_a": (0.43, 0.5, 0.065, 0.09, 126, 140), "rock": (0.56, 0.68, 0.006, 0.02, 200, 270),
        "rock_dark": (0.38, 0.48, 0.008, 0.02, 200, 270), "wall_a": (0.85, 0.93, 0.01, 0.03, 70, 100),
        "wall_b": (0.4, 0.5, 0.04, 0.06, 45, 60), "roof_a": (0.38, 0.46, 0.03, 0.05, 40, 60),
    },
    "northern": {
        "grass": (0.48, 0.55, 0.06, 0.085, 118, 136), "wild": (0.48, 0.56, 0.045, 0.07, 96, 124),
        "leaves_a": (0.42, 0.5, 0.05, 0.075, 122, 140), "leaves_b": (0.5, 0.58, 0.06, 0.08, 100, 116),
        "needles": (0.34, 0.4, 0.03, 0.05, 140, 170), "wall_a": (0.45, 0.52, 0.1, 0.13, 26, 34),
        "wall_b": (0.72, 0.82, 0.06, 0.09, 80, 95), "roof_a": (0.34, 0.42, 0.005, 0.02, 200, 270),
    },
    "desert": {
        "grass": (0.6, 0.68, 0.05, 0.075, 96, 112), "wild": (0.68, 0.76, 0.05, 0.075, 70, 88),
        "grass_dry": (0.7, 0.78, 0.055, 0.08, 76, 90), "leaves_a": (0.5, 0.58, 0.045, 0.065, 112, 130),
        "leaves_b": (0.56, 0.64, 0.045, 0.065, 100, 116), "rock": (0.56, 0.66, 0.07, 0.11, 38, 56),
        "rock_dark": (0.4, 0.48, 0.06, 0.085, 32, 48), "soil": (0.58, 0.68, 0.065, 0.095, 52, 70),
        "sand": (0.74, 0.82, 0.06, 0.085, 68, 84), "wall_a": (0.76, 0.86, 0.04, 0.065, 65, 82),
        "dirt": (0.58, 0.68, 0.07, 0.1, 48, 68), "needles": (0.44, 0.52, 0.04, 0.06, 120, 150),
    },
    "tropical": {
        "grass": (0.52, 0.59, 0.1, 0.125, 126, 138), "wild": (0.48, 0.55, 0.085, 0.11, 124, 138),
        "leaves_a": (0.43, 0.51, 0.085, 0.11, 132, 144), "leaves_b": (0.52, 0.6, 0.095, 0.125, 118, 132),
        "soil": (0.44, 0.52, 0.08, 0.11, 36, 48), "dirt": (0.5, 0.58, 0.09, 0.12, 36, 50),
        "sand": (0.82, 0.89, 0.03, 0.05, 80, 95),
    },
    "first frost": {
        "grass": (0.66, 0.74, 0.025, 0.045, 118, 150), "wild": (0.7, 0.79, 0.015, 0.035, 90, 140),
        "grass_dry": (0.76, 0.84, 0.012, 0.028, 80, 120), "leaves_a": (0.4, 0.47, 0.035, 0.055, 50, 75),
        "leaves_b": (0.56, 0.64, 0.02, 0.04, 70, 120), "needles": (0.42, 0.5, 0.025, 0.04, 150, 200),
        "rock": (0.66, 0.76, 0.005, 0.02, 220, 270), "soil": (0.44, 0.54, 0.02, 0.035, 50, 80),
    },
    "pastel": {
        "asphalt": (0.6, 0.68, 0.02, 0.045, 270, 320), "grass": (0.74, 0.8, 0.07, 0.1, 140, 170),
        "wild": (0.72, 0.79, 0.06, 0.09, 130, 160), "grass_dry": (0.8, 0.86, 0.05, 0.08, 90, 110),
        "leaves_a": (0.66, 0.73, 0.08, 0.11, 330, 375), "leaves_b": (0.73, 0.8, 0.06, 0.09, 20, 60),
        "needles": (0.56, 0.63, 0.05, 0.075, 180, 220), "rock": (0.7, 0.78, 0.03, 0.05, 270, 330),
        "soil": (0.68, 0.75, 0.045, 0.065, 30, 60), "wall_a": (0.85, 0.91, 0.04, 0.07, 0, 360),
        "wall_b": (0.82, 0.88, 0.05, 0.08, 0, 360), "wall_c": (0.8, 0.88, 0.05, 0.08, 0, 360),
        "kerb_a": (0.68, 0.75, 0.1, 0.14, 340, 380), "roof_a": (0.62, 0.7, 0.07, 0.1, 0, 60),
    },
    "candy": {
        "asphalt": (0.42, 0.5, 0.04, 0.07, 270, 310), "grass": (0.64, 0.72, 0.13, 0.17, 150, 180),
        "wild": (0.6, 0.68, 0.12, 0.15, 160, 190), "grass_dry": (0.75, 0.82, 0.11, 0.14, 100, 120),
        "leaves_a": (0.54, 0.62, 0.15, 0.19, 340, 380), "leaves_b": (0.64, 0.72, 0.13, 0.16, 40, 70),
        "needles": (0.42, 0.5, 0.1, 0.13, 240, 290), "soil": (0.54, 0.62, 0.1, 0.13, 20, 50),
        "wall_a": (0.8, 0.88, 0.07, 0.11, 0, 360), "wall_b": (0.68, 0.78, 0.11, 0.15, 0, 360),
        "kerb_a": (0.56, 0.64, 0.18, 0.22, 0, 360), "roof_a": (0.5, 0.6, 0.13, 0.17, 0, 360),
    },
    "retro poster": {
        "asphalt": (0.36, 0.44, 0.025, 0.045, 40, 70), "grass": (0.6, 0.67, 0.1, 0.125, 96, 112),
        "wild": (0.64, 0.71, 0.1, 0.125, 78, 94), "grass_dry": (0.72, 0.78, 0.1, 0.13, 74, 86),
        "leaves_a": (0.4, 0.47, 0.05, 0.075, 160, 200), "leaves_b": (0.52, 0.6, 0.1, 0.13, 60, 84),
        "needles": (0.34, 0.4, 0.045, 0.065, 180, 215), "rock": (0.55, 0.63, 0.08, 0.11, 36, 54),
        "soil": (0.46, 0.54, 0.08, 0.105, 36, 52), "wall_a": (0.86, 0.91, 0.05, 0.07, 80, 95),
        "wall_b": (0.6, 0.68, 0.12, 0.15, 34, 50), "kerb_a": (0.54, 0.6, 0.16, 0.19, 28, 44),
    },
    "dreamlike": {
        "asphalt": (0.4, 0.48, 0.045, 0.075, 240, 300), "grass": (0.52, 0.6, 0.1, 0.14, 0, 360),
        "leaves_a": (0.46, 0.54, 0.12, 0.16, 0, 360), "leaves_b": (0.56, 0.64, 0.11, 0.15, 0, 360),
        "needles": (0.36, 0.44, 0.08, 0.11, 0, 360), "wild": (0.5, 0.58, 0.09, 0.13, 0, 360),
        "grass_dry": (0.66, 0.74, 0.08, 0.11, 0, 360), "rock": (0.5, 0.6, 0.05, 0.09, 0, 360),
        "soil": (0.44, 0.54, 0.06, 0.1, 0, 360), "dirt": (0.46, 0.56, 0.08, 0.12, 0, 360),
        "kerb_a": (0.54, 0.62, 0.15, 0.2, 0, 360), "wall_b": (0.6, 0.75, 0.1, 0.15, 0, 360),
    },
    "ink wash": {
        "grass": (0.56, 0.64, 0.012, 0.026, 100, 150), "wild": (0.6, 0.68, 0.01, 0.024, 80, 130),
        "grass_dry": (0.7, 0.78, 0.012, 0.026, 70, 100), "leaves_a": (0.36, 0.44, 0.012, 0.026, 120, 220),
        "leaves_b": (0.46, 0.54, 0.012, 0.026, 90, 160), "needles": (0.28, 0.34, 0.01, 0.02, 160, 240),
        "rock": (0.5, 0.62, 0.004, 0.014, 220, 280), "soil": (0.46, 0.56, 0.012, 0.024, 50, 80),
        "wall_b": (0.68, 0.78, 0.01, 0.03, 40, 90), "kerb_a": (0.48, 0.54, 0.17, 0.2, 24, 30),
        "roof_a": (0.36, 0.44, 0.01, 0.025, 220, 270), "dirt": (0.52, 0.6, 0.014, 0.028, 50, 80),
    },
}  # fmt: skip
"""Style → the boxes in which it differs from the natural one. Order is part of the look's stream: append only."""

STYLISED = ("pastel", "candy", "retro poster", "dreamlike", "ink wash")
NATURAL_STYLES = tuple(name for name in STYLES if name not in STYLISED)

_KERBS: tuple[tuple[Box, Box], ...] = (
    (_NATURAL["kerb_a"], _NATURAL["kerb_b"]),
    ((0.42, 0.52, 0.13, 0.18, 255, 268), _NATURAL["kerb_b"]),
    ((0.78, 0.84, 0.14, 0.17, 85, 98), (0.26, 0.32, 0.0, 0.02, 240, 280)),
    ((0.5, 0.58, 0.17, 0.21, 22, 32), (0.8, 0.86, 0.14, 0.17, 90, 100)),
    ((0.46, 0.54, 0.12, 0.15, 142, 156), _NATURAL["kerb_b"]),
    ((0.6, 0.68, 0.16, 0.19, 44, 56), _NATURAL["kerb_b"]),
)


def _draw(stream: Stream, box: Box) -> str:
    return from_oklch(stream.uniform(box[0], box[1]), stream.uniform(box[2], box[3]), stream.uniform(box[4], box[5]))


def draw_style(stream: Stream) -> str:
    """A style's name: one look of five is stylised."""
    return stream.choice(STYLISED if stream.chance(0.2) else NATURAL_STYLES)


def draw_palette(style: str, stream: Stream) -> Palette:
    """One palette of a style. Every slot draws three numbers in the order of the fields."""
    boxes = _NATURAL | STYLES[style]
    colors = {f.name: _draw(stream, boxes[f.name]) for f in fields(Palette)}
    if "kerb_a" not in STYLES[style] and stream.chance(0.45):
        first, second = stream.choice(_KERBS)
        colors |= {"kerb_a": _draw(stream, first), "kerb_b": _draw(stream, second)}
    return Palette(**colors)
