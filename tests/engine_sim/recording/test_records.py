import math
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.racing.controls import Controls
from engine_sim.recording import records

from . import samples

unit = st.floats(0.0, 1.0)


@given(tick=st.integers(0, 1 << 40), steer=st.floats(-1.0, 1.0), throttle=unit, brake=unit, hand=unit,
       shift=st.sampled_from((-1, 0, 1)), reset=st.booleans(), digital=st.booleans())  # fmt: skip
def test_controls_keep_every_bit(tick, steer, throttle, brake, hand, shift, reset, digital):
    controls = Controls(steer, throttle, brake, hand, shift, reset, digital)
    back = records.unpack_controls(records.pack_controls(tick, controls))
    assert back == (tick, controls)
    assert math.copysign(1.0, back[1].steer) == math.copysign(1.0, steer)


def test_controls_out_of_range_are_refused():
    with pytest.raises(UserError, match="steer"):
        records.unpack_controls(records.pack_controls(0, Controls(steer=math.nan)))


def test_frame_keeps_every_bit():
    record = records.FrameRecord(samples.frame(35, cars=16), "01" * 8, "fe" * 8)
    data = records.pack_frame(record)
    assert len(data) == records.frame_size(16)
    assert records.unpack_frame(data) == record


def test_hashes_come_back():
    sums = records.field_sums(samples.state(9))
    data = records.pack_hash(9, samples.state_digest(9), sums)
    assert len(data) == records.hash_size(len(sums))
    tick, digest, back = records.unpack_hash(data)
    assert (tick, digest, back.tolist()) == (9, samples.state_digest(9), sums.tolist())


class Sample(NamedTuple):
    clock: np.ndarray
    cars: np.ndarray


def test_field_sums_tell_which_column_changed():
    state = Sample(np.arange(3), np.linspace(0.0, 1.0, 15).reshape(5, 3))
    assert records.field_names(state) == ("clock[0]", "clock[1]", "clock[2]", "cars[:, 0]", "cars[:, 1]", "cars[:, 2]")
    before = records.field_sums(state)
    state.cars[3, 1] = math.nextafter(state.cars[3, 1], 2.0)
    state.clock[2] += 1
    assert np.flatnonzero(records.field_sums(state) != before).tolist() == [2, 4]


def test_field_sums_see_values_that_change_places():
    state = (np.array([[1.0], [2.0]]),)
    swapped = (np.array([[2.0], [1.0]]),)
    assert records.field_sums(state) != records.field_sums(swapped)


def test_block_comes_back_and_lies_about_size_are_refused():
    maps = np.stack([samples.class_map(k) for k in range(3)])
    data = records.pack_block(5, maps, zstandard.ZstdCompressor(level=1))
    assert len(data) <= records.block_limit(maps[0].size, 3)
    first, back = records.unpack_block(data, maps[0].shape, 8)
    assert first == 5
    assert np.array_equal(back, maps)
    with pytest.raises(UserError, match="1 to 2 frames, this one says 3"):
        records.unpack_block(data, maps[0].shape, 2)
    with pytest.raises(UserError, match="claims 18432 bytes, expected 18240"):
        records.unpack_block(data, (64, 95), 8)


def test_a_compression_bomb_takes_no_memory():
    bomb = zstandard.ZstdCompressor(level=1).compress(bytes(50_000_000))
    assert len(bomb) < 10_000
    with pytest.raises(UserError, match="claims 50000000 bytes, expected 100"):
        records.unpack_zstd(bomb, 100)


@given(place=st.integers(0, 400), flip=st.integers(1, 255))
def test_a_changed_zstd_stream_is_refused_or_keeps_its_size(place, flip):
    data = bytearray(zstandard.ZstdCompressor(level=1).compress(samples.class_map(0).tobytes()))
    data[place % len(data)] ^= flip
    with suppress(UserError):
        assert len(records.unpack_zstd(bytes(data), samples.class_map(0).size)) == samples.class_map(0).size


def test_noise_fits_the_stated_bound():
    noise = np.frombuffer(np.random.default_rng(1).bytes(64 * 96 * 3), np.uint8).reshape(1, 64, 96, 3)
    data = records.pack_block(0, noise, zstandard.ZstdCompressor(level=1))
    assert len(data) <= records.block_limit(noise[0].size, 1)
