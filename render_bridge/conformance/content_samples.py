"""What headers alone do not show: hashes of class tables, bytes of planes, forms of numbers, WebSocket messages."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import msgpack
import numpy as np
import zstandard

from ..gateways.framing import pack
from ..palette import RACING, ClassTable, SceneClass
from ..protocol.codec import Wire, encode
from ..protocol.encodings import encode_plane
from ..protocol.faults import Fault
from ..protocol.tables import table_to_wire
from .samples import MATRIX, PAIR, frame, worked_example

ODD = ClassTable("é/1", (SceneClass(0, 'a"b\\c', (1, 2, 3)), SceneClass(1, "\U0001f600\x7f\t\x01", (4, 5, 6))))
"""The example of section 4."""
SMALL = np.array([[0, 1, 1, 1], [1, 2, 2, 0]], np.uint8)
MOST_SHOWN = 64
"""Bytes of a plane that a vector shows; of a longer one its hash says enough."""
Row = dict[str, Any]


def tables() -> list[Row]:
    """TABLEs with the text that is hashed, or with the number that refuses them (R-13)."""
    good = {
        "two classes": (PAIR, '["pair-1",[[0,"road",[90,90,96]],[1,"sky",[122,178,242]]]]'),
        "quotes, a slash, control characters, and beyond ASCII": (
            ODD,
            r'["\u00e9/1",[[0,"a\"b\\c",[1,2,3]],[1,"\ud83d\ude00\u007f\t\u0001",[4,5,6]]]]',
        ),
        "two names that look the same": (
            ClassTable("n-1", (SceneClass(0, "é", (0, 0, 0)), SceneClass(1, "e\u0301", (0, 0, 1)))),
            r'["n-1",[[0,"\u00e9",[0,0,0]],[1,"e\u0301",[0,0,1]]]]',
        ),
        "the racing world": (RACING, None),
    }
    rows: list[Row] = []
    for name, (table, text) in good.items():
        shown: Row = {} if text is None else {"text": text}
        rows.append({"name": name, "table": table_to_wire(table), **shown})
    wire = table_to_wire(PAIR)
    road, sky = wire["classes"]
    bad: dict[str, tuple[Fault, Row]] = {
        "another hash": (Fault.TABLE_DIFFERS, {"hash": "0" * 16}),
        "ids out of order": (Fault.BAD_TABLE, {"classes": [sky, road]}),
        "ids that do not begin with 0": (Fault.BAD_TABLE, {"classes": [sky]}),
        "a name twice": (Fault.BAD_TABLE, {"classes": [road, [1, "road", [0, 0, 0]]]}),
        "a colour twice": (Fault.BAD_TABLE, {"classes": [road, [1, "sky", road[2]]]}),
    }
    return rows + [{"name": n, "table": {**wire, **c}, "code": int(fault)} for n, (fault, c) in bad.items()]


def encodings() -> list[Row]:
    """Buffers with the plane that they hold, or with the number that refuses them (R-43, R-45)."""
    long = np.ones((256, 513), np.uint8)
    long[-1, -1] = 2
    half = np.array([[1.5, -0.0], [65504, 2**-24]], np.float16)
    moving = np.array([[[1, -2], [0.5, 32768]]], np.float32)
    return [
        *(_good(f"{e}, class map", e, SMALL, bytes(encode_plane(SMALL, e))) for e in ("raw", "zstd", "rle")),
        _good("raw, colours", "raw", PAIR.colors[SMALL[:, 1:3] % 2], PAIR.colors[SMALL[:, 1:3] % 2].tobytes()),
        _good("raw, depth", "raw", half, bytes.fromhex("003e0080ff7b0100")),
        _good("raw, motion", "raw", moving, bytes.fromhex("0000803f000000c00000003f00000047")),
        _good("zstd with a checksum", "zstd", SMALL, _squeeze(write_checksum=True)),
        _good("rle, neighbours of one value", "rle", SMALL[:1] * 0, bytes([0, 1, 0, 0, 3, 0])),
        _good("rle, runs longer than a count", "rle", long, bytes(encode_plane(long, "rle"))),
        _bad("raw, a byte short", "raw", (2, 4), SMALL.tobytes()[1:], Fault.BUFFER_SIZE),
        _bad("zstd of unknown size", "zstd", (2, 4), _squeeze(write_content_size=False), Fault.CORRUPT_DATA),
        _bad("zstd of another size", "zstd", (2, 3), _squeeze(), Fault.CORRUPT_DATA),
        _bad("zstd cut short", "zstd", (2, 4), _squeeze()[:-1], Fault.CORRUPT_DATA),
        _bad("zstd with a tail", "zstd", (2, 4), _squeeze() + b"\x00", Fault.CORRUPT_DATA),
        _bad("two zstd frames", "zstd", (2, 4), 2 * _squeeze(), Fault.CORRUPT_DATA),
        _bad("a skippable frame before", "zstd", (2, 4), _skippable() + _squeeze(), Fault.CORRUPT_DATA),
        _bad("zstd with a wrong checksum", "zstd", (2, 4), _wrong_checksum(), Fault.CORRUPT_DATA),
        _bad("rle of nothing", "rle", (2, 4), b"", Fault.CORRUPT_DATA),
        _bad("rle, a count of 0", "rle", (2, 4), bytes([7, 0, 0, 1, 8, 0]), Fault.CORRUPT_DATA),
        _bad("rle, a pixel too many", "rle", (2, 4), bytes([1, 9, 0]), Fault.CORRUPT_DATA),
        _bad("rle, a count that is big-endian", "rle", (2, 4), bytes([1, 0, 8]), Fault.CORRUPT_DATA),
        _bad("rle, a record cut short", "rle", (2, 4), bytes([1, 8, 0, 2]), Fault.CORRUPT_DATA),
        _bad("rle of colours", "rle", (2, 4, 3), bytes([1, 24, 0]), Fault.WRONG_ENCODING),
        _bad("an encoding of no version", "png", (2, 4), b"\x89PNG", Fault.WRONG_ENCODING),
    ]  # fmt: skip


def _good(name: str, encoding: str, plane: np.ndarray, data: bytes) -> Row:
    held = plane.astype(plane.dtype.newbyteorder("<")).tobytes()
    row = {
        "name": name,
        "encoding": encoding,
        "dtype": plane.dtype.name,
        "shape": list(plane.shape),
        "data": data.hex(),
    }
    shown = {"plane": held.hex()} if len(held) <= MOST_SHOWN else {}
    return {**row, **shown, "sha256": hashlib.sha256(held).hexdigest()}


def _bad(name: str, encoding: str, shape: tuple[int, ...], data: bytes, fault: Fault) -> Row:
    row = {"name": name, "encoding": encoding, "dtype": "uint8", "shape": list(shape), "data": data.hex()}
    return {**row, "code": int(fault)}


def _squeeze(**options: Any) -> bytes:
    return zstandard.ZstdCompressor(**options).compress(SMALL.tobytes())


def _wrong_checksum() -> bytes:
    data = _squeeze(write_checksum=True)
    return data[:-1] + bytes([data[-1] ^ 1])


def _skippable() -> bytes:
    return struct.pack("<II", 0x184D2A50, 4) + b"skip"


def variants() -> dict[str, Wire]:
    """FRAMEs whose headers are legal, though another encoder would write them shorter (R-04, R-06)."""
    tag, _, body = (bytes(b) for b in encode(frame()))
    fields = frame(view=MATRIX).header()
    whole = {**fields, "view": [int(v) if v != -2.5 else v for v in MATRIX]}
    wide = b"".join(_wide(k) + (_wide(v) if type(v) in (int, str) else msgpack.packb(v)) for k, v in fields.items())
    return {
        "wide forms of numbers, text and the map": [tag, struct.pack(">BI", 0xDF, len(fields)) + wide, body],
        "whole numbers where floats are expected": [tag, msgpack.packb(whole), body],
        "floats of 32 bits": [tag, msgpack.packb(fields, use_single_float=True), body],
        "fields in another order": [tag, msgpack.packb(dict(reversed(fields.items()))), body],
    }


def _wide(value: int | str) -> bytes:
    """uint64 or str 32."""
    if isinstance(value, int):
        return struct.pack(">BQ", 0xCF, value)
    data = value.encode()
    return struct.pack(">BI", 0xDB, len(data)) + data


def websocket() -> list[Row]:
    """Messages of a gateway (section 14) with the frames that they hold, or null where they hold none."""
    good = {name: pack(encode(message)) for name, message in worked_example().items()}
    rows: list[Row] = [
        {"name": name, "message": good[name].hex(), "frames": [bytes(b).hex() for b in encode(message)]}
        for name, message in worked_example().items()
    ]
    rows.append({"name": "an empty frame", "message": pack([b"PFP", b"", b"x"]).hex(), "frames": ["504650", "", "78"]})
    bad = {
        "nothing": b"",
        "a count alone": struct.pack("<I", 1),
        "no frames": struct.pack("<I", 0),
        "33 frames": pack([b""] * 33),
        "a byte too few": good["engine greets"][:-1],
        "a byte too many": good["engine greets"] + b"\x00",
        "big-endian": struct.pack(">II", 1, 3) + b"PFP",
    }
    return rows + [{"name": name, "message": data.hex(), "frames": None} for name, data in bad.items()]
