"""Limits, blame and the absence of copies."""

import pickle

import msgpack
import numpy as np
import pytest

from render_bridge.conformance.samples import frame, hello
from render_bridge.protocol.codec import MAX_HEADER, decode, encode
from render_bridge.protocol.faults import Fault, LocalProtocolError, RemoteProtocolError
from render_bridge.protocol.message_base import MAX_BUFFER
from render_bridge.protocol.messages import Control, Frame, Ping

MIB = 1 << 20


def test_buffers_pass_through_as_the_very_objects():
    """R-07: no copy on the way out, none on the way in."""
    plane = np.arange(8, dtype=np.uint8)
    wire = encode(frame(buffers=(plane,)))
    assert wire[2] is plane
    assert decode(wire).buffers[0] is plane


@pytest.mark.parametrize("size", [MIB - 1, MIB, MIB + 1, 1440 * 1440 * 3])
def test_buffers_of_a_mebibyte_and_more_are_taken(size):
    """R-08, case B88."""
    assert memoryview(decode(encode(frame(buffers=(bytes(size),)))).buffers[0]).nbytes == size


def test_a_buffer_over_the_limit_is_refused_with_the_number():
    """R-08."""
    large = np.zeros(MAX_BUFFER + 1, np.uint8)  # never touched, so it takes no memory
    wire = encode(frame())
    with pytest.raises(RemoteProtocolError, match=str(MAX_BUFFER)):
        decode([*wire[:2], large])
    with pytest.raises(LocalProtocolError, match=str(MAX_BUFFER)):
        encode(frame(buffers=(large,)))


def test_a_message_of_too_many_frames_is_refused_by_their_number_alone():
    """R-07: its header is not even read."""
    with pytest.raises(RemoteProtocolError, match="a message of 33 frames; the limit is 32") as caught:
        decode([bytes(encode(frame())[0]), *[b"\xc1"] * 32])
    assert caught.value.fault is Fault.BUFFER_COUNT


def test_a_header_over_the_limit_is_refused_unread():
    """R-04."""
    wire = encode(frame())
    with pytest.raises(RemoteProtocolError) as caught:
        decode([wire[0], np.zeros(MAX_HEADER + 1, np.uint8), wire[2]])
    assert caught.value.fault is Fault.TOO_LARGE
    with pytest.raises(LocalProtocolError, match="header of"):
        encode(frame(extra={f"x-{k}": "long" * 1000 for k in range(20)}))


def test_sizes_that_a_header_only_claims_take_no_memory():
    """R-04: 4 GiB of text, a billion entries: refused by the claim."""
    tag = bytes(encode(frame())[0])
    for claim in (
        b"\x81\xa1a\xdb\xff\xff\xff\xff",
        b"\x81\xa1a\xdd\x3f\xff\xff\xff",
        b"\xdf\x3f\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
    ):
        with pytest.raises(RemoteProtocolError) as caught:
            decode([tag, claim, b""])
        assert caught.value.fault is Fault.BAD_HEADER


def test_arrays_nested_a_thousand_deep_are_refused():
    """R-04."""
    tag = bytes(encode(frame())[0])
    for depth in (10, 500, 5000, 60_000):
        with pytest.raises(RemoteProtocolError) as caught:
            decode([tag, b"\x81\xa3x-a" + b"\x91" * depth + b"\x01", b""])
        assert caught.value.fault is Fault.BAD_HEADER


def test_our_own_mistakes_are_blamed_on_us_and_the_peers_on_the_peer():
    with pytest.raises(LocalProtocolError, match="field 'tick': expected integer 0"):
        frame(tick=-1)
    good = frame().header()
    wire = [*encode(frame())[:1], msgpack.packb({**good, "tick": -1}), b"12345678"]
    with pytest.raises(
        RemoteProtocolError, match="field 'tick': expected integer 0 … 18446744073709551615, got int -1"
    ):
        decode(wire)


def test_the_path_of_a_bad_field_is_named():
    """R-06."""
    table = hello().table
    bad = {**table, "classes": [[0, "road", [90, 90, 256]]]}
    with pytest.raises(LocalProtocolError, match=r"field 'table.classes\[0\]\[2\]\[2\]'"):
        hello(table=bad)


def test_a_pickle_in_a_message_is_never_opened(tmp_path):
    """R-10, case B91."""
    marker = tmp_path / "marker"

    class Trap:
        def __reduce__(self):
            return (marker.write_text, ("opened",))

    body = pickle.dumps(Trap())
    message = decode(encode(frame(buffers=(body,))))
    assert isinstance(message, Frame)
    with pytest.raises(RemoteProtocolError):
        decode([bytes(encode(frame())[0]), body, body])
    assert not marker.exists()


def test_a_version_we_do_not_speak_is_named_with_ours():
    """R-03."""
    with pytest.raises(RemoteProtocolError) as caught:
        decode([b"PFP\x02\x01", b"\x80"])
    assert caught.value.details == {"ours": 1, "theirs": 2}


def test_an_error_of_another_version_can_be_read():
    """R-03: so that the refusal of our version reaches the user."""
    from render_bridge.protocol.messages import Error

    wire = encode(Error(code=102, name="wrong_version", text="speak 2", fatal=True))
    wire[0] = b"PFP\x02\x23"
    assert decode(wire).text == "speak 2"


def test_bytes_of_every_value_survive():
    """Case B87: 0x80 to 0xFF in pixels are not text."""
    body = bytes(range(256))
    assert decode(encode(frame(buffers=(body,)))).buffers == (body,)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"kind": "prompt"}, Fault.MISSING_FIELD),
        ({"kind": "prompt", "text": "a", "seed": 1}, Fault.UNKNOWN_FIELD),
        ({"kind": "look", "width": 4, "height": 2, "buffers": (bytes(24), bytes(7))}, Fault.BUFFER_SIZE),
        ({"kind": "look", "width": 4, "height": 2}, Fault.BUFFER_COUNT),
        ({"kind": "reset", "text": "a"}, Fault.UNKNOWN_FIELD),
        ({"kind": "weather"}, Fault.OUT_OF_RANGE),
        ({"kind": "schedule", "schedule": {"steps": 1.5}}, Fault.WRONG_TYPE),
        ({"kind": "prompt", "text": "\ud800"}, Fault.OUT_OF_RANGE),
        ({"kind": "prompt", "text": "é" * 2049}, Fault.OUT_OF_RANGE),
    ],
)
def test_controls_take_the_fields_of_their_kind_only(values, fault):
    with pytest.raises(LocalProtocolError) as caught:
        Control(id=1, generation=0, **values)
    assert caught.value.fault is fault


def test_messages_are_frozen():
    with pytest.raises(AttributeError):
        Ping(id=1, time=2).id = 3
