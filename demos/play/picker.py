"""Choosing one of several names with the arrow keys: the state of a list that is open on the screen. No window."""

from __future__ import annotations

from collections.abc import Sequence


class Picker:
    """A cursor in a list, and the choice in force.

    Args:
        names: at least one.
        chosen: index of the name in force; the cursor starts there.
    """

    def __init__(self, names: Sequence[str], chosen: int = 0) -> None:
        if not names:
            raise ValueError("a list to pick from needs at least one name")
        self.names = tuple(names)
        self.chosen = chosen
        self.cursor = chosen

    def move(self, steps: int) -> None:
        """Down so many rows, up for a negative number; round the ends."""
        self.cursor = (self.cursor + steps) % len(self.names)

    def rows(self, room: int) -> range:
        """Indices of at most ``room`` rows around the cursor, for a list longer than its place."""
        room = max(1, min(room, len(self.names)))
        first = min(max(0, self.cursor - room // 2), len(self.names) - room)
        return range(first, first + room)
