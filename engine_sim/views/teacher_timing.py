"""How long a graphics card works on each pass of the teacher view, by its own clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import moderngl

PASSES = ("shadows", "seen", "paint", "develop", "copy")
"""In the order in which a frame goes through them; ``copy`` is that of the picture to where it can be read."""


def untimed(name: str) -> AbstractContextManager[object]:
    """A pass that nobody times."""
    return nullcontext(name)


class PassTimer:
    """Milliseconds of every pass of every frame. Reading the clock waits for the card: frames no longer overlap.

    Args:
        ctx: context of the view, current in every call.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._query = ctx.query(time=True)
        self.milliseconds: dict[str, list[float]] = defaultdict(list)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Time what is drawn inside; passes never lie inside each other."""
        with self._query:
            yield
        self.milliseconds[name].append(self._query.elapsed / 1e6)
