"""What a serving loop works with: renderers, what makes them, and one session's frames between the two ends."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .protocol.events import FrameTaken, SessionOpened
from .protocol.messages import Control
from .protocol.offer import Offer

TIMES_KEPT = 9


class Renderer(Protocol):
    """What draws one session's pictures."""

    @property
    def run(self) -> int | None:
        """Frames of the runs to ask for from now on, at most half of the window; None for those of the offer."""

    def render(self, frames: Sequence[FrameTaken]) -> Sequence[NDArray[np.uint8]]:
        """One RGB uint8 ``[H, W, 3]`` a frame of a run, in order. Any exception fails the run, not the session."""

    def apply(self, control: Control) -> None:
        """Put a look, prompt or schedule in force from the next run on. ValueError refuses it, with the reason; any
        other exception does too, with its name."""

    def reset(self, seed: int | None) -> None:
        """Forget the stream, keep the controls."""

    def close(self) -> None:
        """Release everything."""


class RendererFactory(Protocol):
    """Makes renderers, and says what they can do."""

    @property
    def offer(self) -> Offer:
        """What engines are offered."""

    def open(self, opened: SessionOpened) -> Renderer:
        """A renderer for a session. Any exception turns the session out, and no other."""


@dataclass
class Work:
    """One session in the loop."""

    token: bytes
    renderer: Renderer
    frame_seconds: float
    run: int
    keeps_all: bool
    chunk: int = 0
    begun: bool = False
    asked_at: float = 0.0
    frames: list[FrameTaken] = field(default_factory=list)
    ready: deque[list[FrameTaken]] = field(default_factory=deque)
    controls: deque[Control] = field(default_factory=deque)
    load: float = 0.0
    """Share of a frame's duration that drawing it takes; compute time only, so pauses do not distort it (B41)."""
    times: deque[float] = field(default_factory=lambda: deque(maxlen=TIMES_KEPT))

    def forget(self) -> None:
        """Drop all frames: a reset, or an engine that went away."""
        self.frames.clear()
        self.ready.clear()

    @property
    def run_seconds(self) -> float:
        """How long the frames of a run take to come."""
        return (self.renderer.run or self.run) * self.frame_seconds

    def took(self, seconds: float) -> None:
        """A frame was drawn in so many seconds."""
        self.times.append(seconds)
        self.load = statistics.median(self.times) / self.frame_seconds
