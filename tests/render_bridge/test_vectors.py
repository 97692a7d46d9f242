"""The vector files, in both directions, and the specification that shows them."""

import re
from pathlib import Path

import pytest

from render_bridge.conformance.illegal_samples import illegal
from render_bridge.conformance.samples import legal, worked_example
from render_bridge.conformance.vectors import (
    example_text,
    message_from_json,
    message_to_json,
    read_vectors,
    wire_of,
)
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.faults import RemoteProtocolError
from render_bridge.protocol.message_base import header_fields
from render_bridge.protocol.messages import MESSAGES

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
    """R-01 … R-10, R-34: each refusal has the number that the specification gives it."""
    with pytest.raises(RemoteProtocolError) as caught:
        decode(wire_of(row))
    assert int(caught.value.fault) == row["code"], caught.value


def test_the_files_hold_every_sample_and_every_kind_of_message():
    assert [r["name"] for r in read_vectors("legal")] == list(legal())
    assert [r["name"] for r in read_vectors("illegal")] == list(illegal())
    assert [r["name"] for r in read_vectors("worked_example")] == list(worked_example())
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
