# ruff: noqa: RUF009 (``wire`` makes a dataclass field; it is no default value)
"""The messages of PROTOCOL.md section 4 as frozen classes that check themselves.

Sender and receiver build the same classes, so both refuse the same mistakes. Field names are those on the wire. Lists
become tuples; ``buffers`` are the raw frames that follow the header, never copied here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .faults import Fault, LocalProtocolError
from .kinds import SIGNED64, Anything, Blob, Choice, Flag, Many, Row, Text, Words, unsigned
from .message_base import MATRIX, NAME, PLANE, SIDE, STAMPS, TABLE, WORD, Message, check_pixels, wire

MODES = ("play", "record")
FORMS = ("ids", "colors")
CONTROL_KINDS = ("look", "prompt", "reset", "schedule")
STAGES = ("received", "in_force", "refused")
PICTURE_ENCODINGS = ("raw", "zstd")


@dataclass(frozen=True, kw_only=True)
class Hello(Message):
    """An engine greets."""

    type_byte = 0x01
    engine: str = wire(NAME)
    instance: bytes = wire(Blob(8))
    attempt: int = wire(unsigned(32))
    mode: str = wire(Choice(MODES))
    width: int = wire(SIDE)
    height: int = wire(SIDE)
    rate: tuple[int, int] = wire(Row((unsigned(32), unsigned(32))))
    tick_rate: int = wire(unsigned(32, 1))
    table: dict[str, Any] = wire(TABLE)
    mapping: dict[str, str] | None = wire(Words(NAME, NAME, 255), optional=True)
    otherwise: str | None = wire(NAME, optional=True)
    form: str = wire(Choice(FORMS))
    encodings: tuple[str, ...] = wire(Many(WORD, 16, 1))
    planes: tuple[dict[str, Any], ...] = wire(Many(PLANE, 16))
    generation: int = wire(unsigned(32))
    next_seq: int = wire(unsigned(64))
    resume: bytes | None = wire(Blob(16), optional=True)

    def check(self) -> None:
        check_pixels(self.width, self.height)
        names = [p["name"] for p in self.planes]
        if len(set(names)) != len(names):
            raise LocalProtocolError(Fault.OUT_OF_RANGE, f"field 'planes': a name occurs twice in {names}")


@dataclass(frozen=True, kw_only=True)
class Welcome(Message):
    """A renderer takes an engine in."""

    type_byte = 0x10
    renderer: str = wire(NAME)
    attempt: int = wire(unsigned(32))
    session: bytes = wire(Blob(16))
    resumed: bool = wire(Flag())
    generation: int = wire(unsigned(32))
    table_name: str = wire(NAME)
    table_hash: str = wire(Text(16, "[0-9a-f]{16}"))
    encoding: str = wire(WORD)
    planes: tuple[str, ...] = wire(Many(WORD, 16))
    run: int = wire(unsigned(16, 1))
    first_run: int = wire(unsigned(16, 1))
    window: int = wire(unsigned(16, 1))
    heartbeat_ms: int = wire(unsigned(16, 1))
    dead_ms: int = wire(unsigned(16, 1))
    chunk: int = wire(unsigned(64))
    last_seq: int | None = wire(unsigned(64), optional=True)
    last_tick: int | None = wire(unsigned(64), optional=True)
    notes: tuple[str, ...] = wire(Many(Text(256), 64))


@dataclass(frozen=True, kw_only=True)
class Credit(Message):
    """A renderer grants one run of consecutive frames."""

    type_byte = 0x11
    generation: int = wire(unsigned(32))
    grant: int = wire(unsigned(32))
    frames: int = wire(unsigned(16, 1))


@dataclass(frozen=True, kw_only=True)
class Frame(Message):
    """One class map, with guide planes if the greeting chose any."""

    type_byte = 0x02
    generation: int = wire(unsigned(32))
    grant: int = wire(unsigned(32))
    seq: int = wire(unsigned(64))
    tick: int = wire(unsigned(64))
    skipped: int = wire(unsigned(64))
    encoding: str = wire(WORD)
    planes: tuple[str, ...] = wire(Many(WORD, 16))
    plane_encodings: tuple[str, ...] = wire(Many(WORD, 16))
    stamps: dict[str, int] = wire(STAMPS)
    last: bool = wire(Flag())
    view: tuple[float, ...] | None = wire(MATRIX, optional=True)
    projection: tuple[float, ...] | None = wire(MATRIX, optional=True)

    def check(self) -> None:
        if len(self.planes) != len(self.plane_encodings):
            text = f"{len(self.planes)} planes but {len(self.plane_encodings)} plane_encodings"
            raise LocalProtocolError(Fault.OUT_OF_RANGE, text)
        if "drawn" not in self.stamps:
            raise LocalProtocolError(Fault.MISSING_FIELD, "field 'stamps.drawn' is missing", {"field": "stamps.drawn"})

    def buffer_count(self) -> int:
        return 1 + len(self.planes)


@dataclass(frozen=True, kw_only=True)
class Picture(Message):
    """One rendered frame, RGB uint8 [H, W, 3]."""

    type_byte = 0x12
    generation: int = wire(unsigned(32))
    seq: int = wire(unsigned(64))
    tick: int = wire(unsigned(64))
    chunk: int = wire(unsigned(64))
    width: int = wire(SIDE)
    height: int = wire(SIDE)
    encoding: str = wire(Choice(PICTURE_ENCODINGS))
    stamps: dict[str, int] = wire(STAMPS)
    renderer_stamps: dict[str, int] = wire(STAMPS)

    def check(self) -> None:
        check_pixels(self.width, self.height)

    def buffer_count(self) -> int:
        return 1


@dataclass(frozen=True, kw_only=True)
class Ack(Message):
    """The highest picture that the engine has read."""

    type_byte = 0x04
    acknowledged: int = wire(unsigned(64))


@dataclass(frozen=True, kw_only=True)
class Control(Message):
    """A change of look, prompt or schedule, or a reset."""

    type_byte = 0x03
    id: int = wire(unsigned(32))
    generation: int = wire(unsigned(32))
    kind: str = wire(Choice(CONTROL_KINDS))
    text: str | None = wire(Text(), optional=True)
    seed: int | None = wire(unsigned(64), optional=True)
    schedule: dict[str, int] | None = wire(Words(SIGNED64, Text(32, low=1), 64), optional=True)
    width: int | None = wire(SIDE, optional=True)
    height: int | None = wire(SIDE, optional=True)
    view: tuple[float, ...] | None = wire(MATRIX, optional=True)
    projection: tuple[float, ...] | None = wire(MATRIX, optional=True)

    def check(self) -> None:
        allowed = {
            "look": ({"width", "height"}, {"text", "view", "projection"}),
            "prompt": ({"text"}, set()),
            "reset": (set(), {"seed"}),
            "schedule": ({"schedule"}, set()),
        }
        required, optional = allowed[self.kind]
        for name in ("text", "seed", "schedule", "width", "height", "view", "projection"):
            there = getattr(self, name) is not None
            if name in required and not there:
                raise LocalProtocolError(Fault.MISSING_FIELD, f"field {name!r} is missing in a control {self.kind!r}")
            if there and name not in required | optional:
                raise LocalProtocolError(Fault.UNKNOWN_FIELD, f"field {name!r} has no place in a control {self.kind!r}")
        if self.width is not None and self.height is not None:
            check_pixels(self.width, self.height)
            self._check_look(self.width * self.height)

    def _check_look(self, pixels: int) -> None:
        for buffer, size in zip(self.buffers, (3 * pixels, pixels), strict=False):
            if memoryview(buffer).nbytes != size:
                text = f"a look of {self.width}x{self.height} takes buffers of {3 * pixels} and {pixels} bytes"
                raise LocalProtocolError(Fault.BUFFER_SIZE, f"{text}, got {memoryview(buffer).nbytes}")

    def buffer_count(self) -> int:
        return 2 if self.kind == "look" else 0


@dataclass(frozen=True, kw_only=True)
class Receipt(Message):
    """What became of a control."""

    type_byte = 0x13
    id: int = wire(unsigned(32))
    generation: int = wire(unsigned(32))
    stage: str = wire(Choice(STAGES))
    chunk: int | None = wire(unsigned(64), optional=True)
    text: str | None = wire(Text(1024), optional=True)

    def check(self) -> None:
        if (self.stage == "in_force") != (self.chunk is not None):
            raise LocalProtocolError(Fault.MISSING_FIELD, "a receipt carries 'chunk' exactly when it says in_force")


@dataclass(frozen=True, kw_only=True)
class Ping(Message):
    """Are you there?"""

    type_byte = 0x20
    id: int = wire(unsigned(32))
    time: int = wire(SIGNED64)


@dataclass(frozen=True, kw_only=True)
class Pong(Message):
    """I am."""

    type_byte = 0x21
    id: int = wire(unsigned(32))
    time: int = wire(SIGNED64)
    received: int = wire(SIGNED64)
    sent: int = wire(SIGNED64)


@dataclass(frozen=True, kw_only=True)
class Bye(Message):
    """The sender ends the connection on purpose."""

    type_byte = 0x22
    text: str = wire(Text(1024))


@dataclass(frozen=True, kw_only=True)
class Error(Message):
    """The sender refuses something."""

    type_byte = 0x23
    code: int = wire(unsigned(16))
    name: str = wire(Text(32, low=1))
    text: str = wire(Text())
    fatal: bool = wire(Flag())
    about_type: int | None = wire(unsigned(8), optional=True)
    about_seq: int | None = wire(unsigned(64), optional=True)
    about_grant: int | None = wire(unsigned(32), optional=True)
    details: dict[str, Any] | None = wire(Anything(), optional=True)

    def check(self) -> None:
        if self.details is not None and type(self.details) is not dict:
            raise LocalProtocolError(Fault.WRONG_TYPE, "field 'details': expected map")


MESSAGES: dict[int, type[Message]] = {
    cls.type_byte: cls
    for cls in (Hello, Welcome, Credit, Frame, Picture, Ack, Control, Receipt, Ping, Pong, Bye, Error)
}
"""Type byte → class."""
