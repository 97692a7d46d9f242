# ruff: noqa: RUF009 (``wire`` makes a dataclass field; it is no default value)
"""The messages of PROTOCOL.md section 4 as frozen classes that check themselves.

Sender and receiver build the same classes, so both refuse the same mistakes. Field names are those on the wire. Lists
become tuples; ``buffers`` are the raw frames that follow the header, never copied here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeAlias

from .faults import Fault, LocalProtocolError
from .kinds import SIGNED64, Anything, Blob, Choice, Fields, Flag, Many, Real, Row, Text, Whole, Words, unsigned

Buffer: TypeAlias = Any
"""bytes, memoryview or a C-contiguous array: whatever ``memoryview`` takes."""

MODES = ("play", "record")
DTYPES = ("uint8", "uint16", "float16", "float32")
"""Element types of R-10: fixed width, little-endian, nothing that could hold an object."""
FORMS = ("ids", "colors")
CONTROL_KINDS = ("look", "prompt", "reset", "schedule")
STAGES = ("received", "in_force", "refused")
PICTURE_ENCODINGS = ("raw", "zstd")
MAX_SIDE, MAX_PIXELS, MAX_BUFFER = 8192, 16_777_216, 134_217_728

SIDE = Whole(1, MAX_SIDE)
STAMPS = Words(SIGNED64, Text(24, low=1), 16)
MATRIX = Many(Real(), 16, 16)
NAME = Text(64, low=1)
WORD = Text(16, low=1)
TABLE = Fields(
    {
        "name": NAME,
        "hash": Text(16, "[0-9a-f]{16}"),
        "classes": Many(Row((Whole(0, 254), NAME, Row((unsigned(8), unsigned(8), unsigned(8))))), 255, 1),
    }
)
PLANE = Fields({"name": WORD, "dtype": Choice(DTYPES), "channels": Whole(1, 4)})


def wire(kind: Any, optional: bool = False) -> Any:
    """A dataclass field that travels in the header."""
    if optional:
        return field(default=None, metadata={"kind": kind})
    return field(metadata={"kind": kind})


@dataclass(frozen=True, kw_only=True)
class Message:
    """What all messages share. Raises LocalProtocolError when a field or the number of buffers is wrong."""

    type_byte: ClassVar[int]
    buffers: tuple[Buffer, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields whose names begin with ``x-``: carried, never acted on (R-05)."""

    def __post_init__(self) -> None:
        for name, kind, required in header_fields(type(self)):
            value = getattr(self, name)
            if value is not None:
                kind.check(value, name)
            elif required:
                raise LocalProtocolError(Fault.MISSING_FIELD, f"field {name!r} is missing", {"field": name})
        for name, value in self.extra.items():
            if not name.startswith("x-"):
                raise LocalProtocolError(Fault.UNKNOWN_FIELD, f"unknown field {name!r}", {"field": name})
            Anything().check(value, name)
        self.check()
        expected = self.buffer_count()
        if len(self.buffers) != expected:
            text = f"{type(self).__name__.upper()} takes {expected} buffers, got {len(self.buffers)}"
            raise LocalProtocolError(Fault.BUFFER_COUNT, text)

    def check(self) -> None:
        """Rules between fields."""

    def buffer_count(self) -> int:
        """Buffers that the header implies."""
        return 0

    def header(self) -> dict[str, Any]:
        """Fields as they travel; absent ones are left out."""
        values = {name: getattr(self, name) for name, _, _ in header_fields(type(self))}
        return {n: v for n, v in values.items() if v is not None} | dict(self.extra)


def header_fields(cls: type[Message]) -> tuple[tuple[str, Any, bool], ...]:
    """(name, kind, required) of every header field of a message class."""
    if cls.type_byte not in _FIELDS:
        own = [f for f in fields(cls) if "kind" in f.metadata]
        _FIELDS[cls.type_byte] = tuple((f.name, f.metadata["kind"], f.default is not None) for f in own)
    return _FIELDS[cls.type_byte]


_FIELDS: dict[int, tuple[tuple[str, Any, bool], ...]] = {}


def check_pixels(width: int, height: int) -> None:
    """R-08: the product of the sides is bounded too."""
    if width * height > MAX_PIXELS:
        text = f"{width}x{height} is {width * height} pixels; the limit is {MAX_PIXELS}"
        raise LocalProtocolError(Fault.TOO_LARGE, text)


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

    def check(self) -> None:
        allowed = {
            "look": ({"width", "height"}, {"text"}),
            "prompt": ({"text"}, set()),
            "reset": (set(), {"seed"}),
            "schedule": ({"schedule"}, set()),
        }
        required, optional = allowed[self.kind]
        for name in ("text", "seed", "schedule", "width", "height"):
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
