"""One line of text being typed, in any script: cursor, composition of an input method, a limit. No window.

An input method (for Chinese, Japanese, Korean, accents …) first *composes*: its text is shown at the cursor but is not
part of the line before it is *inserted*.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

LONGEST = 1000
"""Characters; a prompt is cut to 64 tokens by the model anyway, and a control on the bridge takes 4096 bytes."""


class Typed(NamedTuple):
    """The line as it is shown: before the cursor, the composition there, after it."""

    before: str
    composing: str
    after: str


def printable(text: str) -> str:
    """The text without control characters and half surrogates; any white space becomes a blank."""
    return "".join(" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c) not in _UNSEEN)


_UNSEEN = ("Cc", "Cs")


class TextBox:
    """A line of text with a cursor.

    Args:
        text: what stands there at first; the cursor is behind it.
        longest: most characters; what is typed beyond is not taken.
    """

    def __init__(self, text: str = "", longest: int = LONGEST) -> None:
        self._longest = longest
        self._before = printable(text)[:longest]
        self._after = ""
        self._composing = ""

    @property
    def text(self) -> str:
        """The line without what is still being composed."""
        return self._before + self._after

    @property
    def typed(self) -> Typed:
        """The line as it is shown."""
        return Typed(self._before, self._composing, self._after)

    @property
    def full(self) -> bool:
        """True if nothing more is taken."""
        return len(self.text) >= self._longest

    def insert(self, text: str) -> None:
        """Text was typed, or an input method is done with it."""
        self._composing = ""
        self._before += printable(text)[: self._longest - len(self.text)]

    def compose(self, text: str) -> None:
        """An input method shows what it would insert; an empty text ends that."""
        self._composing = printable(text)

    def key(self, name: str) -> None:
        """An editing key: ``backspace``, ``delete``, ``left``, ``right``, ``home``, ``end``; others change nothing.

        While an input method composes, these keys are its own.
        """
        if self._composing:
            return
        if name == "backspace":
            self._before = self._before[: _step_back(self._before)]
        elif name == "delete":
            self._after = self._after[_step_on(self._after) :]
        elif name in ("left", "home"):
            at = _step_back(self._before) if name == "left" else 0
            self._before, self._after = self._before[:at], self._before[at:] + self._after
        elif name in ("right", "end"):
            at = _step_on(self._after) if name == "right" else len(self._after)
            self._before, self._after = self._before + self._after[:at], self._after[at:]

    def clear(self) -> None:
        """An empty line."""
        self._before = self._after = self._composing = ""


def _step_back(text: str) -> int:
    """Where the last character begins, with the marks that combine with it."""
    at = max(0, len(text) - 1)
    while at > 0 and unicodedata.combining(text[at]):
        at -= 1
    return at


def _step_on(text: str) -> int:
    """Where the first character ends, with the marks that combine with it."""
    at = min(1, len(text))
    while at < len(text) and unicodedata.combining(text[at]):
        at += 1
    return at
