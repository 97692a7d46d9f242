"""Real ends over ipc and loopback, processes that tests start and kill, and ways to wait for what must come."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from render_bridge.palette import RACING
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.engine_greeting import Greeting
from render_bridge.protocol.events import Lost, PictureTaken
from render_bridge.protocol.offer import Offer
from render_bridge.serving import ServeLoop
from render_bridge.stand_in import PaletteFactory
from render_bridge.zmq.renderer_end import RendererEnd

ROOT = Path(__file__).parents[2]
WIDTH, HEIGHT = 64, 32
PATIENCE_S = 20.0
"""For what must come, on however busy a machine."""
SERVER = """
import sys
from render_bridge.protocol.offer import Offer
from render_bridge.serving import serve
from render_bridge.stand_in import PaletteFactory
serve(sys.argv[1], PaletteFactory(Offer("stand-in", heartbeat_ms=100, dead_ms=int(sys.argv[2]))), say=print)
"""


def stand_in(**changes):
    """An offer under which silence means nothing; tests of silence set ``dead_ms``."""
    return Offer(**{"renderer": "stand-in", "heartbeat_ms": 100, "dead_ms": 60_000, **changes})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def ipv6_or_skip():
    """Skips the test on a machine without IPv6 on its loopback."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    yield


def addresses(tmp_path):
    return {"ipc": f"ipc://{tmp_path}/bridge.sock", "tcp": f"tcp://127.0.0.1:{free_port()}"}


def say_hello(**changes):
    values = {"engine": "test", "instance": os.urandom(8), "width": WIDTH, "height": HEIGHT, "table": RACING}
    return Greeting(**{**values, **changes})


def draw(number, **changes):
    """A frame whose pixels tell its number: row by row, in base 13."""
    class_map = np.zeros((HEIGHT, WIDTH), np.uint8)
    for row in range(6):
        class_map[row] = number // 13**row % 13
    now = time.monotonic_ns()
    stamps = {"input": now, "drawn": now}
    return Drawn(**{"tick": number * 5, "class_map": class_map, "stamps": stamps, **changes})


def number_of(class_map):
    return sum(int(class_map[row, 0]) * 13**row for row in range(6))


def number_in(pixels):
    """The number that a palette picture shows."""
    ids = [int(np.flatnonzero((RACING.colors == pixels[row, 0]).all(1))[0]) for row in range(6)]
    return sum(v * 13**row for row, v in enumerate(ids))


@contextlib.contextmanager
def serving(address, offer=None, factory=None, keys=None):
    """A palette renderer in a thread; yields (end, loop)."""
    factory = factory or PaletteFactory(offer or stand_in())
    stop = threading.Event()
    with RendererEnd(address, factory.offer, keys) as end:
        loop = ServeLoop(end, factory)
        thread = threading.Thread(target=loop.run, args=(stop.is_set,), daemon=True)
        thread.start()
        try:
            yield end, loop
        finally:
            stop.set()
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


@contextlib.contextmanager
def server_process(address, dead_ms=60_000):
    """A palette renderer in a process of its own, listening; killed at the end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    words = [sys.executable, "-c", SERVER, address, str(dead_ms)]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
    try:
        until(lambda: is_served(address))
        yield process
    finally:
        process.kill()
        process.wait()


def is_served(address):
    """Somebody has bound the address."""
    scheme, _, rest = address.partition("://")
    with socket.socket(socket.AF_UNIX if scheme == "ipc" else socket.AF_INET) as probe:
        try:
            probe.connect(rest if scheme == "ipc" else ("127.0.0.1", int(rest.rsplit(":", 1)[1])))
        except OSError:
            return False
    return True


def abandon(engine):
    """End an engine's thread without a BYE, as a kill would."""
    engine._side._outbox.clear()
    engine._side.close = lambda text: []
    engine._stop = True
    engine._owner.wake()
    engine._owner.join()


def until(condition, timeout=PATIENCE_S):
    """Wait for a condition."""
    give_up = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < give_up, "waited too long"
        time.sleep(0.01)


def pictures(end, count, timeout=PATIENCE_S):
    """The next ``count`` pictures."""
    found, give_up = [], time.monotonic() + timeout
    while len(found) < count and time.monotonic() < give_up:
        found += [e for e in end.events(0.05) if isinstance(e, PictureTaken)]
    return found


def gather(end, condition, timeout=PATIENCE_S):
    """All events up to the one that makes the condition, of a list of events, true."""
    found, give_up = [], time.monotonic() + timeout
    while not condition(found):
        assert time.monotonic() < give_up, f"waited too long; there came {found}"
        found += end.events(0.05)
    return found


def any_lost(events):
    return any(isinstance(e, Lost) for e in events)


def in_time(attempt, seconds, tries=3):
    """``attempt()`` returns how long it took: a busy machine spoils a try, a slow program spoils all of them."""
    took = []
    while not took or took[-1] > seconds:
        assert len(took) < tries, f"took {took} s, expected at most {seconds}"
        took.append(attempt())
