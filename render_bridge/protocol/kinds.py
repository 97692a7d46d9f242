"""Kinds of header fields: each checks one value and names the path, the expectation and what came (R-06).

``fits`` is the quick twin of ``check``: True only for what ``check`` lets through, and for nearly all of that. What it
does not settle, rare forms of what is legal too, is left to ``check``, which has the words.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from .faults import Fault, LocalProtocolError

MAX_TEXT = 4096
MAX_ITEMS = 1024
MAX_DEPTH = 6
SHOWN = 60
"""Characters of a bad value that an error repeats."""


class Kind:
    """What all kinds share."""

    def fits(self, value: Any) -> bool:
        """True if the value is legal beyond doubt."""
        return False

    def check(self, value: Any, path: str) -> None:
        """LocalProtocolError, naming ``path``, unless the value is legal."""
        raise NotImplementedError


def refuse(fault: Fault, path: str, expected: str, got: object) -> LocalProtocolError:
    """The error for a bad field, with a bounded picture of the value."""
    text = f"{type(got).__name__} {got!r}" if not isinstance(got, bytes) else f"bin of {len(got)} bytes"
    return LocalProtocolError(fault, f"field {path!r}: expected {expected}, got {text[:SHOWN]}", {"field": path})


@dataclass(frozen=True)
class Whole(Kind):
    """Integer in [low, high]; a bool is not one."""

    low: int
    high: int

    def fits(self, value: Any) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def check(self, value: Any, path: str) -> None:
        expected = f"integer {self.low} … {self.high}"
        if type(value) is not int:
            raise refuse(Fault.WRONG_TYPE, path, expected, value)
        if not self.low <= value <= self.high:
            raise refuse(Fault.OUT_OF_RANGE, path, expected, value)


def unsigned(bits: int, low: int = 0) -> Whole:
    """uN of the specification."""
    return Whole(low, (1 << bits) - 1)


SIGNED64 = Whole(-(1 << 63), (1 << 63) - 1)


@dataclass(frozen=True)
class Flag(Kind):
    """bool."""

    def fits(self, value: Any) -> bool:
        return type(value) is bool

    def check(self, value: Any, path: str) -> None:
        if type(value) is not bool:
            raise refuse(Fault.WRONG_TYPE, path, "bool", value)


@dataclass(frozen=True)
class Text(Kind):
    """str of at most ``limit`` bytes of UTF-8, optionally matching a pattern in full."""

    limit: int = MAX_TEXT
    pattern: str = ""
    low: int = 0

    def fits(self, value: Any) -> bool:
        return type(value) is str and not self.pattern and value.isascii() and self.low <= len(value) <= self.limit

    def check(self, value: Any, path: str) -> None:
        expected = f"str of {self.low} … {self.limit} bytes"
        if type(value) is not str:
            raise refuse(Fault.WRONG_TYPE, path, expected, value)
        try:
            size = len(value) if value.isascii() else len(value.encode("utf-8"))
        except UnicodeEncodeError:
            raise refuse(Fault.OUT_OF_RANGE, path, "text that UTF-8 can hold", ascii(value)) from None
        if not self.low <= size <= self.limit:
            raise refuse(Fault.OUT_OF_RANGE, path, expected, value)
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise refuse(Fault.OUT_OF_RANGE, path, f"text like {self.pattern}", value)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words."""

    words: tuple[str, ...]

    def fits(self, value: Any) -> bool:
        return type(value) is str and value in self.words

    def check(self, value: Any, path: str) -> None:
        expected = "one of " + ", ".join(self.words)
        if type(value) is not str:
            raise refuse(Fault.WRONG_TYPE, path, expected, value)
        if value not in self.words:
            raise refuse(Fault.OUT_OF_RANGE, path, expected, value)


@dataclass(frozen=True)
class Blob(Kind):
    """Exactly ``size`` bytes of msgpack bin."""

    size: int

    def fits(self, value: Any) -> bool:
        return type(value) is bytes and len(value) == self.size

    def check(self, value: Any, path: str) -> None:
        if type(value) is not bytes:
            raise refuse(Fault.WRONG_TYPE, path, f"bin of {self.size} bytes", value)
        if len(value) != self.size:
            raise refuse(Fault.OUT_OF_RANGE, path, f"bin of {self.size} bytes", value)


@dataclass(frozen=True)
class Real(Kind):
    """Finite number."""

    def fits(self, value: Any) -> bool:
        return type(value) is int or (type(value) is float and math.isfinite(value))

    def check(self, value: Any, path: str) -> None:
        if type(value) is not float and type(value) is not int:
            raise refuse(Fault.WRONG_TYPE, path, "number", value)
        if type(value) is float and not math.isfinite(value):
            raise refuse(Fault.OUT_OF_RANGE, path, "finite number", value)


