"""Quick ways and their plain twins say the same."""

import random

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from render_bridge.conformance.samples import MATRIX, legal, welcome
from render_bridge.protocol.codec import encode
from render_bridge.protocol.encodings import MAX_WINDOW, decode_plane, encode_plane
from render_bridge.protocol.engine_flow import Drawn, Due
from render_bridge.protocol.engine_frames import check_fields, frame_message, frame_wire
from render_bridge.protocol.faults import Fault, LocalProtocolError, ProtocolError, RemoteProtocolError
from render_bridge.protocol.message_base import header_fields
from render_bridge.protocol.messages import MESSAGES
from render_bridge.protocol.run_length import encode_runs, run_starts, run_starts_plain

from .link import Link, put, raw_frame

KINDS = [(f"{cls.__name__} {name}", kind) for cls in MESSAGES.values() for name, kind, _ in header_fields(cls)]
WORDS = ("play", "raw", "zstd", "ids", "look", "received", "0123456789abcdef", "a" * 5000, "\ud800")
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 70), 1 << 70), st.floats(), st.text(max_size=70),
    st.binary(max_size=17), st.sampled_from(WORDS),
)  # fmt: skip
VALUES = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=18),
    st.tuples(SCALARS, SCALARS),
    st.lists(st.floats(-9, 9), min_size=15, max_size=17),
    st.dictionaries(st.one_of(st.text(max_size=30), st.integers()), SCALARS, max_size=18),
)


def passes(kind, value):
    try:
        kind.check(value, "field")
    except LocalProtocolError:
        return False
    return True


@settings(max_examples=40)
@given(value=VALUES)
def test_what_fits_a_kind_passes_its_check(value):
    """R-06: the quick answer lets nothing through that the thorough one refuses."""
    for name, kind in KINDS:
        if kind.fits(value):
            assert passes(kind, value), name


def test_fields_of_frames_and_pictures_fit_without_a_second_look():
    """Otherwise the quick answer would only cost time; the rest is for greetings and people."""
    for name in (
        "engine sends a class map",
        "renderer answers with a picture",
        "frame with a guide plane, camera and end",
    ):
        message = legal()[name]
        for field, kind, _ in header_fields(type(message)):
            value = getattr(message, field)
            assert value is None or kind.fits(value), f"{name}: {field}"


@pytest.mark.parametrize("name", legal())
def test_messages_made_in_one_step_are_those_of_the_constructor(name):
    message = legal()[name]
    fields = {field: getattr(message, field) for field, _, _ in header_fields(type(message))}
    assert type(message).of(fields, message.buffers, message.extra) == message
    with pytest.raises(ProtocolError):
        type(message).of({**fields, next(iter(fields)): object()}, message.buffers, message.extra)


def due(**changes):
    class_map = np.arange(8, dtype=np.uint8).reshape(2, 4) % 2
    planes = {"depth": np.ones((2, 4), np.float16), "object": np.ones((2, 4), np.uint8)}
    values = {"tick": 35, "class_map": class_map, "stamps": {"input": 1, "drawn": 2}, "planes": planes}
    return Due(7, 3, Drawn(**{**values, **changes}))


@pytest.mark.parametrize("encoding", ["raw", "zstd", "rle"])
@pytest.mark.parametrize("planes", [(), ("depth",), ("depth", "object")])
@pytest.mark.parametrize(
    "changes", [{}, {"view": MATRIX}, {"projection": MATRIX, "last": True}, {"view": MATRIX, "projection": MATRIX}]
)
def test_frames_that_were_checked_leave_as_the_bytes_of_their_message(encoding, planes, changes):
    chosen = welcome(encoding=encoding, planes=planes)
    wire = frame_wire(due(**changes), chosen, 2, 9, 1 << 40)
    plain = encode(frame_message(due(**changes), chosen, 2, 9, 1 << 40))
    assert [bytes(part) for part in wire] == [bytes(part) for part in plain]


@pytest.mark.parametrize(
    "changes",
    [
        {"tick": -1},
        {"tick": 1 << 64},
        {"tick": np.int64(3)},
        {"last": 1},
        {"stamps": {"input": 1}},
        {"stamps": {"drawn": 1.5}},
        {"stamps": {"drawn": 1, "": 2}},
        {"stamps": {"drawn": 1, **{f"s{k}": k for k in range(15)}}},
        {"view": MATRIX[:15]},
        {"view": (*MATRIX[:15], float("nan"))},
        {"projection": (*MATRIX[:15], "1")},
    ],
)
def test_what_may_not_be_sent_is_refused_where_it_is_offered(changes):
    """The quick check of an offered frame leaves the words to the message that the frame would become."""
    drawn = due(**changes).drawn
    with pytest.raises(LocalProtocolError) as plain:
        frame_message(Due(7, 3, drawn), welcome(), 0, 0, 0)
    with pytest.raises(LocalProtocolError) as quick:
        check_fields(drawn, 7)
    assert (quick.value.fault, quick.value.text) == (plain.value.fault, plain.value.text)


