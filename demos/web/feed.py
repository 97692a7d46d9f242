"""The newest picture, from the game's thread to everybody who watches. One place, no queue: whoever is late skips."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

CLOCK_RATE = 90_000
"""Of media time in RTP."""


class Shown(NamedTuple):
    """A picture on show.

    Args:
        yuv: I420 uint8 ``[H * 3 / 2, W]``, BT.601 in limited range, as browsers expect it.
        shown: nanoseconds of the monotonic clock.
        note: what the page draws over it, as JSON would have it.
    """

    yuv: NDArray[np.uint8]
    shown: int
    note: dict[str, Any]


def to_yuv(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """RGB uint8 ``[H, W, 3]``, both even → I420 uint8 ``[H * 3 / 2, W]``."""
    return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2YUV_I420), np.uint8)


def media_time(nanoseconds: int) -> int:
    """Time of the monotonic clock in ticks of RTP's clock."""
    return nanoseconds * CLOCK_RATE // 1_000_000_000


class Feed:
    """Belongs to the thread of its event loop; the game reaches it with ``call_soon_threadsafe``."""

    def __init__(self) -> None:
        self.newest: Shown | None = None
        self._fresh = asyncio.Event()

    def put(self, shown: Shown) -> None:
        """A new picture; the one before is gone."""
        self.newest = shown
        fresh, self._fresh = self._fresh, asyncio.Event()
        fresh.set()

    async def after(self, seen: Shown | None, patience: float) -> Shown | None:
        """The newest picture, as soon as it is another than ``seen``; after ``patience`` seconds whatever there is."""
        if self.newest is seen:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._fresh.wait(), patience)
        return self.newest
