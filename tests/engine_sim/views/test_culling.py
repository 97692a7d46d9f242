"""The draw list: all that is in sight, once, in one order, and by the rules of distance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.track import Track
from engine_sim.views.culling import MAX_ASPECT, body_rotation, car_instances, draw_list
from engine_sim.views.frame import Camera, CarPose, FrameState, projection_matrix, view_matrix
from engine_sim.views.scene import build_scene
from engine_sim.views.scene_data import DrawList, Scene
from render_bridge.palette import PLAYER_CAR, RIVAL_CAR

from .mesh_checks import ROAD_TRACK, cell_triangles, corners

FOV = 1.05


@pytest.fixture(scope="module")
def track() -> Track:
    return load_track(ROAD_TRACK)


@pytest.fixture(scope="module")
def scene(track: Track) -> Scene:
    return build_scene(track)


def pose_at(track: Track, sample: int, d: float = 0.0) -> CarPose:
    """A car that stands on the track."""
    a, i = track.arrays, sample % track.samples
    x, y = float(a.x[i] - d * a.tangent_y[i]), float(a.y[i] + d * a.tangent_x[i])
    yaw = math.atan2(float(a.tangent_y[i]), float(a.tangent_x[i]))
    return CarPose(x, y, float(a.z[i] + d * a.bank[i]), yaw, 0.0, 0.0, 0.0, 0.0, False, 20.0)


def frame_at(track: Track, sample: int, turn: float = 0.0, hide: bool = False) -> FrameState:
    """Behind the player's car, the head turned by an angle; three rivals ahead."""
    cars = tuple(pose_at(track, sample + 7 * k, (0.0, 2.0, -2.0, 0.0)[k]) for k in range(4))
    heading = cars[0].yaw + turn
    forward = (math.cos(heading) * 0.98, math.sin(heading) * 0.98, -math.sqrt(1.0 - 0.98**2))
    up = (-math.cos(heading) * forward[2], -math.sin(heading) * forward[2], 0.98)
    back = (cars[0].x - 7.0 * math.cos(cars[0].yaw), cars[0].y - 7.0 * math.sin(cars[0].yaw), cars[0].z + 2.4)
    return FrameState(0, Camera(back, forward, up, FOV), cars, hide)


def in_frustum(camera: Camera, points: np.ndarray) -> np.ndarray:
    """Points ``[k, 3]`` that a picture of the widest shape would show, bool ``[k]``."""
    matrix = projection_matrix(camera, int(1000 * MAX_ASPECT), 1000) @ view_matrix(camera)
    clip = points @ matrix[:, :3].T + matrix[:, 3]
    return (np.abs(clip[:, :3]) <= clip[:, 3:]).all(1)


def seen_instances(drawn: DrawList) -> set[bytes]:
    return {row.tobytes() for batch in drawn.batches for row in batch.instances}


FRAMES = [(10, 0.0), (120, 0.4), (300, -1.2), (400, 3.0)]


@pytest.mark.parametrize(("sample", "turn"), FRAMES)
def test_every_visible_corner_of_scenery_is_in_the_list(track: Track, scene: Scene, sample: int, turn: float) -> None:
    frame = frame_at(track, sample, turn)
    seen = seen_instances(draw_list(scene, frame))
    eye = np.array(frame.camera.position)
    for i, instance in enumerate(scene.instances):
        prototype = scene.prototypes[scene.prototype_of[i]]
        local = prototype.lods[0].vertices["position"].astype(np.float64) * instance["scale"]
        world = local @ instance["rotation"].astype(np.float64).T + instance["origin"]
        near = np.linalg.norm(world - eye, axis=1).min() < prototype.lod_distance[-1]
        if near and in_frustum(frame.camera, world).any():
            assert instance.tobytes() in seen, prototype.name


@pytest.mark.parametrize(("sample", "turn"), FRAMES)
def test_every_visible_corner_of_the_static_mesh_is_in_the_list(
    track: Track, scene: Scene, sample: int, turn: float
) -> None:
    frame = frame_at(track, sample, turn)
    drawn = np.zeros(len(scene.static.mesh.indices), bool)
    for first, count in draw_list(scene, frame).ranges:
        assert not drawn[first : first + count].any()
        drawn[first : first + count] = True
    for cell in range(len(scene.static.radius)):
        levels = [
            drawn[a : a + n].all() for a, n in zip(scene.static.first[cell], scene.static.count[cell], strict=True)
        ]
        if in_frustum(frame.camera, cell_triangles(scene, cell, 0).reshape(-1, 3)).any():
            assert sum(levels) == 1, cell
        else:
            assert sum(levels) <= 1, cell


def test_levels_follow_the_distance_to_the_nearest_point(track: Track, scene: Scene) -> None:
    frame = frame_at(track, 10)
    eye = np.array(frame.camera.position)
    radius = {row.tobytes(): r for row, r in zip(scene.instances, scene.instance_radius, strict=True)}
    for batch in draw_list(scene, frame).batches:
        prototype = scene.prototypes[batch.prototype]
        for instance in batch.instances:
            size = radius.get(instance.tobytes(), prototype.radius)
            nearest = max(0.0, float(np.linalg.norm(instance["origin"].astype(np.float64) - eye)) - size)
            allowed = (0.0, *prototype.lod_distance)
            assert allowed[batch.lod] <= nearest + 1e-6
            assert nearest < allowed[batch.lod + 1] + 1e-6


