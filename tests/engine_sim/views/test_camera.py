"""Camera rigs: exact, steady, above the ground, and pleasant to look through."""

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks import query
from engine_sim.tracks.build import Centreline, CrossSection, TrackLabel, assemble_track
from engine_sim.tracks.ground import ground_height
from engine_sim.tracks.track import ASPHALT, CONCRETE_WALL, GRASS_SURFACE, GUARD_RAIL, Track
from engine_sim.views import camera_rules as rules
from engine_sim.views.camera import KINDS, CameraRig, frame_state
from engine_sim.views.frame import Camera, CarPose, projection_matrix, view_matrix
from engine_sim.views.trackside import camera_posts

from .view_fixtures import pose_on_track

WIDTH, HEIGHT = 448, 256
CAR = (4.5, 1.86)  # metres, length and width


@functools.cache
def circuit(hills: float = 0.0, wall: float = 14.0) -> Track:
    """An egg of about 1.2 km, flat or hilly."""
    n = 700
    angle = [2.0 * math.pi * i / n for i in range(n)]
    x = np.array([240.0 * math.cos(a) for a in angle])
    y = np.array([(150.0 + 30.0 * math.cos(a)) * math.sin(a) for a in angle])
    z = np.array([hills * (math.sin(a) + 0.4 * math.sin(5.0 * a)) for a in angle])

    def same(value: float) -> np.ndarray:
        return np.full(n, float(value))

    def code(value: int) -> np.ndarray:
        return np.full(n, value, np.int64)

    section = CrossSection(
        same(6), same(6), same(0.8), same(0), same(wall), same(wall),
        code(ASPHALT), code(GRASS_SURFACE), code(GRASS_SURFACE), code(GUARD_RAIL), code(CONCRETE_WALL),
    )  # fmt: skip
    return assemble_track(TrackLabel("egg", "road", "built-in", "train"), Centreline(x, y, z, same(0.0)), section)


@dataclass
class StandingWorld:
    """As much of a world as a frame needs."""

    tick: int
    cars: tuple[CarPose, ...]

    def poses(self) -> tuple[CarPose, ...]:
        return self.cars


def drive(rig: CameraRig, track: Track, ticks: int, speed: float, start: float = 20.0, d: float = 0.0):
    """Drive along the track at a steady speed; yields the pose of each tick after the rig has followed it."""
    for tick in range(ticks):
        pose = pose_on_track(track, start + tick * speed / 120.0, d, speed)
        if tick == 0:
            rig.reset(pose)
        else:
            rig.step(pose)
        yield pose


def on_screen(camera: Camera, points: np.ndarray) -> np.ndarray:
    """World points [n, 3] → pixels [n, 2]."""
    clip = np.c_[points, np.ones(len(points))] @ (projection_matrix(camera, WIDTH, HEIGHT) @ view_matrix(camera)).T
    ndc = clip[:, :2] / clip[:, 3:]
    return np.c_[(ndc[:, 0] + 1) / 2 * WIDTH, (1 - ndc[:, 1]) / 2 * HEIGHT]


def car_corners(pose: CarPose) -> np.ndarray:
    c, s = math.cos(pose.yaw), math.sin(pose.yaw)
    local = [(a * CAR[0] / 2, b * CAR[1] / 2, h) for a in (-1, 1) for b in (-1, 1) for h in (0.1, 0.75)]
    return np.array([(pose.x + c * x - s * y, pose.y + s * x + c * y, pose.z + z) for x, y, z in local])


@pytest.mark.parametrize("kind", KINDS)
def test_a_rig_repeats_bit_for_bit_and_goes_on_from_a_save(kind):
    track = circuit(4.0)
    rig, twin = CameraRig(kind, track), CameraRig(kind, track)
    hashes, saved = [], b""
    for tick, _ in enumerate(drive(rig, track, 240, 45.0)):
        hashes.append(rig.hash())
        if tick == 99:
            saved = rig.save()
    assert len(set(hashes)) == 240
    again = []
    for tick, _ in enumerate(drive(twin, track, 240, 45.0)):
        if tick == 99:
            twin.state.values[:] = 7.0
            twin.restore(saved)
        again.append(twin.hash())
    assert again == hashes


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_and_plain_python_give_the_same_bits(kind):
    track = circuit(4.0)
    rig, plain = CameraRig(kind, track), CameraRig(kind, track)
    plain._step = plain._step.py_func
    plain._reset = plain._reset.py_func
    for pair in zip(drive(rig, track, 90, 50.0), drive(plain, track, 90, 50.0), strict=True):
        assert pair[0] == pair[1]
        assert rig.hash() == plain.hash()


