"""The screen that gives keys and a pad's controls to actions."""

from __future__ import annotations

from collections.abc import Callable

from ..settings.bindings import (
    ACTIONS,
    DRIVING,
    RESERVED,
    RESERVED_CONTROLS,
    Bindings,
    fitting,
    with_control,
    with_key,
    without,
)
from ..settings.help import NOBODY, short
from .page import Page, Press, Row, Side, Touched

HINT = "Enter or A, then the new key or control   Delete or X: none   Esc or B goes back"
LISTENING = "now press a key, or move a control of the pad   Esc or start leaves it as it is"
RESET = "back to what they were at first"


class KeysScreen:
    """All actions with what asks for them.

    Args:
        bindings: in force.
        changed: told the new ones, after every change.
        say: told what a player should hear.
    """

    feels = False

    def __init__(self, bindings: Bindings, changed: Callable[[Bindings], None], say: Callable[[str], None]) -> None:
        self.bindings = bindings
        self.cursor = 0
        self.done = False
        self.listening = False
        self._changed, self._say = changed, say

    def press(self, press: Press) -> None:
        """Move, listen, take away, go back."""
        if press in (Press.UP, Press.DOWN):
            self.cursor = (self.cursor + (1 if press is Press.DOWN else -1)) % (len(ACTIONS) + 1)
        elif press is Press.BACK:
            self.done = True
        elif press is Press.CHOOSE and self.cursor == len(ACTIONS):
            self._put(Bindings())
        elif press is Press.CHOOSE:
            self.listening = True
        elif press is Press.CLEAR and self.cursor < len(ACTIONS):
            self._put(without(self.bindings, ACTIONS[self.cursor].name))

    def touch(self, touched: Touched) -> None:
        """The key or control that was waited for; those of the menu leave everything as it is."""
        action = ACTIONS[self.cursor]
        if touched.name in RESERVED or touched.control in RESERVED_CONTROLS:
            self.listening = False
            return
        if touched.control and fitting(action.name, touched.control) is None:
            self._say(f"{action.title}: {_wanted(action.name)}")
            return
        try:
            if touched.control:
                new = with_control(self.bindings, action.name, touched.control)
            else:
                new = with_key(self.bindings, action.name, touched.place, touched.name)
        except ValueError:
            self._say(f"{action.title}: a key cannot do this; move a stick")
            return
        self.listening = False
        self._tell_losers(new, action.name)
        self._put(new)

    def point(self, row: int) -> None:
        """The cursor goes where the mouse is, unless a key is waited for."""
        if 0 <= row <= len(ACTIONS) and not self.listening:
            self.cursor = row

    def page(self) -> Page:
        """The list: keys in the middle, the pad's control at the right."""
        rows = [self._row(number) for number in range(len(ACTIONS))]
        rows.append(Row(RESET))
        hint = LISTENING if self.listening else HINT
        return Page("Keys and pad", tuple(rows), self.cursor, hint, Side(), 215)

    def _row(self, number: int) -> Row:
        action = ACTIONS[number]
        if self.listening and number == self.cursor:
            return Row(action.title, "…", middle="…")
        keys = "   ".join(short(key) for key in self.bindings.keys(action.name))
        return Row(action.title, self.bindings.control(action.name) or NOBODY, middle=keys or NOBODY)

    def _put(self, bindings: Bindings) -> None:
        self.bindings = bindings
        self._changed(bindings)

    def _tell_losers(self, new: Bindings, winner: str) -> None:
        for action in ACTIONS:
            had = (*self.bindings.keys(action.name), self.bindings.control(action.name))
            has = (*new.keys(action.name), new.control(action.name))
            if action.name != winner and len(set(had)) > len(set(has)):
                self._say(f"taken from: {action.title}")


def _wanted(action: str) -> str:
    if action in {a.name for a in DRIVING}:
        return "move a stick, or press a button" if action != "steer" else "move a stick"
    return "press a button"
