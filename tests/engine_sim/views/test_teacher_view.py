"""The teacher view: ten lightings, same pixels as the class view, no state, no shimmer."""

import dataclasses

import cv2
import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.views.class_view import open_class_view
from engine_sim.views.frame import FrameState
from engine_sim.views.look import LIGHTINGS, Look, sample_look
from engine_sim.views.posed import posed_frame
from engine_sim.views.teacher_timing import PASSES
from engine_sim.views.teacher_view import IN_FLIGHT, TeacherView, open_teacher_view
from render_bridge.palette import GRASS, PLAYER_CAR, ROAD, SKY, TERRAIN

WIDTH, HEIGHT = 128, 96
PLACE = 300.0


@pytest.fixture(scope="module")
def frame(track):
    return posed_frame(track, PLACE)


@pytest.fixture(scope="module")
def view(scene):
    opened = open_teacher_view(scene, WIDTH, HEIGHT, sample_look(1, "clear midday"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def class_map(scene, frame):
    opened = open_class_view(scene, WIDTH, HEIGHT)
    yield opened.draw(frame)
    opened.close()


def picture(view: TeacherView, look: Look, frame: FrameState) -> np.ndarray:
    view.set_look(look)
    return view.draw(frame)


@pytest.mark.parametrize("lighting", LIGHTINGS)
def test_every_lighting_draws_a_picture_with_light_and_shade(view, frame, lighting):
    result = picture(view, sample_look(1, lighting), frame)
    assert (result.shape, result.dtype) == ((HEIGHT, WIDTH, 3), np.uint8)
    assert view._gl.ctx.error == "GL_NO_ERROR"
    assert 35 < result.mean() < 205
    assert result.std() > 20
    assert (result.max(-1) == 255).mean() < 0.5
    assert (result.max(-1) < 3).mean() < 0.1


def test_drawing_is_a_function_of_look_and_frame(view, track, frame):
    look, other = sample_look(1, "golden hour"), sample_look(2, "storm")
    first = picture(view, look, frame)
    assert np.array_equal(first, view.draw(frame))
    picture(view, other, posed_frame(track, 700.0))
    view.draw(posed_frame(track, 350.0))
    assert np.array_equal(first, picture(view, look, frame))


def test_a_second_view_draws_the_same_bytes(scene, view, frame):
    look = sample_look(3, "broken clouds")
    first = picture(view, look, frame)
    other = open_teacher_view(scene, WIDTH, HEIGHT, look)
    second = other.draw(frame)
    other.close()
    assert np.array_equal(first, second)


def test_looks_differ_clearly(view, frame):
    pictures = [picture(view, sample_look(seed), frame).astype(np.int16) for seed in range(6)]
    for i, a in enumerate(pictures):
        for b in pictures[i + 1 :]:
            assert np.abs(a - b).mean() > 6


def test_the_parts_of_a_pixel_cover_it_once_and_edges_have_two(view, frame):
    view.draw(frame)
    with view._gl:
        words = np.frombuffer(view._painter._parts.read(), np.uint32).reshape(-1, HEIGHT, WIDTH, 4)
    share = (words[..., 3] & 255) / 255.0
    assert np.abs(share.sum(0) - 1.0).max() < 0.01
    second = (share[1:] > 0.0).any(0)
    assert 0.02 < second.mean() < 0.4
    assert (words[0, second][:, :2] != words[1, second][:, :2]).any(-1).all()


def test_clouds_move_with_the_tick(view, frame):
    view.set_look(sample_look(1, "broken clouds"))
    moved = np.abs(view.draw(frame).astype(int) - view.draw(dataclasses.replace(frame, tick=frame.tick + 6000)))
    assert moved.mean() > 0.5


def test_paint_of_the_player_changes_the_players_pixels_and_hardly_any_other(view, frame, class_map):
    """Holds place, size and the order of rows to those of the class view."""
    look = sample_look(1, "overcast")
    pair = []
    for color in ("#c02020", "#2030c0"):
        livery = dataclasses.replace(look.player, base=color, pattern="plain", finish="matte")
        pair.append(picture(view, dataclasses.replace(look, player=livery), frame).astype(np.int16))
    changed = np.abs(pair[0] - pair[1]).max(-1) > 24
    car = class_map == PLAYER_CAR
    around = cv2.dilate(car.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    assert changed.sum() > 0.3 * car.sum() > 50
    assert (changed & ~around).sum() <= 0.01 * changed.sum()


def test_row_zero_is_the_top(view, frame, class_map):
    sky = picture(view, sample_look(1, "clear midday"), frame)[class_map == SKY].mean(0)
    road = view.draw(frame)[class_map == ROAD].mean(0)
    assert sky[2] > sky[0] + 15
    assert sky.mean() > road.mean()
    rows = np.flatnonzero((class_map == SKY).any(1))
    assert rows.mean() < HEIGHT / 2


def test_frames_in_flight_come_back_in_order(view, track):
    view.set_look(sample_look(2, "early morning"))
    frames = [posed_frame(track, PLACE + 40.0 * k) for k in range(5)]
    expected = [view.draw(f) for f in frames]
    result = []
    for k, f in enumerate(frames):
        view.begin(f)
        if k >= IN_FLIGHT - 1:
            result.append(view.end())
    result += [view.end() for _ in range(IN_FLIGHT - 1)]
    assert all(np.array_equal(a, b) for a, b in zip(expected, result, strict=True))


def test_a_frame_is_fetched_into_the_callers_array(view, frame):
    expected = view.draw(frame)
    film = np.zeros((2, HEIGHT, WIDTH, 3), np.uint8)
    view.begin(frame)
    assert view.end(film[1]).base is film
    assert np.array_equal(film[1], expected)
    assert not film[0].any()


def test_too_many_frames_in_flight_are_refused(view, frame):
    for _ in range(IN_FLIGHT):
        view.begin(frame)
    with pytest.raises(RuntimeError, match="in flight"):
        view.begin(frame)
    with pytest.raises(RuntimeError, match="in flight"):
        view.draw(frame)
    for _ in range(IN_FLIGHT):
        view.end()


def test_a_picture_is_the_callers_own(view, frame):
    first = view.draw(frame)
    kept = first.copy()
    view.draw(dataclasses.replace(frame, tick=9000, cars=()))
    assert np.array_equal(first, kept)


@pytest.mark.parametrize("size", [(100, 64), (64, 50), (0, 32), (-32, 32)])
def test_sizes_that_do_not_divide_are_refused(scene, size):
    with pytest.raises(UserError, match="multiples of 32"):
        open_teacher_view(scene, *size, sample_look(1))


@pytest.mark.parametrize("samples", [0, 9])
def test_samples_out_of_range_are_refused(scene, samples):
    with pytest.raises(UserError, match="samples"):
        open_teacher_view(scene, 64, 64, sample_look(1), samples)


def test_a_closed_view_draws_no_more(scene, frame):
    opened = open_teacher_view(scene, 64, 64, sample_look(1), samples=1)
    opened.draw(frame)
    opened.close()
    opened.close()
    with pytest.raises(RuntimeError):
        opened.draw(frame)


def test_the_cockpit_camera_draws(view, track):
    assert view.draw(posed_frame(track, PLACE, "cockpit")).std() > 20


def test_brake_lights_glow_red(view, frame, class_map):
    view.set_look(sample_look(1, "overcast"))
    on = dataclasses.replace(frame, cars=(frame.cars[0]._replace(brake_light=True), *frame.cars[1:]))
    gain = view.draw(on).astype(int) - view.draw(frame)
    assert gain[class_map == PLAYER_CAR].max(0)[0] > 40
    assert gain[..., 0].sum() > 2 * abs(gain[..., 2].sum())


def test_surfaces_stand_still_when_the_camera_moves(scene, track):
    """Warped by exact motion, one frame must explain the next on static ground: nothing crawls or sparkles."""
    width, height = 256, 160
    classes = open_class_view(scene, width, height)
    view = open_teacher_view(scene, width, height, sample_look(1, "clear midday"))
    start = posed_frame(track, PLACE).camera
    previous, residual = None, []
    for k in range(4):
        step = 0.4 * k * np.array(start.forward)
        frame = FrameState(600 + 5 * k, start._replace(position=tuple(np.array(start.position) + step)), ())
        seen = view.draw(frame).astype(np.float32)
        if previous is not None:
            residual.append(warp_residual(classes.planes(frame, previous[0], ["class", "motion"]), seen, previous[1]))
        previous = (frame, seen)
    classes.close()
    view.close()
    assert max(residual) < 3.5


def warp_residual(planes: dict, seen: np.ndarray, before: np.ndarray) -> float:
    """Mean absolute difference of a frame and the one before it, carried along by motion, on road, ground and grass."""
    height, width = seen.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    motion = planes["motion"].astype(np.float32)
    carried = cv2.remap(before, x + motion[..., 0], y + motion[..., 1], cv2.INTER_LINEAR, borderValue=(-999.0,) * 3)
    inside = np.isin(planes["class"], (ROAD, TERRAIN, GRASS)) & (carried.min(-1) >= 0.0)
    inside = cv2.erode(inside.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return float(np.abs(seen - carried).mean(-1)[inside].mean())


def test_timed_passes_draw_the_same_picture_and_every_frame_has_a_time_for_each(scene, frame):
    opened = open_teacher_view(scene, WIDTH, HEIGHT, sample_look(1, "clear midday"))
    plain = opened.draw(frame)
    timer = opened.time_passes()
    assert np.array_equal(opened.draw(frame), plain)
    assert np.array_equal(opened.draw(frame), plain)
    opened.close()
    assert tuple(timer.milliseconds) == PASSES
    assert all(len(times) == 2 for times in timer.milliseconds.values())
    assert all(time > 0 for time in timer.milliseconds["paint"])
