"""What is in force when: a prompt schedule carried out at the borders of chunks. No clock, no picture, no renderer."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from demos.options import NamedLook

from .text import CUT, Change

ROUNDING = 1e-6


class InForce(NamedTuple):
    """A look and its prompt; None is the look's own."""

    look: NamedLook
    prompt: str | None


class Step(NamedTuple):
    """What a chunk is painted with.

    Args:
        before, after: what it comes from, and what it goes to.
        share: of ``after``, above 0 and at most 1, which is ``after`` alone.
        chunks: of the whole change.
    """

    before: InForce
    after: InForce
    share: float = 1.0
    chunks: int = CUT

    @property
    def begins(self) -> bool:
        """True for the first chunk of a change."""
        return self.share * self.chunks < 1.5

    @property
    def blends_looks(self) -> bool:
        """True if two looks are seen at once."""
        return self.share < 1.0 and self.before.look != self.after.look


def opening(changes: Sequence[Change], start: InForce) -> tuple[InForce, tuple[Change, ...]]:
    """What a drive begins with, and the changes to come: a change at 0 s stands in the place of ``start``."""
    if changes and changes[0].seconds <= 0:
        return after_change(start, changes[0]), tuple(changes[1:])
    return start, tuple(changes)


def after_change(now: InForce, change: Change) -> InForce:
    """What is in force after a change."""
    return InForce(change.look or now.look, change.prompt)


class Course:
    """Carries changes out. One that comes due while another is still being blended waits for it.

    Args:
        changes: in the order of their times.
        start: in force until the first.
    """

    def __init__(self, changes: Sequence[Change], start: InForce) -> None:
        self._changes = deque(changes)
        self.planned = bool(changes)
        self.step = Step(start, start)
        self._done = 1

    @property
    def waiting(self) -> tuple[Change, ...]:
        """Changes that no border has come to yet."""
        return tuple(self._changes)

    def due(self, seconds: float) -> bool:
        """True if a border at this time of the drive would change something."""
        return self.step.share < 1.0 or bool(self._changes and self._changes[0].seconds <= seconds + ROUNDING)

    def border(self, seconds: float) -> Step | None:
        """A chunk begins at this time of the drive: what is new in it, or None. The last of several changes holds."""
        if not self.due(seconds):
            return None
        if self.step.share < 1.0:
            self._done += 1
            self.step = self.step._replace(share=self._done / self.step.chunks)
            return self.step
        before = after = self.step.after
        chunks = CUT
        while self._changes and self._changes[0].seconds <= seconds + ROUNDING:
            change = self._changes.popleft()
            after, chunks = after_change(after, change), change.chunks
        self._done = 1
        self.step = Step(before, after, 1 / chunks, chunks)
        return self.step
