"""Foreign tables, colours and bad ids."""

import cv2
import numpy as np
import pytest

from render_bridge.conformance.samples import hello
from render_bridge.palette import RACING, ClassTable, SceneClass
from render_bridge.protocol.faults import Fault, LocalProtocolError, RemoteProtocolError
from render_bridge.protocol.planes import PLANES, check_planes, choose_planes
from render_bridge.protocol.tables import (
    check_ids,
    close_colors,
    ids_of_colors,
    table_from_wire,
    table_to_wire,
    translation,
)

DOOM = ClassTable(
    "doom-1", (SceneClass(0, "floor", (1, 2, 3)), SceneClass(1, "imp", (200, 0, 0)), SceneClass(2, "sky", (0, 0, 9)))
)


def refusal(fault, call, *args):
    with pytest.raises(RemoteProtocolError) as caught:
        call(*args)
    assert caught.value.fault is fault, caught.value
    return caught.value


def test_a_table_survives_the_wire():
    assert table_from_wire(table_to_wire(RACING)) == RACING


def test_a_wrong_hash_is_refused_with_both():
    """R-13."""
    error = refusal(Fault.TABLE_DIFFERS, table_from_wire, {**table_to_wire(DOOM), "hash": "0" * 16})
    assert DOOM.hash in error.text
    assert "0" * 16 in error.text


def test_a_table_that_is_not_injective_is_refused():
    """Case B115."""
    rows = [[0, "a", [1, 1, 1]], [1, "b", [1, 1, 1]]]
    refusal(Fault.BAD_TABLE, table_from_wire, {"name": "x", "hash": "0" * 16, "classes": rows})


def test_colors_that_differ_in_alpha_only_are_no_colors():
    """Case B115: three channels, no more."""
    table = {"name": "x", "hash": "0" * 16, "classes": [[0, "a", [1, 1, 1, 0]], [1, "b", [1, 1, 1, 255]]]}
    with pytest.raises(LocalProtocolError, match=r"classes\[0\]\[2\]': expected array of 3, got"):
        hello(table=table)


def test_colors_one_level_apart_are_noted():
    """Case B115."""
    near = ClassTable(
        "n", (SceneClass(0, "a", (5, 5, 5)), SceneClass(1, "b", (5, 6, 5)), SceneClass(2, "c", (7, 7, 7)))
    )
    assert close_colors(near) == ["colours of 'a' and 'b' differ by 1 level only"]
    assert close_colors(RACING) == []


def test_swapped_classes_are_refused_with_both_tables():
    """R-13, case B116."""
    rows = list(RACING.classes)
    rows[1], rows[7] = SceneClass(1, rows[7].name, rows[7].color), SceneClass(7, rows[1].name, rows[1].color)
    swapped = ClassTable("racing-1", tuple(rows))
    error = refusal(Fault.TABLE_DIFFERS, translation, RACING, swapped, None, None)
    assert error.details["ours"]["hash"] == RACING.hash
    assert error.details["theirs"]["hash"] == swapped.hash


def test_foreign_classes_are_mapped_by_name():
    """R-14."""
    lut = translation(RACING, DOOM, {"floor": "road", "sky": "sky"}, "rival_car")
    assert [lut[i] for i in range(3)] == [RACING.id_of("road"), RACING.id_of("rival_car"), RACING.id_of("sky")]
    assert lut[3] == 255


def test_unmapped_classes_are_refused_by_name():
    """R-14."""
    error = refusal(Fault.UNMAPPED_CLASS, translation, RACING, DOOM, {"sky": "sky"}, None)
    assert error.details["classes"] == ["floor", "imp"]


@pytest.mark.parametrize(("mapping", "otherwise"), [({"floor": "lava"}, "road"), ({}, "lava")])
def test_targets_that_we_do_not_have_are_refused(mapping, otherwise):
    """R-14."""
    assert "lava" in refusal(Fault.UNKNOWN_TARGET, translation, RACING, DOOM, mapping, otherwise).text


def test_equal_tables_need_no_translation():
    assert translation(RACING, RACING, None, None) is None


@pytest.mark.parametrize("bad", [13, 255])
def test_the_first_bad_pixel_is_named_with_its_place(bad):
    """R-41, case B122."""
    class_map = np.zeros((4, 6), np.uint8)
    class_map[2, 5] = class_map[3, 0] = bad
    error = refusal(Fault.UNKNOWN_CLASS, check_ids, class_map, 13)
    assert error.details == {"row": 2, "column": 5, "id": bad}
    class_map[class_map == bad] = 12
    check_ids(class_map, 13)


def test_every_color_of_the_table_is_read_exactly():
    """R-42, case B114."""
    class_map = np.arange(13, dtype=np.uint8).repeat(8).reshape(8, 13)
    assert np.array_equal(ids_of_colors(RACING.colorize(class_map), RACING), class_map)


def test_a_picture_that_went_through_jpeg_is_refused_with_the_share():
    """R-42, case B103."""
    class_map = np.random.default_rng(0).integers(0, 13, (64, 64)).astype(np.uint8)
    lossy = cv2.imdecode(cv2.imencode(".jpg", RACING.colorize(class_map))[1], cv2.IMREAD_COLOR)
    error = refusal(Fault.FOREIGN_COLORS, ids_of_colors, lossy, RACING)
    assert error.details["share"] > 0.5
    assert "%" in error.text


def test_one_pixel_a_level_off_is_refused_with_its_place():
    """R-42: no tolerance."""
    picture = RACING.colorize(np.zeros((4, 4), np.uint8))
    picture[1, 2, 0] += 1
    error = refusal(Fault.FOREIGN_COLORS, ids_of_colors, picture, RACING)
    assert (error.details["share"], error.details["row"], error.details["column"]) == (1 / 16, 1, 2)


def test_planes_are_chosen_in_the_order_of_the_offer():
    """R-18: unknown names are passed over, unwanted ones left out."""
    offers = [PLANES[n].offer() for n in ("object", "motion", "depth")]
    offers.insert(1, {"name": "normals", "dtype": "float16", "channels": 3})
    assert choose_planes(offers, ("depth", "object")) == ("object", "depth")


def test_a_plane_under_a_known_name_has_its_registered_type():
    """R-44."""
    refusal(Fault.OUT_OF_RANGE, choose_planes, [{"name": "depth", "dtype": "float32", "channels": 1}], ())


def test_a_frame_carries_exactly_the_chosen_planes():
    """R-18."""
    check_planes(["depth"], ["depth"])
    refusal(Fault.WRONG_PLANES, check_planes, [], ["depth"])
    refusal(Fault.WRONG_PLANES, check_planes, ["depth"], [])
