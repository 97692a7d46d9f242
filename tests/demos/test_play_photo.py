"""Photo mode: the free camera, hands on it, photographs on their way to files, and a still for the renderer."""

from __future__ import annotations

import math
from types import SimpleNamespace

import cv2
import numpy as np
import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.options import NamedLook
from demos.play.events import EventPump
from demos.play.inputs import Inputs
from demos.play.letterbox import Rect
from demos.play.overlay_paint import OverlayPainter
from demos.play.pad import FULL_SCALE, PadConfig
from demos.play.painter import Order, Painter, PaintJob, Picture
from demos.play.photo.camera import FreeCamera, Motion, Room, from_camera, moved
from demos.play.photo.darkroom import Darkroom, photo_size
from demos.play.photo.hands import Hands
from demos.play.photo.mode import PhotoMode
from demos.play.photo.still import PATIENCE_S, Still
from demos.play.stage import Stage
from engine_sim.views.frame import Camera, picture_right, view_matrix

from . import play_standins as standins
from .conftest import wait_for

HERE = Room(-100.0, -100.0, 100.0, 100.0)
EAST = FreeCamera((0.0, 0.0, 2.0), 0.0, 0.0, 1.0)
share = st.floats(-1.0, 1.0)


def go(free: FreeCamera, seconds: float = 1.0, **ways: float) -> FreeCamera:
    return moved(free, Motion(**ways), seconds, HERE, 0.0)


def test_it_moves_the_way_it_looks_and_turns_to_the_left():
    assert go(EAST, ahead=1.0).position == pytest.approx((8.0, 0.0, 2.0))
    assert go(EAST, aside=1.0).position == pytest.approx((0.0, -8.0, 2.0))
    assert go(EAST, ahead=1.0, fast=1.0).position[0] == pytest.approx(48.0)
    north = go(EAST, math.pi / 2 / 1.1, turn=1.0)
    assert go(north, ahead=1.0).position == pytest.approx((0.0, 8.0, 2.0))
    assert picture_right(EAST.camera()) == pytest.approx((0.0, -1.0, 0.0))
    assert go(EAST, tilt=1.0).camera().forward[2] > 0.5
    assert go(EAST, zoom=1.0).fov < EAST.fov


def test_it_sees_what_the_races_camera_saw():
    slanted = Camera((1.0, 2.0, 3.0), (0.6, 0.64, -0.48), (0.328, 0.35, 0.877), 0.9)
    assert from_camera(slanted).camera().forward == pytest.approx(slanted.forward)
    assert from_camera(slanted).camera().position == slanted.position


@given(st.lists(st.tuples(share, share, share, share, share, share), max_size=30), st.floats(-50.0, 50.0))
def test_it_stays_in_its_room_level_and_finite_whatever_hands_do(motions, ground):
    free = EAST
    for ways in motions:
        free = moved(free, Motion(*ways, fast=1.0), 0.1, HERE, ground)
        x, y, z = free.position
        assert max(abs(x), abs(y)) <= 100.0
        assert ground < z <= ground + HERE.highest
        camera = free.camera()
        assert camera.up[2] > 0.0
        assert abs(np.linalg.det(view_matrix(camera)[:3, :3]) - 1.0) < 1e-9
        assert 0.1 < camera.fov_y < 2.0


def test_no_time_or_no_hands_change_nothing():
    assert go(EAST, 0.0, ahead=1.0) == EAST
    assert go(EAST) == EAST
    assert Motion(fast=1.0).still
    assert not Motion(zoom=0.1).still


def test_keys_and_a_pad_move_it_alike_and_losing_the_focus_lets_go():
    hands = Hands(PadConfig())
    hands.key("w", True)
    hands.axis("rightx", FULL_SCALE)
    hands.axis("lefttrigger", FULL_SCALE)
    hands.axis("leftx", 0.05 * FULL_SCALE)
    hands.button("rightshoulder", True)
    assert hands.motion() == Motion(ahead=1.0, turn=-1.0, up=-1.0, zoom=1.0)
    hands.axis("lefty", -FULL_SCALE)
    assert hands.motion().ahead == 1.0
    hands.key("w", False)
    hands.key("j", True)
    assert hands.motion().ahead == 1.0
    hands.release_all()
    assert hands.motion() == Motion()


