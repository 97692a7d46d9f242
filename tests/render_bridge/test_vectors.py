"""The vector files, in both directions, and the specification that shows them."""

import hashlib
import re
from pathlib import Path

import pytest

from render_bridge.conformance.vectors import (
    FOLDER,
    MAKERS,
    example_text,
    message_from_json,
    message_to_json,
    read_vectors,
    wire_of,
)
from render_bridge.gateways.framing import pack, unpack
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.encodings import decode_plane, encode_plane
from render_bridge.protocol.faults import RemoteProtocolError
from render_bridge.protocol.message_base import header_fields
from render_bridge.protocol.messages import MESSAGES
from render_bridge.protocol.tables import table_from_wire

SPEC = Path(__file__).parents[2] / "docs" / "PROTOCOL.md"
GOOD = [*read_vectors("worked_example"), *read_vectors("legal")]


def named(rows):
    return [pytest.param(row, id=row["name"]) for row in rows]


@pytest.mark.parametrize("row", named(GOOD))
def test_bytes_become_the_message(row):
    """R-01, R-02: tag, header, buffers."""
    message = decode(wire_of(row))
    assert message_to_json(message) == row["message"]
    assert [bytes(b).hex() for b in message.buffers] == row["frames"][2:]


@pytest.mark.parametrize("row", named(GOOD))
def test_the_message_becomes_the_bytes(row):
    wire = wire_of(row)
    assert [bytes(b) for b in encode(message_from_json(row["message"], wire[2:]))] == wire


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview])
def test_any_buffer_type_is_read(wrap):
    for row in GOOD:
        assert message_to_json(decode([wrap(f) for f in wire_of(row)])) == row["message"]


@pytest.mark.parametrize("row", named(read_vectors("illegal")))
def test_illegal_bytes_are_refused_with_their_number(row):
    """R-01 … R-10, R-34, R-50, case B86: each refusal has the number that the specification gives it."""
    with pytest.raises(RemoteProtocolError) as caught:
        decode(wire_of(row))
    assert int(caught.value.fault) == row["code"], caught.value


@pytest.mark.parametrize("row", named(read_vectors("variants")))
def test_every_form_of_a_value_is_read(row):
    """R-04, R-06: what another encoder may write, and whole numbers for floats."""
    assert message_to_json(decode(wire_of(row))) == row["message"]


@pytest.mark.parametrize("row", named(read_vectors("tables")))
def test_tables_have_their_hash_or_are_refused(row):
    """R-13, section 4: the text that is hashed, to the letter."""
    if "code" in row:
        with pytest.raises(RemoteProtocolError) as caught:
            table_from_wire(row["table"])
        assert int(caught.value.fault) == row["code"]
        return
    assert table_from_wire(row["table"]).hash == row["table"]["hash"]
    if "text" in row:
        assert hashlib.sha256(row["text"].encode("ascii")).hexdigest()[:16] == row["table"]["hash"]


def test_the_specification_shows_a_table_and_its_hash():
    row = next(r for r in read_vectors("tables") if "beyond ASCII" in r["name"])
    shown = re.search(r"For\s+example\s+`(.*?)`\s+hashes\s+to\s+`(.*?)`", SPEC.read_text(encoding="utf-8"))
    assert shown is not None
    assert shown.groups() == (row["text"], row["table"]["hash"])


@pytest.mark.parametrize("row", named(read_vectors("encodings")))
def test_planes_are_decoded_or_refused(row):
    """R-10, R-43, R-45: bytes to values; raw and run lengths also the other way."""
    args = (bytes.fromhex(row["data"]), row["encoding"], row["dtype"], row["shape"])
    if "code" in row:
        with pytest.raises(RemoteProtocolError) as caught:
            decode_plane(*args)
        assert int(caught.value.fault) == row["code"], caught.value
        return
    plane = decode_plane(*args)
    held = plane.astype(plane.dtype.newbyteorder("<")).tobytes()
    assert hashlib.sha256(held).hexdigest() == row["sha256"]
    assert row.get("plane", held.hex()) == held.hex()
    if row["encoding"] == "raw" or row["name"] in ("rle, class map", "rle, runs longer than a count"):
        assert bytes(encode_plane(plane, row["encoding"])).hex() == row["data"]


@pytest.mark.parametrize("row", named(read_vectors("websocket")))
def test_websocket_messages_hold_frames_or_are_refused(row):
    """R-01, section 14."""
    message = bytes.fromhex(row["message"])
    if row["frames"] is None:
        with pytest.raises(ValueError, match=r"frames|count|lengths"):
            unpack(message)
        return
    assert [bytes(f).hex() for f in unpack(message)] == row["frames"]
    assert pack(wire_of(row)) == message


def test_the_files_hold_every_sample_and_every_kind_of_message():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(MAKERS)
    for name, make in MAKERS.items():
        assert [r["name"] for r in read_vectors(name)] == [r["name"] for r in make()]
    assert {decode(wire_of(r)).type_byte for r in GOOD} == set(MESSAGES)


def test_the_specification_shows_the_bytes_of_the_worked_example():
    shown = SPEC.read_text(encoding="utf-8").partition("<!-- example -->")[2].partition("<!-- /example -->")[0]
    assert shown.strip() == example_text().strip()
    in_page = [bytes.fromhex(block.replace("\n", " ")) for block in re.findall(r"(?:^ {4}[0-9a-f ]+\n)+", shown, re.M)]
    in_file = [frame for row in read_vectors("worked_example") for frame in wire_of(row)]
    assert in_page == in_file


def test_the_table_of_messages_in_the_specification_is_that_of_the_code():
    """Section 4 names every type byte, every field, and no other."""
    text = SPEC.read_text(encoding="utf-8").partition("## 4. Messages")[2].partition("## 5.")[0]
    rows = re.findall(r"^\| ([0-9a-f]{2}) \| ([A-Z]+) \| \w+ \| (.*?) \| ", text.replace("\\|", "/"), re.M)
    field = re.compile(r"`(\w+)` (?:[\[{usbfi]|`|bool|TABLE|STAMPS)")
    shown = {int(byte, 16): (name, field.findall(fields)) for byte, name, fields in rows}
    assert set(shown) == set(MESSAGES)
    for byte, cls in MESSAGES.items():
        name, fields = shown[byte]
        own = [n for n, _, _ in header_fields(cls)]
        assert name == cls.__name__.upper()
        assert fields == own, name


def test_the_table_of_errors_in_the_specification_is_that_of_the_code():
    """Section 11."""
    from render_bridge.protocol.faults import Fault

    rows = re.findall(r"^\| (\d{3}) \| (\w+) \|", SPEC.read_text(encoding="utf-8"), re.M)
    assert {int(n): name for n, name in rows} == {int(f): f.label for f in Fault}
