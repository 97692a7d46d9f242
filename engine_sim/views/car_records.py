"""Where bodies and wheels of cars stand: instance records from poses.

Cosines, sines and matrix products are numpy's, one call for all cars of a frame; the rest is one loop over cars.
"""

from __future__ import annotations

import math
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import PLAYER_CAR, RIVAL_CAR

from ..core.jit import kernel
from .frame import CarPose
from .scene_data import INSTANCE_DTYPE

Floats = NDArray[np.float64]

PARTS = 5
"""Records of a car: body, front left, front right, rear left, rear right wheel."""
NUMBERS = INSTANCE_DTYPE.itemsize // 4
_TURNING = 7  # angles of a car


def car_records(cars: tuple[CarPose, ...], wheel_offsets: Floats) -> NDArray[np.void]:
    """INSTANCE_DTYPE ``[cars, PARTS]``; ``wheel_offsets`` as in ``Scene``. See ``culling.car_instances``."""
    count = len(cars)
    poses = np.fromiter(chain.from_iterable(cars), np.float64, count * len(CarPose._fields)).reshape(count, -1)
    angles = np.empty(_TURNING * count + 2)
    car_angles(poses, angles)
    body, sideways, wheels = np.empty((count, 3, 3)), np.empty((count, 3, 3)), np.empty((count, 3, 12))
    car_axes(np.cos(angles), np.sin(angles), body, sideways, wheels)
    # numpy's products, not the loop's: where its library fuses × and +, the last bit of a record would change.
    turned, arms = body @ wheels, wheel_offsets @ sideways
    words = np.empty((count * PARTS, NUMBERS // 2), np.uint64)
    fill_records(poses, body, turned, arms, words.view(np.float32), words.view(np.uint32))
    return np.ndarray((count, PARTS), INSTANCE_DTYPE, words)


@kernel
def car_angles(poses, angles):
    """Fill ``angles`` [7 n + 2]: yaw, pitch, roll, steer, steer turned round, roll of the wheels forward and back of
    all cars, then those of wheels that do not steer."""
    n = poses.shape[0]
    for i in range(n):
        for k in range(4):
            angles[k * n + i] = poses[i, 3 + k]
        angles[4 * n + i] = poses[i, 6] + math.pi
        angles[5 * n + i] = poses[i, 7]
        angles[6 * n + i] = -poses[i, 7]
    angles[7 * n] = 0.0
    angles[7 * n + 1] = math.pi


@kernel
def car_axes(cos, sin, body, sideways, wheels):
    """Fill rotations from cosines and sines of ``car_angles``.

    Args:
        body, sideways: car → world ``[n, 3, 3]``, and the same transposed.
        wheels: wheel → car of the four wheels side by side ``[n, 3, 12]``: rolled about its axle, steered in front,
            right ones half a turn round.
    """
    n = body.shape[0]
    for i in range(n):
        cy, sy, cp, sp = cos[i], sin[i], cos[n + i], sin[n + i]
        cr, sr = cos[2 * n + i], sin[2 * n + i]
        body[i, 0, 0], body[i, 1, 0], body[i, 2, 0] = cy * cp, sy * cp, sp
        body[i, 0, 1], body[i, 1, 1], body[i, 2, 1] = -sy * cr - cy * sp * sr, cy * cr - sy * sp * sr, cp * sr
        body[i, 0, 2], body[i, 1, 2], body[i, 2, 2] = sy * sr - cy * sp * cr, -cy * sr - sy * sp * cr, cp * cr
        for a in range(3):
            for b in range(3):
                sideways[i, a, b] = body[i, b, a]
        for wheel in range(4):
            right, to = wheel % 2, 3 * wheel
            steer = (3 + right) * n + i if wheel < 2 else 7 * n + right
            roll = (5 + right) * n + i
            cz, sz, cy, sy = cos[steer], sin[steer], cos[roll], sin[roll]
            wheels[i, 0, to], wheels[i, 0, to + 1], wheels[i, 0, to + 2] = cz * cy, -sz, cz * sy
            wheels[i, 1, to], wheels[i, 1, to + 1], wheels[i, 1, to + 2] = sz * cy, cz, sz * sy
            wheels[i, 2, to], wheels[i, 2, to + 1], wheels[i, 2, to + 2] = -sy, 0.0, cy


@kernel
def fill_records(poses, body, turned, arms, numbers, words):
    """Write INSTANCE_DTYPE records, seen as float32 and as uint32 ``[5 n, NUMBERS]``."""
    for i in range(poses.shape[0]):
        for part in range(5):
            row = 5 * i + part
            for a in range(3):
                for b in range(3):
                    turn = body[i, a, b] if part == 0 else turned[i, a, 3 * part - 3 + b]
                    numbers[row, 3 * a + b] = turn
                numbers[row, 9 + a] = poses[i, a] if part == 0 else poses[i, a] + arms[i, part - 1, a]
                numbers[row, 12 + a] = 1.0
            words[row, 15] = i
            words[row, 16] = i + 1
            words[row, 17] = PLAYER_CAR if i == 0 else RIVAL_CAR


def body_rotations(yaw: Floats, pitch: Floats, roll: Floats) -> Floats:
    """Car axes (x forward, y left, z up) → world, ``[n, 3, 3]``: yaw, then nose up, then left side up."""
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    cr, sr = np.cos(roll), np.sin(roll)
    forward = (cy * cp, sy * cp, sp)
    left = (-sy * cr - cy * sp * sr, cy * cr - sy * sp * sr, cp * sr)
    up = (sy * sr - cy * sp * cr, -cy * sr - sy * sp * cr, cp * cr)
    return np.array([forward, left, up]).transpose(2, 1, 0)
