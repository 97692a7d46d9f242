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
    return {**_tags(), **_headers(), **_fields(), **_buffers(), **_greetings(), **_controls(), **_cameras()}


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
        "text of 4097 bytes": msgpack.packb({**frame().header(), "x-long": "a" * 4097}),
        "binary of 4097 bytes": msgpack.packb({**frame().header(), "x-long": bytes(4097)}),
        "an array of 1025": msgpack.packb({**frame().header(), "x-long": [0] * 1025}),
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
        "nil in a field of somebody's own": _changed("R-05", Fault.WRONG_TYPE, **{"x-a": None}),
        "seventeen stamps": _changed("R-06", Fault.OUT_OF_RANGE, stamps={f"n{k}": k for k in range(17)}),
        "a plane without its encoding": _changed("R-06", Fault.OUT_OF_RANGE, planes=["depth"]),
        "a missing field comes before an unknown one": _changed("R-09", Fault.MISSING_FIELD, tick=..., colour=1),
        "a wrong field comes before an unknown one": _changed("R-09", Fault.OUT_OF_RANGE, tick=-1, colour=1),
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
        "33 frames, whatever they hold": Illegal("R-07", Fault.BUFFER_COUNT, [tag, b"\xc1", *[b""] * 31]),
    }


def _greetings() -> dict[str, Illegal]:
    depth = {"name": "depth", "dtype": "float16", "channels": 1}
    table = hello().table
    changes: dict[str, tuple[str, Fault, dict[str, Any]]] = {
        "plane of objects": ("R-10", Fault.OUT_OF_RANGE, {"planes": [{**depth, "dtype": "O"}]}),
        "somebody's own field inside a plane": ("R-05", Fault.UNKNOWN_FIELD, {"planes": [{**depth, "x-a": 1}]}),
        "a plane twice": ("R-06", Fault.OUT_OF_RANGE, {"planes": [depth, depth]}),
        "too many pixels": ("R-08", Fault.TOO_LARGE, {"width": 8192, "height": 8192}),
        "a side of nothing": ("R-08", Fault.OUT_OF_RANGE, {"width": 0}),
        "an engine without a name": ("R-06", Fault.OUT_OF_RANGE, {"engine": ""}),
        "no encodings": ("R-06", Fault.OUT_OF_RANGE, {"encodings": []}),
        "no classes": ("R-06", Fault.OUT_OF_RANGE, {"table": {**table, "classes": []}}),
        "class 255": ("R-06", Fault.OUT_OF_RANGE, {"table": {**table, "classes": [[255, "void", [0, 0, 0]]]}}),
        "a hash in capitals": ("R-06", Fault.OUT_OF_RANGE, {"table": {**table, "hash": table["hash"].upper()}}),
        "a token of 15 bytes": ("R-06", Fault.OUT_OF_RANGE, {"resume": bytes(15)}),
        "a token as text": ("R-06", Fault.WRONG_TYPE, {"resume": "0" * 16}),
    }
    return {name: Illegal(rule, fault, _hello_wire(**c)) for name, (rule, fault, c) in changes.items()}


def _hello_wire(**changes: Any) -> Wire:
    tag, header = encode(hello())
    return [tag, msgpack.packb({**msgpack.unpackb(header), **changes})]


def _controls() -> dict[str, Illegal]:
    look = {"kind": "look", "width": 4, "height": 2}
    receipt = {"id": 1, "generation": 0}
    rows: dict[str, tuple[Fault, int, dict[str, Any], tuple[bytes, ...]]] = {
        "receipt in force of no chunk": (Fault.MISSING_FIELD, 0x13, {**receipt, "stage": "in_force"}, ()),
        "receipt received of a chunk": (Fault.MISSING_FIELD, 0x13, {**receipt, "stage": "received", "chunk": 1}, ()),
        "look without a size": (Fault.MISSING_FIELD, 0x03, {"kind": "look"}, (bytes(24), bytes(8))),
        "look of another size": (Fault.BUFFER_SIZE, 0x03, look, (bytes(24), bytes(9))),
        "look without its class map": (Fault.BUFFER_COUNT, 0x03, look, (bytes(24),)),
        "prompt without a text": (Fault.MISSING_FIELD, 0x03, {"kind": "prompt"}, ()),
        "prompt with a seed": (Fault.UNKNOWN_FIELD, 0x03, {"kind": "prompt", "text": "a", "seed": 1}, ()),
        "reset with a text": (Fault.UNKNOWN_FIELD, 0x03, {"kind": "reset", "text": "a"}, ()),
        "schedule of fractions": (Fault.WRONG_TYPE, 0x03, {"kind": "schedule", "schedule": {"steps": 1.5}}, ()),
    }
    return {
        name: Illegal("R-34", fault, [b"PFP\x01" + bytes([kind]), msgpack.packb({**receipt, **fields}), *buffers])
        for name, (fault, kind, fields, buffers) in rows.items()
    }


def _cameras() -> dict[str, Illegal]:
    """Looks with a camera that is none, and other controls with one."""
    look, matrix = {"kind": "look", "width": 4, "height": 2}, [0.0] * 16
    rows: dict[str, tuple[Fault, dict[str, Any]]] = {
        "look with a view of 15 numbers": (Fault.OUT_OF_RANGE, {**look, "view": matrix[1:]}),
        "look with a view in rows": (Fault.OUT_OF_RANGE, {**look, "view": [matrix[:4]] * 4}),
        "look with a projection of infinity": (Fault.OUT_OF_RANGE, {**look, "projection": [*matrix[1:], float("inf")]}),
        "look with a view of texts": (Fault.WRONG_TYPE, {**look, "view": ["0"] * 16}),
        "look with a view as a map": (Fault.WRONG_TYPE, {**look, "view": {"x": 0.0}}),
        "look without a view, but nil": (Fault.WRONG_TYPE, {**look, "view": None}),
        "prompt with a view": (Fault.UNKNOWN_FIELD, {"kind": "prompt", "text": "a", "view": matrix}),
        "reset with a projection": (Fault.UNKNOWN_FIELD, {"kind": "reset", "projection": matrix}),
        "schedule with a view": (Fault.UNKNOWN_FIELD, {"kind": "schedule", "schedule": {}, "view": matrix}),
    }
    return {
        name: Illegal("R-50", fault, [b"PFP\x01\x03", msgpack.packb({"id": 1, "generation": 0, **fields}), *buffers])
        for name, (fault, fields) in rows.items()
        for buffers in [(bytes(24), bytes(8)) if fields["kind"] == "look" else ()]
    }