@dataclass(frozen=True)
class Many(Kind):
    """Array of ``low`` … ``high`` items of one kind."""

    kind: Kind
    high: int = MAX_ITEMS
    low: int = 0

    def fits(self, value: Any) -> bool:
        inside = (type(value) is tuple or type(value) is list) and self.low <= len(value) <= self.high
        return inside and all(map(self.kind.fits, value))

    def check(self, value: Any, path: str) -> None:
        expected = f"array of {self.low} … {self.high}" if self.low != self.high else f"array of {self.high}"
        if type(value) is not list and type(value) is not tuple:
            raise refuse(Fault.WRONG_TYPE, path, expected, value)
        if not self.low <= len(value) <= self.high:
            raise refuse(Fault.OUT_OF_RANGE, path, expected, f"array of {len(value)}")
        check = self.kind.check
        for k, item in enumerate(value):
            check(item, f"{path}[{k}]")


@dataclass(frozen=True)
class Row(Kind):
    """Array with a kind for each place."""

    kinds: tuple[Kind, ...]

    def check(self, value: Any, path: str) -> None:
        if type(value) is not list and type(value) is not tuple:
            raise refuse(Fault.WRONG_TYPE, path, f"array of {len(self.kinds)}", value)
        if len(value) != len(self.kinds):
            raise refuse(Fault.OUT_OF_RANGE, path, f"array of {len(self.kinds)}", f"array of {len(value)}")
        for k, (kind, item) in enumerate(zip(self.kinds, value, strict=True)):
            kind.check(item, f"{path}[{k}]")


@dataclass(frozen=True)
class Words(Kind):
    """Map from text to one kind."""

    kind: Kind
    key: Text = Text(64)
    high: int = MAX_ITEMS

    def fits(self, value: Any) -> bool:
        inside = type(value) is dict and len(value) <= self.high
        return inside and all(map(self.key.fits, value)) and all(map(self.kind.fits, value.values()))

    def check(self, value: Any, path: str) -> None:
        if type(value) is not dict:
            raise refuse(Fault.WRONG_TYPE, path, "map", value)
        if len(value) > self.high:
            raise refuse(Fault.OUT_OF_RANGE, path, f"map of at most {self.high}", f"map of {len(value)}")
        for name, item in value.items():
            self.key.check(name, f"{path} key")
            self.kind.check(item, f"{path}.{name[:SHOWN]}")


@dataclass(frozen=True)
class Fields(Kind):
    """Map with exactly these fields."""

    kinds: dict[str, Kind]

    def check(self, value: Any, path: str) -> None:
        if type(value) is not dict:
            raise refuse(Fault.WRONG_TYPE, path, "map", value)
        for name in self.kinds:
            if name not in value:
                raise LocalProtocolError(Fault.MISSING_FIELD, f"field '{path}.{name}' is missing", {"field": name})
        for name in value:
            if name not in self.kinds:
                raise LocalProtocolError(Fault.UNKNOWN_FIELD, f"unknown field '{path}.{str(name)[:SHOWN]}'")
        for name, kind in self.kinds.items():
            kind.check(value[name], f"{path}.{name}")


@dataclass(frozen=True)
class Anything(Kind):
    """Plain values of bounded depth: for ``details`` and ``x-`` fields, which nobody acts on blindly."""

    depth: int = MAX_DEPTH - 1

    def check(self, value: Any, path: str) -> None:
        level = [value]
        for _ in range(self.depth + 1):
            below: list[Any] = []
            for item in level:
                below.extend(self._children(item, path))
            if not below:
                return
            level = below
        raise refuse(Fault.BAD_HEADER, path, f"at most {MAX_DEPTH} levels", "deeper nesting")

    def _children(self, item: Any, path: str) -> list[Any]:
        if type(item) is dict:
            for key in item:
                Text(MAX_TEXT).check(key, f"{path} key")
            return list(item.values())
        if type(item) in (list, tuple):
            return list(item)
        if type(item) is str:
            Text(MAX_TEXT).check(item, path)
        elif type(item) is int:
            Whole(-(1 << 63), (1 << 64) - 1).check(item, path)
        elif type(item) is float:
            Real().check(item, path)
        elif type(item) is not bool and type(item) is not bytes:
            raise refuse(Fault.WRONG_TYPE, path, "plain value", item)
        return []
