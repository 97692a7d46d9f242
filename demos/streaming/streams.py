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

    def figures(self) -> list[dict[str, Any]]:
        """See ``LiveStream.figures``; one entry a stream."""
        return [stream.figures() for stream in self._streams]

    def close(self) -> None:
        """End all of them, at the same time."""
        for stream in self._streams:
            stream.end()
        for stream in self._streams:
            stream.close()
