"""Whether a renderer can serve one more session in time, from what drawing for those it has takes.

Written to by whoever draws, and asked by the thread that greets engines: nothing here is held across two calls.
"""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Mapping

from .protocol.messages import Hello
from .work import TIMES_KEPT

MOST_LOAD = 1.0
"""Of all sessions together, as a share of the time that there is: beyond it every chunk comes later than the last."""


class Admission:
    """What each session's frames cost, and what one more would.

    A session that has drawn nothing yet counts with what frames of its size cost others, else as many pixels.

    Args:
        pixel_seconds: what a pixel takes, until something has been drawn; 0 if that is not known.
    """

    def __init__(self, pixel_seconds: float = 0.0) -> None:
        self._guess = pixel_seconds
        self._times: dict[bytes, deque[float]] = {}
        self._seconds: dict[bytes, float] = {}

    def took(self, session: bytes, seconds: float) -> None:
        """A frame of this session took so many seconds; not one of its first run, in which more is done than later."""
        times = self._times.setdefault(session, deque(maxlen=TIMES_KEPT))
        times.append(seconds)
        self._seconds[session] = statistics.median(times)

    def forget(self, session: bytes) -> None:
        """The session is over."""
        self._seconds.pop(session, None)
        self._times.pop(session, None)

    def refusal(self, hello: Hello, others: Mapping[bytes, Hello]) -> str:
        """Why one more session would make those that are there late; empty if it would not, or nothing is known.

        Args:
            hello: the greeting of the new one.
            others: those of the sessions that stay. The first session is never refused: there is nobody to wait for it.
        """
        if not others:
            return ""
        need = self._load(hello, None, others)
        busy = sum(self._load(greeting, token, others) for token, greeting in others.items())
        if need == 0.0 or busy + need <= MOST_LOAD:
            return ""
        rate = f"{hello.rate[0] / hello.rate[1]:g} frames a second"
        here = "1 session keeps" if len(others) == 1 else f"{len(others)} sessions keep"
        more = f"one more of {hello.width}x{hello.height} at {rate} would need {100 * need:.0f} %"
        return (
            f"{here} the renderer {100 * busy:.0f} % busy, and {more}, so all would be late: wait until one ends, ask "
            "for a smaller picture or rate, or start the renderer with --overbook, which takes in whoever comes"
        )

    def _load(self, hello: Hello, token: bytes | None, others: Mapping[bytes, Hello]) -> float:
        """Share of the time that a session's frames take, or would take."""
        frames, seconds = hello.rate
        cost = None if token is None else self._seconds.get(token)
        return (self._expected(hello, others) if cost is None else cost) * frames / seconds

    def _expected(self, hello: Hello, others: Mapping[bytes, Hello]) -> float:
        """Seconds that a frame of this greeting's size should take; 0 if nothing is known."""
        size = hello.width, hello.height
        known = [(g, cost) for token, g in others.items() if (cost := self._seconds.get(token)) is not None]
        if same := [cost for g, cost in known if (g.width, g.height) == size]:
            return statistics.mean(same)
        if known:
            pixel = sum(cost for _, cost in known) / sum(g.width * g.height for g, _ in known)
        else:
            pixel = self._guess
        return pixel * hello.width * hello.height
