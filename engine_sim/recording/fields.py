"""Reading JSON that somebody else may have written: every field by name, type and range, or one clear line."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from ..core.errors import UserError
from ..core.files import read_given_file

MAX_JSON = 1 << 20


class Fields:
    """One JSON object. Every reader raises UserError with the path of the field, what was expected and what came.

    Args:
        value: the parsed object.
        where: its path for messages, such as ``session.json`` or ``session.json: setup``.
    """

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise UserError(f"{where}: expected an object, got {_show(value)}")
        self.value: dict[str, Any] = value
        self.where = where

    def _take(self, name: str) -> Any:
        if name not in self.value:
            raise UserError(f"{self.where}: field {name!r} is missing; was it made by another version?")
        return self.value[name]

    def _refuse(self, name: str, expected: str) -> UserError:
        return UserError(f"{self.where}: {name} must be {expected}, got {_show(self.value[name])}")

    def text(self, name: str, choices: tuple[str, ...] = (), longest: int = 4096) -> str:
        """A string of at most ``longest`` characters, one of ``choices`` if any are given."""
        value = self._take(name)
        if not isinstance(value, str) or len(value) > longest:
            raise self._refuse(name, f"a string of at most {longest} characters")
        if choices and value not in choices:
            raise self._refuse(name, f"one of {', '.join(choices)}")
        return value

    def integer(self, name: str, low: int, high: int) -> int:
        """An integer in [low, high]."""
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self._refuse(name, f"an integer from {low} to {high}")
        return value

    def number(self, name: str, low: float = -math.inf, high: float = math.inf) -> float:
        """A finite number in [low, high], as float."""
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self._refuse(name, f"a number from {low:g} to {high:g}")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._take(name)
        if not isinstance(value, bool):
            raise self._refuse(name, "true or false")
        return value

    def inner(self, name: str) -> Fields:
        """An object inside this one."""
        return Fields(self._take(name), f"{self.where}: {name}")

    def maybe(self, name: str) -> Fields | None:
        """An object inside this one, or None where it says null."""
        return None if self._take(name) is None else self.inner(name)

    def objects(self, name: str) -> list[dict[str, Any]]:
        """A list of objects."""
        value = self._take(name)
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self._refuse(name, "a list of objects")
        return value

    def texts(self, name: str, longest: int = 256) -> tuple[str, ...]:
        """A list of at most ``longest`` strings."""
        value = self._take(name)
        if not isinstance(value, list) or len(value) > longest or not all(isinstance(v, str) for v in value):
            raise self._refuse(name, f"a list of at most {longest} strings")
        return tuple(value)


def parse_json(data: bytes, where: str) -> Any:
    """Parse UTF-8 JSON without NaN or infinity. UserError with the reason for anything else."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite_float)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where} is not readable JSON: {error}") from error


def read_json(path: Path, most: int = MAX_JSON) -> Any:
    """Read a JSON file of at most ``most`` bytes. UserError if it is missing, larger or no JSON."""
    try:
        size = path.stat().st_size
        if size > most:
            raise UserError(f"{path} has {size} bytes; at most {most} are read")
        data = read_given_file(path, most)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    return parse_json(data, str(path))


def write_json(path: Path, value: Any) -> None:
    """Write JSON so that a reader sees the old file or the whole new one, whatever happens in between."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UserError(f"cannot write {path}: {error.strerror}") from error


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"number {text[:40]} is too large")
    return value


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
