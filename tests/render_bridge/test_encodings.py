"""R-43: what goes in comes out, and nothing takes more memory than is known beforehand."""

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from render_bridge.palette import RACING
from render_bridge.protocol.encodings import ENCODINGS, decode_plane, encode_plane
from render_bridge.protocol.faults import Fault, LocalProtocolError, RemoteProtocolError
from render_bridge.protocol.run_length import LONGEST_RUN

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9))


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(plane=arrays.arrays(np.uint8, SHAPES))
def test_class_maps_survive(encoding, plane):
    """R-43: lossless."""
    back = decode_plane(bytes(encode_plane(plane, encoding)), encoding, "uint8", plane.shape)
    assert np.array_equal(back, plane)
    assert back.flags.writeable


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
@pytest.mark.parametrize("encoding", ["raw", "zstd"])
def test_guide_planes_survive_bit_for_bit(dtype, encoding):
    """R-10, R-44: NaN payloads and signed zeros included."""
    bits = np.arange(4 * 6 * 2 * np.dtype(dtype).itemsize, dtype=np.uint8)
    bits[-2:] = 255
    plane = np.ascontiguousarray(bits.view(dtype).reshape(4, 6, 2))
    back = decode_plane(bytes(encode_plane(plane, encoding)), encoding, dtype, plane.shape)
    assert back.tobytes() == plane.tobytes()
    assert back.dtype == plane.dtype


def test_runs_longer_than_a_count_can_say_are_split():
    plane = np.zeros((400, 512), np.uint8)
    plane[-1, -1] = 3
    data = encode_plane(plane, "rle")
    records = np.frombuffer(data, np.dtype([("v", "u1"), ("n", "<u2")]))
    assert records["n"].max() == LONGEST_RUN
    assert np.array_equal(decode_plane(data, "rle", "uint8", plane.shape), plane)


def test_run_length_bytes_are_those_of_the_specification():
    """R-43: u8 value, u16 little-endian count, across row ends."""
    plane = np.array([[1, 1, 1], [1, 2, 2]], np.uint8)
    assert bytes(encode_plane(plane, "rle")) == bytes([1, 4, 0, 2, 2, 0])


def test_raw_shares_memory_and_views_that_are_not_contiguous_are_packed():
    """R-45: rows are packed."""
    plane = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert np.shares_memory(np.frombuffer(encode_plane(plane, "raw"), np.uint8), plane)
    assert bytes(encode_plane(plane[:, ::2], "raw")) == plane[:, ::2].tobytes()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_first_byte_is_the_top_left_pixel_and_rows_follow_one_another(encoding):
    """R-45, case B68: a map that tells top from bottom and left from right."""
    plane = np.array([[1, 2, 3], [4, 5, 6]], np.uint8)
    back = decode_plane(bytes(encode_plane(plane, encoding)), encoding, "uint8", (2, 3))
    assert bytes(encode_plane(plane, "raw")) == bytes([1, 2, 3, 4, 5, 6])
    assert (back[0, 0], back[0, 2], back[1, 0]) == (1, 3, 4)


def test_colors_of_a_pixel_lie_together_red_first():
    """R-42, R-45, case B39."""
    picture = RACING.colorize(np.array([[0, 10]], np.uint8))
    (road, sky) = (RACING.classes[k].color for k in (0, 10))
    assert bytes(encode_plane(picture, "raw")) == bytes([*road, *sky])


def bomb():
    return zstandard.ZstdCompressor(level=19).compress(bytes(1 << 30 >> 2))


@pytest.mark.parametrize(
    ("data", "encoding", "fault"),
    [
        (bytes(7), "raw", Fault.BUFFER_SIZE),
        (bytes(9), "raw", Fault.BUFFER_SIZE),
        (b"", "raw", Fault.BUFFER_SIZE),
        (b"", "zstd", Fault.CORRUPT_DATA),
        (b"not zstd", "zstd", Fault.CORRUPT_DATA),
        (zstandard.ZstdCompressor().compress(bytes(9)), "zstd", Fault.CORRUPT_DATA),
        (zstandard.ZstdCompressor().compress(bytes(8)) + b"tail", "zstd", Fault.CORRUPT_DATA),
        (zstandard.ZstdCompressor().compress(bytes(8))[:-1], "zstd", Fault.CORRUPT_DATA),
        (zstandard.ZstdCompressor(write_content_size=False).compress(bytes(8)), "zstd", Fault.CORRUPT_DATA),
        (b"", "rle", Fault.CORRUPT_DATA),
        (bytes([1, 8]), "rle", Fault.CORRUPT_DATA),
        (bytes([1, 7, 0]), "rle", Fault.CORRUPT_DATA),
        (bytes([1, 0, 0, 1, 8, 0]), "rle", Fault.CORRUPT_DATA),
        (bytes([1, 255, 255] * 100), "rle", Fault.CORRUPT_DATA),
        (bytes(8), "lz4", Fault.WRONG_ENCODING),
    ],
)
def test_data_of_another_size_are_refused(data, encoding, fault):
    """R-43."""
    with pytest.raises(RemoteProtocolError) as caught:
        decode_plane(data, encoding, "uint8", (2, 4))
    assert caught.value.fault is fault


def test_a_decompression_bomb_is_refused_by_its_own_claim():
    """R-43: 256 MiB of zeros in a few kilobytes; nothing is allocated for them."""
    import tracemalloc

    data = bomb()
    tracemalloc.start()
    with pytest.raises(RemoteProtocolError, match="declares"):
        decode_plane(data, "zstd", "uint8", (2, 4))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_our_own_wrong_use_is_refused():
    with pytest.raises(LocalProtocolError, match="cannot hold"):
        encode_plane(np.zeros((2, 2, 3), np.uint8), "rle")
    with pytest.raises(RemoteProtocolError, match="does not hold"):
        decode_plane(b"", "rle", "float16", (2, 2))
