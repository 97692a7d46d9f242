"""Tables and traces of made-up spans: figures that can be told beforehand, and JSON in which everything nests."""

import json
from collections import Counter

import pytest

from diffusion_render.stream.profile import Count, Span, Tree
from diffusion_render.stream.profile_report import REST, chrome_trace, counters, lines, table

MS = 1_000_000


def chunk_of(begin, step, card=None, counts=()):
    """A chunk of 10 ms with two steps of ``step`` ms each, from ``begin`` ms on."""
    spans = [("chunk", 0, 0, 10), ("steps", 1, 1, 9), ("step", 2, 1, 1 + step), ("step", 2, 5, 5 + step)]
    on_card = (lambda a, b: None) if card is None else (lambda a, b: (MS * (begin + card + a), MS * (begin + card + b)))
    made = (Span(n, d, MS * (begin + a), MS * (begin + b), on_card(a, b)) for n, d, a, b in spans)
    return Tree(1, "main", tuple(made), tuple(counts))


def test_the_table_has_medians_slow_ends_and_shares_of_what_was_spent():
    rows = table([chunk_of(20 * k, step) for k, step in enumerate((1, 2, 3))])
    assert [(r.name, r.depth, r.calls) for r in rows] == [
        ("chunk", 0, 1),
        ("steps", 1, 1),
        ("step", 2, 2),
        (REST, 2, 1),
        (REST, 1, 1),
    ]
    assert [r.processor.median for r in rows] == [10, 8, 4, 4, 2]
    assert [r.processor.p95 for r in rows] == [10, 8, 6, 6, 2]
    assert [r.processor.share for r in rows] == pytest.approx([1, 0.8, 0.4, 0.4, 0.2])
    assert all(r.card is None for r in rows)


def test_a_chunk_without_a_span_counts_as_none_of_it():
    bare = Tree(1, "main", (Span("chunk", 0, 0, 10 * MS),))
    rows = {row.name: row for row in table([chunk_of(20, 2), bare, bare])}
    assert (rows["steps"].processor.median, rows["steps"].calls) == (0, 0)
    assert rows["steps"].processor.share == pytest.approx(8 / 30)


def test_the_table_gives_the_card_its_own_columns_and_takes_no_other_roots():
    other = Tree(1, "main", (Span("look", 0, 0, 99 * MS),))
    trees = [other, chunk_of(0, 2, card=3)]
    rows = table(trees)
    assert [row.card for row in rows] == [row.processor for row in rows]
    assert table([other]) == []
    text = lines(rows)
    assert "card median ms" in text[0]
    assert text[1].split()[:4] == ["chunk", "1", "10.000", "10.000"]
    assert lines([]) == ["no chunk was profiled"]


def test_counters_add_up_within_a_chunk():
    def counts(k):
        return Count("bytes", 0, 5), Count("bytes", 1, k), Count("misses", 1, 1)

    trees = [chunk_of(0, 1, counts=counts(1)), chunk_of(20, 1, counts=counts(3)), chunk_of(40, 1)]
    assert counters(trees) == {"bytes": 6, "misses": 1}
    assert lines(table(trees), counters(trees))[-1] == "misses: 1 a chunk"


def test_the_trace_is_json_in_which_every_begin_has_its_end():
    first = chunk_of(2, 1, card=30, counts=[Count("bytes", 4 * MS, 7)])
    second = chunk_of(22, 2, card=30)._replace(thread=2, thread_name="other")
    trace = json.loads(json.dumps(chrome_trace([first, second])))
    stacks, seen, last = {}, Counter(), {}
    for event in trace["traceEvents"]:
        tid = event["tid"]
        if event["ph"] in "BE":
            assert event["ts"] >= last.get(tid, 0)
            last[tid] = event["ts"]
        if event["ph"] == "B":
            stacks.setdefault(tid, []).append(event["name"])
            seen[tid] += 1
        elif event["ph"] == "E":
            assert stacks[tid].pop() == event["name"]
    assert not any(stacks.values())
    names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"}
    assert {names[tid]: n for tid, n in seen.items()} == {
        "main": 4, "card, for main": 4, "other": 4, "card, for other": 4,
    }  # fmt: skip
    (counter,) = [e for e in trace["traceEvents"] if e["ph"] == "C"]
    assert (counter["ts"], counter["args"]) == (2000, {"bytes": 7})


def test_moments_of_a_card_that_overlap_still_nest_in_the_trace():
    spans = Span("chunk", 0, 0, 9, (0, 5)), Span("a", 1, 1, 2, (1, 8)), Span("b", 1, 3, 4, (2, 3))
    on_card = [e for e in chrome_trace([Tree(1, "main", spans)])["traceEvents"] if e["tid"] == 1 and e["ph"] in "BE"]
    assert [(e["ph"], e["name"]) for e in on_card] == [
        ("B", "chunk"), ("B", "a"), ("E", "a"), ("B", "b"), ("E", "b"), ("E", "chunk"),
    ]  # fmt: skip
    assert [e["ts"] for e in on_card] == sorted(e["ts"] for e in on_card)
