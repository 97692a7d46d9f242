"""Which of the runs that wait are drawn next, and together: the oldest first, and with it what it can be drawn with.

Nobody is waited for. A run that has no company when its turn comes is drawn alone; only a renderer that cannot keep up
one by one finds several that wait, and then draws them for less. The oldest is always among them, so nobody starves.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from .protocol.events import FrameTaken
from .work import Pictures, RendererFactory, SharingFactory, Work


class Groups:
    """Groups runs for a factory, and has them drawn.

    Args:
        factory: of the renderers; one that cannot draw runs together has each drawn by itself.
    """

    def __init__(self, factory: RendererFactory) -> None:
        self._sharing = factory if isinstance(factory, SharingFactory) else None

    @property
    def largest(self) -> int:
        """Most runs that are drawn together."""
        return 1 if self._sharing is None else self._sharing.sizes[-1]

    def share(self, count: int) -> float:
        """What a run takes where so many of its kind are, as a share of what it takes alone: those who wait for a busy
        renderer are drawn in the largest number that they fill."""
        if self._sharing is None:
            return 1.0
        return [share for size, share in zip(self._sharing.sizes, self._sharing.shares) if size <= count][-1]

    @property
    def pixel_seconds(self) -> float:
        """What a pixel of a run that is drawn alone takes, as far as the factory knows; 0 if it does not."""
        return 0.0 if self._sharing is None else self._sharing.pixel_seconds

    def next(self, waiting: Sequence[Work]) -> list[Work]:
        """Those of the sessions, each with a run that is ready, that are drawn next; of equal age in their order."""
        by_age = sorted(waiting, key=lambda work: work.ready[0][-1].received)
        if self._sharing is None or len(by_age) < 2:
            return by_age[:1]
        kind = self.kind(by_age[0])
        alike = [work for work in by_age if self.kind(work) == kind] if kind is not None else by_age[:1]
        return alike[: max(size for size in self._sharing.sizes if size <= len(alike))]

    def render(self, group: Sequence[Work], runs: Sequence[list[FrameTaken]]) -> list[Pictures | Exception]:
        """Pictures of each session's run, or what was raised: a fault of one must not take the others with it."""
        renderers = [work.renderer for work in group]
        try:
            if self._sharing is None or len(group) == 1:
                return [list(renderers[0].render(runs[0]))]
            return list(self._sharing.render_many(list(zip(renderers, runs, strict=True))))
        except Exception as error:
            return [error] * len(group)

    def kind(self, work: Work) -> Hashable | None:
        """Equal for sessions whose runs, which are ready, can be drawn together; None for one that is drawn alone."""
        if self._sharing is None or not work.begun or work.controls:
            return None  # what controls change is known only once they are in force
        return self._sharing.kind(work.renderer, work.ready[0])
