"""Both state machines joined back to back: sessions that are taken up again, taken, or full."""

from dataclasses import replace

from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.engine_side import EngineSide
from render_bridge.protocol.events import Lost, Opened, Refused, SessionEnded, SessionOpened
from render_bridge.protocol.messages import Bye, Error, Hello
from render_bridge.protocol.states import EngineState

from .link import MS, Link, drawn, greeting, offer, opened, put, sent_by


def test_a_restarted_renderer_is_greeted_again_and_numbers_go_on():
    """R-12, R-19: case B80."""
    link = opened()
    for k in range(3):
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(k))
        link.exchange()
    fresh = Link().renderer
    link.renderer = fresh
    link.elapse(300)
    assert link.engine.state is EngineState.OPEN
    assert len(link.of(Lost)) == 1
    assert link.told(SessionOpened)[-1].resumed is False
    fresh.ask(link.engine.token, 1)
    link.engine.offer(drawn(3))
    link.exchange()
    assert link.frames()[-1].seq == 3


def test_a_second_engine_on_a_taken_session_is_told_to_wait_and_gets_it_later():
    """R-20."""
    link = opened()
    thief = link.join(b"peer-1", resume=link.engine.token, instance=b"somebody", encodings=("raw",))
    link.elapse(100)
    refusal = link.of(Refused, b"peer-1")[0]
    assert refusal.code == 205
    assert 0 < refusal.details["retry_ms"] <= 1000
    assert thief.state is not EngineState.OPEN
    assert link.engine.state is EngineState.OPEN
    link.cut.add(b"peer-0")
    link.elapse(2100)
    assert thief.state is EngineState.OPEN
    assert thief.welcome.resumed


def test_the_same_engine_on_a_new_connection_goes_on_at_once():
    """R-19, R-20: a cut cable, seen by the engine first."""
    link = opened()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(40))
    link.exchange()
    again = link.join(b"peer-1", resume=link.engine.token, encodings=("raw",), next_seq=1)
    link.elapse(50)
    welcome = again.welcome
    assert (welcome.resumed, welcome.last_seq, welcome.last_tick) == (True, 0, 40)
    assert len(link.renderer.sessions) == 1


def test_a_bye_that_is_read_after_its_connection_is_gone_ends_the_session_all_the_same():
    """R-40: a renderer that was about to send a picture finds the connection gone before it reads the BYE."""
    link = opened()
    link.renderer_events += link.renderer.peer_gone(b"peer-0")
    put(link, Bye(text="not mine"), b"peer-1")
    assert link.told(SessionEnded) == []
    put(link, Bye(text="done"))
    assert [e.reason for e in link.told(SessionEnded)] == ["the engine ended: done"]
    assert link.renderer.sessions == {}


def test_a_late_bye_of_an_old_connection_does_not_end_a_session_that_goes_on_elsewhere():
    """R-20, R-40."""
    link = opened()
    link.renderer_events += link.renderer.peer_gone(b"peer-0")
    del link.engines[b"peer-0"]
    link.join(b"peer-1", resume=link.engine.token, encodings=("raw",))
    link.elapse(50)
    put(link, Bye(text="late"))
    assert len(link.renderer.sessions) == 1


def test_an_engine_that_must_wait_greets_no_sooner_and_is_not_put_off_by_a_second_answer():
    """R-20: on a busy machine two greetings may be answered at once."""
    engine = EngineSide(greeting(), 0)
    engine.advance(MS)
    engine.drain()
    taken = Error(code=205, name="session_taken", text="wait", fatal=True, details={"retry_ms": 700})
    assert [type(e) for e in engine.receive(encode(taken), 2 * MS)] == [Refused, Lost]
    assert engine.receive(encode(taken), 3 * MS) == []
    assert engine.receive(encode(Bye(text="late")), 4 * MS) == []
    assert engine.receive(encode(replace(taken, code=200, name="not_greeted", fatal=False)), 5 * MS) == []
    engine.advance(690 * MS)
    assert engine.drain() == []
    engine.advance(710 * MS)
    assert isinstance(decode(engine.drain()[0]), Hello)
    assert engine.counters["lost"] == 1


def test_an_engine_that_comes_back_with_another_size_begins_a_new_session():
    """R-19, case B14: nothing that was built for the old size is used."""
    link = opened()
    again = link.join(b"peer-1", resume=link.engine.token, width=128, encodings=("raw",))
    link.elapse(50)
    assert not again.welcome.resumed
    assert again.token != link.engine.token
    assert [e.reason for e in link.told(SessionEnded)] == ["the engine came back with another size, mode or table"]
    assert link.told(SessionOpened)[-1].hello.width == 128
    assert list(link.renderer.sessions) == [again.token]


def test_an_engine_whose_memory_is_older_than_its_renderers_goes_on_after_the_last_frame_seen():
    """R-19: no number is used twice, and frames drawn before the WELCOME get theirs anew."""
    link = opened()
    for k in range(6):
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(k))
        link.exchange()
    again = link.join(b"peer-1", resume=link.engine.token, next_seq=2, encodings=("raw",))
    assert again.offer(drawn(6)) == 2
    link.elapse(50)
    for k in range(7, 10):
        link.renderer.ask(again.token, 1)
        link.exchange()
        again.offer(drawn(k))
        link.exchange()
    assert [(f.seq, f.tick) for f in link.frames()][-3:] == [(6, 6), (7, 7), (8, 8)]
    assert link.of(Refused, b"peer-1") == []


def test_a_session_that_is_taken_up_again_counts_its_chunks_on():
    """R-19, R-29."""
    link = opened()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(0))
    link.exchange()
    link.answer(link.frames()[0], chunk=9)
    again = link.join(b"peer-1", resume=link.engine.token, encodings=("raw",))
    link.elapse(50)
    assert (again.welcome.resumed, again.welcome.chunk) == (True, 10)


def test_an_engine_that_reaches_for_the_session_of_another_loses_its_own():
    """R-20, section 11: the refusal of a greeting is fatal."""
    link = opened()
    thief = link.join(b"peer-1", instance=b"somebody", encodings=("raw",))
    link.elapse(50)
    own = thief.token
    put(link, replace(sent_by(link, "engine", Hello)[-1], attempt=2, resume=link.engine.token), b"peer-1")
    assert [r.code for r in link.of(Refused, b"peer-1")] == [205]
    assert [e.session for e in link.told(SessionEnded)] == [own]
    assert link.engine.state is EngineState.OPEN


def test_the_session_that_was_parked_longest_makes_room():
    """R-21: and is told to the renderer, which lets go of what it has made for it."""
    link = Link(offer(max_sessions=2))
    first = link.open()
    second = link.join(b"peer-1", instance=b"another!")
    link.elapse(50)
    for peer in (b"peer-0", b"peer-1"):
        link.renderer_events += link.renderer.peer_gone(peer)
        link.cut.add(peer)
        link.elapse(100)
    link.join(b"peer-2", instance=b"a third!")
    link.elapse(50)
    assert [(e.session, e.reason) for e in link.told(SessionEnded)] == [(first, "its place was needed")]
    assert second.token in link.renderer.sessions


def test_a_full_renderer_says_so_and_has_room_later():
    """R-21."""
    link = Link(offer(max_sessions=1))
    link.open()
    link.join(b"peer-1")
    link.elapse(100)
    assert link.of(Refused, b"peer-1")[0].code == 207
    link.engine.close()
    link.elapse(1500)
    assert link.of(Opened, b"peer-1")
