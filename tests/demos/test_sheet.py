"""Contact sheets."""

import os
import resource

import cv2
import numpy as np
import pytest

from demos.sheet import CAPTION, GAP, check_sheet, make_sheet, write_sheet
from engine_sim.core.errors import UserError


def cells(count: int):
    return [(f"cell {i}", np.full((30, 40, 3), (200, 10 * i, 30), np.uint8)) for i in range(count)]


def test_pictures_stand_row_by_row_in_their_own_colours():
    sheet = make_sheet(cells(5), columns=2)
    assert sheet.shape == (3 * (30 + CAPTION + GAP) + GAP, 2 * (40 + GAP) + GAP, 3)
    for number in range(5):
        row, column = divmod(number, 2)
        top, left = GAP + row * (30 + CAPTION + GAP) + CAPTION, GAP + column * (40 + GAP)
        assert np.all(sheet[top : top + 30, left : left + 40] == (200, 10 * number, 30))


def test_red_is_red_in_the_file(tmp_path):
    path = tmp_path / "sheet.PNG"
    write_sheet(path, cells(1))
    assert [p.name for p in path.parent.iterdir()] == ["sheet.PNG"]
    pixel = cv2.imread(str(path))[GAP + CAPTION + 2, GAP + 2]
    assert pixel.tolist() == [30, 0, 200]  # OpenCV reads blue first


def test_a_sheet_may_be_a_jpeg(tmp_path):
    path = tmp_path / "sheet.jpg"
    write_sheet(path, cells(1))
    assert path.read_bytes()[:3] == b"\xff\xd8\xff"
    blue, green, red = cv2.imread(str(path))[GAP + CAPTION + 12, GAP + 12].tolist()
    assert red > 190 > 60 > max(blue, green)


@pytest.mark.parametrize(
    ("name", "words"),
    [("file/sheet.png", "no folder"), ("new/sheet.png", "no folder"), ("sheet.xyz", "sheet.png"), ("sheet", "PNG"),
     ("", "is a folder")],
)  # fmt: skip
def test_other_places_are_refused_and_nothing_is_made(tmp_path, name, words):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=words):
        write_sheet(tmp_path / name, cells(1))
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_read_only_folder_is_refused_at_once(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(UserError, match="read-only"):
        check_sheet(tmp_path / "sheet.png")


def test_a_full_disk_leaves_nothing_and_keeps_the_old_sheet(tmp_path):
    path = tmp_path / "sheet.png"
    write_sheet(path, cells(1))
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    try:
        with pytest.raises(UserError, match="too large"):
            write_sheet(path, cells(5))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [p.name for p in tmp_path.iterdir()] == ["sheet.png"]
    assert path.read_bytes() == before
