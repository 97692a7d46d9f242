"""Questions about any point, and the plan picture."""

from __future__ import annotations

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks import query
from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.plan import MapStyle, draw_map, map_frame
from engine_sim.tracks.questions import (
    class_at,
    corners,
    nearest_barrier,
    next_corners,
    position,
    surface_name_at,
    verge_class,
)
from engine_sim.tracks.track import ASPHALT, CONCRETE, DIRT, GRASS_SURFACE, GRAVEL, SAND, Track
from render_bridge.palette import GRASS, ROAD, ROAD_EDGE, ROCK, TERRAIN


@pytest.fixture(scope="module")
def track() -> Track:
    return load_track("mill-lane")


def _at(track: Track, i: int, d: float) -> tuple[float, float]:
    x, y, _ = query.point_at(track.arrays, i * track.step, d)
    return float(x), float(y)


def test_classes_across_road_line_kerb_verge_and_land(track: Track) -> None:
    a = track.arrays
    i = int(np.flatnonzero((a.kerb_left > 0.5) & (a.surface_left == GRASS_SURFACE))[0])
    width, kerb, wall = float(a.width_left[i]), float(a.kerb_left[i]), float(a.barrier_left[i])
    assert class_at(track, *_at(track, i, 0.0)) == ROAD
    assert class_at(track, *_at(track, i, width - 0.3)) == ROAD
    assert class_at(track, *_at(track, i, width - 0.2)) == ROAD_EDGE
    assert class_at(track, *_at(track, i, width + 0.5 * kerb)) == ROAD_EDGE
    assert class_at(track, *_at(track, i, 0.5 * (width + kerb + wall))) == GRASS
    assert class_at(track, 9e3, 9e3) in (GRASS, TERRAIN, ROCK)
    assert surface_name_at(track, *_at(track, i, 0.0)) == "asphalt"
    assert surface_name_at(track, *_at(track, i, width + 0.5 * kerb)) == "kerb"
    assert surface_name_at(track, 9e3, 9e3) in ("grass", "dirt")


def test_every_verge_surface_has_its_class() -> None:
    assert verge_class(GRASS_SURFACE) == GRASS
    assert [verge_class(s) for s in (DIRT, GRAVEL, SAND)] == [TERRAIN] * 3
    assert [verge_class(s) for s in (ASPHALT, CONCRETE)] == [ROAD] * 2
    with pytest.raises(ValueError, match="unknown surface"):
        verge_class(99)


def test_positions_and_barriers(track: Track) -> None:
    a = track.arrays
    x, y = _at(track, 40, 2.0)
    place = position(track, x, y)
    assert place.inside
    assert place.s == pytest.approx(40 * track.step, abs=1e-6)
    distance, side = nearest_barrier(track, x, y)
    assert distance == pytest.approx(min(a.barrier_left[40] - 2.0, a.barrier_right[40] + 2.0))
    assert side in (-1, 1)
    assert not position(track, 9e3, 9e3).inside
    assert nearest_barrier(track, 9e3, 9e3)[0] < 0.0


def test_next_corners_come_in_order_and_wrap(track: Track) -> None:
    found = corners(track)
    assert len(found) >= 6
    assert [c.start for c in found] == sorted(c.start for c in found)
    upcoming = next_corners(track, 0.0, len(found) + 2)
    assert len(upcoming) == len(found) + 2
    assert upcoming[0] == upcoming[len(found)]
    inside = 0.5 * (found[2].start + found[2].end)
    assert next_corners(track, inside, 1) == [found[2]]
    assert next_corners(track, inside + track.length, 1) == [found[2]]
    assert {c.direction for c in found} == {"left", "right"}
    assert next_corners(track, 0.0, 0) == []
    with pytest.raises(UserError):
        next_corners(track, 0.0, -1)


def test_an_oval_turns_left_all_the_way() -> None:
    assert {c.direction for c in corners(load_track("brickfield"))} == {"left"}
    assert len(corners(load_track("brickfield"))) == 4
    assert {c.direction for c in corners(load_track("paper-clip"))} == {"right"}


def test_plan_shows_the_road_where_the_frame_says(track: Track) -> None:
    size = (320, 200)
    style = MapStyle(land=False)
    picture = draw_map(track, size, style)
    assert picture.shape == (200, 320, 3)
    assert picture.dtype == np.uint8
    frame = map_frame(track, size, style.margin)
    a = track.arrays
    pixels = np.floor(frame.pixels(a.x, a.y)[20::25]).astype(int)
    assert np.mean([tuple(picture[row, col]) == style.road for col, row in pixels]) > 0.9
    assert tuple(picture[1, 1]) == style.background
    assert not np.array_equal(picture, draw_map(track, size))
    assert np.array_equal(draw_map(track, size), draw_map(track, size))
