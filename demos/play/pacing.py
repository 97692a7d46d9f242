"""When a rendered picture is shown: at its due time in media time plus a constant buffer. No clock, no socket.

Media time is counted in video frames: frame k of the race is drawn at media time k and shown at k + buffer, never
before. A chunk of N frames comes when its last frame has been drawn and the renderer has worked, so its first frame
needs a buffer of N − 1 frames + render time; that need is measured, chunk by chunk, and the buffer follows it slowly.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class PacingConfig:
    """How the buffer follows the renderer, in video frames.

    Args:
        rise, fall: most change of the buffer from one chunk to the next; it shrinks slower than it grows, since a
            buffer that is too small is seen and one that is too large is only felt.
        margin: kept on top of what was needed.
        most: largest buffer. A renderer that needs more is shown late, at once, instead of late and smoothly.
        memory: chunks that the need is judged by.
        kept: most pictures that wait.
    """

    rise: float = 0.5
    fall: float = 0.125
    margin: float = 0.5
    most: float = 24.0
    memory: int = 12
    kept: int = 64


class Arrived(NamedTuple, Generic[T]):
    """A picture that came.

    Args:
        number: its video frame. chunk: the renderer's number of its chunk.
        render: media time that its chunk took to draw, frames.
    """

    number: int
    chunk: int
    render: float
    picture: T


class Pacing(Generic[T]):
    """Holds pictures back until they are due.

    Args:
        run, first_run: frames of a chunk, and of the stream's first, which is longer and teaches nothing of the rest
            but how fast the renderer is.
        config: how the buffer follows.
    """

    def __init__(self, run: int, first_run: int, config: PacingConfig | None = None) -> None:
        self.run, self.first_run = run, first_run
        self.config = config or PacingConfig()
        self.buffer = min(float(run), self.config.most)
        self.late = 0
        self.shown: int | None = None
        self._waiting: deque[Arrived[T]] = deque()
        self._needs: deque[float] = deque(maxlen=self.config.memory)
        self._first: int | None = None
        self._chunk: int | None = None

    def put(self, arrived: Arrived[T], now: float, steady: bool = True) -> None:
        """A picture came at media time ``now``; pictures come in the order of their frames.

        Args:
            steady: False while media time does not run with the clock (a pause): such a need is no need.
        """
        if self.shown is not None and arrived.number <= self.shown:
            self.late += 1
            return
        if arrived.chunk != self._chunk:
            self._chunk = arrived.chunk
            self._learn(arrived, now, steady)
        self._waiting.append(arrived)
        while len(self._waiting) > self.config.kept:
            self._waiting.popleft()
            self.late += 1

    def take(self, now: float) -> T | None:
        """The picture to show from media time ``now`` on, or None: the one that is shown stays.

        Of several that are due the newest is shown and the older ones are counted as late.
        """
        due: Arrived[T] | None = None
        while self._waiting and self._waiting[0].number <= now - self.buffer:
            self.late += due is not None
            due = self._waiting.popleft()
        if due is None:
            return None
        self.shown = due.number
        return due.picture

    def clear(self) -> None:
        """The stream begins anew (a reset, another renderer); what has been learnt of the buffer stays."""
        self._waiting.clear()
        self.shown = self._first = self._chunk = None

    def _learn(self, arrived: Arrived[T], now: float, steady: bool) -> None:
        if self._first is None:
            self._first = arrived.chunk
            if not self._needs:
                # One chunk + render time, from what the first and longer chunk took.
                self.buffer = self._bounded(self.run + arrived.render * self.run / self.first_run)
            return
        if not steady:
            return
        self._needs.append(now - arrived.number)
        # The second largest, so that a single hiccup moves nothing.
        need = sorted(self._needs)[-2 if len(self._needs) > 2 else -1]
        change = self._bounded(need + self.config.margin) - self.buffer
        self.buffer += max(-self.config.fall, min(self.config.rise, change))

    def _bounded(self, buffer: float) -> float:
        return max(0.0, min(self.config.most, buffer))
