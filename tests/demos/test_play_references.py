"""What a renderer paints after: teacher view and class map of one frame, a picture file, or the prompt alone."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from demos.options import NamedLook
from demos.play.painter import Order, Picture
from demos.play.references import Reference, ReferenceMaker, announced_pixels, read_reference, send_look
from demos.renderer.cameras import camera_tensor
from engine_sim.core.errors import UserError
from engine_sim.views.look import named_look
from render_bridge.palette import RACING, ROAD, SKY
from render_bridge.protocol.messages import Control

from .play_standins import frame

STORM, DUSK = (NamedLook(name, named_look(name)) for name in ("storm", "blue-hour"))


class Easel:
    """Writes down what it is to draw."""

    def __init__(self, can_refer: bool = True) -> None:
        self.can_refer = can_refer
        self.looks: list[object] = []
        self.errands: list[tuple[str, int, int]] = []

    def set_look(self, look: object) -> None:
        self.looks.append(look)

    def errand(self, view: str, state, number: int) -> None:
        self.errands.append((view, state.tick, number))


class Ear:
    """Writes down the controls that it is told, as legal messages."""

    def __init__(self) -> None:
        self.controls: list[Control] = []

    def control(self, kind: str, **values) -> int:
        self.controls.append(Control(id=len(self.controls), generation=0, kind=kind, **values))
        return self.controls[-1].id


def drawn(value: int, errand: int, rgb: bool = False) -> Picture:
    pixels = np.full((4, 6, 3) if rgb else (4, 6), value, np.uint8)
    return Picture(Order(frame(5), errand=errand), pixels)


def test_a_reference_is_the_teachers_picture_of_a_frame_with_its_class_map_and_the_looks_words():
    easel = Easel()
    maker = ReferenceMaker(easel)
    maker.want(STORM, frame(5))
    assert easel.looks == [STORM.look]
    assert sorted(easel.errands) == [("class", 5, 1), ("teacher", 5, 1)]
    assert maker.busy
    assert maker.take("class", drawn(ROAD, 1)) is None
    reference = maker.take("teacher", drawn(200, 1, rgb=True))
    assert not maker.busy
    assert reference.name == "storm"
    assert reference.text == STORM.look.prompt([ROAD])
    assert reference.camera == frame(5).camera
    assert np.all(reference.picture == 200)
    assert np.all(reference.class_map == ROAD)


def test_a_newer_look_overtakes_one_that_is_still_being_drawn():
    maker = ReferenceMaker(Easel())
    maker.want(STORM, frame(5))
    assert maker.take("teacher", drawn(1, 1, rgb=True)) is None
    maker.want(DUSK, frame(10))
    assert maker.take("class", drawn(ROAD, 1)) is None
    assert maker.take("class", drawn(SKY, 2)) is None
    reference = maker.take("teacher", drawn(2, 2, rgb=True))
    assert reference.name == "blue-hour"
    assert np.all(reference.class_map == SKY)
    assert maker.take("teacher", drawn(3, 2, rgb=True)) is None


def test_without_a_teacher_view_the_prompt_stands_alone():
    easel = Easel(can_refer=False)
    maker = ReferenceMaker(easel)
    maker.want(STORM, frame(5))
    assert easel.errands == [("class", 5, 1)]
    reference = maker.take("class", drawn(ROAD, 1))
    assert reference.picture is None
    assert reference.text == STORM.look.prompt([ROAD])


def test_a_given_picture_and_prompt_need_no_teacher_view():
    easel, given = Easel(), np.full((4, 6, 3), 77, np.uint8)
    maker = ReferenceMaker(easel)
    maker.want(STORM, frame(5), "oil on canvas", given)
    assert easel.errands == [("class", 5, 1)]
    reference = maker.take("class", drawn(ROAD, 1))
    assert reference.text == "oil on canvas"
    assert reference.picture is given
    assert reference.camera is None  # who knows where it was taken


def test_a_teachers_picture_is_sent_with_its_camera_and_a_given_one_without():
    class_map, colours = np.full((4, 6), ROAD, np.uint8), np.full((4, 6, 3), 9, np.uint8)
    end = Ear()
    for camera in (frame(5).camera, None):
        send_look(end, Reference("storm", "words", colours, class_map, camera), "other words")
    send_look(end, Reference("storm", "words", None, class_map), "alone")
    with_camera, without, prompt = end.controls
    assert (with_camera.kind, with_camera.text, with_camera.width, with_camera.height) == ("look", "other words", 6, 4)
    assert camera_tensor(with_camera.view, with_camera.projection, 6, 4)[3:6] == pytest.approx(frame(5).camera.forward)
    assert (without.kind, without.view, without.projection) == ("look", None, None)
    assert (prompt.kind, prompt.text) == ("prompt", "alone")


def test_a_picture_file_of_another_shape_is_cut_and_scaled_in_its_colours(tmp_path):
    picture = np.zeros((300, 200, 3), np.uint8)
    picture[:, :100], picture[:, 100:] = (0, 0, 255), (255, 0, 0)  # OpenCV's order: red left, blue right
    for name in ("a.png", "a.jpg", "a.bmp", "a.webp"):
        cv2.imwrite(str(tmp_path / name), picture)
        fitted = read_reference(tmp_path / name, 64, 32)
        assert fitted.shape == (32, 64, 3)
        assert np.abs(fitted[16, 8].astype(int) - (255, 0, 0)).max() < 12
        assert np.abs(fitted[16, 56].astype(int) - (0, 0, 255)).max() < 12


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "no picture"), (b"GIF89a and nothing more", "no picture"), (b"\x89PNG\r\n\x1a\n" + bytes(40), "no picture")],
)
def test_a_file_that_is_no_picture_is_refused(tmp_path, content, words):
    path = tmp_path / "reference.png"
    path.write_bytes(content)
    with pytest.raises(UserError, match=words):
        read_reference(path, 64, 32)


def test_a_missing_file_a_folder_and_a_tiny_picture_are_refused(tmp_path):
    cv2.imwrite(str(tmp_path / "tiny.png"), np.zeros((3, 3, 3), np.uint8))
    for name, words in (("none.png", "No such file"), (".", "Is a directory"), ("tiny.png", "at least 16")):
        with pytest.raises(UserError, match=words):
            read_reference(tmp_path / name, 64, 32)


def test_a_huge_picture_is_refused_by_its_head_before_it_is_decoded(tmp_path, monkeypatch):
    path = tmp_path / "huge.png"
    cv2.imwrite(str(path), np.zeros((9000, 9000), np.uint8))
    assert announced_pixels(path.read_bytes()) == 81_000_000

    def refuse(*_):
        raise AssertionError("it was decoded")

    monkeypatch.setattr(cv2, "imdecode", refuse)
    with pytest.raises(UserError, match="64 million"):
        read_reference(path, 64, 32)


def test_the_words_of_a_look_name_only_what_is_seen():
    maker = ReferenceMaker(Easel(can_refer=False))
    words = []
    for class_map in (ROAD, next(c.id for c in RACING.classes if c.name == "grandstand")):
        maker.want(STORM, frame(5))
        words.append(maker.take("class", drawn(class_map, len(words) + 1)).text)
    assert words[0] != words[1]