def test_drawing_twice_gives_the_same_list(track: Track, scene: Scene) -> None:
    first, again = (draw_list(scene, frame_at(track, 120, 0.4)) for _ in range(2))
    np.testing.assert_array_equal(first.ranges, again.ranges)
    assert [(b.prototype, b.lod) for b in first.batches] == [(b.prototype, b.lod) for b in again.batches]
    for a, b in zip(first.batches, again.batches, strict=True):
        assert a.instances.tobytes() == b.instances.tobytes()


def test_batches_come_in_the_order_of_prototypes_and_levels(track: Track, scene: Scene) -> None:
    batches = draw_list(scene, frame_at(track, 10)).batches
    keys = [(b.prototype, b.lod) for b in batches]
    assert keys == sorted(keys)
    assert all(len(b.instances) for b in batches)


def test_looking_away_hides_what_is_behind(track: Track, scene: Scene) -> None:
    ahead, behind = frame_at(track, 10), frame_at(track, 10, math.pi)
    names = [scene.prototypes[b.prototype].name for b in draw_list(scene, ahead).batches]
    assert "car_body" in names
    names = [scene.prototypes[b.prototype].name for b in draw_list(scene, behind).batches]
    assert "car_body" not in names


def test_the_cockpit_camera_hides_the_players_body_and_wheels(track: Track, scene: Scene) -> None:
    cars = [b.instances for b in draw_list(scene, frame_at(track, 10, hide=True)).batches
            if scene.prototypes[b.prototype].name.startswith("car")]  # fmt: skip
    objects = np.concatenate(cars)["object"]
    assert set(objects.tolist()) == {2, 3, 4}
    classes = np.concatenate(cars)["class_id"]
    assert set(classes.tolist()) == {RIVAL_CAR}


def test_cars_carry_number_and_class_and_stand_on_four_wheels(track: Track, scene: Scene) -> None:
    frame = frame_at(track, 10)
    cars = car_instances(scene, frame)
    assert cars.shape == (4, 5)
    assert cars["object"][:, 0].tolist() == [1, 2, 3, 4]
    assert cars["class_id"][0].tolist() == [PLAYER_CAR] * 5
    assert (cars["class_id"][1:] == RIVAL_CAR).all()
    for pose, row in zip(frame.cars, cars, strict=True):
        middle = row["origin"][1:].astype(np.float64).mean(0)
        np.testing.assert_allclose(middle, (pose.x, pose.y, pose.z + 0.34), atol=1e-3)


def test_wheels_roll_forward_and_steer_left_and_rims_look_out(scene: Scene) -> None:
    pose = CarPose(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.5, False, 0.0)
    row = car_instances(scene, FrameState(0, frame_camera(), (pose,)))[0]
    rotation = row["rotation"].astype(np.float64)
    outward = [(rotation[k] @ (0.0, 1.0, 0.0))[1] for k in range(1, 5)]
    np.testing.assert_allclose(outward, [math.cos(0.3), -math.cos(0.3), 1.0, -1.0], atol=1e-6)
    top = rotation[3] @ (0.0, 0.0, 1.0)
    np.testing.assert_allclose(top, (math.sin(0.5), 0.0, math.cos(0.5)), atol=1e-6)
    mirrored_top = rotation[4] @ (0.0, 0.0, 1.0)
    np.testing.assert_allclose(mirrored_top, top, atol=1e-6)
    left = rotation[1] @ (0.0, 1.0, 0.0)
    assert left[0] < 0.0


def test_pitch_lifts_the_nose_and_roll_the_left_side() -> None:
    rotation = body_rotation(CarPose(0.0, 0.0, 0.0, 0.7, 0.1, 0.2, 0.0, 0.0, False, 0.0))
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert (rotation @ (1.0, 0.0, 0.0))[2] == pytest.approx(math.sin(0.1))
    assert (rotation @ (0.0, 1.0, 0.0))[2] > 0.0
    heading = rotation @ (1.0, 0.0, 0.0)
    assert math.atan2(heading[1], heading[0]) == pytest.approx(0.7)


def test_a_driver_sees_a_modest_number_of_triangles(track: Track, scene: Scene) -> None:
    for sample in range(0, track.samples, 40):
        drawn = draw_list(scene, frame_at(track, sample))
        total = int(drawn.ranges[:, 1].sum()) // 3
        for b in drawn.batches:
            total += len(b.instances) * len(corners(scene.prototypes[b.prototype].lods[b.lod]))
        assert total < 80_000


def test_a_race_without_cars_or_scenery_in_sight_is_an_empty_list(scene: Scene) -> None:
    far = Camera((1e6, 1e6, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), FOV)
    drawn = draw_list(scene, FrameState(0, far, ()))
    assert len(drawn.ranges) == 0
    assert drawn.batches == ()


def frame_camera() -> Camera:
    return Camera((0.0, 0.0, 2.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), FOV)
