"""Both state machines joined back to back: messages out of place, and engines that do not touch each other."""

import numpy as np
import pytest

from render_bridge.conformance.samples import picture
from render_bridge.protocol.codec import encode
from render_bridge.protocol.events import (
    PictureTaken,
    Refused,
)
from render_bridge.protocol.faults import Fault, LocalProtocolError
from render_bridge.protocol.messages import Bye, Credit, Error
from render_bridge.protocol.offer import Offer
from render_bridge.protocol.states import EngineState, check_step

from .link import drawn, opened, put, raw_frame


def test_messages_out_of_place_are_refused():
    """R-48."""
    link = opened()
    put(link, Credit(generation=0, grant=0, frames=1))
    put(link, picture())
    assert [r.code for r in link.of(Refused)] == [306, 306]
    events = link.engine.receive(encode(raw_frame()), link.now)
    assert events[0].fault is Fault.OUT_OF_STATE


def test_strangers_may_say_bye_and_error_without_an_answer():
    """R-09, R-48, section 5."""
    link = opened()
    put(link, Bye(text="I was never here"), b"stranger")
    put(link, Error(code=200, name="not_greeted", text="nor you", fatal=False), b"stranger")
    assert [peer for peer, _, _ in link.wires_seen if peer == b"stranger"] == []


def test_our_own_end_refuses_to_speak_out_of_turn():
    """R-48."""
    with pytest.raises(LocalProtocolError, match="FRAME may not be sent in the state 'greeting'"):
        check_step(EngineState.GREETING, "send", raw_frame())


def test_two_engines_do_not_touch_each_other():
    link = opened()
    other = link.join(b"peer-1", instance=b"another!", encodings=("raw",))
    link.elapse(50)
    for k in range(4):
        for engine, value in ((link.engine, 1), (other, 2)):
            link.renderer.ask(engine.token, 1)
            engine.offer(drawn(k, value=value))
    link.exchange()
    for taken in link.frames():
        link.answer(taken, value=int(taken.class_map[0, 0]))
    for peer, value in ((b"peer-0", 1), (b"peer-1", 2)):
        pictures = link.of(PictureTaken, peer)
        assert pictures
        assert {int(v) for p in pictures for v in np.unique(p.pixels)} == {value}
    put(link, Bye(text="first goes"), b"peer-0")
    link.renderer.ask(other.token, 1)
    other.offer(drawn(9, value=2))
    link.exchange()
    assert link.frames()[-1].session == other.token


def test_a_window_too_small_for_a_run_is_refused_at_once():
    with pytest.raises(LocalProtocolError, match="window 4 must hold runs"):
        Offer("x", run=8)
