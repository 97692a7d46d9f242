"""One line that a player is told for some seconds; the newest replaces the one before."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS = 3.0


class Notices:
    """What is to be said at present.

    Args:
        clock: seconds of any monotonic clock.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._text, self._until = "", 0.0
        self.fresh = False

    def say(self, text: str) -> None:
        """Say something from now on, for ``SECONDS``."""
        self._text, self._until, self.fresh = text, self._clock() + SECONDS, True

    def lines(self) -> list[str]:
        """What is said now; ``fresh`` is false until something new is said."""
        self.fresh = False
        return [self._text] if self._clock() < self._until else []
