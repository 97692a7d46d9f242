"""The two ends over real sockets: who is asked to end says BYE, waits until it was read, and ends in time."""

import signal
import subprocess
import sys
import threading
import time

import pytest
import zmq

from render_bridge.errors import BridgeClosed
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.events import Lost, PeerBroke, SessionParked
from render_bridge.protocol.messages import Bye, Welcome
from render_bridge.protocol.session_book import GONE_KEPT
from render_bridge.zmq import owner, renderer_end
from render_bridge.zmq.engine_end import EngineEnd
from render_bridge.zmq.renderer_end import RendererEnd

from .bare_engine import BareEngine, greet
from .ends import (
    PATIENCE_S,
    ROOT,
    any_lost,
    draw,
    gather,
    in_time,
    say_hello,
    server_process,
    stand_in,
    until,
)


def test_an_engine_without_a_server_ends_within_two_seconds(address):
    """R-47, case B78."""

    def end_alone():
        engine = EngineEnd(address, say_hello())
        for k in range(10):
            engine.offer(draw(k))
        began = time.monotonic()
        engine.close()
        took = time.monotonic() - began
        assert not engine._owner.alive
        with pytest.raises(BridgeClosed, match="the engine ends"):
            engine.offer(draw(11))
        return took

    in_time(end_alone, 2.0)


def test_the_waits_at_the_end_of_a_renderer_add_up_to_less_than_a_second():
    """R-47: whatever the machine, there is no other wait."""
    assert renderer_end.FAREWELL_S + owner.LINGER_MS / 1000 < 1.0
    assert 1.0 < owner.JOIN_S < 2.0


def test_ctrl_c_ends_a_waiting_engine_within_two_seconds(ipc):
    """R-47, case B78: as a process, exit code stated."""
    program = f"""
import os, sys, time
from render_bridge.zmq.engine_end import EngineEnd
from tests.render_bridge.ends import draw, say_hello
try:
    with EngineEnd({ipc!r}, say_hello()) as engine:
        for k in range(10):
            engine.offer(draw(k))
        print("sent", flush=True)
        engine.wait_open(60)
except KeyboardInterrupt:
    sys.exit(130)
"""

    def interrupt():
        process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE)
        try:
            assert process.stdout.readline() == b"sent\n"
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            assert process.wait(PATIENCE_S) == 130
            return time.monotonic() - began
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    in_time(interrupt, 2.0)


def test_a_server_that_is_interrupted_says_goodbye(address):
    """R-40, R-47: silence would mean nothing for a minute, so it is the BYE that the engine heard."""

    def interrupt():
        with server_process(address, dead_ms=60_000) as server, EngineEnd(address, say_hello()) as engine:
            engine.wait_open(PATIENCE_S)
            began = time.monotonic()
            server.send_signal(signal.SIGINT)
            (lost,) = [e for e in gather(engine, any_lost) if isinstance(e, Lost)]
            assert "the renderer ended" in lost.reason
            server.wait(PATIENCE_S)
            return time.monotonic() - began

    in_time(interrupt, 2.0)


def test_a_renderer_stays_until_its_bye_was_read(address, monkeypatch):
    """R-40: an engine that reads late still finds the BYE."""
    monkeypatch.setattr(renderer_end, "FAREWELL_S", 3 * PATIENCE_S)
    end = RendererEnd(address, stand_in())
    with BareEngine(address) as engine:
        engine.say(greet())
        engine.hear(Welcome)
        closing = threading.Thread(target=end.close)
        closing.start()
        until(lambda: end._ends_at is not None and engine.socket.poll(0))
        assert end._owner.alive
        engine.hear(Bye)
        engine.say(greet(attempt=2))
        until(lambda: not end._owner.alive)
        closing.join()


def test_a_renderer_whose_engine_never_answers_ends_in_time(ipc):
    """R-40, R-47."""

    def end_unanswered():
        end = RendererEnd(ipc, stand_in())
        with BareEngine(ipc) as engine:
            engine.say(greet())
            engine.hear(Welcome)
            began = time.monotonic()
            end.close()
            took = time.monotonic() - began
            until(lambda: not end._owner.alive)
            return took

    in_time(end_unanswered, 2.0)


def close_while_draining(end):
    """Close an end at the worst moment: between taking what is to be sent and looking whether it is closed."""
    drain = end._side.drain

    def drain_and_close():
        wires = drain()
        if not end._stop:
            end._stop = True
            end._queue(end._side.close("at the worst moment") or [])
        return wires

    with end._lock:
        end._side.drain = drain_and_close
    end._owner.wake()


def test_an_engine_that_is_closed_while_it_sends_still_says_goodbye(ipc):
    """R-40."""
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.bind(ipc)
    try:
        engine = EngineEnd(ipc, say_hello())
        assert router.poll(1000 * PATIENCE_S)
        close_while_draining(engine)
        until(lambda: router.poll(1000 * PATIENCE_S) and isinstance(decode(router.recv_multipart()[1:]), Bye))
        engine.close()
    finally:
        context.destroy(linger=0)


def test_a_renderer_that_is_closed_while_it_sends_still_says_goodbye(ipc):
    """R-40."""
    end = RendererEnd(ipc, stand_in())
    with EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        close_while_draining(end)
        (lost,) = [e for e in gather(engine, any_lost) if isinstance(e, Lost)]
        assert lost.reason.endswith("at the worst moment")
        end.close()


def test_what_an_engine_sent_before_it_ended_arrives(address):
    """R-40: an engine need not wait, since a ROUTER keeps what came before the connection ended."""
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    gone = router.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    router.bind(address)
    try:
        engine = EngineEnd(address, say_hello())
        assert router.poll(1000 * PATIENCE_S)
        engine.close("done")
        assert gone.poll(1000 * PATIENCE_S)
        until(lambda: router.poll(1000 * PATIENCE_S) and decode(router.recv_multipart()[1:]) == Bye(text="done"))
    finally:
        context.destroy(linger=0)


def test_what_a_connection_sent_before_it_ended_is_not_read_one_by_one(ipc):
    """R-40: a peer that comes and goes all the time leaves heaps of messages; only its BYE counts."""
    with RendererEnd(ipc, stand_in()) as end:
        with end._lock:
            end._queue(end._side.peer_gone(b"gone!"))
            assert end._side.receive(b"gone!", [bytes(b) for b in encode(greet())], 0) == []
            end._queue(end._side.peer_gone(b"late!", for_good=False))
            assert end._side.receive(b"late!", [bytes(b) for b in encode(greet())], 0)
            end._side.drain()
            for k in range(2 * GONE_KEPT):
                end._side.peer_gone(k.to_bytes(5, "big"))
            assert len(end._side._gone) == GONE_KEPT
        assert end.counters()["too_late"] == 1


def test_noise_that_nobody_takes_waits_in_the_socket_and_is_held_against_nobody(ipc, monkeypatch):
    """Memory is bounded while a renderer draws, and no engine counts as silent because of it."""
    monkeypatch.setattr(renderer_end, "MOST_EVENTS", 100)
    monkeypatch.setattr(renderer_end, "READ_AT_ONCE", 8)
    with RendererEnd(ipc, stand_in(dead_ms=500)) as end, EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        with BareEngine(ipc) as loud:
            for _ in range(300):
                loud.say([b"rubbish", b""])
            until(lambda: len(end._events) >= 100)
            time.sleep(1.0)
            assert len(end._events) <= 110
            found = end.events()
            until(lambda: found.extend(end.events()) or sum(isinstance(e, PeerBroke) for e in found) == 300)
        assert not any(isinstance(e, SessionParked) for e in found)
