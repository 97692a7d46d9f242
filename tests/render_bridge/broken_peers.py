"""Our own ends with one rule broken: what goes in or out is changed on the way."""

import dataclasses
import threading
import time

import numpy as np

from render_bridge.errors import BridgeError
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.faults import LocalProtocolError, RemoteProtocolError
from render_bridge.protocol.message_base import Message
from render_bridge.protocol.messages import (
    Ack,
    Bye,
    Control,
    Credit,
    Error,
    Frame,
    Hello,
    Picture,
    Pong,
    Receipt,
    Welcome,
)
from render_bridge.serving import ServeLoop
from render_bridge.stand_in import PaletteFactory, PaletteRenderer
from render_bridge.zmq.engine_end import EngineEnd
from render_bridge.zmq.renderer_end import RendererEnd

from .ends import HEIGHT, PATIENCE_S, WIDTH, draw, say_hello, stand_in


def change(kind, **values):
    """Replace fields of every message of a kind; a callable gets the message."""

    def hook(message):
        if not isinstance(message, kind):
            return [message]
        made = {k: v(message) if callable(v) else v for k, v in values.items()}
        return [dataclasses.replace(message, **made)]

    return hook


def drop(kind, match=lambda m: True):
    return lambda m: [] if isinstance(m, kind) and match(m) else [m]


def drop_errors(*codes):
    return drop(Error, lambda m: m.code in codes)


def repeat(kind, match=lambda m: True):
    return lambda m: [m, m] if isinstance(m, kind) and match(m) else [m]


def pass_on(message):
    return [message]


class NeverSkips:
    """A renderer that takes consecutive numbers only."""

    def __init__(self):
        self.next = None

    def __call__(self, message):
        if isinstance(message, Hello):
            self.next = None
        if isinstance(message, Frame):
            if self.next is not None and message.seq != self.next:
                return []
            self.next = message.seq + 1
        return [message]


def upside_down(picture):
    """The pixels of a picture, its last row first."""
    pixels = np.frombuffer(picture.buffers[0], np.uint8).reshape(picture.height, picture.width, 3)
    return (pixels[::-1].tobytes(),)


class ForgetsItsPrompt:
    """A reset comes with another prompt on its heels."""

    def __call__(self, message):
        if isinstance(message, Control) and message.kind == "reset":
            return [message, Control(id=message.id + 1, generation=message.generation, kind="prompt", text="")]
        return [message]


RENDERER_BREAKS = {
    "R-01": (pass_on, drop_errors(100)),
    "R-02": (pass_on, drop_errors(101)),
    "R-03": (pass_on, change(Error, details=None)),
    "R-04": (pass_on, drop_errors(104)),
    "R-05": (pass_on, drop_errors(106)),
    "R-06": (pass_on, drop_errors(107)),
    "R-07": (pass_on, drop_errors(110)),
    "R-08": (pass_on, drop_errors(109)),
    "R-09": (pass_on, repeat(Error)),
    "R-10": (pass_on, drop_errors(108)),
    "R-11": (pass_on, change(Welcome, attempt=lambda m: m.attempt + 1)),
    "R-12": (pass_on, drop_errors(200)),
    "R-13": (pass_on, change(Error, details=None)),
    "R-14": (pass_on, drop_errors(208)),
    "R-15": (pass_on, change(Error, details=lambda m: {"nearest": [3, 3]} if m.code == 202 else m.details)),
    "R-16": (pass_on, drop_errors(203)),
    "R-17": (pass_on, drop_errors(204)),
    "R-18": (pass_on, change(Welcome, planes=lambda m: m.planes[::-1])),
    "R-19": (pass_on, change(Welcome, resumed=False)),
    "R-20": (pass_on, drop_errors(205)),
    "R-21": (pass_on, drop_errors(207)),
    "R-22": (pass_on, drop_errors(303)),
    "R-23": (pass_on, change(Credit, grant=lambda m: m.grant + 1)),
    "R-24": (NeverSkips, pass_on),
    "R-25": (pass_on, drop(Picture, lambda m: m.seq == 1)),
    "R-26": (pass_on, change(Welcome, window=1)),
    "R-27": (pass_on, drop_errors(302)),
    "R-28": (pass_on, drop_errors(305)),
    "R-29": (pass_on, change(Picture, generation=0)),
    "R-30": (pass_on, repeat(Picture)),
    "R-31": (pass_on, drop(Picture, lambda m: m.seq == 0)),
    "R-32": (pass_on, change(Picture, renderer_stamps={})),
    "R-33": (change(Frame, last=False), pass_on),
    "R-34": (pass_on, repeat(Receipt, lambda m: m.stage == "in_force")),
    "R-35": (pass_on, change(Receipt, chunk=lambda m: None if m.chunk is None else 0)),
    "R-36": (ForgetsItsPrompt, pass_on),
    "R-37": (pass_on, drop(Pong)),
    "R-38": (pass_on, change(Welcome, dead_ms=300)),
    "R-40": (drop(Bye), pass_on),
    "R-41": (pass_on, change(Error, details=lambda m: {"row": 0} if m.code == 300 else m.details)),
    "R-42": (pass_on, drop_errors(301)),
    "R-43": (pass_on, drop_errors(111, 113)),
    "R-44": (pass_on, change(Welcome, planes=lambda m: m.planes[::-1])),
    "R-45": (pass_on, change(Picture, buffers=upside_down)),
    "R-48": (pass_on, drop_errors(306)),
    "R-49": (pass_on, change(Error, details=lambda m: None if m.code == 400 else m.details)),
}  # fmt: skip
"""What is done to messages on their way in, and out. R-39, R-46 and R-47 are broken elsewhere: see ``test_checker``."""


