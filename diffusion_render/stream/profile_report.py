"""What spans say: a table of a chunk's parts, and a trace for ``chrome://tracing`` and Perfetto. Pure functions."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .profile import Span, Tree

ROOT = "chunk"
"""What is drawn for one stream; for several together it is ``batch``, which has all of their parts in it."""
REST = "(rest)"
"""What a span with spans in it has besides them."""
PROCESSOR, CARD = 0, 1


class Figures(NamedTuple):
    """Milliseconds a chunk, and the share that all of them have of all chunks (0 to 1)."""

    median: float
    p95: float
    share: float


class Row(NamedTuple):
    """Spans of one name at one place: ``calls`` a chunk (median), figures of both clocks; no card: None."""

    name: str
    depth: int
    calls: float
    processor: Figures
    card: Figures | None


@dataclass
class _Node:
    """Spans of one name under one parent: chunk → (ns of the processor, ns of the card, calls)."""

    name: str
    depth: int
    sums: dict[int, list[int]] = field(default_factory=dict)
    children: dict[str, _Node] = field(default_factory=dict)

    def add(self, chunk: int, span: Span) -> None:
        sums = self.sums.setdefault(chunk, [0, 0, 0])
        card = span.card or (0, 0)
        for k, amount in enumerate((span.end - span.begin, card[1] - card[0], 1)):
            sums[k] += amount

    def rest(self) -> _Node:
        """What lies in this one, and in none of its children."""
        left = {}
        for chunk, sums in self.sums.items():
            inside = [child.sums.get(chunk, [0, 0, 0]) for child in self.children.values()]
            left[chunk] = [*(sums[k] - sum(part[k] for part in inside) for k in (PROCESSOR, CARD)), sums[2]]
        return _Node(REST, self.depth + 1, left)


def table(trees: Sequence[Tree], root: str = ROOT) -> list[Row]:
    """Rows of all trees under a root of this name, parents before their parts; spans of one name and place add up.

    A chunk without a span of some name counts as 0 ms of it. Without such trees the table is empty.
    """
    chunks = [tree for tree in trees if tree.spans[0].name == root]
    if not chunks:
        return []
    top = _Node(root, 0)
    for number, tree in enumerate(chunks):
        path: list[_Node] = []
        for span in tree.spans:
            del path[span.depth :]
            node = path[-1].children.setdefault(span.name, _Node(span.name, span.depth)) if path else top
            node.add(number, span)
            path.append(node)
    has_card = all(span.card is not None for tree in chunks for span in tree.spans)
    return list(_rows(top, top, len(chunks), has_card))


def _rows(node: _Node, top: _Node, chunks: int, has_card: bool) -> Iterator[Row]:
    columns = list(zip(*(node.sums.get(k, [0, 0, 0]) for k in range(chunks)), strict=True))
    whole = [sum(column) for column in zip(*top.sums.values(), strict=True)]
    figures = [_figures(columns[k], whole[k]) for k in (PROCESSOR, CARD)]
    yield Row(node.name, node.depth, statistics.median(columns[2]), figures[0], figures[1] if has_card else None)
    for child in (*node.children.values(), *([node.rest()] if node.children else [])):
        yield from _rows(child, top, chunks, has_card)


def _figures(sums: Sequence[int], whole: int) -> Figures:
    ordered = sorted(sums)
    slow = ordered[round(0.95 * (len(ordered) - 1))]
    return Figures(statistics.median(ordered) / 1e6, slow / 1e6, sum(sums) / whole if whole else 0.0)


def counters(trees: Sequence[Tree], root: str = ROOT) -> dict[str, float]:
    """Median a chunk of what each counter went up by."""
    sums: list[dict[str, float]] = []
    for tree in trees:
        if tree.spans[0].name == root:
            sums.append({})
            for name, _, amount in tree.counts:
                sums[-1][name] = sums[-1].get(name, 0) + amount
    names = {name: None for chunk in sums for name in chunk}
    return {name: statistics.median(chunk.get(name, 0) for chunk in sums) for name in names}


def lines(rows: Sequence[Row], counted: dict[str, float] | None = None) -> list[str]:
    """The table for people."""
    if not rows:
        return ["no chunk was profiled"]
    has_card = rows[0].card is not None
    titles = ["median ms", "p95 ms", "share"]
    head = [f"{'span':<28} {'calls':>5}", *(f"{t:>10}" for t in titles)]
    head += [f"{'card ' + t:>15}" for t in titles] if has_card else []
    made = [" ".join(head)]
    for row in rows:
        cells = [f"{'  ' * row.depth + row.name:<28} {row.calls:>5g}"]
        for figures, width in ((row.processor, 10), (row.card, 15)):
            if figures is not None:
                values = f"{figures.median:.3f}", f"{figures.p95:.3f}", f"{100 * figures.share:.1f} %"
                cells += [f"{value:>{width}}" for value in values]
        made.append(" ".join(cells))
    return made + [f"{name}: {amount:g} a {rows[0].name}" for name, amount in (counted or {}).items()]


def chrome_trace(trees: Sequence[Tree]) -> dict[str, Any]:
    """The JSON object of the Trace Event Format: each thread, and the card's work for it, as threads of one process."""
    events: list[dict[str, Any]] = []
    zero = min((tree.spans[0].begin for tree in trees), default=0)
    threads: dict[int, int] = {}
    for tree in trees:
        if tree.thread not in threads:
            threads[tree.thread] = 2 * len(threads)
            for name, shift in ((tree.thread_name, PROCESSOR), (f"card, for {tree.thread_name}", CARD)):
                where = {"ph": "M", "pid": 0, "tid": threads[tree.thread] + shift}
                events.append({**where, "name": "thread_name", "args": {"name": name}})
        thread = threads[tree.thread]
        events += _pairs(tree.spans, [(s.begin, s.end) for s in tree.spans], thread + PROCESSOR, zero)
        on_card = [s.card for s in tree.spans if s.card is not None]
        if len(on_card) == len(tree.spans):
            events += _pairs(tree.spans, on_card, thread + CARD, zero)
        for name, moment, amount in tree.counts:
            where = {"ph": "C", "pid": 0, "tid": thread, "ts": (moment - zero) / 1e3}
            events.append({**where, "name": name, "args": {name: amount}})
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _pairs(
    spans: Sequence[Span], stretches: Sequence[tuple[int, int]], thread: int, zero: int
) -> Iterator[dict[str, Any]]:
    """A begin and an end of every span, in an order in which they nest.

    Moments of several queues of a card need not follow one another: what would begin or end before the event in front
    of it is put there.
    """
    open_ends: list[tuple[Span, int]] = []
    last = -(1 << 62)

    def event(phase: str, span: Span, moment: int) -> dict[str, Any]:
        nonlocal last
        last = max(last, moment)
        failed = {"args": {"failed": True}} if span.failed else {}
        return {"ph": phase, "pid": 0, "tid": thread, "ts": (last - zero) / 1e3, "name": span.name, **failed}

    for span, (begin, end) in zip(spans, stretches, strict=True):
        while open_ends and open_ends[-1][0].depth >= span.depth:
            yield event("E", *open_ends.pop())
        yield event("B", span, begin)
        open_ends.append((span, end))
    while open_ends:
        yield event("E", *open_ends.pop())
