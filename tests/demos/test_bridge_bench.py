"""`paintover bench bridge`: every leg measures what it says, and the limits can be read by anybody."""

import json

import numpy as np
import pytest

from demos import cli
from demos.benches.spread import percentile
from demos.bridge import bench
from demos.bridge.bench import BridgePlan, addresses, bench_bridge, connect, drive_engines, slow
from demos.bridge.limits import AGE_MS, limits, line_of
from engine_sim.core.errors import UserError
from tests.render_bridge.ends import serving

PLAN = BridgePlan("acorn-loop", (128, 64), 1.0, 1.5, ("zstd",), ("ipc",), sessions=3)


def figures(**changes):
    ages = {"age_ms": {"high": 40.0}, "memory_growth_mb": [1.0, 2.0], "seconds": 60.0}
    report = {
        "one_way_ms_ipc": {"zstd": {"median": 1.2}},
        "slow_renderer_ipc": ages,
        "slow_renderer_tcp": ages,
        "sessions": {"pictures": [10, 12, 11]},
    }
    return {**report, **changes}


def slow_leg(**changes):
    return {"slow_renderer_tcp": {**figures()["slow_renderer_tcp"], **changes}}


def test_a_bridge_that_holds_every_limit_is_told_so_row_by_row():
    rows = limits(figures(), ("ipc", "tcp"), "zstd")
    assert [row["holds"] for row in rows] == [True] * 6
    assert line_of(rows[0]) == "holds   one way of a class map, ipc, zstd: median ms: 1.2 (at most 1.5)"
    assert pytest.approx(1000 / 24 + 5) == AGE_MS


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"one_way_ms_ipc": {"zstd": {"median": 1.51}}}, "one way of a class map, ipc"),
        (slow_leg(age_ms={"high": 46.8}), "age of the oldest frame used, tcp"),
        (slow_leg(memory_growth_mb=[0.0, 43.0]), "growth of memory, tcp"),
        (slow_leg(seconds=3.0), "tcp, renderer too slow for 3 s: seconds watched"),
        ({"sessions": {"pictures": [10, 12, 4]}}, "3 sessions at once"),
        ({"sessions": {"pictures": [0, 0, 0]}}, "3 sessions at once"),
    ],
)
def test_each_limit_is_missed_by_itself(changes, what):
    (row,) = [row for row in limits(figures(**changes), ("ipc", "tcp"), "zstd") if not row["holds"]]
    assert row["what"].startswith(what)
    assert line_of(row).startswith("MISSED")


def test_memory_that_the_system_does_not_tell_is_not_called_flat():
    rows = limits(figures(**slow_leg(memory_growth_mb=None)), ("ipc", "tcp"), "zstd")
    assert [row["what"][:21] for row in rows if "memory" in row["what"]] == ["growth of memory, ipc"]


def test_every_leg_is_measured_between_two_processes():
    """Must show 3, at a small size and for a short time."""
    lines = []
    report = bench_bridge(PLAN, lines.append)
    assert report["one_way_ms_ipc"]["zstd"]["low"] > 0
    assert report["one_way_ms_ipc"]["zstd"]["floor"] > 0, "what bare sockets take stands beside it"
    ages = report["slow_renderer_ipc"]
    assert ages["seconds"] == 1.5
    assert ages["skipped"] > 10
    assert 3 <= ages["age_ms"]["samples"] <= 1.5 * 24 / 6 + 3, "the renderer was six times too slow"
    assert len(ages["memory_growth_mb"]) == 2
    sessions = report["sessions"]
    assert (sessions["sessions"], sessions["offered"], len(sessions["pictures"])) == (3, 24, 3)
    assert all(0 < count <= 24 for count in sessions["pictures"])
    assert report["holds"] is all(row["holds"] for row in report["limits"])
    assert lines[-len(report["limits"]) :] == [line_of(row) for row in report["limits"]]
    assert [line for line in lines if line.startswith("MISSED") and "seconds watched: 1.5 (at least 60)" in line]
    assert json.loads(json.dumps(report))["limits"] == report["limits"]


def test_a_bridge_that_holds_frames_back_would_be_found_out(tmp_path):
    """The age is that of the very frame that is drawn."""
    address = addresses(tmp_path)["ipc"]
    maps = [np.zeros((64, 128), np.uint8)]
    with serving(address), connect(address, PLAN, "zstd") as end:
        offer, held = end.offer, []

        def six_frames_late(drawn):
            held.append(drawn)
            return offer(held[max(0, len(held) - 7)])

        end.offer = six_frames_late
        (found,) = drive_engines([end], maps, 1.0)
    assert percentile([trip.way for trip in found], 0.99) > 5 * 1000 / 24 > AGE_MS


def test_too_little_time_is_said_in_one_line(tmp_path):
    plan = BridgePlan("acorn-loop", (128, 64), slow_seconds=0.1)
    with pytest.raises(UserError, match=r"pictures to measure came in 0\.1 s: give it more --seconds"):
        slow(addresses(tmp_path)["ipc"], plan, [np.zeros((64, 128), np.uint8)])


def test_the_command_watches_a_slow_renderer_for_a_minute_unless_told_otherwise(monkeypatch, capsys):
    plans = []
    monkeypatch.setattr(bench, "bench_bridge", lambda plan, say: plans.append(plan) or {"holds": True})
    assert cli.main(["bench", "bridge", "--json"]) == 0
    assert cli.main(["bench", "bridge", "--seconds", "2", "--size", "448x256"]) == 0
    first, second = plans
    assert (first.size, first.seconds, first.slow_seconds, first.sessions) == ((1344, 768), 3.0, 60.0, 8)
    assert (second.size, second.seconds, second.slow_seconds) == ((448, 256), 2.0, 2.0)
    assert json.loads(capsys.readouterr().out.splitlines()[0]) == {"holds": True}
