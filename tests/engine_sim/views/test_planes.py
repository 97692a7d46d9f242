"""Guide planes against answers that are known: simple scenes, both backends."""

import math

import cv2
import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.views.class_view import make_painter
from engine_sim.views.culling import body_rotation
from engine_sim.views.frame import Camera, CarPose, FrameState
from engine_sim.views.planes import OUT_OF_SIGHT, SKY_DEPTH, assemble, half_depth, plain_half_depth
from engine_sim.views.scene_data import Batch, Prototype
from render_bridge.palette import GRASS, SKY

from .view_fixtures import FACING, box_mesh, frame_at, instance, look_along, mesh_of, pose, scene_of, whole_list

WIDTH, HEIGHT = 128, 96
BACKENDS = ["cpu", "gl"]
WALL_DEPTH = 5.0
WALL = scene_of([mesh_of([[(-90, -90, -WALL_DEPTH), (90, -90, -WALL_DEPTH), (0, 99, -WALL_DEPTH)]], GRASS)])
SIDE = 3000.0
PLAIN = [[(-SIDE, -SIDE, 0), (SIDE, -SIDE, 0), (SIDE, SIDE, 0)], [(-SIDE, -SIDE, 0), (SIDE, SIDE, 0), (-SIDE, SIDE, 0)]]
CAR = Prototype("car_body", (box_mesh((4.4, 1.9, 1.2), 12),), (1e9,), 3.0)
YARD = scene_of([mesh_of(PLAIN, GRASS)], (CAR,))


def planes_of(scene, frame: FrameState, previous: FrameState, backend: str, *names: str, draws=None):
    painter = make_painter(scene, WIDTH, HEIGHT, backend)
    surfaces = painter.surfaces(draws if draws is not None else whole_list(scene), frame.camera)
    painter.close()
    return assemble(names, surfaces, frame, previous)


def yard_with(cars: tuple[CarPose, ...]):
    rows = []
    for n, car in enumerate(cars):
        row = instance(car.x, car.y, car.z, car.yaw, 1.0, n + 1, 12)
        row["rotation"] = body_rotation(car)
        rows.append(row)
    return whole_list(YARD, (Batch(0, 0, np.concatenate(rows)),))


def moved(camera: Camera, x: float, y: float, z: float) -> Camera:
    return camera._replace(position=(camera.position[0] + x, camera.position[1] + y, camera.position[2] + z))


@pytest.mark.parametrize("backend", BACKENDS)
def test_depth_is_metres_along_the_axis_and_the_sky_is_the_largest_half(backend):
    got = planes_of(WALL, frame_at(FACING), frame_at(FACING), backend, "depth")["depth"]
    assert got.dtype == np.float16
    assert got.shape == (HEIGHT, WIDTH)
    assert (got == WALL_DEPTH).all(), "the whole wall, not only its middle"
    up = look_along((0.0, 0.0, 2.0), 0.0, 0.9)
    sky = planes_of(YARD, frame_at(up), frame_at(up), backend, "depth", "class")
    assert (sky["class"] == SKY).all()
    assert (sky["depth"] == np.float16(SKY_DEPTH)).all()
    assert np.isfinite(sky["depth"]).all()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shift", [(0.3, 0.0, 0.0), (0.0, -0.2, 0.0), (0.11, 0.07, 0.0)])
def test_a_camera_sliding_before_a_wall_moves_every_pixel_alike(backend, shift):
    previous = frame_at(moved(FACING, *shift))
    got = planes_of(WALL, frame_at(FACING), previous, backend, "motion")["motion"]
    focal = HEIGHT / 2 / math.tan(FACING.fov_y / 2)
    # Seen from farther right and up, things lie farther left and down.
    expected = np.array([-shift[0] * focal / WALL_DEPTH, shift[1] * focal / WALL_DEPTH])
    assert got.dtype == np.float32
    assert np.abs(got - expected).max() < 2e-3


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_camera_backing_off_shrinks_the_picture_about_its_middle(backend):
    previous = frame_at(moved(FACING, 0.0, 0.0, 1.0))
    got = planes_of(WALL, frame_at(FACING), previous, backend, "motion")["motion"]
    x = np.arange(WIDTH) + 0.5 - WIDTH / 2
    y = np.arange(HEIGHT) + 0.5 - HEIGHT / 2
    share = WALL_DEPTH / (WALL_DEPTH + 1.0) - 1.0
    assert np.abs(got[..., 0] - share * x).max() < 3e-3
    assert np.abs(got[..., 1] - share * y[:, None]).max() < 3e-3


