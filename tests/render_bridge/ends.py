"""Real ends over ipc and loopback, with short heartbeats, and processes that tests start and kill."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from render_bridge.palette import RACING
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.engine_side import Greeting
from render_bridge.protocol.events import PictureTaken
from render_bridge.protocol.offer import Offer
from render_bridge.serving import ServeLoop
from render_bridge.stand_in import PaletteFactory
from render_bridge.zmq.renderer_end import RendererEnd

ROOT = Path(__file__).parents[2]
WIDTH, HEIGHT = 64, 32
SERVER = """
import sys
from render_bridge.protocol.offer import Offer
from render_bridge.serving import serve
from render_bridge.stand_in import PaletteFactory
serve(sys.argv[1], PaletteFactory(Offer("stand-in", heartbeat_ms=100, dead_ms=400)), say=print)
"""


def quick(**changes):
    return Offer(**{"renderer": "stand-in", "heartbeat_ms": 100, "dead_ms": 400, **changes})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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
    factory = factory or PaletteFactory(offer or quick())
    stop = threading.Event()
    with RendererEnd(address, factory.offer, keys) as end:
        loop = ServeLoop(end, factory)
        thread = threading.Thread(target=loop.run, args=(stop.is_set,), daemon=True)
        thread.start()
        try:
            yield end, loop
        finally:
            stop.set()
            thread.join(5)
            assert not thread.is_alive()


def start_server(address):
    """A palette renderer in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen([sys.executable, "-c", SERVER, address], env=environment, stdout=subprocess.DEVNULL)


def pictures(end, count, timeout=5.0):
    """The next ``count`` pictures."""
    found, give_up = [], time.monotonic() + timeout
    while len(found) < count and time.monotonic() < give_up:
        found += [e for e in end.events(0.05) if isinstance(e, PictureTaken)]
    return found
