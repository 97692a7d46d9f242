"""The two ends over real sockets: who may use an address, a socket, a process."""

import multiprocessing
import os
import socket
import sys
import threading

import pytest

from render_bridge.errors import BridgeClosed, BridgeError
from render_bridge.protocol.events import Closed, TurnedAway
from render_bridge.zmq.engine_end import EngineEnd
from render_bridge.zmq.keys import make_keys, read_keys
from render_bridge.zmq.renderer_end import RendererEnd

from .ends import (
    PATIENCE_S,
    draw,
    free_port,
    gather,
    ipv6_or_skip,
    number_in,
    pictures,
    say_hello,
    server_process,
    serving,
    stand_in,
    until,
)


def test_a_thousand_calls_from_another_thread_disturb_nothing(ipc):
    """Case B83."""
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        stop = threading.Event()
        errors = []

        def pester():
            try:
                for k in range(1000):
                    engine.reset() if k % 10 == 0 else engine.counters()
            except Exception as error:
                errors.append(error)
            stop.set()

        thread = threading.Thread(target=pester)
        thread.start()
        k = 0
        while not stop.is_set():
            engine.offer(draw(k))
            engine.events()
            k += 1
        thread.join()
        assert errors == []
        engine.offer(draw(k))
        assert pictures(engine, 1)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_is_refused(ipc):
    """Case B83: fork refused, in one line."""
    with EngineEnd(ipc, say_hello()) as engine:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                engine.offer(draw(0))
                os.write(write, b"offered")
            except BridgeError as error:
                os.write(write, str(error).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert b"spawn, not fork" in os.read(read, 1000)
        os.close(read)
        os.close(write)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_may_be_started_beside_an_open_bridge(ipc, method):
    """Case B83: they end as they should, and the bridge goes on."""
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        worker = multiprocessing.get_context(method).Process(target=add, args=(2, 3))
        worker.start()
        worker.join(PATIENCE_S)
        assert worker.exitcode == 5
        engine.offer(draw(1))
        assert number_in(pictures(engine, 1)[0].pixels) == 1


def add(a, b):
    sys.exit(a + b)


def test_a_taken_address_is_refused(address):
    with serving(address), pytest.raises(BridgeError, match=r"already served|in use"):
        RendererEnd(address, stand_in())


def test_a_file_at_the_address_is_refused_and_left_as_it_is(tmp_path):
    """ZeroMQ would delete it: a recording, or weights, for one mistyped path."""
    path = tmp_path / "precious"
    path.write_text("weights")
    with pytest.raises(BridgeError, match="is a file or folder, not a socket"):
        RendererEnd(f"ipc://{path}", stand_in())
    assert path.read_text() == "weights"


def test_a_socket_file_left_by_a_killed_server_is_replaced(ipc):
    with server_process(ipc):
        pass
    assert os.path.exists(ipc.removeprefix("ipc://"))
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        assert engine.wait_open(PATIENCE_S)


def test_only_known_keys_are_let_in(tmp_path):
    """R-46: CURVE. Who has an unknown key, or none, or expects another renderer, waits in vain beside one who is in."""
    for name in ("engine", "renderer", "stranger"):
        make_keys(tmp_path / name)
    address = f"tcp://127.0.0.1:{free_port()}"
    theirs = read_keys(tmp_path / "renderer.secret", [tmp_path / "engine.public"])
    known, unknown = (
        read_keys(tmp_path / f"{name}.secret", [tmp_path / "renderer.public"]) for name in ("engine", "stranger")
    )
    misled = read_keys(tmp_path / "engine.secret", [tmp_path / "stranger.public"])
    with (
        EngineEnd(address, say_hello(), unknown) as stranger,
        EngineEnd(address, say_hello(), misled) as suspicious,
        EngineEnd(address, say_hello()) as open_hearted,
        serving(address, keys=theirs) as (end, _),
        EngineEnd(address, say_hello(), known) as engine,
    ):
        engine.wait_open(PATIENCE_S)
        engine.offer(draw(5))
        assert number_in(pictures(engine, 1)[0].pixels) == 5
        for turned_away, why in (
            (stranger, "refuses our key"),
            (suspicious, "the key given with --peer is probably not that renderer's"),
            (open_hearted, "wants keys"),
        ):
            until(lambda turned_away=turned_away: turned_away.trouble)
            with pytest.raises(BridgeError, match=f"no renderer at .* after 0.01 s; .*{why}"):
                turned_away.wait_open(0.01)
        assert end.counters()["opened"] == 1


def test_a_renderer_says_whom_it_turned_away(tmp_path):
    """R-46: one line each, for the person who mixed up the keys."""
    for name in ("engine", "renderer", "stranger"):
        make_keys(tmp_path / name)
    address = f"tcp://127.0.0.1:{free_port()}"
    theirs = read_keys(tmp_path / "renderer.secret", [tmp_path / "engine.public"])
    unknown = read_keys(tmp_path / "stranger.secret", [tmp_path / "renderer.public"])
    misled = read_keys(tmp_path / "engine.secret", [tmp_path / "stranger.public"])
    with RendererEnd(address, stand_in(), theirs) as end:
        for keys, who in (
            (unknown, "whose key is none of those"),
            (misled, "expects another renderer's key"),
            (None, "without keys"),
        ):
            with EngineEnd(address, say_hello(), keys):
                gather(end, lambda found, who=who: any(isinstance(e, TurnedAway) and who in e.who for e in found))


def test_an_engine_finds_a_renderer_where_something_else_was_before():
    """R-40: ZeroMQ gives up on whoever wants another kind of security; we do not."""
    port = free_port()
    with (
        socket.create_server(("127.0.0.1", port)) as other,
        EngineEnd(f"tcp://127.0.0.1:{port}", say_hello()) as engine,
    ):
        other.settimeout(PATIENCE_S)
        visitor, _ = other.accept()
        with visitor:
            visitor.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"PLAIN".ljust(20, b"\x00") + bytes(32))
            until(lambda: engine.trouble)
        other.close()
        with RendererEnd(f"tcp://127.0.0.1:{port}", stand_in()):
            assert engine.wait_open(PATIENCE_S)


