"""What a browser has said and the renderer has not been sent yet: kept, within bounds."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from ..protocol.message_base import Buffer

MOST, MOST_BYTES = 32, 1 << 25
"""Messages, and bytes of them, that are kept for a renderer. It is there within milliseconds, or it is not there: then
the newest are worth keeping, the last greeting among them. One message is kept whatever its size."""


class Outbox:
    """A queue of multipart messages, first in, first out; the oldest make room for the newest."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Sequence[Buffer], int]] = deque()
        self._bytes = 0
        self._filled = asyncio.Event()

    def put(self, frames: Sequence[Buffer]) -> None:
        """Keep a message."""
        size = sum(memoryview(f).nbytes for f in frames)
        self._waiting.append((frames, size))
        self._bytes += size
        while len(self._waiting) > MOST or (self._bytes > MOST_BYTES and len(self._waiting) > 1):
            self._bytes -= self._waiting.popleft()[1]
        self._filled.set()

    async def get(self) -> Sequence[Buffer]:
        """The oldest message, when there is one."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        frames, size = self._waiting.popleft()
        self._bytes -= size
        return frames
