"""The circuit as the tick reads it: one table of floats and one of kinds, a row per sample.

Same numbers and same interpolation as ``tracks.query`` (a test compares them). A kernel that is handed a tuple of
thirty arrays pays for each of them at every call; one table keeps a question at a few nanoseconds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..core.jit import kernel
from ..tracks.track import KERB, TrackArrays

# Columns of the road table, float64 [samples, 18]; names as in ``TrackArrays``.
(
    AT_X, AT_Y, AT_Z, WAY_X, WAY_Y, CURVATURE, BANK, GRADE,
    WIDTH_LEFT, WIDTH_RIGHT, KERB_LEFT, KERB_RIGHT, WALL_LEFT, WALL_RIGHT,
    LINE_D,
    RISE,  # vertical curvature, 1/m
    PACE_LIMIT,  # m/s that a perfect driver carries on the racing line …
    PACE_BESIDE,  # … and on a lane at a constant distance from the centreline
) = range(18)  # fmt: skip

# Columns of the table of kinds, int64 [samples, 6].
ROAD_SURFACE, LEFT_SURFACE, RIGHT_SURFACE, LEFT_STYLE, RIGHT_STYLE, BEND_HERE = range(6)

_WALK = 64  # samples that ``follow`` may move in one tick: 128 m


def road_table(
    arrays: TrackArrays, rise: NDArray[np.float64], pace: NDArray[np.float64], beside: NDArray[np.float64]
) -> NDArray[np.float64]:
    """float64 [samples, 18] of a track with its vertical curvature and the paces of this race."""
    columns = (
        arrays.x, arrays.y, arrays.z, arrays.tangent_x, arrays.tangent_y, arrays.curvature, arrays.bank, arrays.grade,
        arrays.width_left, arrays.width_right, arrays.kerb_left, arrays.kerb_right,
        arrays.barrier_left, arrays.barrier_right, arrays.line_d, rise, pace, beside,
    )  # fmt: skip
    return np.ascontiguousarray(np.stack(columns, axis=1))


def kind_table(arrays: TrackArrays, bends: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64 [samples, 6] of a track with the signed number of the bend at each sample."""
    columns = (
        arrays.surface_road, arrays.surface_left, arrays.surface_right, arrays.style_left, arrays.style_right, bends,
    )  # fmt: skip
    return np.ascontiguousarray(np.stack(columns, axis=1))


@kernel
def cell_at(s, step, n):
    """(index, u): sample before s and the fraction of the step after it; any s."""
    t = s / step
    t -= n * math.floor(t / n)
    index = int(t)
    if index >= n:
        return n - 1, 1.0
    return index, t - index


@kernel
def part_of(s, step, index):
    """u in [0, 1] of s on the step that starts at sample ``index``."""
    u = s / step - index
    return 0.0 if u < 0.0 else (1.0 if u > 1.0 else u)


@kernel
def mix(road, column, index, u):
    """A column of the road table between sample ``index`` and the next."""
    following = index + 1
    if following >= road.shape[0]:
        following = 0
    return road[index, column] * (1.0 - u) + road[following, column] * u


@kernel
def way_at(road, index, u):
    """Unit tangent (tx, ty) of the centreline."""
    tx, ty = mix(road, WAY_X, index, u), mix(road, WAY_Y, index, u)
    size = math.sqrt(tx * tx + ty * ty)
    return tx / size, ty / size


@kernel
def spot_at(road, index, u, d):
    """(x, y, z) of the point at signed distance d from the centreline."""
    tx, ty = way_at(road, index, u)
    x = mix(road, AT_X, index, u) - d * ty
    y = mix(road, AT_Y, index, u) + d * tx
    return x, y, mix(road, AT_Z, index, u) + d * mix(road, BANK, index, u)


@kernel
def surface_of(road, kinds, index, u, d):
    """Surface (``tracks.track.ASPHALT`` …) at signed distance d from the centreline."""
    left = d >= 0.0
    beyond = d - mix(road, WIDTH_LEFT, index, u) if left else -d - mix(road, WIDTH_RIGHT, index, u)
    if beyond <= 0.0:
        return kinds[index, ROAD_SURFACE]
    if beyond <= mix(road, KERB_LEFT if left else KERB_RIGHT, index, u):
        return KERB
    return kinds[index, LEFT_SURFACE if left else RIGHT_SURFACE]


@kernel
def beyond_walls(road, index, u, d):
    """Metres by which d lies beyond the nearer barrier; negative between them."""
    return max(d - mix(road, WALL_LEFT, index, u), -d - mix(road, WALL_RIGHT, index, u))


@kernel
def beyond_road(road, index, u, d, kerbs):
    """Metres by which d lies beyond the road (``kerbs`` 0) or beyond its kerbs (1); negative on it."""
    if d >= 0.0:
        return d - mix(road, WIDTH_LEFT, index, u) - kerbs * mix(road, KERB_LEFT, index, u)
    return -d - mix(road, WIDTH_RIGHT, index, u) - kerbs * mix(road, KERB_RIGHT, index, u)


@kernel
def _ahead(road, i, x, y):
    """Signed distance of (x, y) ahead of sample i, along its tangent."""
    return (x - road[i, AT_X]) * road[i, WAY_X] + (y - road[i, AT_Y]) * road[i, WAY_Y]


@kernel
def _beside(road, i, x, y):
    """(u, d) of the point on step i: where the interpolated tangent is square to the way to the point."""
    j = i + 1 if i + 1 < road.shape[0] else 0
    ax, ay = x - road[i, AT_X], y - road[i, AT_Y]
    ex, ey = road[j, AT_X] - road[i, AT_X], road[j, AT_Y] - road[i, AT_Y]
    tx, ty = road[i, WAY_X], road[i, WAY_Y]
    gx, gy = road[j, WAY_X] - tx, road[j, WAY_Y] - ty
    c = ax * tx + ay * ty
    b = ex * tx + ey * ty - (ax * gx + ay * gy)
    root = b * b + 4.0 * (ex * gx + ey * gy) * c
    below = b + (math.sqrt(root) if root > 0.0 else 0.0)
    u = 2.0 * c / below if below > 1e-9 else (1.0 if c > 0.0 else 0.0)
    u = 0.0 if u < 0.0 else (1.0 if u > 1.0 else u)
    tx, ty = tx + u * gx, ty + u * gy
    return u, ((ay - u * ey) * tx - (ax - u * ex) * ty) / math.sqrt(tx * tx + ty * ty)


@kernel
def follow(road, x, y, hint):
    """(index, u, d, found): track position near sample ``hint``; not found if the point is far along from it."""
    n = road.shape[0]
    i, found = hint, False
    for _ in range(_WALK):
        if _ahead(road, i, x, y) < 0.0:
            i = i - 1 if i > 0 else n - 1
            continue
        j = i + 1 if i + 1 < n else 0
        if _ahead(road, j, x, y) < 0.0:
            found = True
            break
        i = j
    u, d = _beside(road, i, x, y)
    return i, u, d, found
