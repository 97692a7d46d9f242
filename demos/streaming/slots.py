"""Which picture goes out when: a source of any rate onto slots of a constant rate. No clock, no socket, no pixels.

Slot k of a stream goes out at k / fps seconds of the sender's clock, so the stream never drifts against that clock.
A picture belongs to the slot ``floor(media * fps) + shift``: pictures of equal rate meet one slot each, without the
doubles and gaps that sampling them would give. ``shift`` follows the source: it grows at once when a picture comes too
late for its slot (a repeat), and shrinks when all of the last pictures came early (a drop), so the delay stays bounded
whether the source stalls, runs in bursts or has a clock of its own.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
ROUNDING = 1e-6


@dataclass(frozen=True)
class SlotsConfig:
    """How slots are filled.

    Args:
        fps: slots a second.
        kept: most pictures that wait; with more the oldest are dropped. A renderer's first chunk has 28.
        memory: pictures by which it is judged whether the source comes too early.
    """

    fps: int = 24
    kept: int = 64
    memory: int = 24


class Waiting(NamedTuple, Generic[T]):
    """A picture and its place in media time, counted in slots."""

    number: int
    picture: T


class Slots(Generic[T]):
    """Holds pictures until their slot.

    Args:
        config: how.
    """

    def __init__(self, config: SlotsConfig | None = None) -> None:
        self.config = config or SlotsConfig()
        self.repeated = self.dropped = 0
        self._waiting: deque[Waiting[T]] = deque()
        self._slacks: deque[int] = deque(maxlen=self.config.memory)
        self._media: float | None = None
        self._shift = 0
        self._shown: T | None = None

    @property
    def waiting(self) -> int:
        """Pictures that wait for their slot."""
        return len(self._waiting)

    def put(self, media: float, picture: T, slot: int) -> None:
        """A picture came.

        Args:
            media: its media time in seconds. Earlier than the last one's: the source has begun anew, and what waits is
                dropped. The same: it stands in the place of the last one.
            picture: handed out by ``take``.
            slot: the first that could show it, by when it came.
        """
        number = math.floor(media * self.config.fps + ROUNDING)
        slack = number + self._shift - slot
        if self._media is None or media < self._media or slack > self.config.kept:
            self._begin(slot - number)
        elif slack < 0:
            self._shift -= slack
            self._slacks.clear()
        elif media > self._media:
            self._learn(slack)
        self._media = media
        if self._waiting and self._waiting[-1].number == number:
            self._waiting.pop()
            self.dropped += 1
        self._waiting.append(Waiting(number, picture))
        while len(self._waiting) > self.config.kept:
            self._waiting.popleft()
            self.dropped += 1

    def take(self, slot: int) -> T | None:
        """The picture of a slot: the newest that is due, else the last one again; None before the first."""
        due = 0
        while self._waiting and self._waiting[0].number + self._shift <= slot:
            self._shown = self._waiting.popleft().picture
            due += 1
        self.dropped += max(0, due - 1)
        if not due and self._shown is not None:
            self.repeated += 1
        return self._shown

    def _begin(self, shift: int) -> None:
        self.dropped += len(self._waiting)
        self._waiting.clear()
        self._slacks.clear()
        self._shift = shift

    def _learn(self, slack: int) -> None:
        """Slots that a picture has to wait; of the least of many one is kept as a reserve, half of the rest given up.

        A chunk comes as a burst, whose later pictures wait by right: the least tells of its first.
        """
        self._slacks.append(slack)
        if len(self._slacks) < self.config.memory:
            return
        excess = min(self._slacks) - 1
        self._slacks.clear()
        if excess > 0:
            self._shift -= (excess + 1) // 2
