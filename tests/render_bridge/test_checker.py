"""The checker finds nothing wrong with our own ends, and finds every broken rule by name."""

import json

import pytest

from render_bridge.conformance.checker import check_engine, check_renderer
from render_bridge.conformance.engine_checks import CHECKS as ENGINE_CHECKS
from render_bridge.conformance.renderer_checks import CHECKS as RENDERER_CHECKS
from render_bridge.conformance.report import UNSEEN
from render_bridge.errors import BridgeError

from .broken_peers import ENGINE_BREAKS, RENDERER_BREAKS, RunningEngine, RunningRenderer
from .ends import PATIENCE_S


@pytest.fixture
def address(tmp_path):
    return f"ipc://{tmp_path}/checked.sock"


@pytest.mark.parametrize("run", [1, 3])
def test_our_renderer_holds_every_rule(address, run):
    with RunningRenderer(address, run=run, first_run=2 * run):
        report = check_renderer(address, patience=PATIENCE_S)
    assert report.broken == [], [f.line() for f in report.findings if f.state == "broken"]
    assert {r for c in RENDERER_CHECKS for r in c.rules} == set(report.held)


@pytest.mark.parametrize("mode", ["play", "record"])
def test_our_engine_holds_every_rule(address, mode):
    with RunningEngine(address, mode=mode):
        report = check_engine(address, patience=PATIENCE_S)
    assert report.broken == [], [f.line() for f in report.findings if f.state == "broken"]
    other = {"play": {"R-25"}, "record": {"R-24", "R-27"}}[mode]
    assert {r for c in ENGINE_CHECKS for r in c.rules} - other == set(report.held)


@pytest.mark.parametrize("rule", RENDERER_BREAKS)
def test_a_renderer_that_breaks_a_rule_is_caught_by_name(address, rule):
    with RunningRenderer(address, rule):
        report = check_renderer(address, only=[rule], patience=0.25, render_patience=0.5)
    assert rule in report.broken


@pytest.mark.parametrize("rule", ENGINE_BREAKS)
def test_an_engine_that_breaks_a_rule_is_caught_by_name(address, rule):
    with RunningEngine(address, rule, mode="record" if rule == "R-25" else "play"):
        report = check_engine(address, only=[rule], patience=0.3)
    assert rule in report.broken


def test_every_rule_that_is_checked_has_a_broken_peer():
    assert set(RENDERER_BREAKS) == {r for c in RENDERER_CHECKS for r in c.rules}
    assert set(ENGINE_BREAKS) == {r for c in ENGINE_CHECKS for r in c.rules}
    checked = set(RENDERER_BREAKS) | set(ENGINE_BREAKS)
    assert checked.isdisjoint(UNSEEN)
    assert checked | set(UNSEEN) == {f"R-{k:02}" for k in range(1, 50)}


def test_nobody_there_is_said_in_one_line(address):
    with pytest.raises(BridgeError, match="no engine greeted"):
        check_engine(address, wait=0.2)
    report = check_renderer(address, only=["R-11"], patience=0.2)
    assert report.broken == ["R-11"]


def test_a_report_is_plain_json(address):
    report = check_renderer(address, only=["R-11", "R-12"], patience=0.1)
    text = json.loads(json.dumps(report.as_json()))
    assert text["broken"] == ["R-11", "R-12"]
    assert report.findings[0].line().startswith("R-11  broken")
