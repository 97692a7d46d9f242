"""When sessions are asked for their next run: early enough that no frame is skipped, and not before it would grow old.

All of it follows from the load: what share of the time drawing takes, of all sessions whose engines send frames.
"""

from __future__ import annotations

import time
from collections import Counter

from .groups import Groups
from .work import Work
from .zmq.renderer_end import RendererEnd

AHEAD_ABOVE = 0.25
"""Durations of a frame that drawing a run takes. In play, what is drawn sooner is done well before the next frame can
come, and nothing should hold it up that may as well be done afterwards."""
AHEAD_BELOW = 0.9
"""Below this load, all sessions together, the next run is asked for before one is drawn: frames flow in meanwhile.
Above it a session that is alone is asked while its run is drawn, so late that the next is complete just at its end."""
EARLY_S = 0.01
"""How much sooner than that: an owner of a socket sleeps a while, and a frame takes its time."""
IN_HAND = 2
"""Above it frames would only grow old in our hands: so many runs at most wait to be drawn, each one as many as can be
drawn together. Beside them so many are on their way as are drawn while one comes."""
PATIENT_RUNS = 2
"""Durations of a run after which an engine that sends nothing no longer counts as asked."""


class Asking:
    """Asks for runs.

    Args:
        end: the sessions' engines are there.
        works: all sessions by their tokens; who is asked goes to the end.
        groups: says what drawing together saves.
    """

    def __init__(self, end: RendererEnd, works: dict[bytes, Work], groups: Groups) -> None:
        self._end, self._works, self._groups = end, works, groups

    @property
    def load(self) -> float:
        """Of all sessions whose engines send frames; below 1 each of them gets its full rate."""
        now = time.monotonic()
        here = [work for work in self._works.values() if not self._is_silent(work, now)]
        alike = Counter(work.kind for work in here if work.kind is not None)
        return sum(work.load_alone * self._groups.share(alike.get(work.kind, 1)) for work in here)

    def ask_idle(self) -> None:
        """Ask the sessions that have nothing to draw: all of them if there is time, else whose turn it is."""
        idle = [work for work in self._works.values() if self._is_idle(work)]
        if not idle:
            return
        load = self.load
        most = IN_HAND * self._groups.largest + (int(len(self._works) / load) if load else 0)
        for work in idle:
            if load < AHEAD_BELOW or len(self._works) <= most or self._in_hand() < most:
                self._ask(work)

    def ask_ahead(self, work: Work, frames: int, load: float) -> None:
        """Ask a session, if it should be asked before a run of so many frames is drawn, with its controls in force.

        Args:
            load: before all runs that are drawn now.
        """
        ahead = self._ahead(work, frames, load)
        if ahead is not None and self._end.running(work.token) == 0:
            self._ask(work, ahead)

    def ask_waiting(self, load: float) -> None:
        """Ask whoever still has to wait for his turn, or his engine would skip frames meanwhile."""
        if load >= AHEAD_BELOW:
            return
        for work in list(self._works.values()):
            waits = len(work.ready) == 1 and not work.frames and work.begun and not work.controls
            if waits and self._end.running(work.token) == 0:
                self._ask(work)

    def _is_idle(self, work: Work) -> bool:
        return not (work.ready or work.frames or work.away) and self._end.running(work.token) == 0

    def _in_hand(self) -> int:
        """Sessions whose frames wait, or are on their way."""
        now = time.monotonic()
        return sum(
            bool(work.ready) or (self._end.running(token) > 0 and not self._is_silent(work, now))
            for token, work in self._works.items()
        )

    def _is_silent(self, work: Work, now: float) -> bool:
        """Whether its engine is away, or has sent nothing for so long after it was asked that it will not: a game
        pauses."""
        if work.away:
            return True
        heard = work.frames[-1].received / 1e9 if work.frames else 0.0
        if work.ready or now - max(work.asked_at, heard) < PATIENT_RUNS * work.run_seconds:
            return False
        return self._end.running(work.token) > 0

    def _ask(self, work: Work, not_before: int = 0) -> None:
        offer = self._end.offer
        work.asked_at = time.monotonic()
        self._works[work.token] = self._works.pop(work.token)  # its turn comes again after everybody else's
        first = not work.begun or any(c.kind == "reset" for c in work.controls)
        run = offer.first_run if first else work.renderer.run or offer.run
        self._end.ask(work.token, run, offer.first_run, not_before)

    def _ahead(self, work: Work, frames: int, load: float) -> int | None:
        """When to ask for the next run, monotonic nanoseconds, if before this one of so many frames is drawn."""
        if not work.times:
            return None
        if work.keeps_all:  # nothing grows old there
            return 0
        if load < AHEAD_BELOW:
            return 0 if work.load * frames > AHEAD_ABOVE else None
        seconds = work.frame_seconds * (work.load * frames + 1) - work.run_seconds - EARLY_S
        alone = len(self._works) == 1 and work.run_seconds > work.frame_seconds
        return time.monotonic_ns() + int(1e9 * max(0.0, seconds)) if alone else None
