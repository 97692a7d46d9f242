"""The draw list, the casters of a shadow map and the numbers of a frame once more, in plain numpy and in order."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.ticks import TICK_SECONDS
from engine_sim.views.car_records import body_rotations
from engine_sim.views.culling import MAX_ASPECT
from engine_sim.views.frame import Camera, CarPose, FrameState, picture_right
from engine_sim.views.scene_data import INSTANCE_DTYPE, Batch, DrawList, Prototype, Scene
from engine_sim.views.teacher_blocks import CARS_LIT
from engine_sim.views.teacher_scene import Group, TeacherScene
from engine_sim.views.teacher_shadows import DEPTH, ShadowMap
from render_bridge.palette import PLAYER_CAR, RIVAL_CAR

Floats = NDArray[np.float64]


def plain_draw_list(scene: Scene, frame: FrameState) -> DrawList:
    """See ``culling.draw_list``."""
    static, camera = scene.static, frame.camera
    level = levels(nearest(camera, static.center, static.radius), static.lod_distance)
    ranges: list[list[int]] = []
    for k in range(len(static.lod_distance)):
        for first, count in zip(static.first[level == k, k], static.count[level == k, k], strict=True):
            if count and ranges and sum(ranges[-1]) == first:
                ranges[-1][1] += count
            elif count:
                ranges.append([first, count])
    batches = []
    for number, prototype in enumerate(scene.prototypes):
        mine = scene.prototype_of == number
        batches += plain_batches(camera, number, prototype, scene.instances[mine], scene.instance_radius[mine])
    if frame.cars:
        cars = plain_cars(scene, frame.cars)[int(frame.hide_player) :]
        for name, columns in (("car_body", slice(0, 1)), ("car_wheel", slice(1, 5))):
            number = [p.name for p in scene.prototypes].index(name)
            instances, prototype = cars[:, columns].reshape(-1), scene.prototypes[number]
            batches += plain_batches(camera, number, prototype, instances, np.full(len(instances), prototype.radius))
    return DrawList(np.array(ranges, np.int64).reshape(-1, 2), tuple(batches))


def plain_batches(camera: Camera, number: int, prototype: Prototype, instances: NDArray[np.void], radius: Floats
                  ) -> list[Batch]:  # fmt: skip
    level = levels(nearest(camera, instances["origin"].astype(np.float64), radius), prototype.lod_distance)
    return [Batch(number, k, instances[level == k]) for k in range(len(prototype.lods)) if (level == k).any()]


def nearest(camera: Camera, points: Floats, radius: Floats) -> Floats:
    """Distance to the nearest point of spheres, −1 outside the frustum."""
    dx, dy, dz = (points - camera.position).T

    def along(axis: tuple[float, float, float]) -> Floats:
        return dx * axis[0] + dy * axis[1] + dz * axis[2]

    up = math.tan(camera.fov_y / 2.0)
    depth = along(camera.forward)
    seen = (depth >= -radius) & (depth <= camera.far + radius)
    for axis, reach in ((picture_right(camera), up * MAX_ASPECT), (camera.up, up)):
        one = math.hypot(1.0, reach)
        seen &= np.abs(along(axis)) * (1.0 / one) - depth * (reach / one) <= radius
    return np.where(seen, np.maximum(0.0, np.sqrt(dx * dx + dy * dy + dz * dz) - radius), -1.0)


def levels(near: Floats, distances: tuple[float, ...]) -> NDArray[np.int64]:
    """First level whose distance is not reached, −1 unseen."""
    below = near[:, None] < np.array(distances)
    return np.where((near >= 0.0) & below.any(1), below.argmax(1), -1)


def plain_cars(scene: Scene, cars: tuple[CarPose, ...]) -> NDArray[np.void]:
    """See ``culling.car_instances``."""
    result = np.zeros((len(cars), 5), INSTANCE_DTYPE)
    pose = np.array([(p.x, p.y, p.z, p.yaw, p.pitch, p.roll, p.steer, p.wheel_turn) for p in cars]).T
    place, body = pose[:3].T, body_rotations(*pose[3:6])
    result["rotation"][:, 0] = body
    result["origin"][:, 0] = place
    result["rotation"][:, 1:] = body[:, None] @ plain_wheels(pose[6], pose[7])
    result["origin"][:, 1:] = place[:, None] + scene.wheel_offsets @ body.transpose(0, 2, 1)
    result["scale"] = 1.0
    numbers = np.arange(len(cars))[:, None]
    result["seed"], result["object"] = numbers, numbers + 1
    result["class_id"] = np.where(numbers == 0, PLAYER_CAR, RIVAL_CAR)
    return result


def plain_wheels(steer: Floats, turn: Floats) -> Floats:
    """Wheel → car axes, ``[n, 4, 3, 3]``."""
    zero = np.zeros_like(steer)
    about_z = np.stack([steer, steer + math.pi, zero, zero + math.pi], -1)
    about_y = np.stack([turn, -turn, turn, -turn], -1)
    cz, sz, cy, sy = np.cos(about_z), np.sin(about_z), np.cos(about_y), np.sin(about_y)
    columns = [(cz * cy, sz * cy, -sy), (-sz, cz, np.zeros_like(cz)), (cz * sy, sz * sy, cy)]
    return np.array(columns).transpose(2, 3, 1, 0)


def plain_center(kind: ShadowMap, axes: Floats, camera: Camera) -> tuple[float, ...]:
    """Where the centre of a shadow map belongs."""
    flat = np.array([camera.forward[0], camera.forward[1], 0.0])
    flat /= max(np.linalg.norm(flat), 1e-6)
    wanted = axes @ (np.array(camera.position) + flat * kind.ahead)
    return tuple(np.round(wanted / kind.step) * kind.step)


def plain_casters(scene: Scene, parts: TeacherScene, axes: Floats, kind: ShadowMap, center: Floats) -> DrawList:
    """What casts into a shadow map."""

    def inside(points: Floats, radius: Floats) -> NDArray[np.bool_]:
        away = np.abs(points @ axes.T - center)
        return (away[:, :2].max(1) < kind.half + radius) & (away[:, 2] < DEPTH + radius)

    origin, radius, static = scene.instances["origin"].astype(np.float64), scene.instance_radius, scene.static
    cast = inside(origin, radius)
    fine = np.abs(origin @ axes[2] - center[2]) < kind.fine + radius
    batches = []
    for number in np.unique(scene.prototype_of[cast]).tolist():
        last, mine = len(scene.prototypes[number].lods) - 1, cast & (scene.prototype_of == number)
        for chosen, level in ((mine & fine, min(kind.level, last)), (mine & ~fine, last)):
            if chosen.any() and parts.group_of[number] != Group.GROUND:
                batches.append(Batch(number, level, scene.instances[chosen]))
    ranges = np.zeros((0, 2), np.int64)
    if kind.barriers:
        cells = inside(static.center, static.radius) & (static.count[:, 1] > 0)
        ranges = parts.built_ranges(static.first[cells, 1])
    return DrawList(ranges, tuple(batches))


def plain_frame_values(frame: FrameState, size: tuple[int, int], foot: float, earth: float, cars_lit: int,
                       within: float) -> dict[str, NDArray | tuple]:  # fmt: skip
    """Members of ``FRAME`` without the shadows and hills."""
    camera, (width, height) = frame.camera, size
    reach = math.tan(camera.fov_y / 2.0)
    place, turn = np.zeros((CARS_LIT, 4), np.float32), np.zeros((CARS_LIT, 4), np.float32)
    x, y, _ = camera.position
    near = sorted((math.hypot(c.x - x, c.y - y), number) for number, c in enumerate(frame.cars))
    chosen = [number for distance, number in near if distance < within][:cars_lit]
    for row, number in enumerate(chosen):
        car = frame.cars[number]
        place[row] = car.x, car.y, car.z, number + 1
        turn[row, :3] = math.cos(car.yaw), math.sin(car.yaw), float(car.brake_light)
    return {
        "view_right": np.array(picture_right(camera)) * (reach * width / height),
        "view_up": np.array(camera.up) * reach,
        "view_forward": camera.forward,
        "eye_at": (*camera.position, camera.position[2] - foot),
        "frame_time": (frame.tick * TICK_SECONDS, earth),
        "frame_size": size,
        "car_count": (len(chosen),),
        "car_place": place,
        "car_turn": turn,
    }


def same_list(one: DrawList, other: DrawList) -> None:
    """Assert that two lists are equal in everything: order, kinds of numbers, bytes."""
    assert one.ranges.dtype == other.ranges.dtype
    np.testing.assert_array_equal(one.ranges, other.ranges)
    assert [(b.prototype, b.lod, len(b.instances)) for b in one.batches] == [
        (b.prototype, b.lod, len(b.instances)) for b in other.batches
    ]
    for a, b in zip(one.batches, other.batches, strict=True):
        assert (type(a.prototype), type(a.lod)) == (int, int) == (type(b.prototype), type(b.lod))
        assert a.instances.dtype == b.instances.dtype == INSTANCE_DTYPE
        assert a.instances.tobytes() == b.instances.tobytes()
