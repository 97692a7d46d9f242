"""Contact sheets."""

import cv2
import numpy as np
import pytest

from demos.sheet import CAPTION, GAP, make_sheet, write_sheet
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
    path = tmp_path / "new" / "sheet.png"
    write_sheet(path, cells(1))
    assert [p.name for p in path.parent.iterdir()] == ["sheet.png"]
    pixel = cv2.imread(str(path))[GAP + CAPTION + 2, GAP + 2]
    assert pixel.tolist() == [30, 0, 200]  # OpenCV reads blue first


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="name a place"):
        write_sheet(tmp_path / "file" / "sheet.png", cells(1))
