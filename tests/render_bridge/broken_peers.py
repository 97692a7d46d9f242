"""Our own ends with one rule broken: what goes in or out is changed on the way, as ``breaks`` says."""

import threading
import time

import numpy as np

from render_bridge.errors import BridgeError
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.faults import LocalProtocolError, RemoteProtocolError
from render_bridge.protocol.message_base import Message
from render_bridge.serving import ServeLoop
from render_bridge.stand_in import PaletteFactory, PaletteRenderer
from render_bridge.zmq.engine_end import EngineEnd
from render_bridge.zmq.renderer_end import RendererEnd

from .breaks import ENGINE_BREAKS, RENDERER_BREAKS
from .ends import HEIGHT, PATIENCE_S, WIDTH, draw, say_hello, stand_in


def hooked(hook, frames):
    """Frames → the lists of frames that the hook makes of them; what is not legal passes unchanged."""
    try:
        message = decode([bytes(f) for f in frames])
    except RemoteProtocolError:
        return [frames]
    try:
        return [encode(m) if isinstance(m, Message) else m for m in hook(message)]
    except LocalProtocolError:
        return [frames]


def made(hook):
    return hook() if isinstance(hook, type) else hook


class BrokenRenderer(RendererEnd):
    """A renderer that breaks one rule."""

    def __init__(self, address, offer, rule):
        self._incoming, self._outgoing = (made(h) for h in RENDERER_BREAKS[rule])
        super().__init__(address, offer)
        receive = self._side.receive

        def hooked_receive(peer, frames, now):
            return [e for wire in hooked(self._incoming, frames) for e in receive(peer, wire, now)]

        self._side.receive = hooked_receive

    def _send(self, socket, peer, wire):
        for made_wire in hooked(self._outgoing, wire):
            super()._send(socket, peer, made_wire)


class BrokenEngine(EngineEnd):
    """An engine that breaks one rule."""

    def __init__(self, address, greeting, rule):
        self._incoming, self._outgoing = (made(h) for h in ENGINE_BREAKS[rule])
        super().__init__(address, greeting)
        with self._lock:
            receive, drain = self._side.receive, self._side.drain
            self._side.receive = lambda frames, now: [
                e for wire in hooked(self._incoming, frames) for e in receive(wire, now)
            ]
            self._side.drain = lambda: [w for wire in drain() for w in hooked(self._outgoing, wire)]


class Painter(PaletteRenderer):
    """Its pictures show its prompt, and its eighth run fails: more than a check takes that does not wait for it."""

    def __init__(self, table):
        super().__init__(table)
        self.runs = 0

    def render(self, frames):
        self.runs += 1
        if self.runs == 8:
            raise MemoryError("a bad day")
        return [picture // 2 + 90 * bool(self.prompt) for picture in super().render(frames)]


class PainterFactory(PaletteFactory):
    def open(self, opened):
        return Painter(self.offer.table)


class RunningRenderer:
    """A context with a serving renderer, broken or not."""

    def __init__(self, address, rule=None, keys=None, **offer):
        dead_ms = 60_000 if rule == "R-38" else 1000
        planes = ("depth", "motion")
        offered = stand_in(**{"dead_ms": dead_ms, "planes": planes, "run": 2, "first_run": 2, "window": 8, **offer})
        self._end = BrokenRenderer(address, offered, rule) if rule else RendererEnd(address, offered, keys)
        self._stop = threading.Event()
        loop = ServeLoop(self._end, PainterFactory(offered))
        self._thread = threading.Thread(target=loop.run, args=(self._stop.is_set,), daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(PATIENCE_S)
        self._end.close()


class RunningEngine:
    """A context with an engine that draws all the time, broken or not."""

    def __init__(self, address, rule=None, mode="play"):
        self._make = lambda g: BrokenEngine(address, g, rule) if rule else EngineEnd(address, g)
        self._greeting = say_hello(mode=mode, planes=("depth", "motion"), rate=(60, 1))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.engine = None

    def _run(self):
        planes = {"depth": np.zeros((HEIGHT, WIDTH), np.float16), "motion": np.zeros((HEIGHT, WIDTH, 2), np.float32)}
        with self._make(self._greeting) as engine:
            self.engine = engine
            number = 0
            while not self._stop.is_set():
                try:
                    engine.offer(draw(number, planes=planes), timeout=0.05)
                    number += 1
                except BridgeError:
                    pass
                engine.events()
                time.sleep(1 / 60)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
