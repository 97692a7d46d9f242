"""What a serving loop works with: renderers, what makes them, and one session's frames between the two ends."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

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


Pictures: TypeAlias = Sequence[NDArray[np.uint8]]


@runtime_checkable
class SharingFactory(RendererFactory, Protocol):
    """One whose renderers can draw runs of several sessions together, and that knows what a run costs."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """In what numbers runs can be drawn together, rising from 1; may shrink."""

    @property
    def pixel_seconds(self) -> float:
        """What a pixel of a run that is drawn alone takes; 0 if that is not known yet."""

    @property
    def shares(self) -> tuple[float, ...]:
        """For each of ``sizes`` what a run takes then, as a share of what it takes alone; 1 for the first."""

    def kind(self, renderer: Any, frames: Sequence[FrameTaken]) -> Hashable | None:
        """Equal for runs that can be drawn together; None for one that is drawn alone."""

    def render_many(self, runs: Any) -> Sequence[Pictures | Exception]:
        """For each pair of a renderer, each another, and the frames of a run: what ``render`` returns, or raises."""


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
    away: bool = False
    """Its engine is gone for now."""
    asked_at: float = 0.0
    frames: list[FrameTaken] = field(default_factory=list)
    ready: deque[list[FrameTaken]] = field(default_factory=deque)
    controls: deque[Control] = field(default_factory=deque)
    kind: Hashable | None = None
    """Of the newest run that was drawn, see ``SharingFactory``."""
    load: float = 0.0
    """Share of a frame's duration that drawing it takes; compute time only, so pauses do not distort it (B41)."""
    load_alone: float = 0.0
    """The same if it were always drawn alone."""
    times: deque[float] = field(default_factory=lambda: deque(maxlen=TIMES_KEPT))
    times_alone: deque[float] = field(default_factory=lambda: deque(maxlen=TIMES_KEPT))

    def forget(self) -> None:
        """Drop all frames: a reset, or an engine that went away."""
        self.frames.clear()
        self.ready.clear()

    @property
    def run_seconds(self) -> float:
        """How long the frames of a run take to come."""
        return (self.renderer.run or self.run) * self.frame_seconds

    def took(self, seconds: float, seconds_alone: float) -> None:
        """A frame was drawn in so many seconds, and would have taken so many alone."""
        self.times.append(seconds)
        self.times_alone.append(seconds_alone)
        self.load = statistics.median(self.times) / self.frame_seconds
        self.load_alone = statistics.median(self.times_alone) / self.frame_seconds
