"""The racing line: inside the road, straighter and faster than the middle, speeds that a car can keep."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.questions import corners
from engine_sim.tracks.racing_line import (
    corner_speed,
    line_curvature,
    line_steps,
    smoothest_line,
    speed_profile,
)

NAMES = ["glacier-gate", "silver-lake", "hill-scramble", "granite-mile"]


@pytest.mark.parametrize("name", NAMES)
def test_line_stays_on_the_road_and_bends_less_than_the_middle(name: str) -> None:
    a = load_track(name).arrays
    assert np.all(a.line_d < a.width_left - 1.0)
    assert np.all(-a.line_d < a.width_right - 1.0)
    assert np.sum(a.line_curvature**2) < 0.97 * np.sum(a.curvature**2)


def test_line_cuts_to_the_inside_at_a_street_corner_and_comes_from_outside() -> None:
    track = load_track("grand-boulevard")
    a = track.arrays
    first = corners(track)[0]
    entry, apex = (int(s / track.step) for s in (first.start, first.apex))
    side = 1.0 if first.direction == "left" else -1.0
    assert first.radius < 30.0
    assert (side * a.line_d[apex - 10 : apex + 10]).max() > 2.0
    assert (side * a.line_d[entry - 40 : apex]).min() < -2.0


@pytest.mark.parametrize("name", NAMES)
def test_speed_respects_braking_and_bends(name: str) -> None:
    a = load_track(name).arrays
    steps = line_steps(a.x, a.y, -a.tangent_y, a.tangent_x, a.line_d)
    v, v_next = a.line_speed, np.roll(a.line_speed, -1)
    change = (v_next**2 - v**2) / (2.0 * steps)
    assert change.min() > -18.0
    assert change.max() < 9.0
    lateral = v**2 * np.abs(a.line_curvature)
    assert lateral.max() < 9.81 * 2.6
    assert v.min() > 5.0


def test_circle_line_and_speed_are_the_textbook_values() -> None:
    n, radius = 600, 100.0
    t = np.arange(n) * (2.0 * math.pi / n)
    x, y = radius * np.cos(t), radius * np.sin(t)
    nx, ny = -np.cos(t), -np.sin(t)
    d = smoothest_line(x, y, nx, ny, np.full(n, -4.0), np.full(n, 4.0))
    assert np.all(np.abs(d) <= 4.0)
    k = line_curvature(x, y, nx, ny, np.zeros(n))
    assert np.allclose(k, 1.0 / radius, rtol=1e-6)
    flat = corner_speed(1.0 / radius, 0.0, 0.0, 1.0, 200.0)
    assert flat == pytest.approx(math.sqrt(9.81 * radius))
    slope = 0.3
    banked = corner_speed(1.0 / radius, -slope, 0.0, 1.0, 200.0)
    assert banked == pytest.approx(math.sqrt(9.81 * radius * (1.0 + slope) / (1.0 - slope)))
    assert corner_speed(1.0 / radius, 0.0, -0.004, 1.0, 200.0) < flat, "a crest takes load off the tyres"
    assert corner_speed(0.0, 0.0, 0.0, 1.0, 95.0) == 95.0


def test_profile_brakes_before_a_slow_place_and_pulls_away_after_it() -> None:
    limit = np.full(400, 80.0)
    limit[200] = 15.0
    one = np.ones(400)
    v = speed_profile(limit, one, 0.0 * one, 2.0 * one, 1.0, 0.75, 260.0, 0.00095)
    assert v[200] == 15.0
    assert np.all(np.diff(v[150:201]) < 0.0)
    assert np.all(np.diff(v[201:260]) > 0.0)
    assert v[100] > 40.0
