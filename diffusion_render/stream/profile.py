"""Where a chunk's time goes: nested spans on the processor's clock and on the card's, and counters.

    with Profiler(card=card_of(device)).active() as profiler:
        ...                        # spans of the stream are kept while it is active
    rows = profile_report.table(profiler.trees())

Off by default: ``span`` then tests one name and does nothing. A span is nothing, too, inside of code that is being
compiled or recorded: a replay does not come by there again. So of recorded windows only what lies around them counts.
The card's moments are events in its queue. They are read at the end, so that no chunk waits for the card.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeVar

import torch
from torch.compiler import is_compiling

P = ParamSpec("P")
R = TypeVar("R")

MOST_TREES = 2000
"""Trees of spans that are kept, one a chunk or batch; the oldest make room."""


class Span(NamedTuple):
    """A stretch of time: ``begin`` and ``end`` in ns of the processor's clock, ``card`` the same of the card, or None;
    ``depth`` 0 for the root of a tree; ``failed`` if an exception ended it."""

    name: str
    depth: int
    begin: int
    end: int
    card: tuple[int, int] | None = None
    failed: bool = False


class Count(NamedTuple):
    """A counter went up by ``amount`` at ``moment`` (ns)."""

    name: str
    moment: int
    amount: float


class Tree(NamedTuple):
    """A root span with all inside of it, in the order in which they began, and what was counted meanwhile."""

    thread: int
    thread_name: str
    spans: tuple[Span, ...]
    counts: tuple[Count, ...] = ()


class Card(Protocol):
    """The clock of a device that works behind the processor."""

    def blind(self) -> bool:
        """True while work is recorded and not done."""

    def mark(self) -> Any:
        """Put a moment into the device's queue, without waiting."""

    def read(self, marks: Sequence[Any]) -> list[int]:
        """Moments of marks in ns of the processor's clock; waits until the last one is past."""


class CudaCard:
    """Moments as CUDA events.

    Args:
        device: whose queue.
    """

    def __init__(self, device: torch.device) -> None:
        torch.cuda.synchronize(device)  # an idle card marks its first moment at once: both clocks meet there
        self._anchor, self._anchor_ns = self.mark(), time.perf_counter_ns()

    def blind(self) -> bool:
        """See ``Card``."""
        return torch.cuda.is_current_stream_capturing()

    def mark(self) -> torch.cuda.Event:
        """See ``Card``."""
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def read(self, marks: Sequence[torch.cuda.Event]) -> list[int]:
        """See ``Card``."""
        for mark in (self._anchor, *marks):
            mark.synchronize()
        # Distances are fp32 milliseconds: they are taken from a near moment, or an hour would cost them their digits.
        start = self._anchor_ns + round(1e6 * self._anchor.elapsed_time(marks[0]))
        moments = [start + round(1e6 * marks[0].elapsed_time(mark)) for mark in marks]
        self._anchor, self._anchor_ns = marks[0], start
        return moments


def card_of(device: torch.device) -> Card | None:
    """The clock of a device; None for the processor, which has no other than its own."""
    return CudaCard(device) if device.type == "cuda" else None


class _Nothing:
    """A span that is not kept."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None


NOTHING = _Nothing()


class _Nest(threading.local):
    """A thread's tree in the making: spans that are open, all spans so far, counts so far."""

    def __init__(self) -> None:
        self.open: list[_Live] = []
        self.spans: list[_Live] = []
        self.counts: list[Count] = []


class _Live:
    """A span while it lasts."""

    __slots__ = ("begin", "depth", "end", "failed", "marks", "name", "profiler")
    depth: int
    begin: int
    end: int
    failed: bool

    def __init__(self, profiler: Profiler, name: str) -> None:
        self.profiler, self.name = profiler, name
        self.marks: list[Any] = []

    def __enter__(self) -> None:
        self.profiler._begin(self)

    def __exit__(self, kind: object, *error: object) -> None:
        self.profiler._end(self, kind is not None)


class Profiler:
    """Keeps spans while it is active. Every thread has a nest of its own.

    Args:
        clock: ns of the processor.
        card: the other clock, or None.
        most: trees that are kept.
    """

    def __init__(
        self, clock: Callable[[], int] = time.perf_counter_ns, card: Card | None = None, most: int = MOST_TREES
    ) -> None:
        self._clock, self._card, self._nest = clock, card, _Nest()
        self._ended: deque[tuple[int, str, list[_Live], list[Count]]] = deque(maxlen=most)
        self._read: deque[Tree] = deque(maxlen=most)

    @contextmanager
    def active(self) -> Iterator[Profiler]:
        """Keep what happens meanwhile. RuntimeError if another profiler does so already."""
        global _active
        if _active is not None:
            raise RuntimeError("one profiler is active already: its spans would be missing from one of the two")
        _active = self
        try:
            yield self
        finally:
            _active = None

    def span(self, name: str) -> AbstractContextManager[None]:
        """A span of this name; nothing while work is recorded."""
        return NOTHING if self._card is not None and self._card.blind() else _Live(self, name)

    def count(self, name: str, amount: float = 1) -> None:
        """Let a counter go up inside the tree that is open in this thread; outside of any tree it is not kept."""
        if self._nest.open:
            self._nest.counts.append(Count(name, self._clock(), amount))

    def trees(self) -> list[Tree]:
        """All ended trees in the order of their ends. Waits for the card: not to be called inside of a chunk."""
        while self._ended:
            self._read.append(self._settled(*self._ended.popleft()))
        return list(self._read)

    def _begin(self, live: _Live) -> None:
        nest = self._nest
        live.depth = len(nest.open)
        nest.open.append(live)
        nest.spans.append(live)
        live.begin = self._clock()
        if self._card is not None:
            live.marks.append(self._card.mark())

    def _end(self, live: _Live, failed: bool) -> None:
        nest = self._nest
        if not nest.open or nest.open[-1] is not live:
            inside = nest.open[-1].name if nest.open else "nothing in this thread"
            raise RuntimeError(
                f"span {live.name!r} ends where {inside!r} is open: a span ends in its own thread, after those in it"
            )
        if self._card is not None:
            live.marks.append(self._card.mark())
        live.end, live.failed = self._clock(), failed
        nest.open.pop()
        if not nest.open:
            thread = threading.current_thread()
            self._ended.append((threading.get_ident(), thread.name, nest.spans, nest.counts))
            nest.spans, nest.counts = [], []

    def _settled(self, thread: int, name: str, spans: list[_Live], counts: list[Count]) -> Tree:
        moments = [] if self._card is None else self._card.read([mark for live in spans for mark in live.marks])
        pairs: Sequence[tuple[int, int] | None] = list(zip(moments[::2], moments[1::2], strict=True))
        pairs = pairs or [None] * len(spans)
        made = (Span(s.name, s.depth, s.begin, s.end, pair, s.failed) for s, pair in zip(spans, pairs, strict=True))
        return Tree(thread, name, tuple(made), tuple(counts))


_active: Profiler | None = None


def span(name: str) -> AbstractContextManager[None]:
    """A stretch of time under this name, if a profiler is active; else nothing."""
    # Compiled code must not even look whether one is active: it would be compiled anew for either answer.
    if is_compiling():
        return nullcontext()  # made on the spot: torch's tracer enters no context that comes from elsewhere
    return NOTHING if _active is None else _active.span(name)


def spanned(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: each call is a span of this name."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            with span(name):
                return function(*args, **kwargs)

        return call

    return decorate


def count(name: str, amount: float = 1) -> None:
    """Let a counter go up, if a profiler is active."""
    if not is_compiling() and _active is not None:
        _active.count(name, amount)
