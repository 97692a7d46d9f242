"""Where a point lies on a circuit, and what is there: kernels on ``TrackArrays``.

Between samples i and i+1 everything is interpolated with u in [0, 1): centreline point P(u), tangent T(u),
widths, height. The track position of a point Q is the u with (Q − P(u)) · T(u) = 0, and d is the signed
length of Q − P(u). Tangents agree at the joints, so s and d are continuous wherever |d| is below the radius
of the bend, and ``point_at`` is the exact inverse of ``locate``.
"""

from __future__ import annotations

import math

from ..core.jit import kernel
from .track import KERB

_WALK = 64  # samples that the local search may move: 128 m between two questions
_MARGIN = 4.0  # metres beyond the barriers in which the local answer stands


@kernel
def wrap_s(s, length):
    """The same place with s in [0, length)."""
    s = s - length * math.floor(s / length)
    if s >= length or s < 0.0:
        return 0.0
    return s


@kernel
def cell_of(arrays, s):
    """(index, u): sample before s (wrapped into the lap) and the fraction of the step after it."""
    n = arrays.x.shape[0]
    t = wrap_s(s, arrays.scalars[0]) / arrays.scalars[1]
    index = math.floor(t)
    if index >= n:
        return n - 1, 1.0
    return index, t - index


@kernel
def fraction(arrays, index, s):
    """u in [0, 1] of s on the step that starts at sample ``index``."""
    u = s / arrays.scalars[1] - index
    if u < 0.0:
        return 0.0
    if u > 1.0:
        return 1.0
    return u


@kernel
def blend(field, index, u):
    """A field between sample ``index`` and the next."""
    n = field.shape[0]
    following = index + 1
    if following >= n:
        following = 0
    return field[index] * (1.0 - u) + field[following] * u


@kernel
def sample_at(field, arrays, s):
    """A field (``float64 [n]``, one of ``arrays`` or any other per sample) at s, linear, around the lap."""
    index, u = cell_of(arrays, s)
    return blend(field, index, u)


@kernel
def heading_at(arrays, s):
    """Unit tangent (tx, ty) of the centreline at s."""
    index, u = cell_of(arrays, s)
    tx = blend(arrays.tangent_x, index, u)
    ty = blend(arrays.tangent_y, index, u)
    size = math.sqrt(tx * tx + ty * ty)
    return tx / size, ty / size


@kernel
def point_at(arrays, s, d):
    """(x, y, z) of the track position (s, d), on the plane of the ribbon."""
    index, u = cell_of(arrays, s)
    tx, ty = heading_at(arrays, s)
    x = blend(arrays.x, index, u) - d * ty
    y = blend(arrays.y, index, u) + d * tx
    z = blend(arrays.z, index, u) + d * blend(arrays.bank, index, u)
    return x, y, z


@kernel
def ahead_of(arrays, i, x, y):
    """Signed distance of (x, y) ahead of sample i, along its tangent."""
    return (x - arrays.x[i]) * arrays.tangent_x[i] + (y - arrays.y[i]) * arrays.tangent_y[i]


@kernel
def on_step(arrays, i, x, y):
    """(u, d) of the point on step i: root of the quadratic (Q − P(u)) · T(u), clamped to the step."""
    n = arrays.x.shape[0]
    j = i + 1 if i + 1 < n else 0
    ax, ay = x - arrays.x[i], y - arrays.y[i]
    ex, ey = arrays.x[j] - arrays.x[i], arrays.y[j] - arrays.y[i]
    tx, ty = arrays.tangent_x[i], arrays.tangent_y[i]
    gx, gy = arrays.tangent_x[j] - tx, arrays.tangent_y[j] - ty
    c = ax * tx + ay * ty
    b = ex * tx + ey * ty - (ax * gx + ay * gy)
    a = ex * gx + ey * gy
    root = b * b + 4.0 * a * c  # a u² + b u − c = 0
    root = math.sqrt(root) if root > 0.0 else 0.0
    denominator = b + root
    u = 2.0 * c / denominator if denominator > 1e-9 else (1.0 if c > 0.0 else 0.0)
    u = 0.0 if u < 0.0 else (1.0 if u > 1.0 else u)
    tx, ty = tx + u * gx, ty + u * gy
    size = math.sqrt(tx * tx + ty * ty)
    d = ((ay - u * ey) * tx - (ax - u * ex) * ty) / size
    return u, d


@kernel
def _walk(arrays, i, x, y):
    """Step along the lap from sample i until the point lies beside the step; (index, True) if it was found."""
    n = arrays.x.shape[0]
    for _ in range(_WALK):
        if ahead_of(arrays, i, x, y) < 0.0:
            i = i - 1 if i > 0 else n - 1
            continue
        j = i + 1 if i + 1 < n else 0
        if ahead_of(arrays, j, x, y) < 0.0:
            return i, True
        i = j
    return i, False


