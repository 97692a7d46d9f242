"""The recordings as a list with a picture beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .menu import Entry, Item, Menu
from .page import Side

HINT = "Enter or A plays it back with today's views   Esc or B goes back"


class Book(NamedTuple):
    """One recording of the list: its folder, its name, when it was made, where or what is wrong with it."""

    path: Path
    name: str
    when: str
    about: str


class Preview(NamedTuple):
    """What is seen of a recording before it plays: lines, the first one large, and a picture RGB ``[H, W, 3]``."""

    lines: tuple[str, ...]
    picture: NDArray[np.uint8] | None


class Books(Protocol):
    """Where recordings are."""

    folder: Path

    def books(self) -> list[Book]:
        """What there is now."""

    def preview(self, path: Path) -> Preview | None:
        """Picture and facts, or None while they are being read."""


class ReplaysScreen(Menu):
    """The list.

    Args:
        shelf: where recordings are.
        play: told the folder of the one that was chosen.
    """

    def __init__(self, shelf: Books, play: Callable[[Path], None]) -> None:
        self._shelf = shelf
        self._books = shelf.books()
        items: list[Item] = [
            Entry(book.name, lambda path=book.path: play(path), HINT, book.when)  # type: ignore[misc]
            for book in self._books
        ]
        super().__init__("Recordings", [*items, Entry("Back", self.back)], veil=190)

    def side(self) -> Side:
        """The recording under the cursor."""
        if not self._books:
            return Side(("nothing here yet", f"`paintover play --record {self._shelf.folder}/NAME` records a drive"))
        if self.cursor >= len(self._books):
            return Side()
        book = self._books[self.cursor]
        preview = self._shelf.preview(book.path)
        if preview is None:
            return Side((book.about.replace("-", " "), "reading …"))
        return Side(preview.lines, picture=preview.picture)
