"""A renderer whose pictures go out live too: one session at a time, the one that has been there longest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from render_bridge.protocol.events import FrameTaken, SessionOpened
from render_bridge.protocol.messages import Control
from render_bridge.protocol.offer import Offer
from render_bridge.serving import Renderer, RendererFactory

from .stream import StreamPlan
from .streams import LiveStreams

SLOWEST, FASTEST = 1, 60


class StreamedFactory:
    """Makes the renderers of another factory, and streams what the first of them paints. Implements RendererFactory.

    Args:
        factory: makes renderers.
        plans: of the streams. They begin at once, so that a page is there; the first session's rate becomes theirs.
        say: takes lines for people.
    """

    def __init__(self, factory: RendererFactory, plans: Sequence[StreamPlan], say: Callable[[str], None]) -> None:
        self._factory, self._say = factory, say
        self._sessions: list[StreamedRenderer] = []
        self._streams = LiveStreams(plans, say)
        self._begun = False

    @property
    def offer(self) -> Offer:
        """What engines are offered."""
        return self._factory.offer

    def open(self, opened: SessionOpened) -> StreamedRenderer:
        """A renderer for a session."""
        frames, seconds = opened.hello.rate
        renderer = StreamedRenderer(self._factory.open(opened), opened.hello.tick_rate, self)
        if not self._begun:
            self._begun = True
            self._streams.take_rate(min(FASTEST, max(SLOWEST, round(frames / seconds))))
        self._sessions.append(renderer)
        return renderer

    def show(self, who: StreamedRenderer, pictures: Sequence[tuple[float, NDArray[np.uint8]]]) -> None:
        """Pictures of a session, with their media times; only those of the session on air go out."""
        if self._sessions[0] is not who:
            return
        for media, pixels in pictures:
            self._streams.show(pixels, media)

    def leave(self, who: StreamedRenderer) -> None:
        """A session ended: the next one is on air."""
        if who in self._sessions:
            self._sessions.remove(who)

    def close(self) -> None:
        """End the streams."""
        for line in self._streams.close():
            self._say(line)


class StreamedRenderer:
    """One session's renderer; implements ``serving.Renderer``.

    Args:
        renderer: paints.
        tick_rate: ticks a second of its engine.
        factory: has the stream.
    """

    def __init__(self, renderer: Renderer, tick_rate: int, factory: StreamedFactory) -> None:
        self._renderer, self._tick_rate, self._factory = renderer, tick_rate, factory

    @property
    def run(self) -> int | None:
        """See ``serving.Renderer``."""
        return self._renderer.run

    def render(self, frames: Sequence[FrameTaken]) -> Sequence[NDArray[np.uint8]]:
        """See ``serving.Renderer``."""
        pictures = self._renderer.render(frames)
        times = [frame.tick / self._tick_rate for frame in frames]
        self._factory.show(self, list(zip(times, pictures, strict=True)))
        return pictures

    def apply(self, control: Control) -> None:
        """See ``serving.Renderer``."""
        self._renderer.apply(control)

    def reset(self, seed: int | None) -> None:
        """See ``serving.Renderer``."""
        self._renderer.reset(seed)

    def close(self) -> None:
        """See ``serving.Renderer``."""
        self._renderer.close()
        self._factory.leave(self)
