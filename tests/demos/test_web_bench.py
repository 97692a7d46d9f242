"""`paintover bench web|stream`: growth is seen where there is some, and a short run measures what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.streaming.bench import bench_stream
from demos.web.guest import TURN, Origin
from demos.web.household import Household, household
from demos.web.visits import GROWTH, WHOLE_S, VisitsFigures, VisitsPlan, grown, limits, summary_of
from engine_sim.core.errors import UserError


class Caller:
    def __init__(self, ages, first=0.2):
        self.ages, self.first_picture = ages, first if ages else None


def figures(memory=lambda k: 200.0, ages=lambda k: [50.0, 60.0, 70.0], files=lambda k: 20, threads=lambda k: 6):
    seen = VisitsFigures()
    for k in range(90):
        seen.count(Caller(ages(k)), 20.0 * k + 19, Household(2, memory(k), files(k), threads(k)))
    return {**summary_of(seen), "seconds": WHOLE_S}


def test_a_server_that_stays_as_it_is_holds_every_limit():
    report = figures(memory=lambda k: 150 + min(k, 15) * 5 + k % 3)  # it grows while it warms up, then breathes
    rows = limits(report)
    assert [row["holds"] for row in rows] == [True] * 7
    assert report["age_ms"]["median"] == 60
    assert json.dumps(report)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"memory": lambda k: 200 * (1 + 3 * GROWTH * k / 90)}, "growth of the server's memory"),
        ({"files": lambda k: 20 + k // 10}, "growth of its open files"),
        ({"threads": lambda k: 6 + k // 30}, "growth of its threads"),
        ({"ages": lambda k: [50.0 + k]}, "growth of the pictures' age"),
        ({"ages": lambda k: [50.0] if k else []}, "visits without a picture"),
    ],
)
def test_each_growth_is_missed_by_itself(changes, what):
    (row,) = [row for row in limits(figures(**changes)) if not row["holds"]]
    assert row["what"].startswith(what)


def test_a_short_run_is_not_called_long_enough_and_a_blind_one_is_an_error():
    rows = limits({**figures(), "seconds": 60.0})
    assert [row["what"] for row in rows if not row["holds"]] == ["seconds watched"]
    with pytest.raises(UserError, match="no picture came"):
        figures(ages=lambda k: [])


def test_growth_compares_the_ends_and_one_odd_value_is_none():
    assert grown([1, 1, 1, 50, 1, 1, 1, 1], 4) == 0
    assert grown([1, 1, 5, 5, 9, 9], 3) == 8
    assert grown([3], 4) == 0


def test_a_household_counts_children_and_theirs():
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    alone = household(os.getpid())
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as child:
        while (both := household(child.pid)).processes < 2:
            pass
        ours = household(os.getpid())
        child.communicate(b"\n")
    assert ours.processes >= alone.processes + 2
    assert both.mb > 5
    assert both.files >= 4
    assert both.threads >= 2
    with pytest.raises(OSError, match="no process"):
        household(child.pid)


def test_a_guest_learns_which_note_belongs_to_a_picture():
    origin, notes = Origin(), {100: 1.0, 3900: 2.0, 7600: 3.0}
    shift = TURN - 4000  # stamps wrap
    assert origin.match((100 + shift) % TURN, notes) is None  # one picture allows three origins
    assert origin.match((3900 + shift) % TURN, notes) == 2.0
    assert origin.match((7600 + shift) % TURN, notes) == 3.0
    assert origin.match((9999 + shift) % TURN, notes) is None


def test_a_streams_page_is_measured_while_viewers_come_and_go():
    lines: list[str] = []
    report = bench_stream(VisitsPlan(seconds=1.5, every=1.5), lines.append)
    assert report["bench"] == "stream"
    assert report["visits"] == 1
    assert report["pictures"]["high"] > 0
    assert 0 < report["age_ms"]["median"] < 5000
    assert report["memory_mb"]["median"] > 20
    assert not report["holds"]
    assert lines[-1].startswith("MISSED  seconds watched: 1.5 ")
