"""Messages that break one rule each, with the number of their refusal: a source of the vector files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgpack

from ..protocol.codec import Wire, encode
from ..protocol.faults import Fault
from .samples import frame, hello


@dataclass(frozen=True)
class Illegal:
    """A message that must be refused with this number by whoever decodes it."""

    rule: str
    fault: Fault
    wire: Wire


def illegal() -> dict[str, Illegal]:
    """All of them, by name."""
    return {**_tags(), **_headers(), **_fields(), **_buffers(), **_greetings(), **_receipts()}


def _frame_wire() -> tuple[bytes, bytes, bytes]:
    tag, header, body = (bytes(b) for b in encode(frame()))
    return tag, header, body


def _tags() -> dict[str, Illegal]:
    tag, header, body = _frame_wire()
    return {
        "nothing at all": Illegal("R-01", Fault.TOO_FEW_FRAMES, []),
        "a tag alone": Illegal("R-01", Fault.TOO_FEW_FRAMES, [tag]),
        "4096 letters": Illegal("R-02", Fault.BAD_TAG, [b"A" * 4096, header]),
        "an empty tag": Illegal("R-02", Fault.BAD_TAG, [b"", header]),
        "version 99": Illegal("R-03", Fault.WRONG_VERSION, [b"PFP\x63\x02", header, body]),
        "unknown type": Illegal("R-02", Fault.UNKNOWN_TYPE, [b"PFP\x01\x7f", header]),
    }


def _headers() -> dict[str, Illegal]:
    tag, header, body = _frame_wire()
    deep: Any = 1
    for _ in range(8):
        deep = [deep]
    headers = {
        "header that is no msgpack": b"\xc1",
        "header cut short": header[:-1],
        "header with a tail": header + b"\xc0",
        "header that is an array": msgpack.packb([1, 2]),
        "integer keys": msgpack.packb({0: [1], 7: [2]}),
        "keys of bytes": msgpack.packb({b"seq": 1}),
        "a key twice": b"\x82\xa3seq\x00\xa3seq\x01",
        "an ext type": b"\x81\xa3x-a\xd4\x05\x00",
        "text that is no UTF-8": b"\x81\xa3x-a\xa2\xff\xfe",
        "too deep": msgpack.packb({**frame().header(), "x-deep": deep}),
    }
    return {name: Illegal("R-04", Fault.BAD_HEADER, [tag, bad, body]) for name, bad in headers.items()}


def _fields() -> dict[str, Illegal]:
    return {
        "unknown field": _changed("R-05", Fault.UNKNOWN_FIELD, colour=1),
        "missing tick": _changed("R-06", Fault.MISSING_FIELD, tick=...),
        "missing stamp": _changed("R-32", Fault.MISSING_FIELD, stamps={}),
        "nil field": _changed("R-06", Fault.WRONG_TYPE, view=None),
        "negative tick": _changed("R-06", Fault.OUT_OF_RANGE, tick=-1),
        "tick as float": _changed("R-06", Fault.WRONG_TYPE, tick=1.0),
        "flag as integer": _changed("R-06", Fault.WRONG_TYPE, last=0),
        "camera not a number": _changed("R-06", Fault.OUT_OF_RANGE, view=[float("nan")] * 16),
        "camera of 15 numbers": _changed("R-06", Fault.OUT_OF_RANGE, view=[0.0] * 15),
        "pixels in the header": _changed("R-07", Fault.UNKNOWN_FIELD, pixels=b"\x00" * 8),
    }


def _changed(rule: str, fault: Fault, **changes: Any) -> Illegal:
    """A frame with other fields; ``...`` leaves one out."""
    tag, _, body = _frame_wire()
    kept = {k: v for k, v in {**frame().header(), **changes}.items() if v is not ...}
    return Illegal(rule, fault, [tag, msgpack.packb(kept), body])


def _buffers() -> dict[str, Illegal]:
    tag, header, body = _frame_wire()
    return {
        "no buffer": Illegal("R-07", Fault.BUFFER_COUNT, [tag, header]),
        "two buffers for one": Illegal("R-07", Fault.BUFFER_COUNT, [tag, header, body, body]),
    }


def _greetings() -> dict[str, Illegal]:
    objects = {"name": "depth", "dtype": "O", "channels": 1}
    return {
        "plane of objects": Illegal("R-10", Fault.OUT_OF_RANGE, _hello_wire(planes=[objects])),
        "too many pixels": Illegal("R-08", Fault.TOO_LARGE, _hello_wire(width=8192, height=8192)),
    }


def _hello_wire(**changes: Any) -> Wire:
    tag, header = encode(hello())
    return [tag, msgpack.packb({**msgpack.unpackb(header), **changes})]


def _receipts() -> dict[str, Illegal]:
    header = msgpack.packb({"id": 1, "generation": 0, "stage": "in_force"})
    missing = Illegal("R-34", Fault.MISSING_FIELD, [b"PFP\x01\x13", header])
    return {"receipt in force of no chunk": missing}
