"""A wheel: tyre with rounded shoulders, dished rim, five double spokes. Axis along y, outer face +y."""

from __future__ import annotations

import numpy as np

from render_bridge import palette

from ..materials import Material
from .car import DARK, RIM, WHEEL_RADIUS
from .parts import Finish, Part, join
from .solids import lathe, quads

TYRE = Finish(palette.RIVAL_CAR, Material.CAR_TYRE)
_HALF = 0.145  # half the width
_BEAD = 0.235  # where the tyre meets the rim
_SPOKES = 5


def wheel_parts(lod: int) -> Part:
    """The wheel at one level of detail (0 near, 1 middle, 2 far); radius ``car.WHEEL_RADIUS``."""
    if lod == 0:
        return join([_tyre(18, True), _dish(18), _spokes()])
    if lod == 1:
        return join([_tyre(12, False), _disc(12, _HALF, RIM, _BEAD), _disc(6, -0.12, DARK, _BEAD)])
    wall = lathe([(WHEEL_RADIUS, -_HALF), (WHEEL_RADIUS, _HALF), (_BEAD, _HALF)], 7, TYRE, axis=1)
    return join([wall, _disc(7, _HALF, RIM, _BEAD)])


def _tyre(sides: int, rounded: bool) -> Part:
    r = WHEEL_RADIUS
    if rounded:
        profile = [(_BEAD, -_HALF), (r - 0.025, -_HALF), (r, -_HALF + 0.03), (r, _HALF - 0.03), (r - 0.025, _HALF),
                   (_BEAD, _HALF)]  # fmt: skip
    else:
        profile = [(_BEAD, -_HALF), (r, -_HALF + 0.015), (r, _HALF - 0.015), (_BEAD, _HALF)]
    return lathe(profile, sides, TYRE, axis=1)


def _dish(sides: int) -> Part:
    """Rim: a bright lip, a barrel going in, a dark disc behind the spokes and one inside."""
    lip = lathe([(_BEAD, _HALF), (_BEAD - 0.02, _HALF)], sides, RIM, axis=1)
    barrel = lathe([(_BEAD - 0.02, _HALF), (_BEAD - 0.035, 0.05)], sides, DARK, axis=1)
    return join([lip, barrel, _disc(sides, 0.05, DARK, _BEAD - 0.03), _disc(8, -0.12, DARK, _BEAD)])


def _disc(sides: int, y: float, finish: Finish, radius: float) -> Part:
    """A flat disc that faces away from the car, or towards it where ``y`` is negative."""
    profile = [(radius, y), (0.0, y)] if y > 0.0 else [(0.0, y), (radius, y)]
    return lathe(profile, sides, finish, axis=1)


def _spokes() -> Part:
    """Tapered bars from hub to lip, with sides towards the disc."""
    parts = []
    for k in range(_SPOKES):
        angle = 2.0 * np.pi * k / _SPOKES
        out = np.array([np.sin(angle), 0.0, np.cos(angle)])
        side = np.array([np.cos(angle), 0.0, -np.sin(angle)])
        face = np.array([0.0, 1.0, 0.0])
        inner, outer = 0.02 * out + 0.10 * face, (_BEAD - 0.015) * out + 0.125 * face
        a, b = inner - 0.045 * side, inner + 0.045 * side
        c, d = outer + 0.028 * side, outer - 0.028 * side
        deep = -0.06 * face
        corners = [(b, a, d, c), (a, a + deep, d + deep, d), (b + deep, b, c, c + deep)]
        parts.append(quads(np.array(corners), RIM))
    return join([*parts, _disc(8, 0.108, RIM, 0.055)])
