"""Streams: named, independent, ours."""

import numpy as np

from engine_sim.core.random import Stream, mix64, next_float, next_u64, stream_state


def test_kernel_and_set_up_streams_give_the_same_words():
    state, stream = stream_state(7, "ai"), Stream(7, "ai")
    assert [int(next_u64(state, 0)) for _ in range(50)] == [stream.u64() for _ in range(50)]


def test_golden_words_of_a_named_stream():
    stream = Stream(1, "scenery")
    assert [hex(stream.u64()) for _ in range(3)] == WORDS


def test_purposes_and_seeds_give_different_streams():
    firsts = {Stream(seed, purpose).u64() for seed in range(20) for purpose in ("ai", "grid", "look")}
    assert len(firsts) == 60


def test_drawing_from_one_stream_leaves_the_other_alone():
    state = np.concatenate([stream_state(3, "ai"), stream_state(3, "grid")])
    before = state[1]
    for _ in range(10):
        next_float(state, 0)
    assert state[1] == before


def test_floats_fill_the_unit_interval_evenly():
    state = stream_state(5, "test")
    draws = np.array([next_float(state, 0) for _ in range(20000)])
    assert draws.min() >= 0.0
    assert draws.max() < 1.0
    counts, _ = np.histogram(draws, 10, (0.0, 1.0))
    assert abs(counts - 2000).max() < 200  # five standard deviations are 212


def test_compiled_mixer_equals_its_plain_twin():
    with np.errstate(over="ignore"):
        for word in (0, 1, 2**63, 2**64 - 1, 0x123456789ABCDEF):
            assert mix64(np.uint64(word)) == mix64.py_func(np.uint64(word))


def test_integers_stay_in_range_and_choice_picks_all():
    stream = Stream(9, "test")
    assert {stream.integer(-2, 3) for _ in range(200)} == {-2, -1, 0, 1, 2}
    assert {stream.choice("abc") for _ in range(100)} == set("abc")


WORDS = ["0x5774c4594e8ea18e", "0xd131feea19e427b9", "0x1dc7c98626f2f94d"]
