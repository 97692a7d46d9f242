"""A renderer without a model: it colours the classes, says so, and is fast enough to build and measure bridges with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .palette import ClassTable
from .protocol.events import FrameTaken, SessionOpened
from .protocol.messages import Control
from .protocol.offer import Offer


class PaletteRenderer:
    """Paints every class in its colour of the table.

    Args:
        table: ids of the frames.
        seconds: time that each frame takes at least, to stand in for a slow model too.
    """

    run: int | None = None

    def __init__(self, table: ClassTable, seconds: float = 0.0) -> None:
        self._table = table
        self._seconds = seconds
        self.prompt = ""

    def render(self, frames: Sequence[FrameTaken]) -> Sequence[NDArray[np.uint8]]:
        """RGB uint8 ``[H, W, 3]`` for each frame."""
        pictures = [np.take(self._table.colors, frame.class_map, axis=0) for frame in frames]
        if self._seconds:
            time.sleep(self._seconds * len(frames))
        return pictures

    def apply(self, control: Control) -> None:
        """Prompts are kept, looks are taken; there is no schedule to change."""
        if control.kind == "schedule":
            raise ValueError("the palette renderer has no schedule")
        if control.kind == "look":
            highest = int(np.frombuffer(control.buffers[1], np.uint8).max(initial=0))
            if highest >= len(self._table):
                raise ValueError(f"the look's class map holds {highest}; classes end at {len(self._table) - 1}")
        if control.text is not None:
            self.prompt = control.text

    def reset(self, seed: int | None) -> None:
        """Nothing is remembered from frame to frame."""

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True)
class PaletteFactory:
    """Makes palette renderers."""

    offer: Offer = field(default_factory=lambda: Offer("palette stand-in"))
    seconds: float = 0.0

    def open(self, opened: SessionOpened) -> PaletteRenderer:
        """A renderer for a session."""
        return PaletteRenderer(self.offer.table, self.seconds)
