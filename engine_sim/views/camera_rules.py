"""How the chase and cockpit cameras move: exact kernels, one call a tick, all memory in two small arrays.

A follower is a critically damped spring, a = ω² (target − x) + 2 ω (target rate − rate), stepped semi-implicitly. With
the target's rate it has no lag at constant speed; kerbs and bumps, which are faster than ω, it smooths away.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.exact import atan2, clamp, sincos, wrap_angle
from ..core.jit import kernel
from ..core.ticks import TICK_SECONDS
from ..tracks.ground import ground_height
from ..tracks.query import barrier_distance, height_at, locate, point_at

# Entries of RigState.values. The first ten are the camera as it stands.
(
    PX, PY, PZ, FX, FY, FZ, UX, UY, UZ, FOV,  # position, forward, up, vertical field of view
    LAST_X, LAST_Y, LAST_Z, LAST_YAW, LAST_SPEED,  # the car one tick ago
    YAW, YAW_RATE, HEIGHT, HEIGHT_RATE, PITCH, PITCH_RATE, ROLL, ROLL_RATE,  # followers
    DISTANCE, DISTANCE_RATE, SURGE, SURGE_RATE, ZOOM, ZOOM_RATE,
    AIM_X, AIM_X_RATE, AIM_Y, AIM_Y_RATE,
) = range(33)  # fmt: skip
VALUES = 33
# Entries of RigState.marks.
CAR_SAMPLE, CAMERA_SAMPLE, POST = range(3)
MARKS = 3

TELEPORT = 4.0  # metres in one tick: no car does that, a reset does
CLEARANCE = 0.6  # metres between a camera and the ground under it


class RigState(NamedTuple):
    """All memory of a camera rig; saved, restored and hashed with the race."""

    values: NDArray[np.float64]  # [VALUES]
    marks: NDArray[np.int64]  # [MARKS]


class ChaseTuning(NamedTuple):
    """The camera behind the car. Lengths in metres, angles in radians, ω in 1/s.

    At rest the car is 23 % of a 7:4 picture wide and the horizon lies 42 % from the top. With speed the camera falls
    back while its field widens, so the car keeps its size and the road rushes.
    """

    distance: float = 6.9  # behind the centre of the car, at rest
    distance_gain: float = 0.5  # more at full speed
    height: float = 2.2  # above the car's road level
    ahead: float = 7.0  # it looks at a point this far before the car …
    aim_height: float = 1.2  # … and this high
    fov: float = 0.84
    fov_gain: float = 0.10
    full_speed: float = 70.0  # m/s
    drift_share: float = 0.35  # of the slip angle by which it turns towards where the car goes
    yaw_follow: float = 0.55  # share of the turning rate followed at once; the rest shows the car's flank in bends
    yaw_omega: float = 5.5
    height_omega: float = 8.0
    pitch_omega: float = 3.5
    roll_omega: float = 3.0
    roll_share: float = 0.35
    distance_omega: float = 2.0
    surge_omega: float = 4.0
    surge_share: float = 0.6  # of the car's acceleration felt by the spring
    wall_gap: float = 0.4  # kept from barriers


class CockpitTuning(NamedTuple):
    """The driver's eye, in car axes."""

    forward: float = 0.35
    left: float = 0.0
    height: float = 1.12
    fov: float = 0.92
    omega: float = 14.0  # head against pitch, roll and bumps
    look_down: float = 0.035


@kernel
def follow(values, k, target, target_rate, omega):
    """One tick of the follower at entries k, k + 1."""
    pull = omega * omega * (target - values[k]) + 2.0 * omega * (target_rate - values[k + 1])
    values[k + 1] += pull * TICK_SECONDS
    values[k] += values[k + 1] * TICK_SECONDS


@kernel
def settle(values, k, target):
    """Put the follower at entries k, k + 1 at rest on its target."""
    values[k] = target
    values[k + 1] = 0.0


