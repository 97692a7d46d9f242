"""The checker finds what is wrong with a broken circuit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.corridor import clear_barriers
from engine_sim.tracks.track import SCENERY_DTYPE, TREE_CONIFER, PitStraight, Track
from engine_sim.tracks.validate import check_track


def _with(field: str, change: Callable[[np.ndarray], None]) -> Track:
    track = load_track("acorn-loop")
    array = getattr(track.arrays, field).copy()
    change(array)
    return replace(track, arrays=track.arrays._replace(**{field: array}))


def _put(where: slice, value: float) -> Callable[[np.ndarray], None]:
    def change(array: np.ndarray) -> None:
        array[where] = value

    return change


@pytest.mark.parametrize(
    ("field", "where", "value", "message"),
    [
        ("z", slice(5, 6), np.nan, "z: not finite"),
        ("x", slice(5, 6), 400.0, "apart, expected"),
        ("curvature", slice(0, 60), 0.2, "headings turn"),
        ("width_left", slice(9, 10), 0.0, "road has no width"),
        ("kerb_right", slice(9, 10), -1.0, "kerb of negative width"),
        ("barrier_left", slice(9, 10), 1.0, "left barrier stands on road or kerb"),
        ("barrier_left", slice(0, 451), 90.0, "verges of s"),
        ("grade", slice(9, 10), 0.5, "steeper than"),
        ("bank", slice(9, 10), 1.0, "banked more than"),
        ("line_d", slice(9, 10), 40.0, "racing line leaves the road"),
        ("line_speed", slice(9, 10), 500.0, "speed of the line"),
        ("z", slice(40, 60), -30.0, "ground lies only"),
    ],
)
def test_broken_arrays_are_named(field: str, where: slice, value: float, message: str) -> None:
    problems = check_track(_with(field, _put(where, value)))
    assert any(message in problem for problem in problems), problems


def test_a_tight_bend_and_a_flat_crossing_are_named() -> None:
    tight = _with("curvature", _put(slice(100, 101), 1.0 / 8.0))
    assert any("inner edge tighter" in p for p in check_track(tight))
    track = load_track("ribbon-eight")
    flat = replace(track, arrays=track.arrays._replace(z=0.0 * track.arrays.z))
    assert any("road crosses itself" in p for p in check_track(flat))


def test_objects_on_the_road_and_a_pit_outside_the_lap_are_named() -> None:
    track = load_track("acorn-loop")
    tree = np.zeros(1, SCENERY_DTYPE)
    tree["kind"] = TREE_CONIFER
    for axis in ("x", "y", "z"):
        tree[axis] = getattr(track.arrays, axis)[7]
    problems = check_track(replace(track, scenery=tree, pit=PitStraight(-5.0, 9e9, 1)))
    assert any("stand on the road" in p for p in problems)
    assert any("pit straight" in p for p in problems)


def test_barriers_are_pulled_apart_between_neighbouring_stretches() -> None:
    """Two parallel straights 30 m apart, joined by half circles: each keeps to its half."""
    t = np.concatenate([np.arange(-200.0, 200.0, 2.0)])
    arc = np.arange(2.0, 45.0, 2.0) / 15.0
    x = np.concatenate([t, 200.0 + 15.0 * np.sin(arc), -t, -200.0 - 15.0 * np.sin(arc)])
    y = np.concatenate([0.0 * t, 15.0 - 15.0 * np.cos(arc), 30.0 + 0.0 * t, 15.0 + 15.0 * np.cos(arc)])
    n = len(x)
    dx, dy = np.roll(x, -1) - np.roll(x, 1), np.roll(y, -1) - np.roll(y, 1)
    size = np.hypot(dx, dy)
    curvature = np.where(np.abs(x) > 200.0, 1.0 / 15.0, 0.0)
    five, zero, wide = np.full(n, 5.0), np.zeros(n), np.full(n, 40.0)
    left, right = clear_barriers(x, y, zero, dx / size, dy / size, curvature, 2.0, five, five, zero, zero, wide, wide)
    middle = np.abs(x) < 150.0
    assert np.all(left[middle] <= 15.0 - 0.5)
    assert np.all(left[middle] >= 13.0)
    assert np.all(right[middle] == 40.0)
    assert np.all(left[np.abs(x) > 201.0] <= 0.85 * 15.0)
