"""The trackside cameras: where they stand (behind the barriers, by rule), and how they follow the car."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.exact import atan, clamp
from ..core.jit import kernel
from ..core.ticks import TICK_SECONDS
from ..tracks.ground import ground_height
from ..tracks.query import blend, height_at, locate, point_at
from ..tracks.track import Track
from .camera_rules import (
    AIM_X,
    AIM_Y,
    FOV,
    HEIGHT,
    LAST_X,
    LAST_Y,
    LAST_Z,
    POST,
    PX,
    PY,
    PZ,
    ZOOM,
    aim_at,
    follow,
    remember,
    settle,
    teleported,
)  # fmt: skip

SPACING = 160.0  # metres of lap from one post to the next
_BEHIND = 2.5  # metres behind the barrier's face
_ABOVE = 4.0  # metres above the higher of ribbon and ground


class TracksideTuning(NamedTuple):
    """The man with the long lens."""

    aim_height: float = 0.7
    omega: float = 9.0
    zoom_omega: float = 6.0
    visible_height: float = 10.0  # metres of the scene that the picture spans at the car
    fov_least: float = 0.10
    fov_most: float = 1.0
    stay: float = 12.0  # metres by which another camera must be nearer before the picture cuts


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


@kernel
def _nearest_post(posts, x, y, kept, stay):
    """The camera post nearest to the car; the present one (−1 none) stays until another is nearer by ``stay``."""
    best, best_distance = -1, 1e300
    for k in range(posts.shape[0]):
        dx, dy = posts[k, 0] - x, posts[k, 1] - y
        distance = math.sqrt(dx * dx + dy * dy)
        if k == kept:
            distance -= stay
        if distance < best_distance:
            best, best_distance = k, distance
    return best


@kernel
def _wanted_zoom(values, t):
    """Field of view that spans ``visible_height`` metres at the aim."""
    dx, dy, dz = values[AIM_X] - values[PX], values[AIM_Y] - values[PY], values[HEIGHT] - values[PZ]
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    return clamp(2.0 * atan(0.5 * t.visible_height / max(distance, 1.0)), t.fov_least, t.fov_most)


@kernel
def _place_trackside(values, t):
    dx, dy = values[AIM_X] - values[PX], values[AIM_Y] - values[PY]
    if dx * dx + dy * dy < 1e-6:
        dx = 1e-3  # straight above the car: any heading will do
    aim_at(values, dx, dy, values[HEIGHT] + t.aim_height - values[PZ], 0.0)
    values[FOV] = values[ZOOM]


@kernel
def reset_trackside(values, marks, posts, t, x, y, z, yaw, speed):
    """At the nearest post, on the car."""
    remember(values, x, y, z, yaw, speed)
    post = _nearest_post(posts, x, y, -1, 0.0)
    marks[POST] = post
    values[PX], values[PY], values[PZ] = posts[post, 0], posts[post, 1], posts[post, 2]
    settle(values, AIM_X, x)
    settle(values, AIM_Y, y)
    settle(values, HEIGHT, z)
    settle(values, ZOOM, _wanted_zoom(values, t))
    _place_trackside(values, t)


@kernel
def step_trackside(values, marks, posts, t, x, y, z, yaw, speed):
    """One tick of the trackside cameras: follow, or cut to the next."""
    post = _nearest_post(posts, x, y, marks[POST], t.stay)
    if post != marks[POST] or teleported(values, x, y, z):
        reset_trackside(values, marks, posts, t, x, y, z, yaw, speed)
        return
    follow(values, AIM_X, x, (x - values[LAST_X]) / TICK_SECONDS, t.omega)
    follow(values, AIM_Y, y, (y - values[LAST_Y]) / TICK_SECONDS, t.omega)
    follow(values, HEIGHT, z, (z - values[LAST_Z]) / TICK_SECONDS, t.omega)
    follow(values, ZOOM, _wanted_zoom(values, t), 0.0, t.zoom_omega)
    remember(values, x, y, z, yaw, speed)
    _place_trackside(values, t)