@given(flat=arrays.arrays(np.uint8, st.integers(1, 70), elements=st.integers(0, 2)), offset=st.integers(0, 9))
def test_run_starts_are_found_eight_pixels_at_a_time(flat, offset):
    """Also where the words do not begin at an even address, or there are too few pixels for two."""
    assert np.array_equal(run_starts(flat), run_starts_plain(flat))
    assert np.array_equal(run_starts(flat[offset:]), run_starts_plain(flat[offset:]))


def test_run_starts_of_maps_with_texture_and_without():
    noise = np.random.default_rng(1).integers(0, 13, 5000, np.uint8)
    for flat in (noise, np.tile(np.array([1, 2], np.uint8), 900), np.zeros(4099, np.uint8), np.repeat(noise, 11)):
        assert np.array_equal(run_starts(flat), run_starts_plain(flat))


def decode_plainly(data, size):
    """R-43 by the library alone: the bytes, or None if it takes the data for anything but one frame of ``size``."""
    try:
        facts = zstandard.get_frame_parameters(data)
        if facts.content_size != size or not 0 < facts.window_size <= MAX_WINDOW:
            return None
        return zstandard.ZstdDecompressor().decompress(data, max_output_size=size, allow_extra_data=False)
    except zstandard.ZstdError:
        return None


def zstd_samples():
    """Frames of 400 bytes in every form, whole, cut, with something before or after them, and damaged."""
    chance = random.Random(4)
    plane = np.random.default_rng(4).integers(0, 3, 400, np.uint8)
    whole = [
        zstandard.ZstdCompressor(level=level, write_checksum=checksum, write_content_size=sized).compress(data)
        for level in (-5, 1, 19)
        for checksum in (False, True)
        for sized in (False, True)
        for data in (plane.tobytes(), bytes(400), np.random.default_rng(5).bytes(400), bytes(399))
    ]
    skippable = b"\x50\x2a\x4d\x18\x90\x01\x00\x00" + bytes(400)
    yield from whole
    # A skippable frame that claims the plane's size and looks, from where blocks would begin, like one up to the end.
    length = len(skippable) + len(whole[2]) - 13
    yield skippable[:10] + (length << 3 | 1).to_bytes(3, "little") + skippable[13:] + whole[2]
    for frame in whole[2:7]:
        yield from (skippable + frame, frame + skippable, frame + frame, frame + b"\0", skippable)
        for end in range(0, len(frame), 5):
            yield frame[:end]
        for _ in range(60):
            damaged = bytearray(frame)
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
            yield bytes(damaged)


def test_zstd_frames_are_taken_and_refused_as_the_library_alone_would():
    """R-43: the end of a frame is found by its blocks, so that it can be unpacked right into the plane's memory."""
    taken = 0
    for data in zstd_samples():
        expected = decode_plainly(data, 400)
        if expected is None:
            with pytest.raises(RemoteProtocolError) as refused:
                decode_plane(data, "zstd", "uint8", (20, 20))
            assert refused.value.fault is Fault.CORRUPT_DATA
        else:
            taken += 1
            assert decode_plane(data, "zstd", "uint8", (20, 20)).tobytes() == expected
    assert taken > 20


@pytest.mark.parametrize("size", [200_000, 1_500_000])
def test_zstd_frames_of_several_blocks_survive(size):
    """Blocks end at 128 KiB, among them such as stand for one repeated byte, and such as could not be packed."""
    plane = np.zeros((size // 100, 100), np.uint8)
    plane[: size // 300] = np.random.default_rng(1).integers(0, 255, (size // 300, 100), np.uint8)
    assert np.array_equal(decode_plane(encode_plane(plane, "zstd"), "zstd", "uint8", plane.shape), plane)


def test_a_buffer_of_our_own_becomes_the_plane_as_it_lies():
    """Only if nobody else has it, it can be written to, and its numbers lie where the machine can read them."""
    memory = np.arange(96, dtype=np.uint8)
    for view, ours, kept in (
        (memory[:64].data, True, True),
        (memory[:64].data, False, False),
        (memory[:64].tobytes(), True, False),
        (memory[1:65].data, True, False),
    ):
        plane = decode_plane(view, "raw", "float32", (4, 4), ours)
        assert np.shares_memory(plane, memory) == kept
        assert plane.flags.writeable
        assert plane.flags.aligned
        assert plane.tobytes() == bytes(view)


@pytest.mark.parametrize("encoding", ["raw", "rle"])
def test_ids_that_the_table_lacks_are_found_in_runs_too(encoding):
    """R-41: runs are looked at instead of pixels, and the error is the same."""
    link = Link(encodings=(encoding,))
    token = link.open()
    bad = np.zeros((32, 64), np.uint8)
    bad[3, 5:9] = 13
    link.renderer.ask(token, 1)
    put(link, raw_frame(encoding=encoding, buffers=(bytes(encode_plane(bad, encoding)),)))
    (refused,) = [e for e in link.renderer_events if getattr(e, "fault", None) is Fault.UNKNOWN_CLASS]
    assert "class id 13 at row 3, column 5" in refused.text


def test_records_of_runs_are_packed_without_gaps():
    assert encode_runs(np.array([5], np.uint8)) == bytes([5, 1, 0])
