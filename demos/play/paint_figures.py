"""Figures of the painted picture for the display: chunk time, input to photon, and whether the renderer keeps up."""

from __future__ import annotations

import statistics
from collections import deque
from typing import NamedTuple

SETTLING = 2
"""Chunks after a stream's first one whose gaps say nothing: the renderer has not yet found its pace."""
GAPS = 4
"""Gaps between chunks that the share of answered frames is judged by."""
KEEPS_UP = 0.9
"""Share of the video frames that a renderer answers at least when it keeps up with real time."""
TIMES = 9
PHOTONS = 48


class Chunk(NamedTuple):
    """One chunk that came back: its first video frame, how many, and how long it took to draw."""

    number: int
    frames: int
    seconds: float


class PaintFigures:
    """Collects what the stamps of pictures tell.

    Args:
        fps: video rate.
    """

    def __init__(self, fps: int) -> None:
        self._fps = fps
        self._chunks: deque[Chunk] = deque(maxlen=TIMES)
        self._seen = 0
        self._photons: deque[float] = deque(maxlen=PHOTONS)

    def restart(self) -> None:
        """A new stream: its first chunk is longer, and comes after a gap."""
        self._chunks.clear()
        self._seen = 0

    def chunk(self, chunk: Chunk) -> None:
        """A chunk came back. The first of a stream is not counted."""
        self._seen += 1
        if self._seen > 1:
            self._chunks.append(chunk)

    def photon(self, milliseconds: float) -> None:
        """A picture was shown so long after the newest input that it answers."""
        self._photons.append(milliseconds)

    @property
    def chunk_ms(self) -> float | None:
        """Median time that a chunk takes to draw; None before there is one."""
        return 1000 * statistics.median(c.seconds for c in self._chunks) if self._chunks else None

    @property
    def photon_ms(self) -> float | None:
        """Median time from an input to the picture that shows it; None before there is one."""
        return statistics.median(self._photons) if self._photons else None

    @property
    def slow(self) -> bool:
        """True if the renderer does not keep up: chunks take longer than they last, or frames are left out."""
        return self._late or self._share < KEEPS_UP

    @property
    def _late(self) -> bool:
        last = list(self._chunks)[-2:]
        return len(last) == 2 and all(c.seconds > c.frames / self._fps for c in last)

    @property
    def _share(self) -> float:
        """Share of the video frames that the renderer answers; 1 while it finds its pace."""
        steady = list(self._chunks)[max(0, SETTLING - (self._seen - 1 - len(self._chunks))) :][-(GAPS + 1) :]
        if len(steady) <= GAPS:
            return 1.0
        return sum(c.frames for c in steady[:-1]) / max(1, steady[-1].number - steady[0].number)

    def text(self) -> str:
        """``chunk 120 ms   input to photon 480 ms``, as much of it as is known."""
        parts = (("chunk", self.chunk_ms), ("input to photon", self.photon_ms))
        return "   ".join(f"{name} {value:.0f} ms" for name, value in parts if value is not None)

    def notice(self) -> str:
        """What a player should know, or nothing."""
        if not self.slow or self.chunk_ms is None:
            return ""
        lasts = 1000 * self._chunks[-1].frames / self._fps
        if self.chunk_ms < lasts:  # it is not at fault: class maps come late, or it has others to serve
            return f"{100 * self._share:.0f} % of the frames are painted: this machine has too much to do"
        return f"the renderer is slower than real time: {self.chunk_ms:.0f} ms for {lasts:.0f} ms"
