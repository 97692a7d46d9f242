"""Frozen records ↔ plain JSON values, with every wrong field named."""

from __future__ import annotations

import dataclasses
import math
import typing
from typing import Any, TypeVar

from engine_sim.core.errors import UserError

from .look_color import check_hex

R = TypeVar("R")


def span(low: float, high: float) -> Any:
    """Dataclass field of a number that must lie in [low, high]."""
    return dataclasses.field(metadata={"low": low, "high": high})


def one_of(options: tuple[str, ...]) -> Any:
    """Dataclass field of a text that must be one of ``options``."""
    return dataclasses.field(metadata={"options": options})


def records(count: int) -> Any:
    """Dataclass field of a tuple of exactly ``count`` records."""
    return dataclasses.field(metadata={"count": count})


def read_record(kind: type[R], values: object, where: str) -> R:
    """Plain values (as JSON gives them) → a frozen record of dataclass ``kind``.

    Raises:
        UserError: not a mapping, a field missing, unknown, of a wrong type or out of range; names field and cure.
    """
    if not isinstance(values, dict):
        raise UserError(f"{where}: expected an object with the fields of {kind.__name__}, got {type(values).__name__}")
    known = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    missing, unknown = [n for n in known if n not in values], [str(n) for n in values if n not in known]
    if missing or unknown:
        what = [f"missing {', '.join(missing)}"] * bool(missing) + [f"unknown {', '.join(unknown)}"] * bool(unknown)
        raise UserError(f"{where}: {'; '.join(what)}; write one with 'paintover looks --json' and change that")
    types = typing.get_type_hints(kind)
    return kind(**{name: _read(types[name], values[name], f, f"{where}.{name}") for name, f in known.items()})


def _read(kind: Any, value: object, f: dataclasses.Field, where: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return read_record(kind, value, where)  # type: ignore[arg-type]
    if typing.get_origin(kind) is tuple:
        count = f.metadata["count"]
        if not isinstance(value, list | tuple) or len(value) != count:
            raise UserError(f"{where}: expected a list of {count} entries, got {_short(value)}")
        entry = typing.get_args(kind)[0]
        return tuple(read_record(entry, v, f"{where}[{i}]") for i, v in enumerate(value))
    if kind is str:
        return _text(value, f, where)
    return _number(kind, value, f, where)


def _text(value: object, f: dataclasses.Field, where: str) -> str:
    options = f.metadata.get("options")
    if options is None:
        return check_hex(value, where)
    if value not in options:
        raise UserError(f"{where}: expected one of {', '.join(options)}; got {_short(value)}")
    return str(value)


def _number(kind: Any, value: object, f: dataclasses.Field, where: str) -> Any:
    low, high = f.metadata["low"], f.metadata["high"]
    whole = kind is int
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise UserError(f"{where}: expected a {'whole ' * whole}number, got {_short(value)}")
    if not math.isfinite(value) or not low <= value <= high:
        raise UserError(f"{where}: expected a value from {low:g} to {high:g}, got {_short(value)}")
    return int(value) if whole else float(value)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
