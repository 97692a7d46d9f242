"""The profiler: spans nest whatever happens in them, the card is never waited for, off keeps nothing."""

import re
import threading
from collections import Counter
from pathlib import Path

import pytest
import torch
from torch._dynamo.utils import counters

from diffusion_render.stream import profile
from diffusion_render.stream.profile import Profiler, Span, count, span, spanned
from diffusion_render.stream.recorded import RecordedWindows
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import SessionConfig, StreamSession
from tests.diffusion_render.stream.test_recorded import Rerun
from tests.diffusion_render.stream.test_session import MAPS, RENDERER, TEXT, render, same, session
from tests.diffusion_render.toys import HEIGHT, WIDTH, some_picture

MS = 1_000_000


class Ticks:
    """A clock that goes on by a millisecond whenever it is read."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        self.now += MS
        return self.now


class LateCard:
    """A card whose moments come ten times as slowly, and only once they are asked for."""

    def __init__(self):
        self.marked, self.read_at, self.recording = 0, [], False

    def blind(self):
        return self.recording

    def mark(self):
        self.marked += 1
        return self.marked

    def read(self, marks):
        self.read_at.append(self.marked)
        return [10 * MS * mark for mark in marks]


def shape(tree):
    return [(s.name, s.depth) for s in tree.spans]


def test_spans_nest_as_they_were_opened():
    with Profiler(Ticks()).active() as profiler:
        for _ in range(2):
            with span("chunk"):
                with span("a"), span("inside"):
                    pass
                with span("b"):
                    pass
    trees = profiler.trees()
    assert [shape(tree) for tree in trees] == [[("chunk", 0), ("a", 1), ("inside", 2), ("b", 1)]] * 2
    assert trees[0].spans == (
        Span("chunk", 0, 1 * MS, 8 * MS),
        Span("a", 1, 2 * MS, 5 * MS),
        Span("inside", 2, 3 * MS, 4 * MS),
        Span("b", 1, 6 * MS, 7 * MS),
    )


def test_an_exception_ends_its_spans_and_goes_on():
    @spanned("work")
    def work():
        raise KeyError("lost")

    with Profiler(Ticks()).active() as profiler:
        with pytest.raises(KeyError, match="lost"), span("chunk"):
            work()
        with span("chunk"):
            pass
    broken, whole = profiler.trees()
    assert [(s.name, s.failed, s.end - s.begin) for s in broken.spans] == [
        ("chunk", True, 3 * MS),
        ("work", True, 1 * MS),
    ]
    assert shape(whole) == [("chunk", 0)]


def test_the_decorator_hands_arguments_and_results_through():
    @spanned("sum")
    def add(a, b=1):
        """Adds."""
        return a + b

    with Profiler(Ticks()).active() as profiler:
        assert add(2, b=3) == 5
    assert shape(profiler.trees()[0]) == [("sum", 0)]
    assert (add.__name__, add.__doc__) == ("add", "Adds.")


def test_threads_have_nests_of_their_own():
    inside, go_on = threading.Event(), threading.Event()

    def other():
        with span("chunk"), span("theirs"):
            inside.set()
            assert go_on.wait(10)

    with Profiler().active() as profiler:
        thread = threading.Thread(target=other, name="other")
        thread.start()
        assert inside.wait(10)
        with span("chunk"), span("ours"):
            pass
        go_on.set()
        thread.join()
    ours, theirs = profiler.trees()
    assert (shape(ours)[1], shape(theirs)[1]) == (("ours", 1), ("theirs", 1))
    assert theirs.thread_name == "other"
    assert ours.thread != theirs.thread


def test_a_span_that_ends_before_one_inside_of_it_is_refused_by_name():
    with Profiler().active():
        outer, inner = span("outer"), span("inner")
        outer.__enter__()
        inner.__enter__()
        with pytest.raises(RuntimeError, match="span 'outer' ends where 'inner' is open"):
            outer.__exit__(None, None, None)


def test_a_span_that_ends_in_another_thread_is_refused():
    refused = []

    def end(begun):
        try:
            begun.__exit__(None, None, None)
        except RuntimeError as error:
            refused.append(str(error))

    with Profiler().active():
        begun = span("chunk")
        begun.__enter__()
        thread = threading.Thread(target=end, args=(begun,))
        thread.start()
        thread.join()
    assert "'nothing in this thread' is open" in refused[0]


def test_two_profilers_at_once_are_refused_and_the_first_goes_on():
    with Profiler().active() as first:
        with pytest.raises(RuntimeError, match="active already"), Profiler().active():
            pass
        with span("chunk"):
            pass
    assert len(first.trees()) == 1
    assert profile._active is None


def test_off_makes_no_record_and_always_the_same_object():
    profiler = Profiler(Ticks())
    with profiler.active():
        pass
    with span("chunk"):
        count("bytes", 3)
    assert span("a") is span("b") is profile.NOTHING
    assert profiler.trees() == []


def test_the_card_is_read_at_the_end_and_never_inside_of_a_chunk():
    card = LateCard()
    with Profiler(Ticks(), card).active() as profiler:
        for _ in range(2):
            with span("chunk"), span("a"):
                assert card.read_at == []
    assert [s.card for s in profiler.trees()[1].spans] == [(50 * MS, 80 * MS), (60 * MS, 70 * MS)]
    assert card.read_at == [8, 8]
    assert len(profiler.trees()) == 2
    assert card.read_at == [8, 8]  # once


def test_nothing_is_kept_or_marked_while_work_is_recorded():
    card = LateCard()
    with Profiler(Ticks(), card).active() as profiler, span("chunk"):
        card.recording = True
        with span("step"):
            pass
        card.recording = False
        with span("replay"):
            pass
    assert shape(profiler.trees()[0]) == [("chunk", 0), ("replay", 1)]
    assert card.marked == 4


def test_compiled_code_has_no_spans_is_one_piece_and_stays_as_it_is_when_profiling_begins():
    @spanned("outer")
    def work(x):
        with span("inner"):
            count("calls")
            return x + 1

    torch._dynamo.reset()
    counters.clear()
    compiled = torch.compile(work, backend="eager", fullgraph=True)
    x = torch.ones(3)
    compiled(x)
    made = counters["stats"]["unique_graphs"]
    with Profiler(Ticks()).active() as profiler, span("chunk"):
        assert torch.equal(compiled(x), x + 1)
    assert shape(profiler.trees()[0]) == [("chunk", 0)]
    assert profiler.trees()[0].counts == ()
    assert (made, counters["stats"]["unique_graphs"]) == (1, 1)
    assert not counters["graph_break"]


def test_the_oldest_trees_make_room():
    with Profiler(Ticks(), most=3).active() as profiler:
        for k in range(5):
            with span(f"chunk {k}"):
                pass
    assert [shape(t)[0][0] for t in profiler.trees()] == ["chunk 2", "chunk 3", "chunk 4"]


def test_a_stream_says_where_its_time_goes_and_draws_the_same_pictures():
    plan = {"first": 2, "history": 1, "chunk": 1}
    plain = render(session(**plan), MAPS[:12], 4)
    with Profiler().active() as profiler:
        pictures = render(session(**plan), MAPS[:12], 4)
    assert same(pictures, plain)
    trees = [tree for tree in profiler.trees() if tree.spans[0].name == "window"]
    assert len(trees) == 2
    for units, tree in zip((2, 1), trees, strict=True):
        names = Counter(s.name for s in tree.spans)
        assert (names["structure"], names["step 1"], names["step 2"], names["history"]) == (1, 1, 1, int(units == 1))
        assert (names["decode"], names["to bytes"]) == (units, units)


def test_of_recorded_windows_only_what_lies_around_the_replay_is_kept():
    card, record = LateCard(), Rerun()

    def blindly(work):
        def unseen():
            card.recording = True
            made = work()
            card.recording = False
            return made

        return record(unseen)

    config = SessionConfig(0, WIDTH, HEIGHT, Schedule(first=1, history=1, chunk=1))
    stream = StreamSession(RENDERER, config, some_picture(), MAPS[0], TEXT, render=RecordedWindows(blindly, print))
    with Profiler(card=card).active() as profiler:
        pictures = render(stream, MAPS[:12], 4)
    assert same(pictures, render(session(first=1, history=1, chunk=1), MAPS[:12], 4))
    windows = [[s.name for s in t.spans] for t in profiler.trees() if t.spans[0].name == "window"]
    assert windows == [["window", "anchored noise", "copies in", "replay", "copies out"]] * 3


def test_the_sample_of_the_docs_does_what_it_says(capsys):
    text = (Path(__file__).parents[3] / "docs" / "SPEED.md").read_text(encoding="utf-8")
    (sample,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(sample, {})
    assert capsys.readouterr().out.strip() == sample.split("# ")[-1].strip()
