"""Messages ↔ lists of ZeroMQ frames: tag, msgpack header, buffers as they are (PROTOCOL.md sections 2 and 3).

Nothing is copied: buffers pass through as the very objects. Every limit is checked before memory is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgpack

from .faults import Fault, LocalProtocolError, RemoteProtocolError
from .kinds import MAX_DEPTH, MAX_ITEMS, MAX_TEXT
from .message_base import MAX_BUFFER, Buffer, Message, header_fields
from .messages import MESSAGES, Error

VERSION = 1
MAGIC = b"PFP"
TAG_BYTES = 5
MAX_HEADER = 65_536
MAX_FRAMES = 32
"""More than any legal message has; a longer one is refused by its count alone."""

TAGS = {kind: MAGIC + bytes((VERSION, kind)) for kind in MESSAGES}
KNOWN_TAGS = {tag: kind for kind, tag in TAGS.items()}
ABSENT = object()

Wire = list[Buffer]
"""One multipart message: tag, header, buffers."""


def encode(message: Message) -> Wire:
    """Message → its frames. LocalProtocolError if it breaks a limit of size."""
    return assemble(message.type_byte, message.header(), message.buffers)


def assemble(type_byte: int, fields: Mapping[str, Any], buffers: Sequence[Buffer]) -> Wire:
    """Frames of a message whose fields were checked. LocalProtocolError if it breaks a limit of size."""
    header = msgpack.packb(fields, use_bin_type=True)
    if len(header) > MAX_HEADER:
        raise LocalProtocolError(Fault.TOO_LARGE, f"header of {len(header)} bytes; the limit is {MAX_HEADER}")
    for buffer in buffers:
        check_buffer(memoryview(buffer).nbytes, LocalProtocolError)
    return [TAGS[type_byte], header, *buffers]


def decode(frames: Sequence[Buffer]) -> Message:
    """Frames → message; buffers are the given objects. RemoteProtocolError for anything that is not legal."""
    if len(frames) < 2:
        raise RemoteProtocolError(Fault.TOO_FEW_FRAMES, f"a message has a tag and a header, got {len(frames)} frames")
    kind = read_tag(frames[0])
    if len(frames) > MAX_FRAMES:
        raise RemoteProtocolError(Fault.BUFFER_COUNT, f"a message of {len(frames)} frames; the limit is {MAX_FRAMES}")
    for buffer in frames[2:]:
        check_buffer(memoryview(buffer).nbytes, RemoteProtocolError)
    extra = read_header(frames[1])
    cls = MESSAGES[kind]
    own, nil, missing = {}, "", ""
    for name, _, required in header_fields(cls):
        value = extra.pop(name, ABSENT)
        if value is ABSENT:
            value = None
            missing = missing or (name if required else "")
        elif value is None:
            nil = nil or name
        own[name] = tuple(value) if type(value) is list else value
    if nil:
        raise RemoteProtocolError(Fault.WRONG_TYPE, f"field {nil!r} is nil; absent fields are left out")
    if missing:
        text = f"field {missing!r} is missing in {cls.__name__.upper()}"
        raise RemoteProtocolError(Fault.MISSING_FIELD, text, {"field": missing})
    try:
        return cls.of(own, tuple(frames[2:]), extra)
    except LocalProtocolError as error:
        raise RemoteProtocolError(error.fault, error.text, error.details) from None


def read_tag(frame: Buffer) -> int:
    """Type byte of a tag frame. RemoteProtocolError for a bad one."""
    view = memoryview(frame)
    tag = bytes(view[:TAG_BYTES])
    known = KNOWN_TAGS.get(tag)
    if known is not None and view.nbytes == TAG_BYTES:
        return known
    if view.nbytes != TAG_BYTES or tag[:3] != MAGIC:
        shown = tag.hex(" ")
        text = f"a tag is 5 bytes, 50 46 50, version, type; got {view.nbytes} bytes, {shown or 'nothing'}"
        raise RemoteProtocolError(Fault.BAD_TAG, text)
    if tag[3] != VERSION and tag[4] != Error.type_byte:
        text = f"this end speaks version {VERSION}, the peer {tag[3]}"
        raise RemoteProtocolError(Fault.WRONG_VERSION, text, {"ours": VERSION, "theirs": tag[3]})
    if tag[4] not in MESSAGES:
        raise RemoteProtocolError(Fault.UNKNOWN_TYPE, f"unknown message type {tag[4]:#04x}")
    return tag[4]


def type_byte_of(frames: Sequence[Buffer]) -> int | None:
    """Type byte if the tag is legal, else None: what an ERROR can say about a message that it refuses."""
    try:
        return read_tag(frames[0])
    except (RemoteProtocolError, IndexError):
        return None


def read_header(frame: Buffer) -> dict[str, Any]:
    """msgpack map of a header frame, checked by R-04. RemoteProtocolError otherwise."""
    size = memoryview(frame).nbytes
    if size > MAX_HEADER:
        raise RemoteProtocolError(Fault.TOO_LARGE, f"header of {size} bytes; the limit is {MAX_HEADER}")
    try:
        value = msgpack.unpackb(
            frame,
            raw=False,
            strict_map_key=False,
            object_pairs_hook=_pairs,
            max_str_len=MAX_TEXT,
            max_bin_len=MAX_TEXT,
            max_array_len=MAX_ITEMS,
            max_map_len=MAX_ITEMS,
            max_ext_len=0,
        )
    except RemoteProtocolError:
        raise
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        reason = str(error)[:200] or type(error).__name__
        raise RemoteProtocolError(Fault.BAD_HEADER, f"the header is not legal msgpack: {reason}") from None
    if type(value) is not dict:
        raise RemoteProtocolError(Fault.BAD_HEADER, f"the header must be a map, got {type(value).__name__}")
    _check_depth(value)
    return value


def _pairs(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    made = {}
    for key, value in pairs:
        if type(key) is not str:
            shown = f"{type(key).__name__} {key!r}"[:60]
            raise RemoteProtocolError(Fault.BAD_HEADER, f"map keys must be str, got the key {shown}")
        made[key] = value
    if len(made) != len(pairs):
        keys = [k for k, _ in pairs]
        double = next(k for k in made if keys.count(k) > 1)
        raise RemoteProtocolError(Fault.BAD_HEADER, f"the key {double[:60]!r} occurs twice")
    return made


def _check_depth(value: dict[str, Any]) -> None:
    """R-04."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            for child in (item.values() if type(item) is dict else item)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return
    raise RemoteProtocolError(Fault.BAD_HEADER, f"the header is nested deeper than {MAX_DEPTH} levels")


def check_buffer(size: int, blame: type[LocalProtocolError] | type[RemoteProtocolError]) -> None:
    """R-08."""
    if size > MAX_BUFFER:
        raise blame(Fault.TOO_LARGE, f"a buffer of {size} bytes; the limit is {MAX_BUFFER}")
