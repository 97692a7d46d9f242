"""A renderer whose pictures go out live too: one session at a time, the one that has been there longest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from render_bridge.protocol.events import FrameTaken, SessionOpened
from render_bridge.protocol.messages import Control
from render_bridge.protocol.offer import Offer
from render_bridge.work import Pictures, Renderer, RendererFactory, SharingFactory

from .stream import StreamPlan
from .streams import LiveStreams

SLOWEST, FASTEST = 1, 60
Say = Callable[[str], None]


def streamed(factory: RendererFactory, plans: Sequence[StreamPlan], say: Say) -> StreamedFactory:
    """The same renderers, streamed; drawn together if ``factory`` can do that. Arguments as of ``StreamedFactory``."""
    if isinstance(factory, SharingFactory):
        return StreamedSharingFactory(factory, plans, say)
    return StreamedFactory(factory, plans, say)


class StreamedFactory:
    """Makes the renderers of another factory, and streams what the first of them paints. Implements RendererFactory.

    Args:
        factory: makes renderers.
        plans: of the streams. They begin at once, so that a page is there; the first session's rate becomes theirs.
        say: takes lines for people.
    """

    def __init__(self, factory: RendererFactory, plans: Sequence[StreamPlan], say: Say) -> None:
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


class StreamedSharingFactory(StreamedFactory):
    """The same of a factory whose renderers draw together. Implements SharingFactory, whose words say what is what."""

    def __init__(self, factory: SharingFactory, plans: Sequence[StreamPlan], say: Say) -> None:
        super().__init__(factory, plans, say)
        self._sharing = factory

    @property
    def sizes(self) -> tuple[int, ...]:
        """See ``work.SharingFactory``."""
        return self._sharing.sizes

    @property
    def pixel_seconds(self) -> float:
        """See ``work.SharingFactory``."""
        return self._sharing.pixel_seconds

    @property
    def shares(self) -> tuple[float, ...]:
        """See ``work.SharingFactory``."""
        return self._sharing.shares

    def kind(self, renderer: StreamedRenderer, frames: Sequence[FrameTaken]) -> Hashable | None:
        """See ``work.SharingFactory``."""
        return self._sharing.kind(renderer.painter, frames)

    def render_many(
        self, runs: Sequence[tuple[StreamedRenderer, Sequence[FrameTaken]]]
    ) -> Sequence[Pictures | Exception]:
        """See ``work.SharingFactory``."""
        painted = self._sharing.render_many([(renderer.painter, frames) for renderer, frames in runs])
        for (renderer, frames), pictures in zip(runs, painted, strict=True):
            if not isinstance(pictures, Exception):
                renderer.show(frames, pictures)
        return painted


class StreamedRenderer:
    """One session's renderer; implements ``serving.Renderer``.

    Args:
        painter: paints.
        tick_rate: ticks a second of its engine.
        factory: has the stream.
    """

    def __init__(self, painter: Renderer, tick_rate: int, factory: StreamedFactory) -> None:
        self.painter, self._tick_rate, self._factory = painter, tick_rate, factory

    @property
    def run(self) -> int | None:
        """See ``serving.Renderer``."""
        return self.painter.run

    def render(self, frames: Sequence[FrameTaken]) -> Sequence[NDArray[np.uint8]]:
        """See ``serving.Renderer``."""
        pictures = self.painter.render(frames)
        self.show(frames, pictures)
        return pictures

    def show(self, frames: Sequence[FrameTaken], pictures: Pictures) -> None:
        """Stream what was painted of a run, if this session is on air."""
        times = [frame.tick / self._tick_rate for frame in frames]
        self._factory.show(self, list(zip(times, pictures, strict=True)))

    def apply(self, control: Control) -> None:
        """See ``serving.Renderer``."""
        self.painter.apply(control)

    def reset(self, seed: int | None) -> None:
        """See ``serving.Renderer``."""
        self.painter.reset(seed)

    def close(self) -> None:
        """See ``serving.Renderer``."""
        self.painter.close()
        self._factory.leave(self)
