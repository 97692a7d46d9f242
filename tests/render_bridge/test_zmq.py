"""The two ends over real sockets."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import zmq

from render_bridge.errors import BridgeClosed, BridgeError
from render_bridge.protocol.codec import decode
from render_bridge.protocol.events import Closed, Lost, Opened, PictureTaken, ReceiptTaken, Refused
from render_bridge.protocol.messages import Hello
from render_bridge.stand_in import PaletteFactory
from render_bridge.zmq.engine_end import EngineEnd
from render_bridge.zmq.keys import make_keys, read_keys
from render_bridge.zmq.renderer_end import RendererEnd

from .ends import (
    ROOT,
    addresses,
    draw,
    free_port,
    number_in,
    pictures,
    quick,
    say_hello,
    serving,
    start_server,
)


@pytest.fixture(params=["ipc", "tcp"])
def address(request, tmp_path):
    return addresses(tmp_path)[request.param]


@pytest.fixture
def ipc(tmp_path):
    return addresses(tmp_path)["ipc"]


def until(condition, timeout=5.0):
    give_up = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < give_up, "waited too long"
        time.sleep(0.01)


def test_frames_go_out_and_pictures_come_back(address):
    """R-01, R-30, R-32."""
    with serving(address), EngineEnd(address, say_hello()) as engine:
        assert engine.wait_open(5).renderer == "stand-in"
        for k in range(5):
            engine.offer(draw(k))
            (picture,) = pictures(engine, 1)
            assert (picture.seq, picture.tick, number_in(picture.pixels)) == (k, 5 * k, k)
            order = [picture.renderer_stamps[n] for n in ("received", "started", "rendered", "sent")]
            assert order == sorted(order)
            assert picture.pixels.flags.writeable


@pytest.mark.parametrize("first", ["engine", "renderer"])
def test_frame_zero_always_arrives_whoever_starts_first(ipc, first):
    """R-11, case B77: a greeting that is answered comes before frame 0; ten starts each."""
    for _ in range(10):
        engine = EngineEnd(ipc, say_hello(mode="record")) if first == "engine" else None
        with serving(ipc):
            engine = engine or EngineEnd(ipc, say_hello(mode="record"))
            engine.offer(draw(0), timeout=5)
            assert [p.seq for p in pictures(engine, 1)] == [0]
            engine.close()


def test_header_and_pixels_never_part(address):
    """Case B75: a thousand frames as fast as they go; the number in the header is the one in the pixels."""
    with serving(address), EngineEnd(address, say_hello()) as engine:
        engine.wait_open(5)
        seen = []
        for k in range(1000):
            engine.offer(draw(k))
            time.sleep(0.0003)
            seen += [e for e in engine.events() if isinstance(e, PictureTaken)]
        seen += pictures(engine, 1000, timeout=0.3)
        assert len(seen) > 20
        assert all(number_in(p.pixels) == p.seq for p in seen)
        assert [p.seq for p in seen] == sorted({p.seq for p in seen})


def test_recording_loses_nothing(address):
    """R-25, R-30, R-31, case B24: the first picture answers the first frame."""
    with serving(address, quick(run=4, first_run=7, window=8)):
        engine = EngineEnd(address, say_hello(mode="record"))
        seen = []
        for k in range(150):
            engine.offer(draw(k, last=k == 149), timeout=5)
            seen += [e for e in engine.events() if isinstance(e, PictureTaken)]
        seen += pictures(engine, 150 - len(seen))
        assert engine.finish(5)
        engine.close()
    assert [p.seq for p in seen] == list(range(150))
    assert [number_in(p.pixels) for p in seen] == list(range(150))


def test_a_slow_renderer_uses_fresh_frames(address):
    """R-24, cases B73 and B74: six times too slow; the frame used is one period and 5 ms old at most."""
    period, seconds = 1 / 60, 2.5
    with (
        serving(address, factory=PaletteFactory(quick(), seconds=6 * period)),
        EngineEnd(address, say_hello()) as engine,
    ):
        engine.wait_open(5)
        seen = []
        begin = time.monotonic()
        for k in range(round(seconds / period)):
            time.sleep(max(0.0, begin + k * period - time.monotonic()))
            engine.offer(draw(k))
            seen += [e for e in engine.events() if isinstance(e, PictureTaken)]
        ages = sorted((p.renderer_stamps["started"] - p.stamps["drawn"]) / 1e9 for p in seen[2:])
        counters = engine.counters()
    assert len(ages) > 10
    assert ages[len(ages) // 2] <= period + 0.005
    assert ages[-2] <= 2 * period + 0.02, "one outlier may be the machine's"
    assert counters["offered"] - counters["frames"] == counters["skipped"] + counters["held"]


def test_a_renderer_that_is_killed_and_started_again_is_found_within_two_seconds(address):
    """R-12, R-38, case B80: the engine lives on; numbers go on; one loss is reported."""
    server = start_server(address)
    try:
        with EngineEnd(address, say_hello()) as engine:
            engine.wait_open(10)
            engine.offer(draw(0))
            assert [p.seq for p in pictures(engine, 1)] == [0]
            server.kill()
            server.wait()
            for k in range(1, 30):
                engine.offer(draw(k))
                time.sleep(0.02)
            server = start_server(address)
            with RendererReady(address):
                began = time.monotonic()
                until(lambda: engine.is_open)
                assert time.monotonic() - began < 2
            engine.offer(draw(30))
            events = engine.events(0.5) + engine.events(0.5)
            assert len([e for e in events if isinstance(e, Lost)]) == 1
            shown = [e.seq for e in events if isinstance(e, PictureTaken)] or [p.seq for p in pictures(engine, 1)]
            assert shown[-1] in (29, 30)
    finally:
        server.kill()
        server.wait()


class RendererReady:
    """Waits until a process has bound its address."""

    def __init__(self, address):
        self._address = address

    def __enter__(self):
        import socket

        scheme, _, rest = self._address.partition("://")
        for _ in range(500):
            with socket.socket(socket.AF_UNIX if scheme == "ipc" else socket.AF_INET) as probe:
                target = rest if scheme == "ipc" else ("127.0.0.1", int(rest.rsplit(":", 1)[1]))
                try:
                    probe.connect(target)
                    return self
                except OSError:
                    time.sleep(0.01)
        raise AssertionError("the server did not start")

    def __exit__(self, *_):
        pass


def test_an_engine_that_dies_comes_back_to_its_session(address):
    """R-19, R-38: another process with the token; the renderer tells it where it was."""
    with serving(address) as (end, _):
        first = EngineEnd(address, say_hello())
        first.wait_open(5)
        for k in range(3):
            first.offer(draw(k))
            pictures(first, 1)
        token = first.token
        abandon(first)
        began = time.monotonic()
        with EngineEnd(address, say_hello(), next_seq=3, resume=token) as second:
            welcome = second.wait_open(2)
            assert time.monotonic() - began < 2
            assert (welcome.resumed, welcome.last_seq, welcome.last_tick) == (True, 2, 10)
            second.offer(draw(3))
            assert [p.seq for p in pictures(second, 1)] == [3]
            assert end.counters()["sessions"] == 1


def abandon(engine):
    """End an engine's thread without a BYE, as a kill would."""
    engine._side._outbox.clear()
    engine._side.close = lambda text: []
    engine._stop = True
    engine._owner.wake()
    engine._owner.join()