@pytest.mark.parametrize("kind", KINDS)
def test_before_a_car_that_stands_the_camera_stands(kind):
    track = circuit()
    rig = CameraRig(kind, track)
    pose = pose_on_track(track, 100.0, 1.0)
    rig.reset(pose)
    first = rig.camera()
    for _ in range(600):
        rig.step(pose)
    assert rig.camera() == first


@pytest.mark.parametrize("kind", KINDS)
def test_forward_and_up_stay_unit_and_square(kind):
    track = circuit(6.0)
    rig = CameraRig(kind, track)
    for _ in drive(rig, track, 500, 60.0):
        camera = rig.camera()
        forward, up = np.array(camera.forward), np.array(camera.up)
        assert abs(forward @ forward - 1.0) < 1e-12
        assert abs(up @ up - 1.0) < 1e-12
        assert abs(forward @ up) < 1e-12
        assert up[2] > 0.5
        assert 0.05 < camera.fov_y < 1.2


@pytest.mark.parametrize("speed", [0.0, 25.0, 70.0])
def test_the_chase_picture_is_composed_as_promised(speed):
    track = circuit()
    rig = CameraRig("chase", track)
    pose = list(drive(rig, track, 900 if speed else 2, speed))[-1]
    camera = rig.camera()
    corners = on_screen(camera, car_corners(pose))
    assert 0.19 < np.ptp(corners[:4, 0]) / WIDTH < 0.26, "width of the car's tail"
    assert abs(corners[:, 0].mean() / WIDTH - 0.5) < 0.08
    assert 0.6 < corners[:, 1].mean() / HEIGHT < 0.85
    assert corners[:, 1].max() < HEIGHT
    horizon = 0.5 + camera.forward[2] / math.hypot(*camera.forward[:2]) / math.tan(camera.fov_y / 2) / 2
    assert 0.39 < horizon < 0.46


def test_speed_widens_the_field_and_draws_the_camera_back():
    track = circuit()
    slow, fast = CameraRig("chase", track), CameraRig("chase", track)
    for _ in zip(drive(slow, track, 600, 10.0), drive(fast, track, 600, 70.0), strict=True):
        pass
    assert fast.camera().fov_y > slow.camera().fov_y + 0.05
    assert fast.state.values[rules.DISTANCE] > slow.state.values[rules.DISTANCE] + 0.3


