"""The checker finds nothing wrong with our own ends, and finds every broken rule by name."""

import json
import re
import socket
import sys
import time

import pytest
import zmq

from render_bridge.conformance import peer_process, renderer_bench
from render_bridge.conformance.checker import check_engine, check_renderer
from render_bridge.conformance.engine_checks import CHECKS as ENGINE_CHECKS
from render_bridge.conformance.renderer_checks import CHECKS as RENDERER_CHECKS
from render_bridge.conformance.report import rules_of
from render_bridge.errors import BridgeError
from render_bridge.zmq.curve import TrustedPeers
from render_bridge.zmq.keys import new_pair

from .bare_engine import BareEngine
from .breaks import ENGINE_BREAKS, RENDERER_BREAKS
from .broken_peers import RunningEngine, RunningRenderer
from .ends import PATIENCE_S, free_port, until
from .test_rules import rules_of_the_specification

NEED_KEYS, NEED_A_PROCESS = {"R-46"}, {"R-39", "R-47"}


@pytest.fixture
def address(tmp_path):
    return f"ipc://{tmp_path}/checked.sock"


def broken_lines(report):
    return [f.line() for f in report.findings if f.state == "broken"]


@pytest.mark.parametrize("run", [1, 3])
def test_our_renderer_holds_every_rule(address, run):
    with RunningRenderer(address, run=run, first_run=2 * run):
        report = check_renderer(address, patience=PATIENCE_S)
    assert report.broken == [], broken_lines(report)
    assert set(report.not_tried) == NEED_KEYS | NEED_A_PROCESS
    assert set(rules_of(RENDERER_CHECKS)) == set(report.held) | set(report.not_tried)


@pytest.mark.parametrize("mode", ["play", "record"])
def test_our_engine_holds_every_rule(address, mode):
    with RunningEngine(address, mode=mode):
        report = check_engine(address, patience=PATIENCE_S)
    assert report.broken == [], broken_lines(report)
    other = {"play": {"R-25"}, "record": {"R-24", "R-27"}}[mode]
    assert set(report.not_tried) == other | NEED_A_PROCESS
    assert set(rules_of(ENGINE_CHECKS)) == set(report.held) | set(report.not_tried)


@pytest.mark.parametrize("rule", RENDERER_BREAKS)
def test_a_renderer_that_breaks_a_rule_is_caught_by_name(address, rule):
    with RunningRenderer(address, rule):
        report = check_renderer(address, only=[rule], patience=0.25, render_patience=0.5)
    assert rule in report.broken


@pytest.mark.parametrize("rule", ENGINE_BREAKS)
def test_an_engine_that_breaks_a_rule_is_caught_by_name(address, rule, monkeypatch):
    monkeypatch.setattr("render_bridge.conformance.engine_bench.DEAD_MS", 1000)  # it bounds the wait for a greeting
    with RunningEngine(address, rule, mode="record" if rule == "R-25" else "play"):
        report = check_engine(address, only=[rule], patience=0.3)
    assert rule in report.broken


@pytest.mark.parametrize("strict", [True, False])
def test_a_renderer_that_lets_anybody_in_is_caught_by_name(strict, monkeypatch):
    """R-46."""
    address = f"tcp://127.0.0.1:{free_port()}"
    renderer, engine = new_pair(()), new_pair(())
    theirs = new_pair((engine.public,))
    ours = type(engine)(engine.public, engine.secret, (theirs.public,))
    assert renderer.public not in theirs.peers
    if not strict:
        monkeypatch.setattr(TrustedPeers, "callback", lambda self, domain, key: True)
    with RunningRenderer(address, keys=theirs):
        report = check_renderer(address, ours, only=["R-46"], patience=0.5 if strict else PATIENCE_S)
    assert report.held == (["R-46"] if strict else [])
    assert report.broken == ([] if strict else ["R-46"])


@pytest.mark.parametrize("which", ["renderer", "engine"])
@pytest.mark.parametrize("how", ["right", "R-39", "R-47"])
def test_a_process_that_bears_no_pause_or_never_ends_is_caught_by_name(address, which, how, monkeypatch):
    """R-39, R-47: the checker starts the peer itself."""
    if how == "R-47":
        monkeypatch.setattr(peer_process, "END_S", 0.3)
        monkeypatch.setattr(peer_process, "TEARDOWN_S", 0.0)
    else:
        monkeypatch.setattr(peer_process, "TEARDOWN_S", PATIENCE_S)
    check = {"renderer": check_renderer, "engine": check_engine}[which]
    start = [sys.executable, "-m", "tests.render_bridge.peer_programs", which, address, how]
    only = ["R-39", "R-47"] if how == "right" else [how]
    report = check(address, only=only, patience=PATIENCE_S if how == "right" else 1.0, start=start)
    assert (report.held, report.broken) == ((only, []) if how == "right" else ([], only))


