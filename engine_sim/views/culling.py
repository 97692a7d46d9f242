"""Which parts of a scene a frame can see, and in which level of detail: one list for all views.

The choice depends on scene and frame alone: no memory of earlier frames, no picture size. A level is chosen by the
distance from the camera to the nearest point of an object's bounding sphere. The frustum is tested with spheres, so the
list holds everything in sight and a little more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import PLAYER_CAR, RIVAL_CAR

from ..core.jit import kernel
from .frame import Camera, CarPose, FrameState, picture_right
from .scene_data import INSTANCE_DTYPE, MAX_LODS, Batch, DrawList, Prototype, Scene

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_ASPECT = 2.0  # width / height that the frustum covers; every listed size is narrower


def draw_list(scene: Scene, frame: FrameState, aspect: float = MAX_ASPECT) -> DrawList:
    """Everything in sight of the frame's camera, in a fixed order: cells, scenery by prototype and level, cars.

    Args:
        aspect: width / height that must be covered. Views of one frame must agree on it, so leave it alone unless a
            picture is wider than 2 : 1.
    """
    view = _view(frame.camera, aspect)
    static = scene.static
    ranges = np.empty((static.first.size, 2), np.int64)
    count = visible_cells(
        view, static.center, static.radius, static.first, static.count, np.array(static.lod_distance), ranges
    )
    batches = _scenery_batches(scene, view) + _car_batches(scene, frame, view)
    return DrawList(ranges[:count], tuple(batches))


def _view(camera: Camera, aspect: float) -> Floats:
    """[position 3, right 3, up 3, forward 3, cos and sin of the half angles across and up, far], float64 [17]."""
    up = math.tan(camera.fov_y / 2.0)
    across = up * aspect
    rest = [1.0 / math.hypot(1.0, across), across / math.hypot(1.0, across)]
    rest += [1.0 / math.hypot(1.0, up), up / math.hypot(1.0, up), camera.far]
    return np.array([*camera.position, *picture_right(camera), *camera.up, *camera.forward, *rest])


@kernel
def nearest_in_view(view, x, y, z, radius):
    """Distance in metres to the nearest point of a sphere, or −1 if the frustum does not touch it."""
    dx = x - view[0]
    dy = y - view[1]
    dz = z - view[2]
    depth = dx * view[9] + dy * view[10] + dz * view[11]
    if depth < -radius or depth > view[16] + radius:
        return -1.0
    across = abs(dx * view[3] + dy * view[4] + dz * view[5])
    if across * view[12] - depth * view[13] > radius:
        return -1.0
    up = abs(dx * view[6] + dy * view[7] + dz * view[8])
    if up * view[14] - depth * view[15] > radius:
        return -1.0
    return max(0.0, math.sqrt(dx * dx + dy * dy + dz * dz) - radius)


@kernel
def visible_cells(view, center, radius, first, count, lod_distance, ranges):
    """Fill ``ranges`` [r, 2] with index ranges of the cells in sight, neighbours joined; returns how many."""
    cells, lods = first.shape
    level = np.empty(cells, np.int64)
    for c in range(cells):
        level[c] = -1
        nearest = nearest_in_view(view, center[c, 0], center[c, 1], center[c, 2], radius[c])
        if nearest >= 0.0:
            for k in range(lods):
                if nearest < lod_distance[k]:
                    level[c] = k
                    break
    n = 0
    for k in range(lods):
        for c in range(cells):
            if level[c] == k and count[c, k] > 0:
                if n > 0 and ranges[n - 1, 0] + ranges[n - 1, 1] == first[c, k]:
                    ranges[n - 1, 1] += count[c, k]
                else:
                    ranges[n, 0] = first[c, k]
                    ranges[n, 1] = count[c, k]
                    n += 1
    return n


@kernel
def visible_instances(view, origin, radius, prototype, lod_distance, slot, counts):
    """Write the slot (prototype · lods + lod, −1 unseen) of each instance and count instances per slot."""
    lods = lod_distance.shape[1]
    for i in range(origin.shape[0]):
        slot[i] = -1
        p = prototype[i]
        nearest = nearest_in_view(
            view, np.float64(origin[i, 0]), np.float64(origin[i, 1]), np.float64(origin[i, 2]), radius[i]
        )
        if nearest < 0.0:
            continue
        for k in range(lods):
            if nearest < lod_distance[p, k]:
                slot[i] = p * lods + k
                counts[p * lods + k] += 1
                break


@kernel
def order_by_slot(slot, counts, order):
    """Indices of the seen instances, slot by slot, in their old order within one; returns how many."""
    start = np.empty(counts.shape[0], np.int64)
    total = 0
    for k in range(counts.shape[0]):
        start[k] = total
        total += counts[k]
    for i in range(slot.shape[0]):
        if slot[i] >= 0:
            order[start[slot[i]]] = i
            start[slot[i]] += 1
    return total


def _scenery_batches(scene: Scene, view: Floats) -> list[Batch]:
    count = len(scene.instances)
    slot = np.empty(count, np.int64)
    counts = np.zeros(scene.lod_table.size, np.int64)
    origin = scene.instances["origin"]
    visible_instances(view, origin, scene.instance_radius, scene.prototype_of, scene.lod_table, slot, counts)
    order = np.empty(count, np.int64)
    total = order_by_slot(slot, counts, order)
    chosen = scene.instances[order[:total]]
    batches, start = [], 0
    for k in np.flatnonzero(counts).tolist():
        size = int(counts[k])
        batches.append(Batch(k // MAX_LODS, k % MAX_LODS, chosen[start : start + size]))
        start += size
    return batches


def car_instances(scene: Scene, frame: FrameState) -> NDArray[np.void]:
    """Bodies and wheels of all cars, seen or not: INSTANCE_DTYPE ``[cars, 5]``: body, then the four wheels.

    A car's object id is its index + 1 and its class is that of the player (car 0) or a rival. Right wheels are turned
    half round, so that their outer face looks out. The same function on an earlier frame gives exact motion.
    """
    result = np.zeros((len(frame.cars), 5), INSTANCE_DTYPE)
    if not frame.cars:
        return result
    fields = [(p.x, p.y, p.z, p.yaw, p.pitch, p.roll, p.steer, p.wheel_turn) for p in frame.cars]
    pose = np.array(fields, np.float64).T
    place, body = pose[:3].T, body_rotations(*pose[3:6])
    result["rotation"][:, 0] = body
    result["origin"][:, 0] = place
    result["rotation"][:, 1:] = body[:, None] @ _wheel_rotations(pose[6], pose[7])
    result["origin"][:, 1:] = place[:, None] + scene.wheel_offsets @ body.transpose(0, 2, 1)
    result["scale"] = 1.0
    numbers = np.arange(len(frame.cars))[:, None]
    result["seed"] = numbers
    result["object"] = numbers + 1
    result["class_id"] = np.where(numbers == 0, PLAYER_CAR, RIVAL_CAR)
    return result


def body_rotations(yaw: Floats, pitch: Floats, roll: Floats) -> Floats:
    """Car axes (x forward, y left, z up) → world, ``[n, 3, 3]``: yaw, then nose up, then left side up."""
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    cr, sr = np.cos(roll), np.sin(roll)
    forward = (cy * cp, sy * cp, sp)
    left = (-sy * cr - cy * sp * sr, cy * cr - sy * sp * sr, cp * sr)
    up = (sy * sr - cy * sp * cr, -cy * sr - sy * sp * cr, cp * cr)
    return np.array([forward, left, up]).transpose(2, 1, 0)


def body_rotation(pose: CarPose) -> Floats:
    """The rotation of one car, ``[3, 3]``."""
    return body_rotations(*(np.array([angle]) for angle in (pose.yaw, pose.pitch, pose.roll)))[0]


def _wheel_rotations(steer: Floats, turn: Floats) -> Floats:
    """Wheel → car axes, ``[n, 4, 3, 3]``: rolled about its axle, steered in front, right ones half a turn round."""
    zero = np.zeros_like(steer)
    about_z = np.stack([steer, steer + math.pi, zero, zero + math.pi], -1)
    about_y = np.stack([turn, -turn, turn, -turn], -1)
    cz, sz, cy, sy = np.cos(about_z), np.sin(about_z), np.cos(about_y), np.sin(about_y)
    columns = [(cz * cy, sz * cy, -sy), (-sz, cz, np.zeros_like(cz)), (cz * sy, sz * sy, cy)]
    return np.array(columns).transpose(2, 3, 1, 0)


def _car_batches(scene: Scene, frame: FrameState, view: Floats) -> list[Batch]:
    if not frame.cars:
        return []
    names = [p.name for p in scene.prototypes]
    instances = car_instances(scene, frame)
    if frame.hide_player:
        instances = instances[1:]
    batches = []
    for name, columns in (("car_body", slice(0, 1)), ("car_wheel", slice(1, 5))):
        number = names.index(name)
        batches += _dynamic_batches(scene.prototypes[number], number, instances[:, columns].reshape(-1), view)
    return batches


def _dynamic_batches(prototype: Prototype, number: int, instances: NDArray[np.void], view: Floats) -> list[Batch]:
    """Batches of one prototype whose instances move."""
    lods = len(prototype.lods)
    slot = np.empty(len(instances), np.int64)
    counts = np.zeros(lods, np.int64)
    radius = np.full(len(instances), prototype.radius)
    which = np.zeros(len(instances), np.int64)
    visible_instances(view, instances["origin"], radius, which, np.array([prototype.lod_distance]), slot, counts)
    return [Batch(number, k, instances[slot == k]) for k in range(lods) if counts[k]]
