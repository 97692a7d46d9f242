"""Which colours and which detail texture each material takes from a look."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.random import Stream

from .look import Look
from .look_color import from_oklch, oklch, to_linear
from .look_livery import FINISHES, PATTERNS
from .look_palettes import Palette
from .materials import Material as M
from .teacher_textures import Layer as L

Table = NDArray[np.float32]

# Material → palette slot of its main and of its second colour, texture layer, metres of a tile.
_KINDS: dict[M, tuple[str, str, L, float]] = {
    M.ASPHALT: ("asphalt", "concrete", L.ASPHALT, 1.9),
    M.CONCRETE: ("concrete", "asphalt", L.PLASTER, 3.0),
    M.DIRT_ROAD: ("dirt", "gravel", L.SOIL, 3.2),
    M.EDGE_LINE: ("line", "asphalt", L.ASPHALT, 1.9),
    M.KERB: ("kerb_a", "kerb_b", L.PLASTER, 1.7),
    M.GRASS_MOWN: ("grass", "grass_dry", L.GRASS, 2.1),
    M.GRASS_WILD: ("wild", "grass_dry", L.GRASS, 3.1),
    M.SOIL: ("soil", "gravel", L.SOIL, 4.0),
    M.GRAVEL: ("gravel", "soil", L.GRAVEL, 1.5),
    M.SAND: ("sand", "soil", L.SAND, 4.5),
    M.ROCK: ("rock", "rock_dark", L.ROCK, 5.0),
    M.GUARD_RAIL: ("rail", "metal", L.PLASTER, 2.6),
    M.CONCRETE_WALL: ("barrier", "concrete", L.PLASTER, 3.1),
    M.TYRE_WALL: ("tyres_a", "tyres_b", L.PLASTER, 2.0),
    M.FENCE: ("frame", "metal", L.PLASTER, 2.0),
    M.BARK: ("bark", "rock_dark", L.BARK, 1.0),
    M.LEAVES: ("leaves_a", "leaves_b", L.LEAVES, 2.2),
    M.NEEDLES: ("needles", "needles", L.NEEDLES, 2.2),
    M.FACADE_HOUSE: ("wall_a", "wall_b", L.PLASTER, 3.7),
    M.FACADE_BLOCK: ("block_a", "block_b", L.PLASTER, 5.1),
    M.FACADE_HANGAR: ("hangar_a", "hangar_b", L.PLASTER, 6.0),
    M.FACADE_PIT: ("pit", "hangar_b", L.PLASTER, 4.3),
    M.ROOF: ("roof_a", "roof_b", L.PLASTER, 4.0),
    M.STAND_SEATS: ("seats_a", "seats_b", L.PLASTER, 3.0),
    M.STAND_FRAME: ("frame", "concrete", L.PLASTER, 4.0),
    M.BOARD_FACE: ("line", "frame", L.PLASTER, 4.0),
    M.BOARD_FRAME: ("frame", "metal", L.PLASTER, 3.0),
    M.METAL: ("metal", "frame", L.PLASTER, 2.0),
    M.CAR_PAINT: ("metal", "metal", L.PLASTER, 2.0),
    M.CAR_GLASS: ("metal", "metal", L.PLASTER, 2.0),
    M.CAR_TYRE: ("metal", "metal", L.PLASTER, 2.0),
    M.CAR_RIM: ("metal", "metal", L.PLASTER, 2.0),
    M.CAR_TRIM: ("metal", "metal", L.PLASTER, 2.0),
    M.CAR_HEADLIGHT: ("metal", "metal", L.PLASTER, 2.0),
    M.CAR_TAILLIGHT: ("metal", "metal", L.PLASTER, 2.0),
    M.GRID_MARK: ("asphalt", "line", L.ASPHALT, 1.9),
}


def kind_tables(palette: Palette) -> dict[str, Table]:
    """Linear colours and detail per material, each float32 ``[materials, 4]``."""
    first, second, detail = (np.zeros((len(M), 4), np.float32) for _ in range(3))
    for kind, (main, other, layer, tile) in _KINDS.items():
        first[kind, :3] = to_linear(getattr(palette, main))
        second[kind, :3] = to_linear(getattr(palette, other))
        detail[kind, :2] = layer, 1.0 / tile
    second[M.NEEDLES, :3] = 0.75 * second[M.NEEDLES, :3] + 0.25 * second[M.LEAVES, :3] * (0.8, 1.0, 0.6)
    return {"kind_color": first, "kind_second": second, "kind_detail": detail}


def livery_table(look: Look) -> Table:
    """Three rows a car, float32 ``[48, 4]``; car 0 is the player."""
    rows = np.zeros((48, 4), np.float32)
    for car, livery in enumerate((look.player, *look.rivals)):
        rows[3 * car] = *to_linear(livery.base), FINISHES.index(livery.finish)
        rows[3 * car + 1] = *to_linear(livery.second), PATTERNS.index(livery.pattern)
        rows[3 * car + 2] = *to_linear(livery.accent), livery.number
    return rows


def brand_table(seed: int) -> Table:
    """Paper and ink of the sixteen brands, float32 ``[32, 4]``."""
    stream = Stream(seed, "look-brands")
    rows = np.zeros((32, 4), np.float32)
    for brand in range(16):
        hue, kind = stream.uniform(0.0, 360.0), stream.uniform()
        strong = from_oklch(stream.uniform(0.38, 0.6), stream.uniform(0.13, 0.2), hue)
        pale = from_oklch(stream.uniform(0.9, 0.96), stream.uniform(0.0, 0.03), hue)
        dark = from_oklch(stream.uniform(0.22, 0.3), stream.uniform(0.0, 0.06), hue + 40.0)
        bright = from_oklch(0.84, stream.uniform(0.12, 0.16), stream.uniform(75.0, 110.0))
        if kind < 0.45:
            paper, ink = strong, pale
        elif kind < 0.7:
            paper, ink = pale, strong
        elif kind < 0.85:
            paper, ink = dark, bright if oklch(dark)[0] < 0.4 else pale
        else:
            paper, ink = bright, dark
        rows[2 * brand, :3], rows[2 * brand + 1, :3] = to_linear(paper), to_linear(ink)
    return rows