def spoil(message):
    """Class map data that end too early."""
    if not isinstance(message, Frame):
        return [message]
    return [dataclasses.replace(message, buffers=(bytes(message.buffers[0])[:-1], *message.buffers[1:]))]


def extra_frame(message):
    """One frame more than was granted."""
    if not isinstance(message, Frame):
        return [message]
    return [message, dataclasses.replace(message, seq=message.seq + 1000)]


def other_types(message):
    """Depth is offered as something else."""
    return [{"name": "depth", "dtype": "float32", "channels": 1} if p["name"] == "depth" else p for p in message.planes]


class DropsEveryThird:
    def __init__(self):
        self.count = 0

    def __call__(self, message):
        if isinstance(message, Frame):
            self.count += 1
            if self.count % 3 == 0:
                return []
        return [message]


ENGINE_BREAKS = {
    "R-03": (pass_on, drop_errors(102)),
    "R-05": (pass_on, drop_errors(106)),
    "R-09": (pass_on, repeat(Error)),
    "R-11": (pass_on, change(Hello, attempt=1)),
    "R-12": (drop_errors(200), pass_on),
    "R-13": (pass_on, change(Hello, table=lambda m: {**m.table, "hash": "0" * 16})),
    "R-17": (pass_on, change(Frame, encoding="raw")),
    "R-18": (pass_on, change(Frame, planes=(), plane_encodings=(), buffers=lambda m: m.buffers[:1])),
    "R-19": (pass_on, change(Hello, resume=None)),
    "R-20": (change(Error, code=lambda m: 200 if m.code == 205 else m.code, fatal=False), pass_on),
    "R-22": (pass_on, extra_frame),
    "R-23": (pass_on, change(Frame, grant=0)),
    "R-24": (pass_on, change(Frame, skipped=0)),
    "R-25": (pass_on, DropsEveryThird),
    "R-26": (pass_on, drop(Ack)),
    "R-27": (change(Error, about_grant=None), pass_on),
    "R-28": (pass_on, change(Frame, generation=lambda m: m.generation + 1)),
    "R-32": (pass_on, change(Frame, stamps=lambda m: {"drawn": -m.stamps["drawn"]})),
    "R-37": (pass_on, drop(Pong)),
    "R-38": (change(Welcome, dead_ms=60_000), pass_on),
    "R-40": (drop(Bye), pass_on),
    "R-41": (pass_on, spoil),
    "R-42": (pass_on, spoil),
    "R-43": (pass_on, spoil),
    "R-44": (pass_on, change(Hello, planes=other_types)),
    "R-48": (pass_on, drop_errors(306)),
}


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
