"""The tables of legal transitions are those of the specification."""

import itertools
import re
from pathlib import Path

import pytest

from render_bridge.conformance.samples import legal
from render_bridge.protocol.faults import LocalProtocolError, RemoteProtocolError
from render_bridge.protocol.messages import MESSAGES, Bye, Credit, Frame, Hello, Picture, Receipt, Welcome
from render_bridge.protocol.states import ENGINE, ENGINE_LATE, RENDERER, EngineState, PeerState, check_step, enter

SPEC = Path(__file__).parents[2] / "docs" / "PROTOCOL.md"
SAMPLES = {type(m): m for m in legal().values()}


def table_of_the_specification(title, states):
    """{(state, direction, message): states that follow} as section 5 draws it, but for rows of no named message."""
    names = {kind.__name__.upper(): kind for kind in MESSAGES.values()}
    page = SPEC.read_text(encoding="utf-8").partition(title)[2].partition("\n\n")[2].partition("\n\n")[0]
    table = {}
    for before, message, after in re.findall(r"^\| ([\w, ]+) \| ((?:send|receive) [A-Z, ]+) \| (.*) \|$", page, re.M):
        direction, words = message.split(" ", 1)
        for state, word in itertools.product(before.split(", "), words.split(", ")):
            known = [s for s in states if re.search(rf"(^|; ){s.value}\b", after)]
            table[states(state), direction, names[word]] = frozenset(known or [states(state)])
    return table


def test_the_table_of_the_engine_in_the_specification_is_that_of_the_code():
    """R-48, section 5; what may come late is dropped."""
    late = {(s, "receive", m): frozenset({s}) for s in (EngineState.GREETING, EngineState.LOST) for m in ENGINE_LATE}
    assert table_of_the_specification("Engine:", EngineState) == {**late, **ENGINE}


def test_the_table_of_the_renderer_in_the_specification_is_that_of_the_code():
    """R-48, section 5."""
    assert table_of_the_specification("Renderer, for each connection:", PeerState) == RENDERER


@pytest.mark.parametrize(("table", "states"), [(ENGINE, EngineState), (RENDERER, PeerState)])
def test_every_step_is_legal_or_somebody_is_blamed(table, states):
    """R-48."""
    for state, direction, kind in itertools.product(states, ("send", "receive"), MESSAGES.values()):
        if (state, direction, kind) in table:
            check_step(state, direction, SAMPLES[kind])
        else:
            blame = LocalProtocolError if direction == "send" else RemoteProtocolError
            with pytest.raises(blame):
                check_step(state, direction, SAMPLES[kind])


def test_each_end_sends_only_its_own_messages():
    """Section 4: the column 'from'."""
    engine_sends = {kind for (_, direction, kind) in ENGINE if direction == "send"}
    renderer_sends = {kind for (_, direction, kind) in RENDERER if direction == "send"}
    assert not engine_sends & {Welcome, Credit, Picture, Receipt}
    assert not renderer_sends & {Hello, Frame}
    for kind in engine_sends:
        assert any(d == "receive" and k is kind for (_, d, k) in RENDERER)
    for kind in renderer_sends - {Bye}:
        assert any(d == "receive" and k is kind for (_, d, k) in ENGINE)


def test_a_wrong_target_state_is_our_own_mistake():
    with pytest.raises(LocalProtocolError, match="does not lead to"):
        enter(EngineState.OPEN, "receive", SAMPLES[Bye], EngineState.OPEN)
