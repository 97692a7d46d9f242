"""The class table: injective, hashed, exact."""

import numpy as np
import pytest

from render_bridge import palette
from render_bridge.palette import RACING, ClassTable, SceneClass


def test_racing_world_has_the_thirteen_classes_in_their_order():
    assert [c.name for c in RACING.classes] == [
        "road", "road_edge", "terrain", "grass", "vegetation", "rock", "barrier", "building",
        "grandstand", "billboard", "sky", "player_car", "rival_car",
    ]  # fmt: skip
    assert RACING.id_of("sky") == palette.SKY
    assert len(RACING) - 1 == palette.RIVAL_CAR


def test_golden_hash_of_the_racing_table():
    assert RACING.hash == GOLDEN


def test_swapping_two_classes_changes_the_hash():
    rows = list(RACING.classes)
    rows[3], rows[4] = SceneClass(3, rows[4].name, rows[4].color), SceneClass(4, rows[3].name, rows[3].color)
    assert ClassTable("racing-1", tuple(rows)).hash != RACING.hash


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([SceneClass(0, "a", (0, 0, 0)), SceneClass(0, "b", (1, 1, 1))], "0 … n-1"),
        ([SceneClass(0, "a", (0, 0, 0)), SceneClass(1, "a", (1, 1, 1))], "name used twice"),
        ([SceneClass(0, "a", (0, 0, 0)), SceneClass(1, "b", (0, 0, 0))], "color used twice"),
        ([SceneClass(0, "a", (0, 0, 256))], "0–255"),
        ([], "n from 1"),
    ],
)
def test_tables_that_are_not_injective_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        ClassTable("bad", tuple(rows))


def test_colours_of_a_class_map_are_the_tables_own():
    everything = np.arange(13, dtype=np.uint8).reshape(1, 13)
    assert [tuple(c) for c in RACING.colorize(everything)[0]] == [c.color for c in RACING.classes]


def test_ids_outside_the_table_are_shown_in_magenta():
    assert tuple(RACING.colorize(np.full((1, 1), 13, np.uint8))[0, 0]) == (255, 0, 255)


@pytest.mark.parametrize("bad_id", [13, 255])
def test_first_unknown_pixel_is_named_with_its_place(bad_id):
    frame = np.zeros((4, 6), np.uint8)
    frame[2, 5] = frame[3, 1] = bad_id
    with pytest.raises(ValueError, match=f"id {bad_id} at row 2, column 5"):
        RACING.check(frame)


@pytest.mark.parametrize("bad", [np.zeros((4, 6), np.int64), np.zeros((4, 6, 1), np.uint8), np.zeros((0, 6), np.uint8)])
def test_arrays_that_are_not_class_maps_are_refused(bad):
    with pytest.raises(ValueError, match="uint8"):
        RACING.check(bad)


def test_last_class_is_legal():
    RACING.check(np.full((2, 2), 12, np.uint8))


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(KeyError, match="grandstand"):
        RACING.id_of("lawn")


GOLDEN = "48d60b11b2a0e5bc"
