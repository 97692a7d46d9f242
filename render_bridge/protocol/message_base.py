"""What the messages share: fields that travel and check themselves, buffers, limits (PROTOCOL.md sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, TypeAlias

from .faults import Fault, LocalProtocolError
from .kinds import SIGNED64, Anything, Choice, Fields, Kind, Many, Real, Row, Text, Whole, Words, unsigned

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


def wire(kind: Kind, optional: bool = False) -> Any:
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
        values = self.__dict__
        for name, kind, required in header_fields(type(self)):
            value = values[name]
            if value is not None:
                if not kind.fits(value):
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

    @classmethod
    def of(cls, fields_: dict[str, Any], buffers: tuple[Buffer, ...], extra: Mapping[str, Any]) -> Self:
        """As the constructor does, in one step instead of one a field.

        Args:
            fields_: every header field, None for those that are absent.
        """
        message = object.__new__(cls)
        message.__dict__.update(fields_, buffers=buffers, extra=extra)
        message.__post_init__()
        return message

    def check(self) -> None:
        """Rules between fields."""

    def buffer_count(self) -> int:
        """Buffers that the header implies."""
        return 0

    def header(self) -> dict[str, Any]:
        """Fields as they travel; absent ones are left out."""
        own = self.__dict__
        values = {name: own[name] for name, _, _ in header_fields(type(self)) if own[name] is not None}
        return values | dict(self.extra) if self.extra else values


def header_fields(cls: type[Message]) -> tuple[tuple[str, Kind, bool], ...]:
    """(name, kind, required) of every header field of a message class."""
    known = _FIELDS.get(cls.type_byte)
    if known is None:
        own = [f for f in fields(cls) if "kind" in f.metadata]
        known = _FIELDS[cls.type_byte] = tuple((f.name, f.metadata["kind"], f.default is not None) for f in own)
    return known


_FIELDS: dict[int, tuple[tuple[str, Kind, bool], ...]] = {}


def check_pixels(width: int, height: int) -> None:
    """R-08: the product of the sides is bounded too."""
    if width * height > MAX_PIXELS:
        text = f"{width}x{height} is {width * height} pixels; the limit is {MAX_PIXELS}"
        raise LocalProtocolError(Fault.TOO_LARGE, text)
