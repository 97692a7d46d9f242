"""TORCS names of surfaces and walls → ours, by rule.

Tracks invent names (``b-road1-grass6-l2``, ``tire-wall-se-e2``), so the rule reads the
words inside a name; the first row of the table whose word occurs wins.
"""

from __future__ import annotations

from engine_sim.tracks.track import (
    ASPHALT,
    CONCRETE,
    CONCRETE_WALL,
    DIRT,
    FENCE,
    GRASS_SURFACE,
    GRAVEL,
    GUARD_RAIL,
    SAND,
    TYRE_WALL,
)

SURFACE_WORDS = (
    ("gravel", GRAVEL),
    ("sand", SAND),
    ("grass", GRASS_SURFACE),
    ("bush", GRASS_SURFACE),
    ("dirt", DIRT),
    ("mud", DIRT),
    ("conc", CONCRETE),
)
"""Anything else (asphalt, road, tar, pits, tile, bridge …) is asphalt."""

STYLE_WORDS = (
    ("tire", TYRE_WALL),
    ("tyre", TYRE_WALL),
    ("straw", TYRE_WALL),
    ("fence", FENCE),
    ("wire", FENCE),
    ("grille", FENCE),
    ("wooden", FENCE),
    ("wall", CONCRETE_WALL),
    ("pub", CONCRETE_WALL),
    ("armco", GUARD_RAIL),
    ("barrier", GUARD_RAIL),
)


def surface_of(name: str) -> int:
    """One of our surfaces for a TORCS surface name."""
    lower = name.lower()
    return next((surface for word, surface in SURFACE_WORDS if word in lower), ASPHALT)


def is_kerb(name: str, style: str) -> bool:
    """True for a border that is a kerb: by style, or by a name such as ``rcurb-l``."""
    return style == "curb" or (style != "wall" and "curb" in name.lower())


def barrier_of(name: str, style: str) -> int:
    """One of our barrier styles for the surface name and style of a TORCS barrier."""
    lower = name.lower()
    fallback = CONCRETE_WALL if style == "wall" else GUARD_RAIL
    return next((barrier for word, barrier in STYLE_WORDS if word in lower), fallback)
