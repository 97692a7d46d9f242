"""What the messages share: fields that travel and check themselves, buffers, limits (PROTOCOL.md sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeAlias

from .faults import Fault, LocalProtocolError
from .kinds import SIGNED64, Anything, Choice, Fields, Many, Real, Row, Text, Whole, Words, unsigned

Buffer: TypeAlias = Any
"""bytes, memoryview or a C-contiguous array: whatever ``memoryview`` takes."""

DTYPES = ("uint8", "uint16", "float16", "float32")
"""Element types of R-10: fixed width, little-endian, nothing that could hold an object."""
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
