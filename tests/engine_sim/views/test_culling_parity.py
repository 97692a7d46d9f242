"""The compiled draw list, casters and frame numbers against their plain twins, byte for byte."""

from __future__ import annotations

import gc
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.track import Track
from engine_sim.views import culling_tables
from engine_sim.views.car_records import car_records
from engine_sim.views.culling import draw_list
from engine_sim.views.culling_tables import tables_of
from engine_sim.views.frame import Camera, CarPose, FrameState, picture_right, projection_matrix, view_matrix
from engine_sim.views.gl_context import open_gl
from engine_sim.views.scene import build_scene
from engine_sim.views.scene_data import Scene
from engine_sim.views.teacher_blocks import CARS_LIT, FRAME
from engine_sim.views.teacher_frame import LIT_WITHIN, FrameNumbers
from engine_sim.views.teacher_scene import TeacherScene
from engine_sim.views.teacher_shadows import MAPS, SunShadows

from .mesh_checks import BRIDGE_TRACK, ROAD_TRACK
from .plain_culling import plain_cars, plain_casters, plain_center, plain_draw_list, plain_frame_values, same_list
from .view_fixtures import village

TRACKS = (ROAD_TRACK, BRIDGE_TRACK)


@pytest.fixture(scope="module", params=TRACKS)
def track(request: pytest.FixtureRequest) -> Track:
    return load_track(request.param)


@pytest.fixture(scope="module")
def scene(track: Track) -> Scene:
    return build_scene(track)


def random_cars(rng: np.random.Generator, count: int, near: tuple[float, float, float]) -> tuple[CarPose, ...]:
    """Cars at every attitude, half of them out of reach."""
    cars = []
    for k in range(count):
        x, y, z = (np.array(near) + rng.normal(0.0, 30.0 if k % 2 else 200.0, 3) * (1.0, 1.0, 0.05)).tolist()
        yaw, pitch, roll, steer, turn = (rng.normal(size=5) * (3.0, 0.2, 0.2, 0.3, 900.0)).tolist()
        cars.append(CarPose(x, y, z, yaw, pitch, roll, steer, turn, bool(k % 3), 20.0))
    return tuple(cars)


def random_frame(rng: np.random.Generator, track: Track, cars: int, hide: bool = False) -> FrameState:
    """A camera somewhere over the track that looks anywhere."""
    sample = int(rng.integers(track.samples))
    at = (float(track.arrays.x[sample]), float(track.arrays.y[sample]), float(track.arrays.z[sample]) + 2.0)
    forward, aside = rng.normal(size=3) * (1.0, 1.0, 0.2), rng.normal(size=3)
    forward /= np.linalg.norm(forward)
    up = np.cross(np.cross(forward, (0.0, 0.0, 1.0) + 0.1 * aside), forward)
    up /= np.linalg.norm(up)
    camera = Camera(at, tuple(forward.tolist()), tuple(up.tolist()), float(rng.uniform(0.5, 1.3)))
    return FrameState(int(rng.integers(10**5)), camera, random_cars(rng, cars, at), hide)


@pytest.mark.parametrize(("cars", "hide"), [(0, False), (0, True), (1, False), (1, True), (2, True), (16, False)])
def test_the_list_is_that_of_the_plain_twin(track: Track, scene: Scene, cars: int, hide: bool) -> None:
    rng = np.random.default_rng(cars)
    seen = 0
    for _ in range(12):
        frame = random_frame(rng, track, cars, hide)
        drawn = draw_list(scene, frame)
        same_list(drawn, plain_draw_list(scene, frame))
        seen += len(drawn.batches)
    assert seen > 60


