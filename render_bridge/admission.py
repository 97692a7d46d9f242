"""Whether a renderer can serve one more session in time, from what drawing for those it has takes.

Written to by whoever draws, and asked by the thread that greets engines: nothing here is held across two calls.
"""

from __future__ import annotations

import statistics
from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple

from .protocol.messages import Hello
from .protocol.planes import choose_planes
from .work import TIMES_KEPT

MOST_LOAD = 1.0
"""Of all sessions together, as a share of the time that there is: beyond it every chunk comes later than the last."""


class Cost(NamedTuple):
    """What a frame of a session takes if it is drawn alone, in seconds, and the kind of its runs, see
    ``work.SharingFactory``; None if they have no company."""

    seconds: float
    kind: Hashable | None


class Shape(NamedTuple):
    """What a greeting says of frames: pixels, and the guide planes that come with them."""

    width: int
    height: int
    planes: tuple[str, ...]

    @property
    def pixels(self) -> int:
        """Of a frame."""
        return self.width * self.height


class Admission:
    """What each session's frames cost, and what one more would.

    A session that has drawn nothing yet counts with what frames of its size and planes cost others, else as many
    pixels. One whose engine sends nothing keeps its place: a game may go on after a pause.

    Args:
        pixel_seconds: what a pixel takes that is drawn alone, until something has been drawn; 0 if that is not known.
        share: what a run takes where so many of its kind are, as a share of what it takes alone; see ``Groups.share``.
        planes: guide planes that the renderer wants.
    """

    def __init__(
        self, pixel_seconds: float = 0.0, share: Callable[[int], float] = lambda _: 1.0, planes: Sequence[str] = ()
    ) -> None:
        self._guess, self._share, self._planes = pixel_seconds, share, planes
        self._times: dict[bytes, deque[float]] = {}
        self._costs: dict[bytes, Cost] = {}

    def took(self, session: bytes, seconds: float, kind: Hashable | None = None) -> None:
        """A frame of this session took so many seconds, or would have, had it been drawn alone; not one of its first
        run, in which more is done than later."""
        times = self._times.setdefault(session, deque(maxlen=TIMES_KEPT))
        times.append(seconds)
        self._costs[session] = Cost(statistics.median(times), kind)

    def forget(self, session: bytes) -> None:
        """The session is over."""
        self._costs.pop(session, None)
        self._times.pop(session, None)

    def refusal(self, hello: Hello, others: Mapping[bytes, Hello]) -> str:
        """Why one more session would make those that are there late; empty if it would not, or nothing is known.

        Args:
            hello: the greeting of the new one.
            others: those of the sessions that stay. The first session is never refused: there is nobody to wait for it.
        """
        if not others:
            return ""
        greetings = [hello, *others.values()]
        known = [None, *(self._costs.get(token) for token in others)]
        need, *taken = self._loads(greetings, known)
        busy = sum(taken)
        if need == 0.0 or busy + need <= MOST_LOAD:
            return ""
        rate = f"{hello.rate[0] / hello.rate[1]:g} frames a second"
        here = "1 session keeps" if len(others) == 1 else f"{len(others)} sessions keep"
        more = f"one more of {hello.width}x{hello.height} at {rate} would need {100 * need:.0f} %"
        return (
            f"{here} the renderer {100 * busy:.0f} % busy, and {more}, so all would be late: wait until one ends, ask "
            "for a smaller picture or rate, or start the renderer with --overbook, which takes in whoever comes"
        )

    def _loads(self, greetings: Sequence[Hello], known: Sequence[Cost | None]) -> list[float]:
        """Shares of the time that each session's frames take, or would take, with all of these here."""
        shapes = [self._shape(greeting) for greeting in greetings]
        measured = [(shape, cost) for shape, cost in zip(shapes, known, strict=True) if cost is not None]
        costs = [
            self._expected(shape, measured) if cost is None else cost for shape, cost in zip(shapes, known, strict=True)
        ]
        alike = Counter(cost.kind for cost in costs if cost.kind is not None)
        return [
            cost.seconds * self._share(alike.get(cost.kind, 1)) * greeting.rate[0] / greeting.rate[1]
            for cost, greeting in zip(costs, greetings, strict=True)
        ]

    def _shape(self, hello: Hello) -> Shape:
        return Shape(hello.width, hello.height, choose_planes(hello.planes, self._planes))

    def _expected(self, shape: Shape, measured: Sequence[tuple[Shape, Cost]]) -> Cost:
        """What a session of this shape should cost; 0 seconds if nothing is known."""
        same = [cost for other, cost in measured if other == shape]
        if same:
            kind = statistics.mode(cost.kind for cost in same)  # whoever is new has not changed his schedule
            return Cost(statistics.mean(cost.seconds for cost in same if cost.kind == kind), kind)
        if measured:
            pixel = sum(cost.seconds for _, cost in measured) / sum(other.pixels for other, _ in measured)
        else:
            pixel = self._guess
        return Cost(pixel * shape.pixels, shape)
