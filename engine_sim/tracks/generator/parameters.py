"""The written parameters of a circuit, one JSON file each in ``assets/tracks``.

A circuit is a polygon whose corners are rounded. ``points`` lists its corners in driving direction,
``[x, y, radius]`` in metres, optionally with the height of the road there and the bank of the bend in degrees:
``[x, y, radius, height, bank]``. A radius that does not fit between its neighbours is made to fit. The start line
lies on the straight from the last point to the first.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...core.errors import UserError
from ..settings import named_setting
from ..track import ASPHALT, CONCRETE, DIRT, GRASS_SURFACE, GRAVEL, SAND

KINDS = ("road", "dirt", "oval")
SURFACES = {
    "asphalt": ASPHALT,
    "grass": GRASS_SURFACE,
    "dirt": DIRT,
    "gravel": GRAVEL,
    "sand": SAND,
    "concrete": CONCRETE,
}


class Corner(NamedTuple):
    """A corner of the polygon."""

    x: float
    y: float
    radius: float
    height: float | None = None  # metres, None: between its neighbours
    bank: float | None = None  # degrees down to the inside, None: by the setting


@dataclass(frozen=True)
class CircuitPlan:
    """Everything that decides a built-in circuit.

    Args:
        name: file name without ``.json``.
        kind: ``road``, ``dirt`` or ``oval``.
        setting: a name of ``settings.SETTINGS``.
        about: one line for people.
        seed: of widths, undulation, verges and the land.
        corners: at least 3, in driving direction.
        width: least and most width of the road, metres.
        start: where the start line lies on its straight, 0 … 1.
        pit: side of the pit lane, ``left``, ``right`` or ``none``.
        ease: half length over which straights pass into bends, metres.
        undulation: height of small waves along the road, metres.
        surface: of the road.
        patches: (surface, from, to) for stretches of another surface, as fractions of the lap.
        verge, runoff: surfaces beside the road, None: by the setting.
        straight_bank: bank of the straights towards the inside of the lap, degrees (ovals).
    """

    name: str
    kind: str
    setting: str
    about: str
    seed: int
    corners: tuple[Corner, ...]
    width: tuple[float, float]
    start: float = 0.65
    pit: str = "right"
    ease: float = 9.0
    undulation: float = 0.5
    surface: int = ASPHALT
    patches: tuple[tuple[int, float, float], ...] = ()
    verge: int | None = None
    runoff: int | None = None
    straight_bank: float = 0.0


def read_plan(path: Path) -> CircuitPlan:
    """Parameters from a file.

    Raises:
        UserError: if the file cannot be read or says something that a circuit cannot have.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UserError(f"{path.name}: expected a JSON file with a circuit's parameters: {error}") from error
    return parse_plan(path.stem, data)


def parse_plan(name: str, data: Any) -> CircuitPlan:
    """Parameters from the parsed JSON of circuit ``name``. Raises UserError naming circuit and field."""
    if not isinstance(data, dict):
        raise UserError(f"circuit {name!r}: expected an object of parameters, got {type(data).__name__}")
    known = {"kind", "setting", "about", "seed", "points", "width", "start", "pit", "ease", "undulation",
             "surface", "patches", "verge", "runoff", "straight_bank"}  # fmt: skip
    unknown = sorted(set(data) - known)
    if unknown:
        raise UserError(f"circuit {name!r}: unknown parameter {unknown[0]!r}; known: {', '.join(sorted(known))}")
    read = _Reader(name, data)
    setting = read.choice("setting", None)
    named_setting(setting)
    return CircuitPlan(
        name=name,
        kind=read.choice("kind", KINDS),
        setting=setting,
        about=read.choice("about", None),
        seed=int(read.number("seed", 0, 1e9)),
        corners=read.corners(),
        width=read.width(),
        start=read.number("start", 0.0, 1.0, 0.65),
        pit=read.choice("pit", ("left", "right", "none"), "right"),
        ease=read.number("ease", 2.0, 60.0, 9.0),
        undulation=read.number("undulation", 0.0, 3.0, 0.5),
        surface=SURFACES[read.choice("surface", tuple(SURFACES), "asphalt")],
        patches=read.patches(),
        verge=read.surface("verge"),
        runoff=read.surface("runoff"),
        straight_bank=read.number("straight_bank", 0.0, 15.0, 0.0),
    )


class _Reader:
    """Typed access to the parameters of one circuit."""

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        self._name, self._data = name, data

    def _fail(self, field: str, expected: str, got: object) -> UserError:
        return UserError(f"circuit {self._name!r}: {field} must be {expected}, got {got!r}")

    def number(self, field: str, low: float, high: float, default: float | None = None) -> float:
        return self._number(field, self._data.get(field, default), low, high)

    def _number(self, field: str, value: object, low: float, high: float) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise self._fail(field, f"a number from {low:g} to {high:g}", value)
        return float(value)

    def choice(self, field: str, options: tuple[str, ...] | None, default: str | None = None) -> str:
        value = self._data.get(field, default)
        if not isinstance(value, str) or (options is not None and value not in options):
            raise self._fail(field, "a text" if options is None else f"one of {', '.join(options)}", value)
        return value

    def surface(self, field: str) -> int | None:
        return SURFACES[self.choice(field, tuple(SURFACES))] if field in self._data else None

    def width(self) -> tuple[float, float]:
        value = self._data.get("width")
        if not isinstance(value, list) or len(value) != 2:
            raise self._fail("width", "[least, most] in metres", value)
        low, high = (self._number("width", v, 6.0, 40.0) for v in value)
        if low > high:
            raise self._fail("width", "[least, most] in metres", value)
        return low, high

    def corners(self) -> tuple[Corner, ...]:
        points = self._data.get("points")
        if not isinstance(points, list) or len(points) < 3:
            raise self._fail("points", "a list of at least 3 corners", points)
        corners: list[Corner] = []
        for k, point in enumerate(points):
            if not isinstance(point, list) or not 3 <= len(point) <= 5:
                raise self._fail(f"points[{k}]", "[x, y, radius] with optional height and bank", point)
            x, y = (self._number(f"points[{k}]", v, -1e4, 1e4) for v in point[:2])
            radius = self._number(f"points[{k}] radius", point[2], 1.0, 5000.0)
            height = self._number(f"points[{k}] height", point[3], -500.0, 2000.0) if len(point) > 3 else None
            bank = self._number(f"points[{k}] bank", point[4], 0.0, 35.0) if len(point) > 4 else None
            if corners and corners[-1][:2] == (x, y):
                raise self._fail(f"points[{k}]", "away from the point before", point)
            corners.append(Corner(x, y, radius, height, bank))
        return tuple(corners)

    def patches(self) -> tuple[tuple[int, float, float], ...]:
        value = self._data.get("patches", [])
        if not isinstance(value, list):
            raise self._fail("patches", "a list of [surface, from, to]", value)
        out = []
        for patch in value:
            if not isinstance(patch, list) or len(patch) != 3 or patch[0] not in tuple(SURFACES):
                raise self._fail("patches", f"[surface, from, to], surface one of {', '.join(SURFACES)}", patch)
            first, last = (self._number("patches", v, 0.0, 1.0) for v in patch[1:])
            out.append((SURFACES[patch[0]], first, last))
        return tuple(out)
