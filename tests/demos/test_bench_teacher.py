"""`paintover bench engine --processes N`: all draw at once, and one that fails does not leave the others waiting."""

import json
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from threading import BrokenBarrierError

import pytest

from demos import cli
from demos.benches import teacher_processes
from demos.engine_bench import PORTIONS, BenchPlan, measure
from engine_sim.core.errors import UserError
from engine_sim.tracks.catalogue import load_track
from engine_sim.views.posed import posed_frame
from tests.demos.test_commands import has_gl

TRACK = "acorn-loop"
WORDS = ("bench", "engine", "--track", TRACK)


def failed(error):
    future = Future()
    future.set_exception(error)
    return future


class Barrier:
    """Stands in for the one between processes."""

    def __init__(self):
        self.waited, self.broken = 0, False

    def wait(self, seconds):
        self.waited += 1

    def abort(self):
        self.broken = True


@pytest.fixture
def barrier(monkeypatch):
    stand_in = Barrier()
    monkeypatch.setitem(teacher_processes._here, "barrier", stand_in)
    return stand_in


def meet_twice(plan, frames):
    """What two processes draw here: they wait for one another, and tell their first frame."""
    teacher_processes.wait_for_all()
    teacher_processes.wait_for_all()
    return "none", [[float(frames[0])]]


def test_processes_meet_and_each_begins_at_its_own_place_of_the_drive():
    plan = BenchPlan(TRACK, ((64, 32),))
    assert teacher_processes.draw_at_once(plan, range(10), 2, meet_twice) == [("none", [[0.0]]), ("none", [[5.0]])]


@pytest.mark.skipif(not has_gl(), reason="no OpenGL on this machine")
def test_a_process_draws_every_size_from_the_moment_when_all_are_ready(barrier):
    plan = BenchPlan(TRACK, ((64, 32), (32, 32)), 0.05)
    label, rates = teacher_processes.draw_here(plan, [posed_frame(load_track(TRACK), 300.0)])
    assert label
    assert [len(portions) for portions in rates] == [PORTIONS, PORTIONS]
    assert min(map(min, rates)) > 0
    assert (barrier.waited, barrier.broken) == (2, False)


def test_the_sum_and_each_process_are_reported(monkeypatch, capsys):
    measured = [("card", [[100.0, 120.0, 110.0]]), ("card", [[90.0, 80.0, 70.0]])]
    monkeypatch.setattr(teacher_processes, "video_frames", lambda track: [])
    monkeypatch.setattr(teacher_processes, "draw_at_once", lambda plan, frames, processes: measured)
    assert cli.main([*WORDS, "--processes", "2", "--sizes", "64x32", "--json"]) == 0
    line, last = capsys.readouterr().out.splitlines()
    assert line == "teacher view 64x32, 2 processes at once: 190.0 fps (110.0, 80.0)"
    report = json.loads(last)
    assert (report["bench"], report["processes"], report["teacher_view_fps"]) == ("engine", 2, {"64x32": 190.0})
    figure = report["teacher_view"]["64x32"]
    assert (figure["median"], figure["low"], figure["high"], figure["renderer"]) == (190.0, 180.0, 200.0, "card")
    assert [one["median"] for one in figure["each"]] == [110.0, 80.0]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((*WORDS, "--processes", "0"), "expected 1 to 256"),
        ((*WORDS, "--processes", "257"), "got 257"),
        ((*WORDS[:2], "--track", "acorn-lop", "--processes", "2"), "acorn-loop"),
        (("bench", "bridge", "--processes", "2"), "bench engine"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(capsys, words, expected):
    assert cli.main(list(words)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert expected in line


def test_the_clock_starts_when_all_are_ready():
    calls = []
    measure(lambda: calls.append("drawn") or 1, 1e-9, lambda: calls.append("ready"))
    assert calls == ["drawn", "drawn", "ready", *["drawn"] * PORTIONS]


def test_the_process_that_failed_is_named_not_those_that_waited_for_it():
    waited = failed(BrokenBarrierError())
    with pytest.raises(UserError, match="no OpenGL"):
        teacher_processes._results([waited, failed(UserError("no OpenGL 4.3")), waited])
    with pytest.raises(UserError, match="fewer processes"):
        teacher_processes._results([waited, failed(BrokenProcessPool())])
    with pytest.raises(UserError, match="not ready within"):
        teacher_processes._results([waited, waited])


def test_a_process_that_cannot_draw_sends_the_others_home(barrier):
    with pytest.raises(UserError, match="nowhere"):
        teacher_processes.draw_here(BenchPlan("nowhere", ((64, 32),)), [])
    assert barrier.broken
