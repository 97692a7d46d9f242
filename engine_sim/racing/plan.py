"""What a race does not change: how fast this car can go where, the drivers' characters, the rules in force.

Built once per world from track and set-up; kernels read it beside the state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.jit import kernel
from ..core.random import Stream
from ..tracks.corners import find_bends
from ..tracks.racing_line import corner_limits, line_steps, speed_profile
from ..tracks.ribbon import central_slope, smooth_closed
from ..tracks.track import TrackArrays
from .car import DOWNFORCE, DRAG, EFFICIENCY, GRIP, MASS
from .surfaces import grip_share

# Columns of Plan.traits, float64 [cars, 5].
SKILL, BOLDNESS, STEADINESS, LINE_BIAS, REACTION = range(5)
# Entries of Plan.settings, float64 [6].
WETNESS, STEERING_HELP, TRACTION_HELP, SECONDS_PER_METRE, LENGTH_OF_LAP, STEP = range(6)
# Entries of Plan.switches, int64 [3].
AUTOMATIC, PLAYER_DRIVES, RACE_LAPS = range(3)

TOP_SPEED = 95.0  # m/s that no profile exceeds
_ACROSS = 0.79  # share of the nominal grip that a car can count on in a bend …
_BRAKING = 0.70  # … and under braking
_TRACTION = 0.55
_POWER = 262_000.0  # W


class Plan(NamedTuple):
    """Constants of one race."""

    road: NDArray[np.float64]  # [samples, 18], see ``racing.road``
    kinds: NDArray[np.int64]  # [samples, 6]
    bend_radius: NDArray[np.float64]  # [bends + 1] by number
    traits: NDArray[np.float64]  # [cars, 5]
    settings: NDArray[np.float64]
    switches: NDArray[np.int64]


@kernel
def road_grip(surfaces, wetness):
    """``grip_share`` per sample."""
    out = np.zeros(surfaces.shape[0])
    for i in range(out.shape[0]):
        out[i] = grip_share(surfaces[i], wetness)
    return out


def vertical_curvature(arrays: TrackArrays) -> NDArray[np.float64]:
    """d(grade)/ds, smoothed over about a wheelbase either way: what the car's weight feels."""
    return smooth_closed(central_slope(arrays.grade, float(arrays.scalars[1])), 2, 2)


def pace_profile(
    arrays: TrackArrays, rise: NDArray[np.float64], wetness: float, on_line: bool = True
) -> NDArray[np.float64]:
    """Speed of a perfect driver in this car per sample, m/s, in the given wet.

    ``on_line``: along the racing line; otherwise along the centreline, as on any lane beside the line.
    """
    grip = road_grip(arrays.surface_road, wetness) * GRIP
    way = arrays.line_curvature if on_line else arrays.curvature
    offset = arrays.line_d if on_line else np.zeros(len(arrays.x))
    # Downforce presses like a dip: both add v² times something to the weight.
    limit = corner_limits(way, arrays.bank, rise + DOWNFORCE / MASS, _ACROSS * grip, TOP_SPEED)
    steps = line_steps(arrays.x, arrays.y, -arrays.tangent_y, arrays.tangent_x, offset)
    power = _POWER * EFFICIENCY / MASS
    return speed_profile(limit, grip, arrays.grade, steps, _BRAKING, _TRACTION, power, DRAG / MASS)


def number_bends(arrays: TrackArrays) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(signed bend number per sample, least radius in metres per number) of all bends of a lap, from the line on."""
    n = len(arrays.x)
    numbers = np.zeros(n, np.int64)
    radii = [0.0]
    for bend in find_bends(arrays.curvature, float(arrays.scalars[1])):
        for k in range((bend.end - bend.start) % n + 1):
            numbers[(bend.start + k) % n] = len(radii) * bend.side
        radii.append(1.0 / abs(float(arrays.curvature[bend.apex])))
    return numbers, np.array(radii)


def draw_traits(seed: int, cars: int, player_skill: float) -> NDArray[np.float64]:
    """Characters of all drivers, float64 [cars, 5]; car 0 has the skill asked for and a calm hand."""
    traits = np.zeros((cars, 5))
    traits[0] = (player_skill, 0.6, 0.85, 0.0, 20.0)
    stream = Stream(seed, "traits")
    for i in range(1, cars):
        traits[i, SKILL] = stream.uniform(0.55, 1.0)
        traits[i, BOLDNESS] = stream.uniform(0.1, 1.0)
        traits[i, STEADINESS] = stream.uniform(0.3, 1.0)
        traits[i, LINE_BIAS] = stream.uniform(-0.5, 0.5)
        traits[i, REACTION] = stream.uniform(8.0, 45.0)
    return traits