@pytest.mark.parametrize("count", [1, 2, 3, 16, 40])
def test_cars_are_those_of_the_plain_twin(scene: Scene, count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(10):
        cars = random_cars(rng, count, (50.0, -700.0, 3.0))
        records = car_records(cars, scene.wheel_offsets)
        assert records.tobytes() == plain_cars(scene, cars).tobytes()
        assert records.shape == (count, 5)


def test_a_list_is_its_callers_own_and_its_batches_follow_each_other(track: Track, scene: Scene) -> None:
    frame = random_frame(np.random.default_rng(3), track, 4)
    first, again = draw_list(scene, frame), draw_list(scene, frame)
    before = scene.instances.tobytes()
    addresses = [(b.instances.ctypes.data, b.instances.nbytes) for b in first.batches]
    assert all(a + n == b for (a, n), (b, _) in pairwise(addresses))
    for batch in first.batches:
        batch.instances["seed"] = 7
    assert scene.instances.tobytes() == before
    same_list(again, plain_draw_list(scene, frame))


def test_cars_of_a_scene_without_wheels_are_refused() -> None:
    bare = village(objects=4)
    frame = FrameState(0, Camera((0.0, 0.0, 2.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0), ())
    same_list(draw_list(bare, frame), plain_draw_list(bare, frame))
    with pytest.raises(ValueError, match="1 cars to draw, but it lacks a prototype of car_body or car_wheel"):
        draw_list(bare, replace(frame, cars=random_cars(np.random.default_rng(0), 1, (0.0, 0.0, 0.0))))


def test_tables_are_made_once_and_go_with_their_scene() -> None:
    scene = village(objects=4)
    assert tables_of(scene) is tables_of(scene)
    assert tables_of(replace(scene)) is not tables_of(scene)
    gc.collect()
    kept = len(culling_tables._known)
    del scene
    gc.collect()
    assert len(culling_tables._known) == kept - 1


def test_shadows_move_as_the_plain_sum_says_and_hold_the_same_casters(track: Track, scene: Scene) -> None:
    with open_gl() as ctx:
        parts = TeacherScene(ctx, scene)
        shadows = SunShadows(ctx, scene, parts, 16)
        moved: list[int] = []

        def compare(index: int, center: np.ndarray) -> None:
            moved.append(index)
            lists = shadows._casters(MAPS[index], center), plain_casters(scene, parts, axes, MAPS[index], center)
            same_list(*lists)

        shadows._draw = compare
        shadows.set_sun(None)
        shadows.set_sun(np.array([0.36, 0.48, 0.8]))
        axes = shadows._axes
        frame = random_frame(np.random.default_rng(8), track, 0)
        centers: list[tuple[float, ...] | None] = [None, None]
        for step in range(60):
            x, y, z = frame.camera.position
            camera = frame.camera._replace(position=(x + 3.0 * step, y - 1.5 * step, z))
            wanted = [plain_center(kind, axes, camera) for kind in MAPS]
            before = len(moved)
            shadows.follow(camera)
            assert moved[before:] == [k for k in range(2) if wanted[k] != centers[k]]
            centers = list(wanted)
            assert shadows._centers == centers
        assert set(moved) == {0, 1}
        assert len(moved) < 40


def test_a_map_moves_exactly_where_rounding_does(track: Track, scene: Scene) -> None:
    """Cameras on both sides of the border between two steps, and as near to it as numbers come."""
    with open_gl() as ctx:
        shadows = SunShadows(ctx, scene, TeacherScene(ctx, scene), 16)
        shadows.set_sun(np.array([1.0, 0.0, 0.0]))
        shadows._draw = lambda index, center: None
        half = MAPS[0].step / 2.0
        for z in (
            half - 1e-3,
            half,
            half + 1e-3,
            math.nextafter(half, 0.0),
            math.nextafter(half, 99.0),
            -half,
            3 * half,
        ):
            camera = Camera((0.0, 0.0, z), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0)
            shadows.follow(camera)
            assert shadows._centers == [plain_center(kind, shadows._axes, camera) for kind in MAPS]


@pytest.mark.parametrize("cars_lit", [5, CARS_LIT])
def test_numbers_of_a_frame_are_those_that_the_block_packs(track: Track, cars_lit: int) -> None:
    rng = np.random.default_rng(cars_lit)
    size = (672, 384)
    numbers = FrameNumbers(size, -3.25, 0.4, cars_lit)
    for cars in (16, 0, 3, 40):
        frame = random_frame(rng, track, cars)
        near, far, place = rng.normal(size=(4, 4)), rng.normal(size=(4, 4)), rng.normal(size=4)
        numbers.write(frame, [near, far], place)
        values = plain_frame_values(frame, size, -3.25, 0.4, cars_lit, LIT_WITHIN)
        assert bytes(numbers.bytes) == FRAME.pack(
            values | {"shadow_near": near, "shadow_far": far, "hill_place": place}
        )


def test_matrices_of_a_camera_have_the_bits_of_their_parts(track: Track) -> None:
    rng = np.random.default_rng(1)
    level = Camera((1.0, 2.0, 3.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.7)
    for camera in (level, *(random_frame(rng, track, 0).camera for _ in range(20))):
        view = np.eye(4)
        view[:3, :3] = picture_right(camera), camera.up, camera.forward
        view[2] *= -1.0
        view[:3, 3] = -view[:3, :3] @ np.array(camera.position)
        assert view_matrix(camera).tobytes() == view.tobytes()
        f = 1.0 / np.tan(camera.fov_y / 2.0)
        projection = np.zeros((4, 4))
        projection[0, 0], projection[1, 1] = f * 384 / 672, f
        projection[2, 2] = (camera.far + camera.near) / (camera.near - camera.far)
        projection[2, 3] = 2.0 * camera.far * camera.near / (camera.near - camera.far)
        projection[3, 2] = -1.0
        assert projection_matrix(camera, 672, 384).tobytes() == projection.tobytes()
