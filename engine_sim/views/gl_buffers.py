"""Pixel buffers: what is drawn waits in them, so that nobody has to wait for the card at once."""

from __future__ import annotations

from collections import deque

import moderngl
import numpy as np
from numpy.typing import NDArray


class PixelBuffers:
    """Buffers of one size in turn: filled in the order of ``begun``, fetched the oldest first, then used again.

    To be used inside of their context.

    Args:
        size: bytes of each.
        dynamic: for buffers that are copied to and read alone: cards keep those within the processor's reach.
    """

    def __init__(self, size: int, dynamic: bool = False) -> None:
        self._size, self._dynamic = size, dynamic
        self._pending: deque[moderngl.Buffer] = deque()
        self._spare: list[moderngl.Buffer] = []

    def __len__(self) -> int:
        """Begun and not yet fetched."""
        return len(self._pending)

    def spare(self, ctx: moderngl.Context) -> moderngl.Buffer:
        """A buffer in which nothing waits."""
        return self._spare.pop() if self._spare else ctx.buffer(reserve=self._size, dynamic=self._dynamic)

    def begun(self, buffer: moderngl.Buffer) -> None:
        """A spare buffer is being filled."""
        self._pending.append(buffer)

    def fetch(self, out: NDArray[np.uint8]) -> None:
        """What lies in the oldest one, into contiguous ``out``. IndexError if none has been begun."""
        buffer = self._pending.popleft()
        buffer.read_into(out)
        self._spare.append(buffer)
