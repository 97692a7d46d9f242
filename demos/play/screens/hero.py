"""The picture behind the start screen: cars at the line of a circuit, seen from low in front. It needs no race."""

from __future__ import annotations

import math

from engine_sim.tracks.track import Track
from engine_sim.views.frame import Camera, CarPose, FrameState

AHEAD = (14.0, 6.5, -1.5, -9.5, -17.5)
"""Metres past the start line of each car, the player's first."""
ASIDE = 2.3
CAMERA_AHEAD, CAMERA_ASIDE, CAMERA_HEIGHT = 22.5, -0.2, 1.15
TARGET_ASIDE, TARGET_HEIGHT, FOV = 1.6, 1.5, 0.75


def hero_frame(track: Track) -> FrameState:
    """The moment."""
    cars = tuple(_car(track, s, ASIDE if number % 2 == 0 else -ASIDE) for number, s in enumerate(AHEAD))
    eye = _point(track, CAMERA_AHEAD, CAMERA_ASIDE, CAMERA_HEIGHT)
    target = _point(track, AHEAD[0] - 6.0, TARGET_ASIDE, TARGET_HEIGHT)
    return FrameState(0, looking(eye, target, FOV), cars)


def looking(eye: tuple[float, float, float], target: tuple[float, float, float], fov: float) -> Camera:
    """A level camera at ``eye`` that looks at ``target``, which does not lie straight above or below."""
    way = [t - e for t, e in zip(target, eye, strict=True)]
    length = math.hypot(*way)
    x, y, z = (v / length for v in way)
    flat = math.hypot(x, y)
    return Camera(eye, (x, y, z), (-z * x / flat, -z * y / flat, flat), fov)


def _car(track: Track, s: float, d: float) -> CarPose:
    i = _sample(track, s)
    arrays = track.arrays
    x, y, z = _point(track, s, d, 0.0)
    yaw = math.atan2(float(arrays.tangent_y[i]), float(arrays.tangent_x[i]))
    pitch, roll = math.atan(float(arrays.grade[i])), math.atan(float(arrays.bank[i]))
    return CarPose(x, y, z, yaw, pitch, roll, 0.0, 0.0, False, 0.0)


def _point(track: Track, s: float, d: float, above: float) -> tuple[float, float, float]:
    """A point over the road at (s, d), from the sample before it."""
    a, i = track.arrays, _sample(track, s)
    rest = s - math.floor(s / track.step) * track.step
    tx, ty = float(a.tangent_x[i]), float(a.tangent_y[i])
    x = float(a.x[i]) + rest * tx - d * ty
    y = float(a.y[i]) + rest * ty + d * tx
    return x, y, float(a.z[i]) + rest * float(a.grade[i]) + d * float(a.bank[i]) + above


def _sample(track: Track, s: float) -> int:
    return math.floor(s / track.step) % track.samples
