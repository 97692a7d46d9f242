"""Two pictures in one place, parted by a line that a player moves. Plain numbers and arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STEP = 0.1
SPEED = 1.5
"""Shares of the width that the line moves a second, towards where it was sent."""
LINE = (255, 255, 255)


class Wipe:
    """Where the line is: a share of the width, which follows ``goal`` smoothly."""

    def __init__(self) -> None:
        self.share = self.goal = 0.5
        self._put = False

    def move(self, steps: float) -> None:
        """Send the line so many steps to the right, to the left for a negative number; the edges hold it."""
        self.goal = min(1.0, max(0.0, self.goal + STEP * steps))

    def put(self, share: float) -> None:
        """Put the line there at once: a mouse drags it."""
        share = min(1.0, max(0.0, share))
        self._put = self._put or share != self.share
        self.share = self.goal = share

    def advance(self, seconds: float) -> bool:
        """Time passes; True if the line has moved since the last call."""
        way, put = self.goal - self.share, self._put
        self._put = False
        if abs(way) < 1e-9:
            return put
        reach = SPEED * seconds
        self.share = self.goal if abs(way) <= reach else self.share + (reach if way > 0 else -reach)
        return True


def wiped(left: NDArray[np.uint8], right: NDArray[np.uint8], share: float) -> NDArray[np.uint8]:
    """The left part of one picture, the right part of the other, a thin line between.

    Args:
        left, right: RGB ``[H, W, 3]`` of one size.
        share: of the width that is the left one's.
    """
    width = left.shape[1]
    at = min(width, max(0, round(share * width)))
    out = right.copy()
    out[:, :at] = left[:, :at]
    if 0 < at < width:
        half = max(1, width // 600)
        out[:, max(0, at - half) : min(width, at + half)] = LINE
    return out