def test_a_reset_flushes_every_stage(address):
    """R-28, R-29, R-34, R-35, case B10: no picture of the old generation after it, receipts in order."""
    with serving(address, factory=PaletteFactory(quick(), seconds=0.05)), EngineEnd(address, say_hello()) as engine:
        engine.wait_open(5)
        for k in range(4):
            engine.offer(draw(k))
            time.sleep(0.02)
        number = engine.reset(seed=9)
        for k in range(4, 8):
            engine.offer(draw(k))
            time.sleep(0.03)
        events = engine.events(0.3) + engine.events(0.3)
        assert all(e.seq >= 4 for e in events if isinstance(e, PictureTaken))
        assert any(isinstance(e, PictureTaken) for e in events)
        stages = [e.receipt.stage for e in events if isinstance(e, ReceiptTaken) and e.receipt.id == number]
        assert stages == ["received", "in_force"]


def test_controls_take_effect_at_a_chunk_border_and_survive_a_reset(ipc):
    """R-35, R-36, case B08."""
    with serving(ipc, quick(run=2, first_run=2)) as (_, loop), EngineEnd(ipc, say_hello(mode="record")) as engine:
        engine.wait_open(5)
        engine.offer(draw(0))
        engine.control("prompt", text="flames")
        engine.control("schedule", schedule={"chunk": 3})
        engine.offer(draw(1))
        assert len(pictures(engine, 2)) == 2
        (work,) = loop.works.values()
        assert work.renderer.prompt == "flames"
        engine.reset()
        engine.offer(draw(2))
        engine.offer(draw(3))
        assert [p.chunk for p in pictures(engine, 2)] == [1, 1]
        assert work.renderer.prompt == "flames"


