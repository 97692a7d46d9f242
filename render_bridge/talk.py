"""Lines for people about sessions: few enough to be read, whatever a peer does, with a count of the rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from .plain_text import LINE, shown

NOBODY = b""
"""Stands for all peers that have no session."""


@dataclass(frozen=True)
class TalkLimits:
    """So many lines in so many seconds: of one session (or of all peers without one), and of all together."""

    of_one: int = 20
    of_all: int = 100
    seconds: float = 10.0


@dataclass
class Window:
    """What was said since a moment, and what was not."""

    began: float
    said: int = 0
    left_out: int = 0
    last: str = ""


class Talk:
    """Passes lines on to ``say``, within limits.

    Args:
        say: takes lines for people.
        limits: see there.
        nobody: what lines about NOBODY are about.
        clock: seconds of any monotonic clock.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        limits: TalkLimits = TalkLimits(),
        nobody: str = "peers without a session",
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._say, self._limits, self._nobody = say, limits, nobody
        self._clock = clock or time.monotonic
        self._windows: dict[bytes, Window] = {}
        self._all = Window(self._clock())

    def line(self, session: bytes, text: str) -> None:
        """One line about a session, or about NOBODY; one that only says the last again is left out too."""
        self.tick()
        window = self._windows.setdefault(session, Window(self._clock()))
        if window.said >= self._limits.of_one or text == window.last:
            window.left_out += 1
        elif self._all.said >= self._limits.of_all:
            self._all.left_out += 1
        else:
            window.said += 1
            window.last = text
            self._all.said += 1
            self._say(shown(text, LINE))

    def tick(self) -> None:
        """Say what was left out, when it is time to."""
        now = self._clock()
        over = [s for s, w in self._windows.items() if now - w.began >= self._limits.seconds]
        for session in over:
            self.forget(session)
        if now - self._all.began >= self._limits.seconds:
            if self._all.left_out:
                self._say(f"{self._all.left_out} more lines of all were left out")
            self._all = Window(now)

    def forget(self, session: bytes) -> None:
        """A session is over, or its time is up: say what was left out."""
        window = self._windows.pop(session, None)
        if window is not None and window.left_out:
            whose = f"session {session.hex()[:8]}" if session else self._nobody
            self._say(f"{whose}: {window.left_out} more lines were left out")
