"""Typing with a pad: a board of letters for the prompt's line."""

from __future__ import annotations

from collections.abc import Callable

from ..textbox import TextBox
from .page import Grid, Page, Press, Touched

SPACE, RUB, CAPS, EMPTY, SEND = "space", "rub out", "caps", "empty", "send"
BOARD = (
    tuple("1234567890"),
    tuple("qwertyuiop"),
    tuple("asdfghjkl'"),
    tuple("zxcvbnm,.-"),
    (SPACE, RUB, CAPS, EMPTY, SEND),
)
HINT = "A types   X rubs out   send takes the words   B leaves; none at all are the look's own"


class LetterScreen:
    """A line and a board of letters.

    Args:
        text: what stands there at first.
        send: told the text.
    """

    feels = False
    listening = False

    def __init__(self, text: str, send: Callable[[str], None]) -> None:
        self.done = False
        self.box = TextBox(text)
        self.caps = False
        self._send = send
        self._row, self._column = 1, 0

    def press(self, press: Press) -> None:
        """Move on the board, type, rub out, leave."""
        if press is Press.BACK:
            self.done = True
        elif press is Press.CLEAR:
            self.box.key("backspace")
        elif press is Press.CHOOSE:
            self._choose(BOARD[self._row][self._column])
        else:
            self._move(press)

    def touch(self, touched: Touched) -> None:
        """Nothing: it never listens."""

    def point(self, row: int) -> None:
        """Nothing: a mouse has a keyboard beside it."""

    def page(self) -> Page:
        """The line and the board."""
        board = tuple(tuple(self._shown(key) for key in row) for row in BOARD)
        return Page("Prompt", (), 0, HINT, veil=215, grid=Grid(self.box.text, board, self._row, self._column))

    def _move(self, press: Press) -> None:
        if press in (Press.LEFT, Press.RIGHT):
            step = 1 if press is Press.RIGHT else -1
            self._column = (self._column + step) % len(BOARD[self._row])
            return
        before = len(BOARD[self._row])
        self._row = (self._row + (1 if press is Press.DOWN else -1)) % len(BOARD)
        self._column = self._column * len(BOARD[self._row]) // before  # rows have fewer, wider keys at the bottom

    def _choose(self, key: str) -> None:
        if key == SEND:
            self._send(self.box.text.strip())
            self.done = True
        elif key == RUB:
            self.box.key("backspace")
        elif key == EMPTY:
            self.box.clear()
        elif key == CAPS:
            self.caps = not self.caps
        else:
            self.box.insert(" " if key == SPACE else self._shown(key))

    def _shown(self, key: str) -> str:
        return key.upper() if self.caps and len(key) == 1 else key