def test_kerbs_shake_the_chase_picture_by_less_than_a_pixel():
    track = circuit()
    rig = CameraRig("chase", track)
    heights = []
    for tick in range(720):
        pose = pose_on_track(track, 20.0 + tick * 40.0 / 120.0, 0.0, 40.0)
        bump = 0.03 if tick > 360 and (tick // 5) % 2 else 0.0
        pose = pose._replace(z=pose.z + bump, pitch=pose.pitch + bump * 0.3)
        if tick == 0:
            rig.reset(pose)
        else:
            rig.step(pose)
        camera = rig.camera()
        ahead = np.array(camera.position) + 1000.0 * np.array([*camera.forward[:2], 0.0])
        heights.append(on_screen(camera, ahead[None])[0, 1])
    shake = np.array(heights[480:])
    assert np.abs(np.diff(shake)).max() < 0.5, "pixels from tick to tick"
    assert np.ptp(shake) < 1.5


@pytest.mark.parametrize("kind", ["chase", "cockpit"])
def test_no_camera_goes_under_the_ground_on_a_hilly_circuit(kind):
    track = circuit(9.0)
    field = track.ground
    rig = CameraRig(kind, track)
    for _ in drive(rig, track, 1500, 65.0, d=5.0):
        x, y, z = rig.camera().position
        index, s, d = query.locate(track.arrays, x, y, -1)
        assert z > query.height_at(track.arrays, index, s, d) + 0.5
        assert z > ground_height(field.z, field.x0, field.y0, field.cell, x, y) + 0.5


def test_a_car_across_the_track_does_not_push_the_camera_through_the_barrier():
    track = circuit(0.0, 8.0)
    rig = CameraRig("chase", track)
    for side in (-1.0, 1.0):
        pose = pose_on_track(track, 200.0, side * 6.0)
        pose = pose._replace(yaw=pose.yaw - side * math.pi / 2)  # tail to the barrier
        rig.reset(pose)
        x, y, _ = rig.camera().position
        index, s, d = query.locate(track.arrays, x, y, -1)
        gap, _ = query.barrier_distance(track.arrays, index, s, d)
        assert gap > 0.35
        towards = np.array([pose.x - x, pose.y - y])
        assert towards @ np.array(rig.camera().forward[:2]) > 0.0, "it still looks at the car"


@pytest.mark.parametrize("kind", KINDS)
def test_a_car_put_back_on_the_track_takes_the_camera_along_at_once(kind):
    track = circuit(3.0)
    rig, fresh = CameraRig(kind, track), CameraRig(kind, track)
    for _ in drive(rig, track, 200, 50.0):
        pass
    there = pose_on_track(track, 700.0, -2.0)
    rig.step(there)
    fresh.reset(there)
    assert rig.camera() == fresh.camera()


def test_the_chase_camera_swings_behind_a_spun_car_without_a_jump():
    track = circuit()
    rig = CameraRig("chase", track)
    pose = pose_on_track(track, 50.0, 0.0)
    rig.reset(pose)
    last = np.array(rig.camera().position)
    for tick in range(480):
        turned = pose._replace(yaw=pose.yaw + math.pi * min(1.0, tick / 60.0))
        rig.step(turned)
        now = np.array(rig.camera().position)
        assert np.linalg.norm(now - last) < 0.5
        last = now
    behind = np.array([pose.x, pose.y]) - last[:2]
    heading = np.array([math.cos(turned.yaw), math.sin(turned.yaw)])
    assert behind @ heading / np.linalg.norm(behind) > 0.98


def test_a_crash_throws_the_chase_camera_no_more_than_a_metre():
    track = circuit()
    rig = CameraRig("chase", track)
    pose = list(drive(rig, track, 400, 60.0))[-1]
    stopped = pose._replace(speed=0.0)
    reach = []
    for _ in range(240):
        rig.step(stopped)
        x, y, _ = rig.camera().position
        reach.append(math.hypot(x - pose.x, y - pose.y))
    assert min(reach) > 5.0
    assert max(reach) < 8.5


def test_the_cockpit_sits_in_the_car_and_hides_it():
    track = circuit()
    rig = CameraRig("cockpit", track)
    pose = list(drive(rig, track, 300, 40.0))[-1]
    x, y, z = rig.camera().position
    assert math.hypot(x - pose.x, y - pose.y) < 0.6
    assert 0.9 < z - pose.z < 1.3
    frame = frame_state(StandingWorld(299, (pose,)), rig)
    assert frame.hide_player
    assert frame.camera == rig.camera()
    assert frame.cars == (pose,)
    assert frame.tick == 299


def test_trackside_cameras_keep_the_player_in_the_middle_and_zoom():
    track = circuit(3.0)
    rig = CameraRig("trackside", track)
    fields, posts, sizes = set(), set(), []
    for pose in drive(rig, track, 2600, 50.0):
        camera = rig.camera()
        corners = on_screen(camera, car_corners(pose))
        assert abs(corners[:, 0].mean() / WIDTH - 0.5) < 0.12
        assert abs(corners[:, 1].mean() / HEIGHT - 0.5) < 0.12
        fields.add(round(camera.fov_y, 2))
        posts.add(camera.position)
        sizes.append(max(np.ptp(corners[:, 0]) / WIDTH, np.ptp(corners[:, 1]) / HEIGHT))
    assert len(posts) >= 5, "it cuts from post to post"
    assert max(fields) > 3 * min(fields)
    assert 0.1 < np.median(sizes) < 0.4


def test_posts_stand_behind_the_barriers_and_above_the_ground():
    track = circuit(5.0)
    field = track.ground
    posts = camera_posts(track)
    assert len(posts) == round(track.length / 160.0)
    for x, y, z in posts:
        index, s, d = query.locate(track.arrays, x, y, -1)
        gap, _ = query.barrier_distance(track.arrays, index, s, d)
        assert -4.0 < gap < -1.0
        assert z > ground_height(field.z, field.x0, field.y0, field.cell, x, y) + 2.0
    assert (camera_posts(track) == posts).all()


def test_an_unknown_camera_is_refused_by_name():
    with pytest.raises(UserError, match=r"'drone'.*chase, cockpit, trackside"):
        CameraRig("drone", circuit())


def test_foreign_bytes_are_refused():
    rig = CameraRig("chase", circuit())
    with pytest.raises(UserError):
        rig.restore(rig.save()[:-3])
