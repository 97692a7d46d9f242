"""One class map, shown to a renderer as if nothing moved, until it has painted it. Plain state; the clock is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..painter import Picture

PATIENCE_S = 30.0


@dataclass
class Still:
    """Frames of a stream that stands still: as many as the renderer's first chunk has, at the video's rate.

    Args:
        drawn: the class map, with guide planes.
        count: frames to hand over. period: ticks from one to the next. fps: video rate.
        began: seconds of a monotonic clock.
    """

    drawn: Picture
    count: int
    period: int
    fps: int
    began: float
    handed: int = 0
    painted: NDArray[np.uint8] | None = None

    def due(self, now: float) -> list[int]:
        """Ticks of the frames that are to be handed over now; one at a time, for a newer frame replaces one that
        waits.
        """
        if self.handed < self.count and now >= self.began + self.handed / self.fps:
            self.handed += 1
            return [self._tick(self.handed - 1)]
        return []

    def take(self, tick: int, pixels: NDArray[np.uint8]) -> None:
        """A painted picture came; the last one of the chunk has settled most."""
        if tick >= self._tick(self.count - 1):
            self.painted = pixels

    def late(self, now: float) -> bool:
        """True if it has taken too long."""
        return now - self.began > PATIENCE_S

    def _tick(self, number: int) -> int:
        return number * self.period
