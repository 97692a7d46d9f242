"""Fitting pictures to windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.letterbox import first_window, letterbox, scaled, share_at, side_by_side

sizes = st.tuples(st.integers(1, 4000), st.integers(1, 4000))


def test_bars_go_where_the_aspect_differs():
    assert letterbox((448, 256), (896, 612)) == (0, 50, 896, 512)
    assert letterbox((448, 256), (1000, 256)) == (276, 0, 448, 256)


def test_a_column_of_the_window_is_a_share_of_the_picture():
    assert share_at(276, (448, 256), (1000, 256)) == 0.0
    assert share_at(500, (448, 256), (1000, 256)) == 0.5
    assert share_at(0, (448, 256), (1000, 256)) < 0 < 1 < share_at(999, (448, 256), (1000, 256))
    assert share_at(7, (448, 256), (0, 0)) == 0.0


@pytest.mark.parametrize("window", [(0, 0), (0, 720), (1280, 0)])
def test_a_window_without_area_shows_nothing(window):
    assert letterbox((448, 256), window) is None


@given(sizes, sizes)
def test_a_picture_always_lies_inside_its_window(picture, window):
    place = letterbox(picture, window)
    assert place.left >= 0
    assert place.top >= 0
    assert place.left + place.width <= window[0]
    assert place.top + place.height <= window[1]
    assert place.width == window[0] or place.height == window[1]


@given(sizes, sizes)
def test_a_new_window_fits_the_screen(picture, usable):
    width, height = first_window(picture, usable)
    assert 1 <= width <= usable[0]
    assert 1 <= height <= usable[1]


@pytest.mark.parametrize(
    ("picture", "usable", "window"),
    [
        ((448, 256), (1920, 1200), (1344, 768)),  # three times, of 3.86 possible
        ((896, 256), (1440, 900), (1296, 370)),  # once would waste a third
        ((1344, 768), (1280, 720), (1134, 648)),
    ],
)
def test_a_new_window_is_a_whole_multiple_unless_that_wastes_the_screen(picture, usable, window):
    assert first_window(picture, usable) == window


def test_nearest_scaling_makes_no_new_colours_and_leaves_the_source_alone():
    picture = np.random.default_rng(1).choice(np.array([10, 90, 250], np.uint8), (20, 30, 3))
    before = picture.copy()
    for width, height in ((61, 44), (60, 40), (7, 5)):
        shown = scaled(picture, width, height, smooth=False)
        assert shown.shape == (height, width, 3)
        assert set(np.unique(shown)) <= {10, 90, 250}
        assert scaled(picture, width, height, smooth=True).shape == shown.shape
    assert np.array_equal(picture, before)


def test_nearest_scaling_keeps_the_corners():
    picture = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    shown = scaled(picture, 9, 6, smooth=False)
    assert np.array_equal(shown[::3, ::3], picture)
    assert np.array_equal(shown[-1, -1], picture[-1, -1])


def test_views_stand_left_to_right():
    left, right = np.zeros((2, 3, 3), np.uint8), np.ones((2, 3, 3), np.uint8)
    both = side_by_side([left, right])
    assert both.shape == (2, 6, 3)
    assert both[:, :3].max() == 0
    assert both[:, 3:].min() == 1
