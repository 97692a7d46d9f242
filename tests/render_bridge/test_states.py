"""The tables of legal transitions are those of the specification."""

import itertools

import pytest

from render_bridge.conformance.samples import legal
from render_bridge.protocol.faults import LocalProtocolError, RemoteProtocolError
from render_bridge.protocol.messages import MESSAGES, Bye, Credit, Frame, Hello, Picture, Receipt, Welcome
from render_bridge.protocol.states import ENGINE, RENDERER, EngineState, PeerState, check_step, enter

SAMPLES = {type(m): m for m in legal().values()}


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
