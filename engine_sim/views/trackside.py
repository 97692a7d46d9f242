"""Where the trackside cameras stand: behind the barriers, by rule, from the circuit alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.jit import kernel
from ..tracks.ground import ground_height
from ..tracks.query import blend, height_at, locate, point_at
from ..tracks.track import Track

SPACING = 160.0  # metres of lap from one post to the next
_BEHIND = 2.5  # metres behind the barrier's face
_ABOVE = 4.0  # metres above the higher of ribbon and ground


def camera_posts(track: Track) -> NDArray[np.float64]:
    """Places of the cameras, float64 [posts, 3], one every SPACING metres.

    They stand on the outside of bends, else by turns left and right; on the other side if another part of the circuit
    runs there.
    """
    posts = np.zeros((max(2, round(track.length / SPACING)), 3))
    field = track.ground
    _place_posts(track.arrays, field.z, np.array([field.x0, field.y0, field.cell]), posts)
    return posts


@kernel
def _place_posts(arrays, ground, frame, posts):
    count, length = posts.shape[0], arrays.scalars[0]
    for k in range(count):
        s = (k + 0.5) * length / count
        sample = min(int(s / arrays.scalars[1]), arrays.x.shape[0] - 1)
        curvature = blend(arrays.curvature, sample, 0.0)
        side = 1 if k % 2 == 0 else -1
        if abs(curvature) > 0.002:
            side = -1 if curvature > 0.0 else 1
        if _crowded(arrays, sample, s, side) and not _crowded(arrays, sample, s, -side):
            side = -side
        d = _distance_out(arrays, sample, side)
        x, y, _ = point_at(arrays, s, d)
        index, at_s, at_d = locate(arrays, x, y, -1)
        floor = max(height_at(arrays, sample, s, d), height_at(arrays, index, at_s, at_d))
        floor = max(floor, ground_height(ground, frame[0], frame[1], frame[2], x, y))
        posts[k, 0], posts[k, 1], posts[k, 2] = x, y, floor + _ABOVE


@kernel
def _distance_out(arrays, sample, side):
    """d of a post beside a sample."""
    return arrays.barrier_left[sample] + _BEHIND if side > 0 else -arrays.barrier_right[sample] - _BEHIND


@kernel
def _crowded(arrays, sample, s, side):
    """Whether a post on this side would stand between the barriers of some part of the circuit."""
    x, y, _ = point_at(arrays, s, _distance_out(arrays, sample, side))
    index, _, d = locate(arrays, x, y, -1)
    return -arrays.barrier_right[index] - 1.0 < d < arrays.barrier_left[index] + 1.0
