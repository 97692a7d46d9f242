"""The kernels that decide what touches what, against known answers and against their uncompiled twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.scenery.distance import CELL, distance_at, distance_field
from engine_sim.tracks.scenery.footprints import meets_ribbon, rectangle_meets_quad, rectangles_touch

UNIT = st.sampled_from([(1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (-0.8, 0.6), (0.28, -0.96)])
SMALL = st.floats(-8.0, 8.0)
HALF = st.floats(0.1, 5.0)


@pytest.mark.parametrize(
    ("x", "gap", "touches"), [(3.9, 0.0, True), (4.1, 0.0, False), (4.1, 0.2, True), (-4.1, 0.0, False)]
)
def test_upright_rectangles_touch_when_their_sides_meet(x, gap, touches):
    assert rectangles_touch(0.0, 0.0, 1.0, 0.0, 2.0, 1.0, x, 0.5, 1.0, 0.0, 2.0, 1.0, gap) == touches


def test_a_turned_rectangle_passes_the_corner_of_another():
    assert not rectangles_touch(0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.9, 1.9, 0.8, 0.6, 1.2, 0.1, 0.0)
    assert rectangles_touch(0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.4, 1.4, 0.8, 0.6, 1.2, 0.1, 0.0)


@given(SMALL, SMALL, UNIT, HALF, HALF, SMALL, SMALL, UNIT, HALF, HALF)
def test_touching_is_mutual_and_the_twin_agrees(ax, ay, au, ahx, ahy, bx, by, bu, bhx, bhy):
    one, two = (ax, ay, *au, ahx, ahy), (bx, by, *bu, bhx, bhy)
    assert rectangles_touch(*one, *two, 0.0) == rectangles_touch.py_func(*one, *two, 0.0)
    if rectangles_touch(*one, *two, 0.0):
        assert rectangles_touch(*two, *one, 1e-9)
    u = np.array([[bhx, bhy], [-bhx, bhy], [-bhx, -bhy], [bhx, -bhy]])
    quad = np.stack([bx + u[:, 0] * bu[0] - u[:, 1] * bu[1], by + u[:, 0] * bu[1] + u[:, 1] * bu[0]], -1)
    if rectangles_touch(*one, *two, -1e-6):
        assert rectangle_meets_quad(*one, quad)
    if not rectangles_touch(*one, *two, 1e-6):
        assert not rectangle_meets_quad(*one, quad)


def test_the_ribbon_is_met_from_barrier_to_barrier_and_not_beyond():
    track = load_track("ribbon-eight")
    a = track.arrays
    for i in range(0, track.samples, 37):
        for side, barrier in ((1, a.barrier_left[i]), (-1, a.barrier_right[i])):
            nx, ny = -side * a.tangent_y[i], side * a.tangent_x[i]
            inside, d = barrier + 1.4, 0.5
            assert meets_ribbon(a, a.x[i] + inside * nx, a.y[i] + inside * ny, 1.0, 0.0, d, d)
    far = float(a.x.max()) + 100.0
    assert not meets_ribbon(a, far, float(a.y[0]), 1.0, 0.0, 5.0, 5.0)


def test_distances_are_those_to_the_nearest_piece_of_ribbon():
    track = load_track("coin-bowl")
    a = track.arrays
    field = distance_field(a, track.ground)
    edges = np.concatenate([
        np.stack([a.x - d * a.tangent_y, a.y + d * a.tangent_x], -1) for d in (a.barrier_left, -a.barrier_right)
    ])  # fmt: skip
    random = np.random.default_rng(1)
    low, high = edges.min(0) - 200.0, edges.max(0) + 200.0
    for x, y in random.uniform(low, high, (200, 2)):
        true = np.hypot(*(edges - [x, y]).T).min()
        told = distance_at(field.metres, field.frame, x, y)
        assert told == 0.0 or abs(told - true) < 1.5 * CELL
