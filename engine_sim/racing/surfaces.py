"""What each surface does to a tyre, dry and wet; entries in the order of ``tracks.track`` (ASPHALT … CONCRETE)."""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import kernel
from ..core.random import mix64
from ..tracks.track import KERB
from .car import FRONT, REAR, TRACK_WIDTH
from .road import part_of, surface_of
from .state import INDEX, D, S

# Grip relative to dry asphalt; share of it lost when fully wet.
GRIP_SHARE = (1.0, 0.96, 0.50, 0.51, 0.51, 0.50, 0.97)
WET_LOSS = (0.30, 0.42, 0.35, 0.20, 0.12, 0.05, 0.28)
# Peak slip relative to asphalt: loose ground gives way slowly, so a slide can be held.
LOOSENESS = (1.0, 1.0, 1.5, 1.9, 2.2, 2.2, 1.0)
# Share of the peak force that a fully sliding tyre keeps.
SLIDE = (0.80, 0.80, 0.86, 0.94, 0.96, 0.96, 0.80)
# Rolling resistance (force over load) from 20 m/s on; half of it when creeping, so nobody is stuck in sand.
ROLLING = (0.013, 0.016, 0.075, 0.030, 0.13, 0.10, 0.013)
# Height of the bumps, metres.
ROUGHNESS = (0.0006, 0.012, 0.010, 0.007, 0.011, 0.010, 0.0009)

_RIB = 3.0  # metres from rib to rib of a kerb: coarse enough to be felt at 120 Hz and full speed
_LUMP = 1.7  # metres from lump to lump of rough ground

# Columns of the wheel table float64 [4, 5]; rows: front left, front right, rear left, rear right.
SHARE, LOOSE_HERE, SLIDE_HERE, ROLLING_HERE, BUMP_HEIGHT = range(5)


@kernel
def grip_share(surface, wetness):
    """Grip of a surface relative to dry asphalt. ``wetness`` 0 … 1."""
    return GRIP_SHARE[surface] * (1.0 - WET_LOSS[surface] * wetness)


@kernel
def _lump(cell, lane):
    """Height in [-1, 1) of lump ``cell`` in the lane of a wheel."""
    word = mix64(np.uint64(cell) * np.uint64(8) + np.uint64(lane))
    return np.float64(word >> np.uint64(11)) * (2.0 / 9007199254740992.0) - 1.0


@kernel
def bump_height(surface, s, lane):
    """Height of the ground's own bumps at s in the lane of a wheel (0 … 3), metres."""
    if surface == KERB:
        t = s / _RIB
        t -= math.floor(t)
        return ROUGHNESS[surface] * (4.0 * abs(t - 0.5) - 1.0)
    t = s / _LUMP
    cell = math.floor(t)
    t -= cell
    cell = max(int(cell), 0)
    return ROUGHNESS[surface] * (_lump(cell, lane) * (1.0 - t) + _lump(cell + 1, lane) * t)


@kernel
def feel_ground(road, kinds, step, car, marks, ahead, across, wetness, wheels):
    """Fill the wheel table of one car.

    Args:
        road, kinds, step: tables of the circuit, distance between samples.
        car, marks: rows of the state.
        ahead, across: cosine and sine of the car's heading relative to the track's.
        wetness: 0 … 1.
        wheels: float64 [4, 5], overwritten.
    """
    for wheel in range(4):
        x = FRONT if wheel < 2 else -REAR
        y = 0.5 * TRACK_WIDTH if wheel % 2 == 0 else -0.5 * TRACK_WIDTH
        s = car[S] + x * ahead - y * across
        u = part_of(s, step, marks[INDEX])
        surface = surface_of(road, kinds, marks[INDEX], u, car[D] + x * across + y * ahead)
        wheels[wheel, SHARE] = grip_share(surface, wetness)
        wheels[wheel, LOOSE_HERE] = LOOSENESS[surface]
        wheels[wheel, SLIDE_HERE] = SLIDE[surface]
        wheels[wheel, ROLLING_HERE] = ROLLING[surface]
        wheels[wheel, BUMP_HEIGHT] = bump_height(surface, s, wheel)
