"""What screens take and give: presses in, pages out. No pygame here, so that every screen can be tested as plain state.

A press is what a key, a pad's button, a stick or a mouse means on a screen; a page is the list of what to draw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Press(Enum):
    """What a player can say to a screen, with any device."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"
    CHOOSE = "choose"
    BACK = "back"
    CLEAR = "clear"


class Touched(NamedTuple):
    """A key or a pad's control that was pressed while a screen listens for one.

    Args:
        place, name: of a key; -1 and empty for a pad.
        control: of a pad: a button, a trigger, half a stick; empty for a key.
    """

    place: int = -1
    name: str = ""
    control: str = ""


class Row(NamedTuple):
    """One line of a page.

    Args:
        label, value: left and right. middle: a column between them. hint: said below the list while the cursor is here.
        kind: ``entry`` to choose, ``choice`` to turn with left and right, ``meter`` for a share of 0 … 1, ``words``.
        share: of a meter.
    """

    label: str
    value: str = ""
    kind: Literal["entry", "choice", "meter", "words"] = "entry"
    share: float = 0.0
    hint: str = ""
    middle: str = ""


class Side(NamedTuple):
    """What stands beside the list.

    Args:
        lines: the first one in large letters.
        outline: closed line ``[n, 2]`` in the unit square, y down: a circuit.
        picture: RGB ``[H, W, 3]``.
        curve: (x, y) points of −1 … 1: how a stick answers; stick: where it is.
    """

    lines: tuple[str, ...] = ()
    outline: NDArray[np.float64] | None = None
    picture: NDArray[np.uint8] | None = None
    curve: tuple[tuple[float, float], ...] = ()
    stick: tuple[float, float] | None = None


class Grid(NamedTuple):
    """A line of text over a board of keys.

    Args:
        text: so far. keys: rows of what is written on them. row, column: the cursor.
    """

    text: str
    keys: tuple[tuple[str, ...], ...]
    row: int
    column: int


@dataclass(frozen=True)
class Page:
    """Everything that is to be drawn.

    Args:
        title: at the top.
        rows: the list. cursor: the row that presses go to.
        hint: at the bottom: what the keys do here.
        veil: how dark the picture behind becomes, 0 … 255.
        brand: the title is the game's name.
        grid: a board instead of a list.
    """

    title: str
    rows: tuple[Row, ...]
    cursor: int
    hint: str = ""
    side: Side = field(default_factory=Side)
    veil: int = 150
    brand: bool = False
    grid: Grid | None = None


class Screen(Protocol):
    """One screen.

    Attributes:
        done: it is to be closed.
        feels: sticks are being tried out, and mean nothing else.
    """

    done: bool
    feels: bool

    @property
    def listening(self) -> bool:
        """True while the very next key or control is wanted itself, and not what it means."""

    def press(self, press: Press) -> None:
        """A player says something."""

    def touch(self, touched: Touched) -> None:
        """A key or control, while the screen listens."""

    def point(self, row: int) -> None:
        """A mouse is over a row."""

    def page(self) -> Page:
        """What to draw."""