def test_every_rule_has_a_broken_peer():
    elsewhere = NEED_KEYS | NEED_A_PROCESS
    assert set(RENDERER_BREAKS) | elsewhere == set(rules_of(RENDERER_CHECKS))
    assert set(ENGINE_BREAKS) | NEED_A_PROCESS == set(rules_of(ENGINE_CHECKS))
    assert set(RENDERER_BREAKS) | set(ENGINE_BREAKS) | elsewhere == set(rules_of_the_specification())


@pytest.mark.parametrize("wait", ["slow to greet", "slow to notice"])
def test_an_engine_as_slow_as_the_rules_allow_holds_them(address, wait, monkeypatch):
    """R-12, R-38: it greets half a dead_ms after it lost its renderer, which takes longer than our patience."""
    monkeypatch.setattr("render_bridge.conformance.engine_bench.DEAD_MS", 3000)
    with RunningEngine(address) as running:
        until(lambda: running.engine is not None)
        side, rule = running.engine._side, {"slow to greet": "R-12", "slow to notice": "R-38"}[wait]
        greet = side._greet

        def slowly():
            greet()
            side._greet_in = side.pulse.dead // 2

        lose = side._lose

        def lost(reason):
            event = lose(reason)
            side._greet_in = side.pulse.dead // 2 - 100_000_000
            return event

        with running.engine._lock:
            side._greet, side._lose = slowly, lost
        report = check_engine(address, only=[rule], patience=0.6)
    assert report.held == [rule], broken_lines(report)


def test_nobody_there_is_said_in_one_line_and_soon(address, monkeypatch):
    with pytest.raises(BridgeError, match="no engine greeted"):
        check_engine(address, wait=0.2)
    monkeypatch.setattr(renderer_bench, "ANSWER_S", 0.3)
    monkeypatch.setattr("render_bridge.conformance.checker.ANSWER_S", 0.3)
    with pytest.raises(BridgeError, match=r"nothing to check at .* after 0.3 s: nobody listens there"):
        check_renderer(address, patience=0.1)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        where = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(BridgeError, match="no renderer: somebody listens there and says nothing"):
            check_renderer(where, patience=0.1)


def test_a_check_with_the_wrong_key_says_so():
    renderer, engine, stranger = new_pair(()), new_pair(()), new_pair(())
    address = f"tcp://127.0.0.1:{free_port()}"
    theirs = type(renderer)(renderer.public, renderer.secret, (engine.public,))
    with RunningRenderer(address, keys=theirs):
        for keys, why in (
            (type(engine)(engine.public, engine.secret, (stranger.public,)), "is probably not that renderer's"),
            (type(engine)(stranger.public, stranger.secret, (renderer.public,)), "refuses our key"),
            (None, "wants keys"),
        ):
            with pytest.raises(BridgeError, match=why):
                check_renderer(address, keys, patience=0.2)


def test_a_renderer_that_says_nothing_breaks_one_rule_and_costs_no_more_time(address, monkeypatch):
    """What was not tried does not count as held, and is not waited for."""
    monkeypatch.setattr(renderer_bench, "ANSWER_S", 0.2)
    with SocketOfNobody(address):
        began = time.monotonic()
        report = check_renderer(address, patience=0.2)
    assert (report.held, report.broken) == ([], ["R-11"])
    assert {f.text for f in report.findings[1:]} == {"the peer says nothing any more"}
    assert time.monotonic() - began < PATIENCE_S


class SocketOfNobody:
    """A ROUTER that is bound and never read."""

    def __init__(self, address):
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.bind(address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._context.destroy(linger=0)


@pytest.mark.parametrize("check", [check_renderer, check_engine])
def test_a_rule_that_is_none_is_refused_with_those_that_are(address, check):
    for only in (["R-99"], ["R-11", "nonsense"], ["r-99 "]):
        with pytest.raises(BridgeError, match=r"no check at this end is about (R-99|NONSENSE); there are R-0\d, R-0\d"):
            check(address, only=only)
    with pytest.raises(BridgeError, match="no rule was named; there are"):
        check(address, only=["", " "])


def test_a_peer_cannot_write_on_the_checkers_terminal(address):
    said = []
    with RunningRenderer(address, "R-11"), BareEngine(address):
        report = check_renderer(address, only=["R-11"], patience=0.2, say=said.append)
    assert report.broken == ["R-11"]
    assert all(line.isprintable() for line in said)


def test_a_report_is_plain_json(address):
    with RunningRenderer(address, "R-11"):
        report = check_renderer(address, only=["r-11", " R-46"], patience=0.2)
    text = json.loads(json.dumps(report.as_json()))
    assert (text["broken"], text["held"], text["not_tried"]) == (["R-11"], [], ["R-46"])
    assert re.match("R-11  broken", report.findings[0].line())


@pytest.mark.parametrize("check", [check_engine, check_renderer])
def test_a_command_that_ends_at_once_is_not_waited_for(address, check):
    """An import error in somebody's engine: its own words are on the terminal above ours."""
    with pytest.raises(BridgeError, match=r"--start ended with status 3 before .*raise SystemExit"):
        check(address, start=[sys.executable, "-c", "raise SystemExit(3)"])
