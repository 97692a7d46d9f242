"""Which parts of a scene a frame can see, and in which level of detail: one list for all views.

The choice depends on scene and frame alone: no memory of earlier frames, no picture size. A level is chosen by the
distance from the camera to the nearest point of an object's bounding sphere. The frustum is tested with spheres, so the
list holds everything in sight and a little more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .car_records import PARTS, body_rotations, car_records
from .culling_kernels import WORDS, everything_in_view
from .culling_tables import CAR_PARTS, tables_of
from .frame import Camera, CarPose, FrameState, picture_right
from .scene_data import INSTANCE_DTYPE, MAX_LODS, Batch, DrawList, Scene

Floats = NDArray[np.float64]

MAX_ASPECT = 2.0  # width / height that the frustum covers; every listed size is narrower


def draw_list(scene: Scene, frame: FrameState, aspect: float = MAX_ASPECT) -> DrawList:
    """Everything in sight of the frame's camera, in a fixed order: cells, scenery by prototype and level, cars.

    The batches' instances lie one behind another in one array of the list's own.

    Args:
        aspect: width / height that must be covered. Views of one frame must agree on it, so leave it alone unless a
            picture is wider than 2 : 1.

    Raises:
        ValueError: a frame with cars of a scene without their prototypes.
    """
    tables = tables_of(scene)
    cars = car_instances(scene, frame)
    if len(cars) and tables.car_prototypes.min() < 0:
        raise ValueError(
            f"{scene.name}: {len(cars)} cars to draw, but it lacks a prototype of {' or '.join(CAR_PARTS)}"
        )
    words = np.ndarray((cars.size, WORDS), np.uint64, cars)
    ranges, records, parts = everything_in_view(
        _view(frame.camera, aspect), *tables, words.view(np.float32), words, int(frame.hide_player)
    )
    instances = np.ndarray(len(records), INSTANCE_DTYPE, records)
    kinds = len(scene.prototypes)
    batches = []
    for slot, start, end in parts.tolist():
        number, lod = divmod(slot, MAX_LODS)
        if number >= kinds:
            number = int(tables.car_prototypes[number - kinds])
        batches.append(Batch(number, lod, instances[start:end]))
    return DrawList(ranges, tuple(batches))


def car_instances(scene: Scene, frame: FrameState) -> NDArray[np.void]:
    """Bodies and wheels of all cars, seen or not: INSTANCE_DTYPE ``[cars, 5]``: body, then the four wheels.

    A car's object id is its index + 1 and its class is that of the player (car 0) or a rival. Right wheels are turned
    half round, so that their outer face looks out. The same function on an earlier frame gives exact motion.
    """
    if not frame.cars:
        return np.zeros((0, PARTS), INSTANCE_DTYPE)
    return car_records(frame.cars, scene.wheel_offsets)


def body_rotation(pose: CarPose) -> Floats:
    """The rotation of one car, ``[3, 3]``: car axes (x forward, y left, z up) → world."""
    return body_rotations(*(np.array([angle]) for angle in (pose.yaw, pose.pitch, pose.roll)))[0]


def _view(camera: Camera, aspect: float) -> Floats:
    """[position 3, right 3, up 3, forward 3, cos and sin of the half angles across and up, far], float64 [17]."""
    up = math.tan(camera.fov_y / 2.0)
    across = up * aspect
    rest = [1.0 / math.hypot(1.0, across), across / math.hypot(1.0, across)]
    rest += [1.0 / math.hypot(1.0, up), up / math.hypot(1.0, up), camera.far]
    return np.array([*camera.position, *picture_right(camera), *camera.up, *camera.forward, *rest])
