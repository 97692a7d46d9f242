"""Both state machines joined back to back: heartbeats, silence, jumps of the clock, goodbyes."""

from render_bridge.conformance.samples import hello
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.events import Lost, SessionEnded, SessionParked
from render_bridge.protocol.messages import Ack, Bye, Control, Hello, Ping, Pong
from render_bridge.protocol.pulse import Pulse
from render_bridge.protocol.states import EngineState

from .link import MS, Link, drawn, opened, put, raw_frame, sent_by


def test_silence_is_filled_with_pings_and_pings_are_answered():
    """R-37."""
    link = opened()
    link.elapse(3000)
    assert link.engine.state is EngineState.OPEN
    assert len(sent_by(link, "engine", Ping)) + len(sent_by(link, "engine", Pong)) >= 8
    assert len(sent_by(link, "engine", Ping)) == len(sent_by(link, "renderer", Pong))
    assert len(sent_by(link, "renderer", Ping)) == len(sent_by(link, "engine", Pong))


def test_a_silent_renderer_pings_too():
    """R-37."""
    link = opened()
    link.engines.clear()
    link.elapse(200)
    assert sent_by(link, "renderer", Ping) == []
    link.elapse(100)
    assert len(sent_by(link, "renderer", Ping)) == 1


def test_a_pong_repeats_the_ping_and_adds_the_answerers_clock():
    """R-37."""
    link = opened()
    put(link, Ping(id=77, time=-3))
    (pong,) = [m for m in sent_by(link, "renderer", Pong) if m.id == 77]
    assert (pong.time, pong.received, pong.sent) == (-3, link.now, link.now)
    link.engine.receive(encode(Ping(id=78, time=5)), link.now)
    pong = decode(link.engine.drain()[-1])
    assert (pong.id, pong.time, pong.received, pong.sent) == (78, 5, link.now, link.now)


def test_a_lost_engine_greets_often_enough_and_its_old_grants_are_void():
    """R-38: at intervals of at most half of dead_ms."""
    link = opened()
    token = link.engine.token
    link.renderer.ask(token, 2)
    link.exchange()
    link.cut.add(b"peer-0")
    link.elapse(1050)
    before = len(sent_by(link, "engine", Hello))
    link.elapse(1000)
    assert len(sent_by(link, "engine", Hello)) - before >= 2
    link.cut.clear()
    link.elapse(500)
    assert link.engine.token == token
    link.engine.offer(drawn(0))
    link.exchange()
    assert link.frames() == []
    assert link.renderer.running(token) == 0


def test_a_ping_of_a_stranger_is_not_answered_with_a_pong():
    """R-12: an engine that only pings would otherwise never learn that its renderer was restarted."""
    link = Link()
    put(link, Ping(id=1, time=2), b"stranger")
    assert [m.code for m in sent_by(link, "renderer")] == [200]


def test_a_dead_engine_is_parked_and_ended_after_a_minute():
    """R-38."""
    link = opened()
    link.renderer.ask(link.engine.token, 4)
    link.exchange()
    link.cut.add(b"peer-0")
    link.elapse(1100)
    assert len(link.told(SessionParked)) == 1
    assert len(link.of(Lost)) == 1
    assert not link.renderer.ask(link.engine.token, 1)
    link.engines.clear()
    link.elapse(58_000, 250)
    assert link.told(SessionEnded) == []
    link.elapse(3000, 250)
    assert len(link.told(SessionEnded)) == 1
    assert link.renderer.sessions == {}


def test_a_suspended_process_does_not_bury_its_peer():
    """R-39: a laptop sleeps for an hour, a debugger stops for a minute."""
    link = opened()
    link.now += 3600 * 1000 * MS
    assert link.engine.advance(link.now) == []
    assert link.renderer.advance(link.now) == []
    assert link.engine.pulse.jumps == 1
    link.elapse(2000)
    assert link.engine.state is EngineState.OPEN
    assert link.told(SessionParked) == []


def test_a_clock_that_goes_back_stands_still():
    """R-39."""
    link = opened()
    link.now -= 500 * MS
    link.elapse(2000)
    assert link.engine.state is EngineState.OPEN
    assert link.engine.pulse.jumps == 1


def test_time_is_counted_in_steps_forward_of_a_heartbeat_at_most():
    """R-39: back is no time at all, an hour is a heartbeat."""
    pulse = Pulse(250, 1000, 10**12)
    pulse.advance(10**12 - 3600 * 1000 * MS)
    assert (pulse.silence, pulse.jumps) == (0, 1)
    pulse.advance(10**12)
    assert (pulse.silence, pulse.jumps) == (250 * MS, 2)
    pulse.advance(10**12 + 100 * MS)
    assert (pulse.silence, pulse.jumps) == (350 * MS, 2)


def test_an_engines_bye_ends_the_session():
    """R-40."""
    link = opened()
    link.engine.close("done")
    link.exchange()
    assert link.told(SessionEnded)[0].reason.endswith("done")
    assert link.renderer.sessions == {}
    assert link.engine.close() == []


def test_a_renderers_bye_leaves_the_engine_greeting():
    """R-40: at once, not after a pause."""
    link = opened()
    link.renderer.close()
    link.exchange()
    (lost,) = link.of(Lost)
    assert lost.reason == "the renderer ended: the renderer ends"
    before = len(sent_by(link, "engine", Hello))
    link.elapse(1, step=1)
    assert len(sent_by(link, "engine", Hello)) == before + 1
    link.renderer = Link().renderer
    link.elapse(300)
    assert link.engine.state is EngineState.OPEN


def test_a_renderer_is_over_when_every_engine_has_read_its_bye_or_is_gone():
    """R-40: what was under way before is no answer, and nothing is answered any more."""
    link = opened()
    link.join(b"peer-1", instance=b"another!")
    link.join(b"peer-2", instance=b"a third!")
    link.elapse(50)
    assert not link.renderer.is_over
    link.renderer.close("bye")
    link.renderer.close("twice is once")
    assert [type(decode(wire)) for _, wire in link.renderer.drain()] == [Bye, Bye, Bye]
    for message in (Ack(acknowledged=0), Ping(id=1, time=2), raw_frame(), Control(id=1, generation=0, kind="reset")):
        for peer in link.engines:
            assert link.renderer.receive(peer, encode(message), link.now) == []
    assert not link.renderer.is_over
    link.renderer.receive(b"peer-0", encode(hello()), link.now)
    link.renderer.receive(b"peer-1", encode(Bye(text="I end too")), link.now)
    assert not link.renderer.is_over
    assert link.renderer.peer_gone(b"peer-2") == []
    assert link.renderer.is_over
    assert link.renderer.drain() == []


def test_a_renderer_without_engines_is_over_at_once():
    """R-40."""
    link = Link()
    link.renderer.close()
    assert link.renderer.is_over