def test_a_run_that_fails_is_reported_and_the_session_goes_on(ipc):
    """R-49, case B30."""
    with serving(ipc, factory=Failing()) as _, EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(5)
        engine.offer(draw(0))
        until(lambda: any(isinstance(e, Refused) and e.code == 400 for e in engine.events(0.05)))
        engine.offer(draw(1))
        assert [p.seq for p in pictures(engine, 1)] == [1]


class Failing(PaletteFactory):
    """Its first chunk is not a number."""

    def __init__(self):
        super().__init__(quick())

    def open(self, opened):
        renderer = super().open(opened)
        draw_well, calls = renderer.render, []

        def render(frames):
            calls.append(1)
            if len(calls) == 1:
                raise ArithmeticError("latents are not a number")
            return draw_well(frames)

        renderer.render = render
        return renderer


def test_eight_sessions_at_once_stay_apart(address):
    """Many sessions on one renderer."""
    with serving(address):
        engines = [EngineEnd(address, say_hello()) for _ in range(8)]
        for k, engine in enumerate(engines):
            engine.wait_open(5)
            engine.offer(draw(100 + k))
        for k, engine in enumerate(engines):
            (picture,) = pictures(engine, 1)
            assert number_in(picture.pixels) == 100 + k
        for engine in engines:
            engine.close()


def test_an_engine_without_a_server_ends_within_two_seconds(address):
    """R-47, case B78."""
    engine = EngineEnd(address, say_hello())
    for k in range(10):
        engine.offer(draw(k))
    began = time.monotonic()
    engine.close()
    assert time.monotonic() - began < 2
    with pytest.raises(BridgeClosed, match="the engine ends"):
        engine.offer(draw(11))


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
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"sent\n"
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.wait(5) == 130
    assert time.monotonic() - began < 2
    process.stdout.close()


def test_a_server_that_is_interrupted_says_goodbye(ipc):
    """R-40, R-47."""
    server = start_server(ipc)
    with RendererReady(ipc), EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(5)
        began = time.monotonic()
        server.send_signal(signal.SIGINT)
        server.wait(5)
        assert time.monotonic() - began < 2
        until(lambda: any(isinstance(e, Lost) and "ended" in e.reason for e in engine.events(0.05)))


def test_a_refusal_for_good_reaches_the_caller(ipc):
    """R-15: the text names the size that is served."""
    with serving(ipc), EngineEnd(ipc, say_hello(width=100, height=50)) as engine:
        with pytest.raises(BridgeClosed, match="nearest size that is: 96x64"):
            engine.wait_open(5)
        assert any(isinstance(e, Closed) for e in engine.events())


