"""The two ends over real sockets: frames out, pictures back, fresh ones in play and all of them in a recording."""

import statistics
import time
import tracemalloc

import msgpack
import numpy as np
import pytest

from render_bridge.errors import BridgeError
from render_bridge.palette import RACING
from render_bridge.protocol.codec import encode
from render_bridge.protocol.events import Opened, PictureTaken
from render_bridge.protocol.messages import Welcome
from render_bridge.stand_in import PaletteFactory
from render_bridge.zmq.engine_end import EngineEnd

from .bare_engine import BareEngine, greet
from .ends import PATIENCE_S, draw, gather, in_time, number_in, pictures, say_hello, serving, stand_in, until


def test_frames_go_out_and_pictures_come_back(address):
    """R-01, R-30, R-32."""
    with serving(address), EngineEnd(address, say_hello()) as engine:
        assert engine.wait_open(PATIENCE_S).renderer == "stand-in"
        for k in range(5):
            engine.offer(draw(k))
            (picture,) = pictures(engine, 1)
            assert (picture.seq, picture.tick, number_in(picture.pixels)) == (k, 5 * k, k)
            order = [picture.renderer_stamps[n] for n in ("received", "started", "rendered", "sent")]
            assert order == sorted(order)
            assert picture.pixels.flags.writeable


def test_a_frame_with_credit_is_on_its_way_when_offer_returns(ipc):
    """Not when the engine lets go of the interpreter; and one that no credit waits for is held, at once."""
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        until(lambda: engine._side.flow._grants)
        engine.offer(draw(0))
        assert engine.counters()["frames"] == 1
    began = time.monotonic()
    with EngineEnd(ipc, say_hello()) as alone:
        alone.offer(draw(0))
        assert alone.counters()["held"] == 1
    assert time.monotonic() - began < PATIENCE_S


@pytest.mark.parametrize("first", ["engine", "renderer"])
def test_frame_zero_always_arrives_whoever_starts_first(ipc, first):
    """R-11, case B77: a greeting that is answered comes before frame 0; thirty starts each."""
    for _ in range(30):
        engine = EngineEnd(ipc, say_hello(mode="record")) if first == "engine" else None
        with serving(ipc):
            engine = engine or EngineEnd(ipc, say_hello(mode="record"))
            engine.offer(draw(0), timeout=PATIENCE_S)
            events = gather(engine, lambda found: any(isinstance(e, PictureTaken) for e in found))
            assert isinstance(events[0], Opened)
            assert [e.seq for e in events if isinstance(e, PictureTaken)] == [0]
            engine.close()