@kernel
def beyond_barriers(arrays, i, u, d):
    """Metres by which d lies beyond the barriers of step i; 0 between them."""
    beyond = d - blend(arrays.barrier_left, i, u)
    other = -d - blend(arrays.barrier_right, i, u)
    worst = beyond if beyond > other else other
    return worst if worst > 0.0 else 0.0


@kernel
def _nearest_sample(arrays, x, y):
    """Sample nearest to (x, y) of the whole lap."""
    best, best_distance = 0, 1e300
    for i in range(arrays.x.shape[0]):
        dx, dy = arrays.x[i] - x, arrays.y[i] - y
        distance = dx * dx + dy * dy
        if distance < best_distance:
            best, best_distance = i, distance
    return best


@kernel
def _search(arrays, x, y):
    """(index, u, d) without a hint: the highest ribbon that holds the point, else the nearest one."""
    rows, cols = arrays.grid_shape[0], arrays.grid_shape[1]
    cell = arrays.scalars[4]
    col = math.floor((x - arrays.scalars[2]) / cell)
    row = math.floor((y - arrays.scalars[3]) / cell)
    best, best_u, best_d = -1, 0.0, 0.0
    best_outside, best_key = 1e300, 1e300
    if 0 <= col < cols and 0 <= row < rows:
        k = int(row) * cols + int(col)
        n = arrays.x.shape[0]
        for item in range(arrays.cell_start[k], arrays.cell_start[k + 1]):
            i = arrays.cell_items[item]
            j = i + 1 if i + 1 < n else 0
            if ahead_of(arrays, i, x, y) < 0.0 or ahead_of(arrays, j, x, y) >= 0.0:
                continue
            u, d = on_step(arrays, i, x, y)
            outside = beyond_barriers(arrays, i, u, d)
            key = abs(d) if outside > 0.0 else -(blend(arrays.z, i, u) + d * blend(arrays.bank, i, u))
            if outside < best_outside or (outside == best_outside and key < best_key):
                best, best_u, best_d, best_outside, best_key = i, u, d, outside, key
    if best >= 0 and best_outside == 0.0:
        return best, best_u, best_d
    i, _ = _walk(arrays, _nearest_sample(arrays, x, y), x, y)
    u, d = on_step(arrays, i, x, y)
    if best >= 0 and best_outside <= beyond_barriers(arrays, i, u, d):
        return best, best_u, best_d
    return i, u, d


@kernel
def locate(arrays, x, y, hint):
    """(index, s, d): track position of a point, however far away it is.

    Args:
        arrays: the circuit.
        x, y: metres.
        hint: sample index of the last answer for the same thing (keeps its level at bridges), or -1.

    Returns:
        Sample before the position (int64), s in [0, length), d in metres, positive to the left.
    """
    n = arrays.x.shape[0]
    if 0 <= hint < n:
        index, found = _walk(arrays, hint, x, y)
        u, d = on_step(arrays, index, x, y)
        if not found or beyond_barriers(arrays, index, u, d) > _MARGIN:
            other, other_u, other_d = _search(arrays, x, y)
            if not found or beyond_barriers(arrays, other, other_u, other_d) < beyond_barriers(arrays, index, u, d):
                index, u, d = other, other_u, other_d
    else:
        index, u, d = _search(arrays, x, y)
    s = (index + u) * arrays.scalars[1]
    if s >= arrays.scalars[0]:
        s = 0.0
        index = 0
    return index, s, d


@kernel
def height_at(arrays, index, s, d):
    """Height of the ribbon at a position from ``locate``; beyond a barrier, the height at its face."""
    u = fraction(arrays, index, s)
    left = blend(arrays.barrier_left, index, u)
    right = -blend(arrays.barrier_right, index, u)
    if d > left:
        d = left
    elif d < right:
        d = right
    return blend(arrays.z, index, u) + d * blend(arrays.bank, index, u)


@kernel
def surface_at(arrays, index, s, d):
    """Surface (``track.ASPHALT`` …) at a position from ``locate``; verges reach on beyond the barriers."""
    u = fraction(arrays, index, s)
    if d >= 0.0:
        beyond = d - blend(arrays.width_left, index, u)
        kerb = blend(arrays.kerb_left, index, u)
        verge = arrays.surface_left[index]
    else:
        beyond = -d - blend(arrays.width_right, index, u)
        kerb = blend(arrays.kerb_right, index, u)
        verge = arrays.surface_right[index]
    if beyond <= 0.0:
        return arrays.surface_road[index]
    if beyond <= kerb:
        return KERB
    return verge


@kernel
def barrier_distance(arrays, index, s, d):
    """(metres to the nearer barrier's face, side): side +1 left, -1 right; negative metres beyond the face."""
    u = fraction(arrays, index, s)
    left = blend(arrays.barrier_left, index, u) - d
    right = blend(arrays.barrier_right, index, u) + d
    if left <= right:
        return left, 1
    return right, -1
