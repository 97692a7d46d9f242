"""A list of things to choose and to turn: the state behind most screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from .page import Page, Press, Row, Side, Touched

KEYS_HINT = "arrows or cross move   Enter or A chooses   Esc or B goes back"
TICKS = 20
"""Steps of a meter from one end to the other."""


class Item(Protocol):
    """One row with a life of its own."""

    def press(self, press: Press) -> None:
        """LEFT, RIGHT, CHOOSE or CLEAR while the cursor is here."""

    def row(self) -> Row:
        """How it looks now."""


@dataclass
class Entry:
    """Something to do.

    Args:
        act: done when it is chosen.
    """

    label: str
    act: Callable[[], None]
    hint: str = ""
    value: str = ""

    def press(self, press: Press) -> None:
        """Do it."""
        if press is Press.CHOOSE:
            self.act()

    def row(self) -> Row:
        """An entry."""
        return Row(self.label, self.value, "entry", hint=self.hint)


@dataclass
class Choice:
    """One of several names; left and right turn, choosing turns on.

    Args:
        options: at least one.
        index: the one in force.
        changed: told the index of the new one.
    """

    label: str
    options: Sequence[str]
    index: int
    changed: Callable[[int], None]
    hint: str = ""

    def press(self, press: Press) -> None:
        """Turn."""
        step = {Press.LEFT: -1, Press.RIGHT: 1, Press.CHOOSE: 1}.get(press, 0)
        if step and len(self.options) > 1:
            self.index = (self.index + step) % len(self.options)
            self.changed(self.index)

    def row(self) -> Row:
        """A choice."""
        return Row(self.label, self.options[self.index], "choice", hint=self.hint)


def switch(label: str, on: bool, changed: Callable[[bool], None], hint: str = "") -> Choice:
    """A choice between off and on."""
    return Choice(label, ("off", "on"), int(on), lambda index: changed(bool(index)), hint)


@dataclass
class Meter:
    """A share between two numbers.

    Args:
        value: now. low, high: its ends.
        changed: told the new value.
    """

    label: str
    value: float
    low: float
    high: float
    changed: Callable[[float], None]
    hint: str = ""

    def press(self, press: Press) -> None:
        """A step down or up; the ends hold. Steps are whole twentieths, so that they meet again."""
        step = {Press.LEFT: -1, Press.RIGHT: 1}.get(press, 0)
        if step:
            mark = round(self._share() * TICKS) + step
            value = self.low + (self.high - self.low) * max(0, min(TICKS, mark)) / TICKS
            self.value = round(value, 6)
            self.changed(self.value)

    def row(self) -> Row:
        """A meter."""
        return Row(self.label, f"{100 * self.value:.0f} %", "meter", self._share(), self.hint)

    def _share(self) -> float:
        return (self.value - self.low) / (self.high - self.low)


class Menu:
    """A list of items with a cursor.

    Args:
        title: at the top.
        items: at least one.
        back: done when the player goes back; closes the screen if it is None.
        hint: what the keys do here.
        veil: how dark the picture behind becomes.
    """

    feels = False

    def __init__(
        self,
        title: str,
        items: Sequence[Item],
        back: Callable[[], None] | None = None,
        hint: str = KEYS_HINT,
        veil: int = 150,
    ) -> None:
        self.title, self.hint, self.veil = title, hint, veil
        self.items = list(items)
        self.cursor = 0
        self.done = False
        self._back = back

    @property
    def listening(self) -> bool:
        """Never."""
        return False

    def press(self, press: Press) -> None:
        """Move, turn, choose, go back."""
        if press in (Press.UP, Press.DOWN):
            self.cursor = (self.cursor + (1 if press is Press.DOWN else -1)) % len(self.items)
        elif press is Press.BACK:
            self.back()
        else:
            self.items[self.cursor].press(press)

    def touch(self, touched: Touched) -> None:
        """Nothing: it never listens."""

    def point(self, row: int) -> None:
        """The cursor goes where the mouse is."""
        if 0 <= row < len(self.items):
            self.cursor = row

    def back(self) -> None:
        """Leave."""
        if self._back is None:
            self.done = True
        else:
            self._back()

    def page(self) -> Page:
        """The list."""
        rows = tuple(item.row() for item in self.items)
        return Page(self.title, rows, self.cursor, rows[self.cursor].hint or self.hint, self.side(), self.veil)

    def side(self) -> Side:
        """What stands beside the list."""
        return Side()
