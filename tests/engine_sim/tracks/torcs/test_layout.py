"""Segments with everything inherited and every number in bounds."""

import math

import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks.torcs.document import parse_document
from engine_sim.tracks.torcs.layout import Layout, read_layout
from engine_sim.tracks.torcs.surfaces import barrier_of, is_kerb, surface_of
from engine_sim.tracks.track import (
    ASPHALT,
    CONCRETE,
    CONCRETE_WALL,
    DIRT,
    FENCE,
    GRASS_SURFACE,
    GRAVEL,
    GUARD_RAIL,
    SAND,
    TYRE_WALL,
)

from .sample_files import number, old_oval, oval, section, straight, track, turn, word


def layout(text: str) -> Layout:
    return read_layout(parse_document(text.encode(), "x.xml"))


def test_a_segment_inherits_what_it_does_not_name():
    start, first, back, last = layout(oval()).segments
    assert (start.left.start_width, start.left.end_width, start.left.surface) == (4, 12, ASPHALT)
    assert (first.left.start_width, first.left.surface) == (3, GRASS_SURFACE)
    assert (back.left.start_width, back.left.end_width) == (3, 3)
    assert first.right.kerb
    assert first.right.border_width == 1.5
    assert not back.right.kerb
    assert [s.right.barrier for s in (start, first, back, last)] == [GUARD_RAIL, TYRE_WALL, TYRE_WALL, TYRE_WALL]
    assert [s.right.surface for s in (start, last)] == [SAND, SAND]


def test_pits_name_their_segments():
    found = layout(oval())
    assert (found.pit_side, found.pit_first, found.pit_last) == (1, 3, 0)
    assert layout(track([straight("a", 100), turn("b", "lft", 360, 40)])).pit_side == 0


def test_version_3_writes_sides_and_pits_as_flat_attributes():
    found = layout(old_oval())
    a, b, c, _ = found.segments
    assert found.category == "road"
    assert (a.left.start_width, a.left.surface, a.right.surface) == (5, DIRT, SAND)
    assert (b.left.start_width, b.left.end_width) == (5, 9)
    assert (c.left.start_width, c.left.end_width) == (9, 9)
    assert a.surface == DIRT
    assert (found.pit_side, found.pit_first) == (-1, 0)


def test_a_turn_with_one_radius_is_one_arc():
    (step,) = layout(oval()).segments[1].steps
    assert step == pytest.approx((math.pi * 60, 1 / 60))


@pytest.mark.parametrize(
    ("extra", "count"),
    [((number("profil steps", 5),), 5), ((number("profil steps length", 10, "m"),), 8), ((), 2)],
)
def test_radii_of_a_spiral_run_linearly_and_its_angles_add_up(extra, count):
    spiral = turn("b", "rgt", 90, 30, number("end radius", 60, "m"), *extra)
    steps = layout(track([straight("a", 200), spiral])).segments[1].steps
    assert len(steps) == count
    assert [1 / -k for _, k in steps] == pytest.approx([30 + 30 * i / (count - 1) for i in range(count)])
    assert sum(length * -k for length, k in steps) == pytest.approx(math.pi / 2)
    assert len({length for length, _ in steps}) == 1


def test_units_are_converted():
    feet = section("a", word("type", "str"), number("lg", 1000, "ft"))
    assert layout(track([feet, straight("b", 10)])).segments[0].length == pytest.approx(304.8)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('<params name="x"/>', "expected a section 'Main Track'"),
        (track([]), "expected 2 to 2000 sections in 'Track Segments', got 0"),
        (track([straight("a", 100), section("b", word("type", "zig"))]), "'str', 'lft' or 'rgt', got 'zig'"),
        (track([straight("a", 100), section("b")]), "got None"),
        (track([straight("a", 100), straight("b", -5)]), "'lg' in section 'b'"),
        (track([straight("a", 100), turn("b", "lft", 90, 0)]), "'radius' in section 'b'"),
        (track([straight("a", 100), turn("b", "lft", 9000, 50)]), "'arc' in section 'b'"),
        (track([straight("a", 30), straight("b", 30)]), "expected a lap of 150 to 60000 m, got 60.0"),
        (track([straight("a", 300), straight("b", 300, number("banking end", 80, "deg"))]), "'banking end'"),
        (track([straight("a", 300), straight("b", 300, number("z end", 9e4, "m"))]), "heights within 2000 m"),
        (track([straight("a", 300), straight("b", 3, number("z end", 90, "m"))]), "slopes within 2"),
        (track([straight("a", 300), turn("b", "lft", 90, 20, number("end radius", 40), number("profil steps", 9e5))]),
         "'profil steps'"),
    ],
)  # fmt: skip
def test_numbers_outside_all_reason_are_refused_by_name(text, says):
    with pytest.raises(UserError, match=says) as caught:
        layout(text)
    assert str(caught.value).startswith("x.xml: ")


def test_surface_names_are_read_by_the_words_in_them():
    names = {
        "b-road1-grass6-l2": GRASS_SURFACE, "gsand": SAND, "gravel-e2": GRAVEL, "newdirt2": DIRT,
        "concrete-pits": CONCRETE,
        "asphalt-aa-bw1": ASPHALT, "rroad-pitlines": ASPHALT, "bridge": ASPHALT,
    }  # fmt: skip
    assert {n: surface_of(n) for n in names} == names


def test_barriers_and_kerbs_are_read_by_name_and_style():
    assert barrier_of("tire-wall-ur-e2", "wall") == TYRE_WALL
    assert barrier_of("m-wall", "wall") == CONCRETE_WALL
    assert barrier_of("armco-wire", "fence") == FENCE
    assert barrier_of("barrier2", "fence") == GUARD_RAIL
    assert barrier_of("unheard-of", "wall") == CONCRETE_WALL
    assert is_kerb("x", "curb")
    assert is_kerb("rcurb-l", "plan")
    assert not is_kerb("curb", "wall")