def test_an_engine_whose_key_was_refused_is_let_in_as_soon_as_it_is_known(tmp_path):
    """R-40, R-46: ZeroMQ itself does not try again; renderers are restarted, with other keys too."""
    for name in ("engine", "renderer", "stranger"):
        make_keys(tmp_path / name)
    address = f"tcp://127.0.0.1:{free_port()}"
    without, knowing = (
        read_keys(tmp_path / "renderer.secret", [tmp_path / f"{name}.public"]) for name in ("stranger", "engine")
    )
    ours = read_keys(tmp_path / "engine.secret", [tmp_path / "renderer.public"])
    with EngineEnd(address, say_hello(), ours) as engine:
        with RendererEnd(address, stand_in(), without):
            until(lambda: "refuses our key" in engine.trouble)
        with RendererEnd(address, stand_in(), knowing):
            assert engine.wait_open(PATIENCE_S)
            assert engine.trouble == ""


def test_an_engine_that_is_kept_waiting_says_why(ipc):
    """R-20, R-21: there is a renderer, so nobody need start one."""
    with serving(ipc, stand_in(max_sessions=1)), EngineEnd(ipc, say_hello()) as first:
        first.wait_open(PATIENCE_S)
        for resume, why in ((first.token, "205 session_taken: another engine"), (None, "207 full: all 1 sessions")):
            with EngineEnd(ipc, say_hello(), resume=resume) as second:
                until(lambda second=second: second.trouble)
                with pytest.raises(BridgeError, match=f"; the renderer there refuses us: {why}"):
                    second.wait_open(0.01)


def test_the_loopback_of_ipv6_is_served_and_reached():
    """R-46."""
    with ipv6_or_skip():
        address = f"tcp://[::1]:{free_port()}"
        with serving(address), EngineEnd(address, say_hello()) as engine:
            engine.wait_open(PATIENCE_S)
            engine.offer(draw(7))
            assert number_in(pictures(engine, 1)[0].pixels) == 7


def test_an_end_that_fails_says_so_instead_of_going_mute(ipc, monkeypatch):
    """A mistake of ours in the thread that owns the socket: whoever waits is told."""
    unheard = []
    monkeypatch.setattr(threading, "excepthook", unheard.append)
    with RendererEnd(ipc, stand_in()) as end, EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)

        def fail(now):
            raise ZeroDivisionError("a mistake")

        for side in (end._side, engine._side):
            monkeypatch.setattr(side, "advance", fail)
        closed = gather(engine, lambda found: any(isinstance(e, Closed) for e in found))[-1]
        assert closed.reason == "the bridge failed: ZeroDivisionError: a mistake"
        with pytest.raises(BridgeClosed, match="closed"):
            engine.offer(draw(0))
        until(lambda: len(unheard) == 2)
        with pytest.raises(BridgeError, match="the bridge failed: ZeroDivisionError"):
            end.events()