@kernel
def remember(values, x, y, z, yaw, speed):
    """Keep the car's place for the next tick."""
    values[LAST_X], values[LAST_Y], values[LAST_Z] = x, y, z
    values[LAST_YAW], values[LAST_SPEED] = yaw, speed


@kernel
def teleported(values, x, y, z):
    """Whether the car is farther from its last place than one tick of driving can bring it."""
    dx, dy, dz = x - values[LAST_X], y - values[LAST_Y], z - values[LAST_Z]
    return dx * dx + dy * dy + dz * dz > TELEPORT * TELEPORT


@kernel
def aim_at(values, dx, dy, dz, roll):
    """Set forward to the direction (dx, dy, dz), up to the upright rolled by ``roll`` (left side up positive)."""
    size = math.sqrt(dx * dx + dy * dy + dz * dz)
    flat = math.sqrt(dx * dx + dy * dy)
    fx, fy, fz = dx / size, dy / size, dz / size
    rx, ry = dy / flat, -dx / flat
    ux, uy, uz = ry * fz, -rx * fz, rx * fy - ry * fx
    s, c = sincos(roll)
    values[FX], values[FY], values[FZ] = fx, fy, fz
    values[UX], values[UY], values[UZ] = ux * c + rx * s, uy * c + ry * s, uz * c


@kernel
def _stand_clear(values, marks, arrays, ground, frame, wall_gap):
    """Bring the camera back between the barriers, and above ribbon and ground."""
    hint = marks[CAMERA_SAMPLE] if marks[CAMERA_SAMPLE] >= 0 else marks[CAR_SAMPLE]
    index, s, d = locate(arrays, values[PX], values[PY], hint)
    gap, side = barrier_distance(arrays, index, s, d)
    if gap < wall_gap:
        d = d - side * (wall_gap - gap)
        x, y, _ = point_at(arrays, s, d)
        values[PX], values[PY] = x, y
    marks[CAMERA_SAMPLE] = index
    floor = height_at(arrays, index, s, d)
    floor = max(floor, ground_height(ground, frame[0], frame[1], frame[2], values[PX], values[PY])) + CLEARANCE
    values[PZ] = max(values[PZ], floor)


@kernel
def _place_chase(values, marks, arrays, ground, frame, t, x, y, yaw):
    """Camera of the chase rig from its followers."""
    sp, cp = sincos(values[PITCH])
    s, c = sincos(values[YAW])
    back = values[DISTANCE] + values[SURGE]
    values[PX] = x - back * cp * c
    values[PY] = y - back * cp * s
    values[PZ] = values[HEIGHT] - back * sp + t.height
    _stand_clear(values, marks, arrays, ground, frame, t.wall_gap)
    s, c = sincos(yaw)
    dx = x + t.ahead * cp * c - values[PX]
    dy = y + t.ahead * cp * s - values[PY]
    dz = values[HEIGHT] + t.ahead * sp + t.aim_height - values[PZ]
    aim_at(values, dx, dy, dz, values[ROLL] * t.roll_share)
    values[FOV] = values[ZOOM]


@kernel
def reset_chase(values, marks, arrays, ground, frame, t, x, y, z, yaw, pitch, roll, speed):
    """Behind the car, at rest."""
    marks[CAR_SAMPLE], marks[CAMERA_SAMPLE] = locate(arrays, x, y, -1)[0], -1
    share = min(abs(speed) / t.full_speed, 1.0)
    remember(values, x, y, z, yaw, speed)
    settle(values, YAW, yaw)
    settle(values, HEIGHT, z)
    settle(values, PITCH, pitch)
    settle(values, ROLL, roll)
    settle(values, DISTANCE, t.distance + t.distance_gain * share)
    settle(values, SURGE, 0.0)
    settle(values, ZOOM, t.fov + t.fov_gain * share)
    _place_chase(values, marks, arrays, ground, frame, t, x, y, yaw)