# --- the darkroom


@pytest.mark.parametrize(
    ("size", "photo"),
    [
        ((448, 256), (1344, 768, 2)),
        ((1344, 768), (1344, 768, 2)),
        ((640, 352), (1920, 1056, 2)),
        ((3840, 2176), (3840, 2176, 1)),
    ],
)
def test_a_photograph_is_large_and_drawn_finer_still(size, photo):
    assert photo_size(*size) == photo


class FineView(standins.TickView):
    """Stripes one pixel wide in the look's colour: drawn finer and scaled down they are even."""

    def draw(self, state):
        picture = np.zeros((self.job.height, self.job.width, 3), np.uint8)
        picture[:, ::2] = self.look
        return picture


def open_fine(job, place, progress):
    return FineView(job)


def darkroom(tmp_path, said, opener=open_fine) -> Darkroom:
    job = PaintJob("teacher", 672, 384)
    return Darkroom(job, "here", tmp_path / "photos", said.append, lambda job: Painter(job, opener))


def test_photographs_come_out_one_by_one_under_their_own_looks(tmp_path):
    said: list[str] = []
    room = darkroom(tmp_path, said)
    room.shoot(standins.frame(5), 100, "ring")
    room.shoot(standins.frame(6), 200, "ring")
    assert room.busy
    room.close(20.0)
    names = ["ring-1.png", "ring-2.png"]
    assert [path.name for path in sorted((tmp_path / "photos").iterdir())] == names
    assert [line.split("/")[-1] for line in said] == names
    for name, value in zip(names, (50, 100), strict=True):
        picture = cv2.imread(str(tmp_path / "photos" / name))
        assert picture.shape == (768, 1344, 3)
        assert np.all(picture == value)


def test_without_gl_a_photograph_is_a_word_and_no_error(tmp_path):
    said: list[str] = []
    room = darkroom(tmp_path, said, standins.open_class_only)
    room.shoot(standins.frame(5), None, "ring")
    wait_for(lambda: room.poll() or not room.works)
    assert said == ["no photograph: no OpenGL here: install libegl1"]
    assert not room.busy
    room.close()


def test_a_folder_that_cannot_be_written_is_a_word_too(tmp_path):
    said: list[str] = []
    (tmp_path / "photos").write_text("")
    darkroom(tmp_path, said).keep(np.zeros((4, 4, 3), np.uint8), "ring")
    assert len(said) == 1
    assert "cannot make the folder" in said[0]


# --- a still for the renderer


def test_a_still_hands_over_its_frames_one_at_a_time_at_the_videos_rate():
    still = Still(Picture(Order(standins.frame(77)), np.zeros((4, 6), np.uint8)), 3, 5, 24, 100.0)
    assert [still.due(100.0 + k / 48) for k in range(8)] == [[0], [], [5], [], [10], [], [], []]
    still.take(5, np.zeros((4, 6, 3), np.uint8))
    assert still.painted is None  # it has not settled yet
    still.take(10, np.ones((4, 6, 3), np.uint8))
    assert still.painted.all()
    assert not still.late(100.0 + PATIENCE_S)
    assert still.late(101.0 + PATIENCE_S)


# --- the mode itself


