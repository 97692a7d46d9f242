"""State: hashed by content, restored exactly, refused when foreign."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.core.state import check_state, restore_state, save_state, state_hash


class Small(NamedTuple):
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray


def small(cars: int = 3) -> Small:
    return Small(np.arange(cars * 2.0).reshape(cars, 2), np.arange(cars), np.array([2**64 - 1], np.uint64))


def test_restored_state_has_the_same_bytes_and_hash():
    state, other = small(), small()
    state.a[1, 1] = -0.0
    state.b[2] = -7
    restore_state(other, save_state(state))
    assert state_hash(other) == state_hash(state)
    assert np.signbit(other.a[1, 1])


@pytest.mark.parametrize("field", ["a", "b", "c"])
def test_any_changed_bit_changes_the_hash(field):
    state = small()
    before = state_hash(state)
    flat = getattr(state, field).view(np.uint64).reshape(-1)
    flat[-1] ^= np.uint64(1)
    assert state_hash(state) != before


def test_golden_hash_of_a_small_state():
    assert state_hash(small()) == GOLDEN


def test_state_of_another_race_is_refused():
    with pytest.raises(UserError, match="another race or version"):
        restore_state(small(4), save_state(small(3)))


@settings(max_examples=60)
@given(st.binary(max_size=300))
def test_garbage_is_refused_and_changes_nothing(data):
    state = small()
    before = state_hash(state)
    with pytest.raises(UserError):
        restore_state(state, data)
    assert state_hash(state) == before


@pytest.mark.parametrize("bad", [np.zeros(3, np.float32), np.zeros((4, 4))[:, 0], [1.0]])
def test_fields_that_cannot_be_hashed_exactly_are_refused(bad):
    with pytest.raises(TypeError, match="'a'"):
        check_state(Small(bad, np.arange(3), np.zeros(1, np.uint64)))


GOLDEN = "deaf7bc3d72a0c91"
