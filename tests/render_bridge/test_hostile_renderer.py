"""An engine whose renderer says what cannot be: it is told so, and the engine goes on as soon as it makes sense."""

import dataclasses

import pytest

from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.engine_side import MOST_MISSED, MOST_SEQ, EngineSide
from render_bridge.protocol.engine_side import EngineState as State
from render_bridge.protocol.events import PeerBroke, PictureTaken
from render_bridge.protocol.faults import Fault, LocalProtocolError
from render_bridge.protocol.messages import Bye, Credit, Error, Picture, Receipt, Welcome

from .link import Link, drawn, greeting, opened, sent_by

FULL = (1 << 64) - 1


def forge(link, kind, **changes):
    """The renderer's next messages of a kind say something else."""
    receive = link.engine.receive

    def forged(frames, now):
        message = decode(frames)
        if isinstance(message, kind):
            frames = [bytes(b) for b in encode(dataclasses.replace(message, **changes))]
        return receive(frames, now)

    link.engine.receive = forged
    return lambda: setattr(link.engine, "receive", receive)


def plays(link):
    """A frame goes out and its picture comes."""
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(3))
    link.exchange()
    (frame,) = link.frames()
    before = len(link.of(PictureTaken))
    link.answer(frame)
    return len(link.of(PictureTaken)) == before + 1


def lost_and_back(link):
    """The engine loses its renderer and greets it again, with its token."""
    link.cut.add(b"peer-0")
    link.elapse(1500)
    link.cut.clear()
    link.elapse(300)


@pytest.mark.parametrize(
    "changes",
    [
        {"resumed": True},
        {"resumed": True, "last_seq": FULL},
        {"generation": 7},
        {"encoding": "rle"},
    ],
)
def test_a_welcome_to_something_that_was_not_asked_for_is_refused(changes):
    """R-17, R-19: with ERROR 108, though the engine is not open; the next good WELCOME is taken."""
    link = Link(encodings=("raw",))
    heal = forge(link, Welcome, **changes)
    link.elapse(300)
    assert link.engine.state is State.GREETING
    assert {e.fault for e in link.of(PeerBroke)} == {Fault.OUT_OF_RANGE}
    assert {e.code for e in sent_by(link, "engine", Error)} == {108}
    heal()
    link.elapse(300)
    assert link.engine.state is State.OPEN
    assert plays(link)


@pytest.mark.parametrize("changes", [{"last_seq": FULL}, {"last_seq": 5}, {"session": bytes(16)}])
def test_a_welcome_back_that_cannot_be_is_refused(changes):
    """R-19: a number that no frame of ours has had, or another session."""
    link = opened()
    assert plays(link)
    heal = forge(link, Welcome, **changes)
    lost_and_back(link)
    assert link.engine.state is not State.OPEN
    assert link.of(PeerBroke)
    heal()
    link.elapse(300)
    assert link.engine.welcome.resumed
    assert plays(link)


def test_a_later_process_takes_only_numbers_that_an_earlier_one_can_have_used():
    """R-19: at most 2^32 frames beyond its memory."""
    for last_seq, state in ((40 + MOST_MISSED, State.GREETING), (39 + MOST_MISSED, State.OPEN)):
        link = opened()
        token = link.engine.token
        link.engine = link.engines[b"peer-0"] = EngineSide(
            greeting(encodings=("raw",)), link.now, next_seq=40, resume=token
        )
        forge(link, Welcome, last_seq=last_seq)
        link.elapse(50)
        assert link.engine.state is state
    assert link.engine.flow.next_seq == 40 + MOST_MISSED


def test_numbers_that_would_run_out_are_our_own_mistake():
    with pytest.raises(LocalProtocolError, match="next_seq"):
        EngineSide(greeting(), 0, next_seq=MOST_SEQ)


@pytest.mark.parametrize("seq", [1, FULL])
def test_a_picture_of_a_frame_that_was_never_sent_is_refused(seq):
    """R-30: or every later picture would count as a repeat."""
    link = opened()
    assert plays(link)
    heal = forge(link, Picture, seq=seq)
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(4))
    link.exchange()
    (frame,) = link.frames()
    link.engine.flow.last_sent = 0
    link.answer(frame)
    assert [e.fault for e in link.of(PeerBroke)] == [Fault.BAD_SEQUENCE]
    heal()
    link.engine.flow.last_sent = 1
    assert plays(link)


@pytest.mark.parametrize(
    ("grants", "frames"), [([0, 0], 1), ([4, 3], 1), ([0, 1], 5), (range(9), 1)], ids=["again", "back", "much", "many"]
)
def test_credit_that_breaks_its_rules_is_refused(grants, frames):
    """R-22, R-26: memory for credit is bounded by the window, here 8."""
    link = opened()
    for grant in grants:
        wire = encode(Credit(generation=0, grant=grant, frames=frames))
        link.engine_events[b"peer-0"] += link.engine.receive([bytes(b) for b in wire], link.now)
    link.exchange()
    assert [e.fault for e in link.of(PeerBroke)] == [Fault.OUT_OF_RANGE]


@pytest.mark.parametrize(
    "changes",
    [
        {"tick": -1},
        {"view": (0.0,) * 15},
        {"projection": (float("nan"),) * 16},
        {"stamps": {"drawn": 1 << 70}},
        {"stamps": {"drawn": 1, **{f"n{k}": 0 for k in range(15)}}},
        {"stamps": {}},
    ],
)
def test_a_frame_that_cannot_be_sent_is_refused_where_it_is_offered(changes):
    """Not in the thread that sends it, which would end."""
    link = opened()
    with pytest.raises(LocalProtocolError):
        link.engine.offer(dataclasses.replace(drawn(0), **changes))
    assert plays(link)


EVIL = "\x1b]0;owned\x07\x1b[2J\r\n\u202e"


@pytest.mark.parametrize(
    "message",
    [
        Bye(text=EVIL),
        Error(code=999, name=EVIL, text=EVIL * 100, fatal=False),
        Error(code=999, name="x", text=EVIL, fatal=True),
        Receipt(id=1, generation=0, stage="refused", text=EVIL * 40),
    ],
)
def test_what_people_are_told_of_a_renderer_prints(message):
    """Whoever prints an event's text sends a terminal nothing that it obeys."""
    link = opened()
    events = link.engine.receive([bytes(b) for b in encode(message)], link.now)
    assert events
    texts = [getattr(e, name) for e in events for name in ("reason", "text", "name") if hasattr(e, name)]
    texts += [e.receipt.text for e in events if hasattr(e, "receipt")]
    assert texts
    assert all(text.isprintable() and "x1b" in text for text in texts if text != "x")
