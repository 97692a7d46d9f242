"""Our own trigonometry: close to the truth, and the same bits compiled or not."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_sim.core import exact

angles = st.floats(-1e5, 1e5, allow_nan=False)
reals = st.floats(-1e6, 1e6, allow_nan=False)


@settings(max_examples=300)
@given(angles)
def test_sine_and_cosine_are_within_4e_15_of_the_truth(angle):
    s, c = exact.sincos(angle)
    assert abs(s - math.sin(angle)) < 4e-15
    assert abs(c - math.cos(angle)) < 4e-15


@settings(max_examples=300)
@given(reals, reals)
def test_arctangent_of_two_is_within_4e_15_of_the_truth(y, x):
    if x == 0.0 or y == 0.0:
        x, y = abs(x) + 1.0, y  # signs of zero are not part of the promise
    assert abs(exact.atan2(y, x) - math.atan2(y, x)) < 4e-15


def test_zero_vector_has_angle_zero():
    assert exact.atan2(0.0, 0.0) == 0.0


AXES = [(0.0, 1.0, 0.0), (1.0, 0.0, exact.HALF_PI), (-1.0, 0.0, -exact.HALF_PI), (0.0, -1.0, exact.PI)]


@pytest.mark.parametrize(("y", "x", "angle"), AXES)
def test_axes_have_exact_angles(y, x, angle):
    assert exact.atan2(y, x) == angle


@settings(max_examples=200)
@given(angles)
def test_wrapped_angles_lie_in_half_open_turn_and_keep_direction(angle):
    wrapped = exact.wrap_angle(angle)
    assert -exact.PI <= wrapped <= exact.PI
    assert abs(math.sin(wrapped) - math.sin(angle)) < 1e-9


@settings(max_examples=100)
@given(angles, reals)
def test_compiled_and_plain_twins_give_the_same_bits(angle, x):
    def bits(value):
        return struct.pack("<d", value)

    assert [bits(v) for v in exact.sincos(angle)] == [bits(v) for v in exact.sincos.py_func(angle)]
    assert bits(exact.atan(x)) == bits(exact.atan.py_func(x))
    assert bits(exact.wrap_angle(angle)) == bits(exact.wrap_angle.py_func(angle))


def test_golden_bits_hold_on_every_machine():
    steps = range(1, 1001)
    words = np.array([v for k in steps for v in (*exact.sincos(k * 0.37 - 185.0), exact.atan(k * 0.013 - 6.5))])
    assert words.view(np.uint64).sum(dtype=np.uint64) == np.uint64(GOLDEN)


GOLDEN = 0xBFDA3544374C899D
