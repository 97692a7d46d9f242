"""All the streams of a picture as one: to a server, on a page of our own, or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .stream import LiveStream, StreamPlan

Say = Callable[[str], None]


class LiveStreams:
    """Opens a stream for each plan.

    Args:
        plans: where to, and how.
        say: takes lines for people; called from other threads.
    """

    def __init__(self, plans: Sequence[StreamPlan], say: Say) -> None:
        self._streams = [LiveStream(plan, say) for plan in plans]

    def show(self, rgb: NDArray[np.uint8], media: float) -> None:
        """See ``LiveStream.show``."""
        for stream in self._streams:
            stream.show(rgb, media)

    def take_rate(self, fps: int) -> None:
        """See ``LiveStream.take_rate``."""
        for stream in self._streams:
            stream.take_rate(fps)

    @property
    def awaited(self) -> bool:
        """True while a server of any of them is still to be heard of."""
        return any(stream.awaited for stream in self._streams)

    @property
    def received(self) -> bool:
        """True while somebody receives any of them."""
        return any(stream.received for stream in self._streams)

    def figures(self) -> list[dict[str, Any]]:
        """See ``LiveStream.figures``; one entry a stream."""
        return [stream.figures() for stream in self._streams]

    def close(self) -> list[str]:
        """End all of them, at the same time; a line for each that was never live."""
        for stream in self._streams:
            stream.end()
        for stream in self._streams:
            stream.close()
        return [line for stream in self._streams if (line := stream.regret())]