@pytest.mark.parametrize("backend", BACKENDS)
def test_sky_moves_with_the_cameras_turning_and_not_with_its_travel(backend):
    now = look_along((0.0, 0.0, 5.0), 0.3, 0.25)
    travelled = planes_of(YARD, frame_at(now), frame_at(moved(now, 3.0, -2.0, 1.0)), backend, "class", "motion")
    sky = travelled["class"] == SKY
    assert 0.5 < sky.mean() < 1.0
    assert np.abs(travelled["motion"][sky]).max() < 1e-4
    turned = planes_of(YARD, frame_at(now), frame_at(look_along((9.0, 0.0, 5.0), 0.25, 0.25)), backend, "motion")
    focal = HEIGHT / 2 / math.tan(now.fov_y / 2)
    # On the horizon's column of the picture's middle a turn to the right by 0.05 moves things left to right.
    middle = turned["motion"][HEIGHT // 4, WIDTH // 2]
    assert middle[0] == pytest.approx(-focal * math.tan(0.05), rel=0.15)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_car_driving_past_a_camera_that_stands_moves_alone(backend):
    camera = look_along((0.0, -12.0, 1.5), math.pi / 2)
    before, now = (pose(-0.4, 0.0),), (pose(0.0, 0.0),)
    got = planes_of(
        YARD,
        frame_at(camera, now),
        frame_at(camera, before),
        backend,
        "object",
        "motion",
        "depth",
        draws=yard_with(now),
    )
    car = got["object"] == 1
    assert car.sum() > 300
    assert np.abs(got["motion"][~car]).max() < 1e-3
    focal = HEIGHT / 2 / math.tan(camera.fov_y / 2)
    expected = -0.4 * focal / got["depth"][car].astype(np.float64)
    assert np.abs(got["motion"][car][:, 0] - expected).max() < 0.02
    assert np.abs(got["motion"][car][:, 1]).max() < 1e-3


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_turning_leaning_car_moves_as_a_rigid_body(backend):
    camera = look_along((0.0, -10.0, 3.0), math.pi / 2, -0.2)
    before = CarPose(0.5, 0.2, 0.05, 0.5, 0.02, -0.03, 0.0, 0.0, False, 9.0)
    now = CarPose(0.1, 0.0, 0.0, 0.3, -0.01, 0.05, 0.0, 0.0, False, 9.0)
    frame, previous = frame_at(camera, (now,)), frame_at(moved(camera, 0.2, 0.1, 0.0), (before,))
    painter = make_painter(YARD, WIDTH, HEIGHT, backend)
    surfaces = painter.surfaces(yard_with((now,)), camera)
    painter.close()
    got = assemble(["motion"], surfaces, frame, previous)["motion"]
    rows, cols = np.nonzero(surfaces.object_id == 1)
    focal = HEIGHT / 2 / math.tan(camera.fov_y / 2)
    right = np.cross(camera.forward, camera.up)
    for row, col in list(zip(rows, cols, strict=True))[::37]:
        far = float(surfaces.distance[row, col])
        ray = np.array(camera.forward) + right * (col + 0.5 - WIDTH / 2) / focal
        world = np.array(camera.position) + far * (ray - np.array(camera.up) * (row + 0.5 - HEIGHT / 2) / focal)
        local = body_rotation(now).T @ (world - (now.x, now.y, now.z))
        then = body_rotation(before) @ local + (before.x, before.y, before.z) - np.array(previous.camera.position)
        depth = then @ np.array(camera.forward)
        where = (WIDTH / 2 + focal * (then @ right) / depth, HEIGHT / 2 - focal * (then @ np.array(camera.up)) / depth)
        assert got[row, col] == pytest.approx(np.array(where) - (col + 0.5, row + 0.5), abs=2e-3)


def _textured(surfaces, camera: Camera) -> np.ndarray:
    """A smooth texture fixed to the world, sampled at each pixel's surface point."""
    focal = HEIGHT / 2 / math.tan(camera.fov_y / 2)
    x = (np.arange(WIDTH) + 0.5 - WIDTH / 2) / focal
    y = (np.arange(HEIGHT) + 0.5 - HEIGHT / 2) / focal
    right = np.cross(camera.forward, camera.up)
    ray = np.array(camera.forward) + x[None, :, None] * right - y[:, None, None] * np.array(camera.up)
    far = np.where(np.isfinite(surfaces.distance), surfaces.distance, 0.0)
    world = np.array(camera.position) + ray * far[..., None]
    return (np.sin(world[..., 0] * 0.9) + np.cos(world[..., 1] * 0.7)).astype(np.float32)


@pytest.mark.parametrize("backend", BACKENDS)
def test_warping_the_earlier_picture_by_the_motion_gives_the_later_one(backend):
    now = look_along((0.0, 0.0, 4.0), 0.2, -0.6)
    before = look_along((-0.5, 0.15, 4.1), 0.17, -0.58)
    painter = make_painter(YARD, WIDTH, HEIGHT, backend)
    later, earlier = (painter.surfaces(whole_list(YARD), camera) for camera in (now, before))
    painter.close()
    flow = assemble(["motion"], later, frame_at(now), frame_at(before))["motion"]
    cols, rows = np.meshgrid(np.arange(WIDTH, dtype=np.float32), np.arange(HEIGHT, dtype=np.float32))
    warped = cv2.remap(_textured(earlier, before), cols + flow[..., 0], rows + flow[..., 1], cv2.INTER_CUBIC)
    inside = (cols + flow[..., 0] > 2) & (cols + flow[..., 0] < WIDTH - 3)
    inside &= (rows + flow[..., 1] > 2) & (rows + flow[..., 1] < HEIGHT - 3)
    near = inside & (later.distance < 12.0)
    assert near.mean() > 0.4
    assert np.abs(flow[near]).mean() > 2.0, "the test would be empty without motion"
    assert np.abs(warped - _textured(later, now))[near].max() < 0.03


def test_without_an_earlier_frame_nothing_moves():
    frame = frame_at(look_along((0.0, 0.0, 4.0), 0.2, -0.2))
    got = planes_of(YARD, frame, frame, "cpu", "motion")["motion"]
    assert np.abs(got).max() < 1e-4


def test_what_was_behind_the_earlier_camera_is_marked_out_of_sight():
    now = look_along((0.0, 0.0, 2.0), 0.0, -0.3)
    turned = look_along((0.0, 0.0, 2.0), math.pi, -0.3)
    got = planes_of(YARD, frame_at(now), frame_at(turned), "cpu", "motion", "class")
    assert (got["motion"] == OUT_OF_SIGHT).all()


def test_a_car_that_was_not_there_before_stands_still():
    camera = look_along((0.0, -12.0, 1.5), math.pi / 2)
    cars = (pose(0.0, 0.0),)
    got = planes_of(YARD, frame_at(camera, cars), frame_at(camera), "cpu", "motion", draws=yard_with(cars))
    assert np.abs(got["motion"]).max() < 1e-3


def test_only_the_planes_asked_for_come():
    frame = frame_at(FACING)
    assert set(planes_of(WALL, frame, frame, "cpu", "object")) == {"object"}
    assert planes_of(WALL, frame, frame, "cpu") == {}


def test_the_message_of_an_unknown_plane_lists_the_known_ones():
    from engine_sim.views.class_view import open_class_view

    with open_class_view(WALL, 64, 64, "cpu") as view, pytest.raises(UserError, match="class, depth, motion, object"):
        view.planes(frame_at(FACING), None, ["flow"])


def test_depth_as_halves_has_the_bits_of_its_plain_twin():
    """Every half that is a distance, what lies beside it and half-way to the next one; and the ends of the range."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    ties = 0.5 * (halves[:-1] + halves[1:])
    ends = np.array([0.0, 1e-9, 65503.0, SKY_DEPTH, 65519.0, 65520.0, 1e20, np.inf], np.float32)
    beside = [np.nextafter(values, np.float32(to)) for values in (halves, ties) for to in (0.0, np.inf)]
    distance = np.concatenate([halves, ties, *beside, ends])
    assert np.array_equal(half_depth(distance).view(np.uint16), plain_half_depth(distance).view(np.uint16))


def test_depth_as_halves_keeps_any_shape_and_takes_views_that_skip():
    distance = np.linspace(0.3, 2500.0, 60, dtype=np.float32).reshape(3, 4, 5)
    for values in (distance, distance[:, ::2], distance[..., 1]):
        assert np.array_equal(half_depth(values), plain_half_depth(values))