class FakeStudio:
    """A renderer that paints a still at once."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.asked = None
        self.painting_still = False

    def hold(self):
        self.calls.append("hold")

    def release(self):
        self.calls.append("release")

    def ask_still(self, frame):
        self.asked = frame

    def take_still(self):
        taken, self.asked = self.asked, None
        return None if taken is None else np.full((4, 6, 3), 9, np.uint8)


@pytest.fixture
def desk(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.font.init()
    pygame.display.set_mode((96, 64), pygame.RESIZABLE)
    inputs = Inputs()
    stage = Stage(PaintJob("", 96, 64), "both", True, lambda job: Painter(job, standins.open_quick), wipes=True)
    stage.open("here")
    desk = SimpleNamespace(
        inputs=inputs, events=EventPump(inputs, (96, 64)), stage=stage, studio=None, look=0,
        options=SimpleNamespace(looks=(NamedLook("plain", 60),)),
    )  # fmt: skip
    wait_for(lambda: stage.poll() or stage.ready)
    desk.events.pump()
    yield desk
    stage.close()
    desk.events.close()
    pygame.quit()


def flat_track() -> SimpleNamespace:
    x = np.array([0.0, 100.0, 100.0, 0.0])
    ground = SimpleNamespace(x0=-500.0, y0=-500.0, cell=10.0, z=np.full((110, 110), 4.0))
    return SimpleNamespace(arrays=SimpleNamespace(x=x, y=x[::-1].copy()), ground=ground)


def photo_mode(desk, tmp_path, said) -> PhotoMode:
    return PhotoMode(desk, standins.frame(50), flat_track(), darkroom(tmp_path, said), "ring-50")


def key(desk, name: str, kind: int = pygame.KEYDOWN) -> None:
    code = pygame.key.key_code(name)
    pygame.event.post(pygame.event.Event(kind, key=code, scancode=0, mod=0, unicode=""))
    desk.events.pump()


def test_it_shows_the_teacher_view_flies_and_gives_everything_back(desk, tmp_path):
    desk.events.overlay = mode = photo_mode(desk, tmp_path, [])
    assert mode.pauses
    assert desk.stage.view == "teacher"
    key(desk, "e")
    wait_for(lambda: mode.tick() and mode._free.position[2] > 5.0)
    key(desk, "e", pygame.KEYUP)
    high = mode._free.position
    mode.tick()
    assert mode._free.position == high
    mode.paint(pygame.Surface((448, 256)), Rect(0, 0, 448, 256), OverlayPainter())
    key(desk, "escape")
    assert mode.done
    mode.close()
    assert desk.stage.view == "both"
    assert desk.inputs.read().throttle == 0.0


def test_a_shot_is_developed_and_painted_and_the_race_gets_its_renderer_back(desk, tmp_path):
    said: list[str] = []
    desk.studio = studio = FakeStudio()
    desk.events.overlay = mode = photo_mode(desk, tmp_path, said)
    key(desk, "return")
    assert studio.asked.camera == mode._free.camera()
    mode.tick()
    mode._darkroom.close(20.0)
    mode.close()
    names = sorted(path.name for path in (tmp_path / "photos").iterdir())
    assert names == ["ring-50-1-painted.png", "ring-50-1.png"]
    assert studio.calls == ["hold", "release"]


def test_a_device_without_mapping_flies_by_its_first_stick_and_looks_by_its_cross(desk, tmp_path):
    mode = photo_mode(desk, tmp_path, [])
    for axis, value in ((0, 1.0), (1, -1.0), (4, -1.0)):  # the last could be a trigger at rest
        assert mode.take(pygame.event.Event(pygame.JOYAXISMOTION, instance_id=3, axis=axis, value=value))
    assert mode.take(pygame.event.Event(pygame.JOYHATMOTION, instance_id=3, hat=0, value=(-1, 1)))
    assert mode._hands.motion() == Motion(aside=1.0, ahead=1.0, turn=1.0, tilt=1.0)


def test_a_pad_alone_shoots_and_leaves(desk, tmp_path):
    mode = photo_mode(desk, tmp_path, [])
    for button, down in ((0, True), (0, False), (1, True)):
        kind = pygame.CONTROLLERBUTTONDOWN if down else pygame.CONTROLLERBUTTONUP
        assert mode.take(pygame.event.Event(kind, instance_id=3, button=button))
    assert mode._darkroom.busy
    assert mode.done
    mode._darkroom.close()