def test_recording_waits_for_credit_and_says_when_it_does_not_come(ipc):
    """R-25."""
    with EngineEnd(ipc, say_hello(mode="record")) as engine:
        for k in range(4):
            engine.offer(draw(k), timeout=1)
        with pytest.raises(BridgeError, match=r"no credit for 0\.1 s"):
            engine.offer(draw(4), timeout=0.1)


def test_pictures_that_nobody_reads_do_not_pile_up(ipc):
    """R-26: in play the oldest make room, and are counted."""
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(5)
        for k in range(60):
            engine.offer(draw(k))
            until(lambda sent=k + 1: engine.counters()["pictures"] >= sent)
        until(lambda: engine.counters().get("unread_pictures", 0) > 0)
        assert len(engine.events()) <= 2 * engine.welcome.window + 16


def test_a_thousand_calls_from_another_thread_disturb_nothing(ipc):
    """Case B83."""
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(5)
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


def test_a_taken_address_is_refused(address):
    with serving(address), pytest.raises(BridgeError, match=r"already served|in use"):
        RendererEnd(address, quick())


def test_a_socket_file_left_by_a_killed_server_is_replaced(ipc):
    server = start_server(ipc)
    with RendererReady(ipc):
        server.kill()
        server.wait()
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        assert engine.wait_open(5)


def test_only_known_keys_are_let_in(tmp_path):
    """R-46: CURVE; a stranger with a key of its own gets nothing."""
    for name in ("engine", "renderer", "stranger"):
        make_keys(tmp_path / name)
    address = f"tcp://127.0.0.1:{free_port()}"
    theirs = read_keys(tmp_path / "renderer.secret", [tmp_path / "engine.public"])
    with serving(address, keys=theirs):
        for name in ("stranger", "engine"):
            ours = read_keys(tmp_path / f"{name}.secret", [tmp_path / "renderer.public"])
            with EngineEnd(address, say_hello(), ours) as engine:
                if name == "stranger":
                    with pytest.raises(BridgeError, match="no renderer"):
                        engine.wait_open(0.7)
                else:
                    engine.wait_open(5)
                    engine.offer(draw(5))
                    assert number_in(pictures(engine, 1)[0].pixels) == 5
        with EngineEnd(address, say_hello()) as engine, pytest.raises(BridgeError, match="no renderer"):
            engine.wait_open(0.5)


def test_the_engine_greets_first_even_a_silent_peer(tmp_path):
    """R-11, R-38: a bare ROUTER hears HELLO, again and again, and nothing else."""
    address = f"ipc://{tmp_path}/bare.sock"
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.bind(address)
    try:
        with EngineEnd(address, say_hello()) as engine:
            engine.offer(draw(0))
            attempts = []
            for _ in range(3):
                assert router.poll(2000)
                message = decode(router.recv_multipart()[1:])
                assert isinstance(message, Hello)
                attempts.append(message.attempt)
            assert attempts == sorted(set(attempts))
    finally:
        context.destroy(linger=0)


def test_memory_is_flat_when_nobody_asks(ipc):
    """R-24, case B73: a hundred megabytes offered, one frame held."""
    import tracemalloc

    with EngineEnd(ipc, say_hello(width=1024, height=1024)) as engine:
        tracemalloc.start()
        for k in range(100):
            engine.offer(draw(k, class_map=np.zeros((1024, 1024), np.uint8)))
        assert tracemalloc.get_traced_memory()[0] < 4 << 20
        tracemalloc.stop()
        assert engine.counters()["skipped"] == 99


def test_events_tell_of_the_opening_once(ipc):
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(5)
        time.sleep(0.5)
        assert len([e for e in engine.events() if isinstance(e, Opened)]) == 1
