"""The road table answers like the questions of ``tracks``."""

import numpy as np
import pytest

from engine_sim.core.random import Stream
from engine_sim.racing import road
from engine_sim.racing.plan import number_bends, pace_profile, vertical_curvature
from engine_sim.tracks import query
from engine_sim.tracks.catalogue import load_track


@pytest.fixture(scope="module")
def tables():
    arrays = load_track("ribbon-eight").arrays
    rise = vertical_curvature(arrays)
    pace = pace_profile(arrays, rise, 0.0)
    bends, _ = number_bends(arrays)
    return arrays, road.road_table(arrays, rise, pace, pace), road.kind_table(arrays, bends)


def test_places_points_and_surfaces_match_the_track(tables):
    arrays, table, kinds = tables
    length, step = arrays.scalars[0], arrays.scalars[1]
    stream = Stream(0, "road test")
    for _ in range(400):
        s, d = stream.uniform(0.0, length), stream.uniform(-11.0, 11.0)
        x, y, z = query.point_at(arrays, s, d)
        index, u = road.cell_at(s, step, len(table))
        assert road.spot_at(table, index, u, d) == pytest.approx((x, y, z), abs=1e-9)
        assert road.surface_of(table, kinds, index, u, d) == query.surface_at(arrays, index, s, d)
        near, _ = query.barrier_distance(arrays, index, s, d)
        assert road.beyond_walls(table, index, u, d) == pytest.approx(-near, abs=1e-9)


def test_following_a_car_finds_what_the_track_finds(tables):
    arrays, table, _ = tables
    length, step = arrays.scalars[0], arrays.scalars[1]
    stream = Stream(1, "road test")
    for _ in range(400):
        s, d = stream.uniform(0.0, length), stream.uniform(-6.0, 6.0)
        x, y, _ = query.point_at(arrays, s, d)
        hint = int(s / step + stream.uniform(-12.0, 12.0)) % len(table)
        index, u, across, found = road.follow(table, x, y, hint)
        there, s2, d2 = query.locate(arrays, x, y, hint)
        assert found
        assert ((index + u) * step - s2) % length == pytest.approx(0.0, abs=1e-6) or abs(
            ((index + u) * step - s2) % length - length
        ) < 1e-6
        assert across == pytest.approx(d2, abs=1e-9)
        assert (index - there) % len(table) in (0, 1, len(table) - 1)


def test_pace_falls_with_wetness_and_is_slow_in_bends():
    arrays = load_track("northfield").arrays
    rise = vertical_curvature(arrays)
    dry, wet = pace_profile(arrays, rise, 0.0), pace_profile(arrays, rise, 1.0)
    assert (wet <= dry + 1e-9).all()
    assert np.mean(wet) < 0.95 * np.mean(dry)
    bends, radii = number_bends(arrays)
    assert len(radii) - 1 == len(set(np.abs(bends).tolist()) - {0})
    assert dry[bends != 0].mean() < dry[bends == 0].mean()