@kernel
def step_chase(values, marks, arrays, ground, frame, t, x, y, z, yaw, pitch, roll, speed):
    """One tick of the chase camera."""
    if teleported(values, x, y, z):
        reset_chase(values, marks, arrays, ground, frame, t, x, y, z, yaw, pitch, roll, speed)
        return
    s, c = sincos(yaw)
    vx, vy = (x - values[LAST_X]) / TICK_SECONDS, (y - values[LAST_Y]) / TICK_SECONDS
    along, across = vx * c + vy * s, vy * c - vx * s
    slip = clamp(atan2(across, abs(along) + 3.0), -0.6, 0.6)  # + 3 m/s: nothing at a standstill
    share = min(abs(speed) / t.full_speed, 1.0)
    turn = wrap_angle(yaw - values[LAST_YAW]) / TICK_SECONDS
    error = wrap_angle(yaw + t.drift_share * slip - values[YAW])
    follow(values, YAW, values[YAW] + error, t.yaw_follow * turn, t.yaw_omega)
    values[YAW] = wrap_angle(values[YAW])
    follow(values, HEIGHT, z, (z - values[LAST_Z]) / TICK_SECONDS, t.height_omega)
    follow(values, PITCH, pitch, 0.0, t.pitch_omega)
    follow(values, ROLL, roll, 0.0, t.roll_omega)
    follow(values, DISTANCE, t.distance + t.distance_gain * share, 0.0, t.distance_omega)
    follow(values, ZOOM, t.fov + t.fov_gain * share * share, 0.0, t.distance_omega)
    jerk = clamp((speed - values[LAST_SPEED]) / TICK_SECONDS, -60.0, 60.0)  # a crash may not throw the camera
    values[SURGE_RATE] += t.surge_share * jerk * TICK_SECONDS
    follow(values, SURGE, 0.0, 0.0, t.surge_omega)
    values[SURGE] = clamp(values[SURGE], -0.8, 0.8)
    remember(values, x, y, z, yaw, speed)
    _place_chase(values, marks, arrays, ground, frame, t, x, y, yaw)


@kernel
def _place_cockpit(values, t, x, y, yaw):
    """Eye in the body, which leans by the followers instead of the pose: the neck takes the shocks."""
    sy, cy = sincos(yaw)
    sp, cp = sincos(values[PITCH])
    sr, cr = sincos(values[ROLL])
    # Columns of yaw · pitch · roll: nose, left side, roof.
    lx, ly, lz = cy * (-sp * sr) - sy * cr, sy * (-sp * sr) + cy * cr, cp * sr
    tx, ty, tz = cy * (-sp * cr) + sy * sr, sy * (-sp * cr) - cy * sr, cp * cr
    values[PX] = x + t.forward * cy * cp + t.left * lx + t.height * tx
    values[PY] = y + t.forward * sy * cp + t.left * ly + t.height * ty
    values[PZ] = values[HEIGHT] + t.forward * sp + t.left * lz + t.height * tz
    sd, cd = sincos(values[PITCH] - t.look_down)
    aim_at(values, cd * cy, cd * sy, sd, values[ROLL])
    values[FOV] = t.fov


@kernel
def reset_cockpit(values, t, x, y, z, yaw, pitch, roll, speed):
    """In the seat, at rest."""
    remember(values, x, y, z, yaw, speed)
    settle(values, HEIGHT, z)
    settle(values, PITCH, pitch)
    settle(values, ROLL, roll)
    _place_cockpit(values, t, x, y, yaw)


@kernel
def step_cockpit(values, t, x, y, z, yaw, pitch, roll, speed):
    """One tick of the cockpit camera."""
    if teleported(values, x, y, z):
        reset_cockpit(values, t, x, y, z, yaw, pitch, roll, speed)
        return
    follow(values, HEIGHT, z, (z - values[LAST_Z]) / TICK_SECONDS, t.omega)
    follow(values, PITCH, pitch, 0.0, t.omega)
    follow(values, ROLL, roll, 0.0, t.omega)
    remember(values, x, y, z, yaw, speed)
    _place_cockpit(values, t, x, y, yaw)
