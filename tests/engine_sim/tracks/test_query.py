"""Track positions: exact inverse, smooth, the right level at bridges, an answer everywhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_sim.tracks import query
from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.questions import bridges
from engine_sim.tracks.track import GRASS_SURFACE, KERB, Track


@pytest.fixture(scope="module")
def track() -> Track:
    return load_track("acorn-loop")


def _apart(track: Track, a: float, b: float) -> float:
    off = abs(a - b)
    return min(off, track.length - off)


@given(st.floats(0.0, 1.0, exclude_max=True), st.floats(-1.0, 1.0))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_locate_inverts_point_at_between_the_barriers(place: float, lane: float) -> None:
    track = load_track("acorn-loop")
    a = track.arrays
    s = place * track.length
    index, u = query.cell_of(a, s)
    reach = query.blend(a.barrier_left if lane > 0 else a.barrier_right, index, u)
    d = lane * reach
    x, y, z = query.point_at(a, s, d)
    for hint in (-1, index):
        found, s_again, d_again = query.locate(a, x, y, hint)
        assert _apart(track, s, s_again) < 1e-7
        assert abs(d - d_again) < 1e-7
        assert abs(query.height_at(a, found, s_again, d_again) - z) < 1e-6


def test_s_d_and_height_never_jump_on_a_wandering_path(track: Track) -> None:
    a = track.arrays
    hint = 0
    before = None
    for k in range(40_000):
        s = k * 0.025
        x, y, _ = query.point_at(a, s, 3.5 * math.sin(s / 17.0))
        hint, s_found, d = query.locate(a, x, y, hint)
        z = query.height_at(a, hint, s_found, d)
        if before is not None:
            assert _apart(track, s_found, before[0]) < 0.06
            assert abs(d - before[1]) < 0.06
            assert abs(z - before[2]) < 0.01
        before = (s_found, d, z)


def test_positions_stay_inside_the_lap_at_the_seam(track: Track) -> None:
    a = track.arrays
    for s in (0.0, -1e-12, track.length, track.length - 1e-12, track.length + 0.3):
        x, y, _ = query.point_at(a, s, 1.0)
        index, found, d = query.locate(a, x, y, -1)
        assert 0.0 <= found < track.length
        assert 0 <= index < track.samples
        assert abs(d - 1.0) < 1e-6


@pytest.mark.parametrize(("x", "y"), [(1e5, -3e4), (-2e6, 1e6), (0.0, 5e8), (37.0, 52.0)])
def test_every_point_of_the_plane_has_an_answer(track: Track, x: float, y: float) -> None:
    index, s, d = query.locate(track.arrays, x, y, -1)
    assert 0 <= index < track.samples
    assert 0.0 <= s < track.length
    assert math.isfinite(d)
    assert math.isfinite(query.height_at(track.arrays, index, s, d))


def test_stale_hint_is_repaired(track: Track) -> None:
    a = track.arrays
    for s in np.linspace(0.0, track.length * 0.99, 40):
        x, y, _ = query.point_at(a, float(s), -2.0)
        fresh = query.locate(a, x, y, -1)
        for hint in (0, track.samples // 3, track.samples - 1, track.samples + 5):
            assert query.locate(a, x, y, hint) == pytest.approx(fresh, abs=1e-9)


@pytest.mark.parametrize("name", ["ribbon-eight", "timber-run"])
def test_hint_keeps_the_level_at_a_bridge(name: str) -> None:
    track = load_track(name)
    a = track.arrays
    (bridge,) = bridges(track)
    x, y, low = query.point_at(a, bridge.under, 0.0)
    hint = int((bridge.under - 30.0) / track.step)
    index, s, d = query.locate(a, x, y, hint)
    assert _apart(track, s, bridge.under) < 1e-6
    assert abs(query.height_at(a, index, s, d) - low) < 1e-6
    index, s, d = query.locate(a, x, y, -1)
    assert _apart(track, s, bridge.over) < 2.0, "without a hint the upper road counts"


def test_surfaces_and_barriers_across_the_section() -> None:
    track = load_track("mill-lane")
    a = track.arrays
    i = int(np.flatnonzero((a.kerb_left > 0.5) & (a.surface_right == GRASS_SURFACE))[0])
    s = i * track.step
    width, kerb = float(a.width_left[i]), float(a.kerb_left[i])
    assert query.surface_at(a, i, s, 0.0) == a.surface_road[i]
    assert query.surface_at(a, i, s, width + 0.5 * kerb) == KERB
    assert query.surface_at(a, i, s, width + kerb + 0.01) == a.surface_left[i]
    assert query.surface_at(a, i, s, -float(a.barrier_right[i]) + 0.01) == GRASS_SURFACE
    distance, side = query.barrier_distance(a, i, s, float(a.barrier_left[i]) - 0.75)
    assert (round(float(distance), 9), side) == (0.75, 1)
    distance, side = query.barrier_distance(a, i, s, -float(a.barrier_right[i]) - 0.5)
    assert (round(float(distance), 9), side) == (-0.5, -1)


def test_height_beyond_the_barrier_is_that_at_its_face() -> None:
    track = load_track("granite-mile")
    a = track.arrays
    i = int(np.argmax(np.abs(a.bank)))
    s = i * track.step
    face = float(a.barrier_left[i])
    assert query.height_at(a, i, s, face + 50.0) == query.height_at(a, i, s, face)


def test_fields_wrap_around_the_lap(track: Track) -> None:
    a = track.arrays
    last = track.length - 0.5 * track.step
    assert query.sample_at(a.z, a, last) == pytest.approx(0.5 * (a.z[-1] + a.z[0]))
    assert query.sample_at(a.z, a, 3.0 * track.length + 7.0) == pytest.approx(query.sample_at(a.z, a, 7.0))
    tx, ty = query.heading_at(a, last)
    assert tx * tx + ty * ty == pytest.approx(1.0)