def test_header_and_pixels_never_part(address):
    """Case B75: a thousand frames as fast as they go; the number in the header is the one in the pixels."""
    with serving(address), EngineEnd(address, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        seen, k, give_up = [], 0, time.monotonic() + PATIENCE_S
        while (k < 1000 or len(seen) < 50) and time.monotonic() < give_up:
            engine.offer(draw(k))
            k += 1
            seen += [e for e in engine.events(0.0003) if isinstance(e, PictureTaken)]
        assert k >= 1000
        assert len(seen) >= 50
        assert all(number_in(p.pixels) == p.seq for p in seen)
        assert [p.seq for p in seen] == sorted({p.seq for p in seen})


def test_recording_loses_nothing(address):
    """R-25, R-30, R-31, case B24: the first picture answers the first frame."""
    with serving(address, stand_in(run=4, first_run=7, window=8)):
        engine = EngineEnd(address, say_hello(mode="record"))
        seen = []
        for k in range(150):
            engine.offer(draw(k, last=k == 149), timeout=PATIENCE_S)
            seen += [e for e in engine.events() if isinstance(e, PictureTaken)]
        seen += pictures(engine, 150 - len(seen))
        assert engine.finish(PATIENCE_S)
        engine.close()
    assert [p.seq for p in seen] == list(range(150))
    assert [number_in(p.pixels) for p in seen] == list(range(150))


PERIOD = 1 / 60


def test_a_slow_renderer_uses_fresh_frames(address):
    """R-24, cases B73 and B74: six times too slow; the frame used is one period and 5 ms old at most."""

    def median_age():
        drawn, seen, counters = drive_a_slow_renderer(address, seconds=2.5)
        assert len(seen) >= 5
        assert counters["offered"] - counters["frames"] == counters["skipped"] + counters["held"]
        for picture in seen:
            newest = np.searchsorted(drawn, picture.renderer_stamps["started"], side="right") - 1
            assert newest - picture.seq < 60, "a queue: it would be 125 frames behind at the end"
        return statistics.median(p.renderer_stamps["started"] - p.stamps["drawn"] for p in seen) / 1e9

    in_time(median_age, PERIOD + 0.005)


def drive_a_slow_renderer(address, seconds):
    """Offer 60 frames a second to a renderer that draws 10: stamps of the offers, pictures, the engine's counters."""
    factory = PaletteFactory(stand_in(), seconds=6 * PERIOD)
    with serving(address, factory=factory), EngineEnd(address, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        drawn, seen = [], []
        begin = time.monotonic()
        for k in range(round(seconds / PERIOD)):
            time.sleep(max(0.0, begin + k * PERIOD - time.monotonic()))
            frame = draw(k)
            drawn.append(frame.stamps["drawn"])
            engine.offer(frame)
            seen += [e for e in engine.events() if isinstance(e, PictureTaken)]
        return drawn, seen[2:], engine.counters()


def test_eight_sessions_at_once_stay_apart(address):
    """Many sessions on one renderer: each engine gets its own pictures, frame after frame."""
    with serving(address):
        engines = [EngineEnd(address, say_hello()) for _ in range(8)]
        for engine in engines:
            engine.wait_open(PATIENCE_S)
        for turn in range(3):
            for k, engine in enumerate(engines):
                engine.offer(draw(100 * turn + k))
            for k, engine in enumerate(engines):
                (picture,) = pictures(engine, 1)
                assert number_in(picture.pixels) == 100 * turn + k
        for engine in engines:
            engine.close()


def test_a_peer_that_stops_reading_is_let_go_and_slows_nobody(address):
    """R-26: what waits for it is bounded by the window and by ZeroMQ's queue; then its session is parked."""
    letters = [encode(greet())[0], msgpack.packb({"a" * 1000: 1})]
    with (
        serving(address) as (end, _),
        EngineEnd(address, say_hello()) as engine,
        BareEngine(address, RCVHWM=1, RCVBUF=4096) as deaf,
    ):
        engine.wait_open(PATIENCE_S)
        deaf.say(greet())
        deaf.hear(Welcome)
        for k in range(100_000):
            deaf.say(letters)
            if k % 100 == 0 and end.counters().get("unreachable", 0):
                break
        until(lambda: end.counters().get("parked", 0) == 1)
        engine.offer(draw(3))
        assert number_in(pictures(engine, 1)[0].pixels) == 3


@pytest.mark.parametrize("side", [1024, 1440])
def test_frames_of_a_mebibyte_and_more_go_through_whole(address, side):
    """R-08, case B88: 1 MiB and 2 MB of class map, 3 and 6 MB of picture."""
    class_map = np.random.default_rng(side).integers(0, 13, (side, side)).astype(np.uint8)
    greeting = say_hello(width=side, height=side, encodings=("raw",))
    with serving(address), EngineEnd(address, greeting) as engine:
        engine.wait_open(PATIENCE_S)
        engine.offer(draw(0, class_map=class_map))
        (picture,) = pictures(engine, 1)
        assert np.array_equal(picture.pixels, RACING.colorize(class_map))


def test_recording_waits_for_credit_and_says_when_it_does_not_come(ipc):
    """R-25."""
    with EngineEnd(ipc, say_hello(mode="record")) as engine:
        for k in range(4):
            engine.offer(draw(k), timeout=PATIENCE_S)
        with pytest.raises(BridgeError, match=r"no credit for 0\.1 s"):
            engine.offer(draw(4), timeout=0.1)


def test_pictures_that_nobody_reads_do_not_pile_up(ipc):
    """R-26: in play the oldest make room, and are counted."""
    with serving(ipc), EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        for k in range(60):
            engine.offer(draw(k))
            until(lambda sent=k + 1: engine.counters()["pictures"] >= sent)
        until(lambda: engine.counters().get("unread_pictures", 0) > 0)
        assert len(engine.events()) <= 2 * engine.welcome.window + 16


def test_memory_is_flat_when_nobody_asks(ipc):
    """R-24, case B73: a hundred megabytes offered, one frame held."""
    with EngineEnd(ipc, say_hello(width=1024, height=1024)) as engine:
        tracemalloc.start()
        for k in range(100):
            engine.offer(draw(k, class_map=np.zeros((1024, 1024), np.uint8)))
        assert tracemalloc.get_traced_memory()[0] < 4 << 20
        tracemalloc.stop()
        assert engine.counters()["skipped"] == 99
