"""The two ends over real sockets: either end dies and comes back, or never was there."""

import time

import pytest
import zmq

from render_bridge.errors import BridgeClosed
from render_bridge.protocol.codec import decode
from render_bridge.protocol.events import Closed, Lost, Opened, PictureTaken
from render_bridge.protocol.messages import Hello
from render_bridge.zmq.engine_end import EngineEnd

from .ends import (
    PATIENCE_S,
    abandon,
    any_lost,
    draw,
    gather,
    in_time,
    pictures,
    say_hello,
    server_process,
    serving,
    stand_in,
)


def answers(events, seq):
    return any(isinstance(e, PictureTaken) and e.seq == seq for e in events)


def test_a_renderer_that_is_killed_and_started_again_is_found_within_two_seconds(address):
    """R-12, R-38, case B80: the engine lives on; numbers go on; each loss is reported once."""
    events, kills, drawn = [], 0, 1
    with EngineEnd(address, say_hello()) as engine:
        engine.offer(draw(0))

        def found_again():
            nonlocal kills, drawn
            with server_process(address, dead_ms=1000):
                began = time.monotonic()
                engine.wait_open(PATIENCE_S)
                took = time.monotonic() - began
                engine.offer(draw(drawn))
                drawn += 1
                last = drawn - 1
                events.extend(
                    gather(engine, lambda found: last in [e.seq for e in found if isinstance(e, PictureTaken)])
                )
            kills += 1
            events.extend(gather(engine, any_lost))
            for _ in range(10):
                engine.offer(draw(drawn))
                drawn += 1
            return took

        found_again()
        in_time(found_again, 2.0)
    shown = [e.seq for e in events if isinstance(e, PictureTaken)]
    assert shown == sorted(set(shown))
    assert sum(isinstance(e, Lost) for e in events) == kills
    assert sum(isinstance(e, Opened) for e in events) == kills


def test_an_engine_that_dies_comes_back_to_its_session(address):
    """R-19, R-38: another process with the token and an older count; the renderer tells it where it was."""
    with serving(address, stand_in(dead_ms=400)) as (end, _):
        engine = EngineEnd(address, say_hello())
        engine.wait_open(PATIENCE_S)
        seq = 0

        def comes_back():
            nonlocal engine, seq
            for k in range(seq, seq + 3):
                engine.offer(draw(k))
                assert [p.seq for p in pictures(engine, 1)] == [k]
            seq += 3
            token = engine.token
            abandon(engine)
            began = time.monotonic()
            engine = EngineEnd(address, say_hello(), next_seq=seq - 2, resume=token)
            welcome = engine.wait_open(PATIENCE_S)
            took = time.monotonic() - began
            assert (welcome.resumed, welcome.last_seq, welcome.last_tick) == (True, seq - 1, 5 * (seq - 1))
            assert end.counters()["sessions"] == 1
            return took

        in_time(comes_back, 2.0)
        engine.offer(draw(seq))
        assert [p.seq for p in pictures(engine, 1)] == [seq]
        engine.close()


def test_a_refusal_for_good_reaches_the_caller(ipc):
    """R-15: the text names the size that is served."""
    with serving(ipc), EngineEnd(ipc, say_hello(width=100, height=50)) as engine:
        with pytest.raises(BridgeClosed, match="nearest size that is: 96x64"):
            engine.wait_open(PATIENCE_S)
        assert any(isinstance(e, Closed) for e in engine.events())


def test_the_engine_greets_first_even_a_silent_peer(ipc):
    """R-11, R-38: a bare ROUTER hears HELLO, again and again, and nothing else."""
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.bind(ipc)
    try:
        with EngineEnd(ipc, say_hello()) as engine:
            engine.offer(draw(0))
            attempts = []
            for _ in range(3):
                assert router.poll(1000 * PATIENCE_S)
                message = decode(router.recv_multipart()[1:])
                assert isinstance(message, Hello)
                attempts.append(message.attempt)
            assert attempts == sorted(set(attempts))
    finally:
        context.destroy(linger=0)
