"""Both ends joined back to back, without sockets and with a clock that the test turns."""

import itertools

import numpy as np

from render_bridge.conformance.samples import frame
from render_bridge.palette import RACING, ClassTable, SceneClass
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.engine_side import EngineSide, Greeting
from render_bridge.protocol.events import FrameTaken
from render_bridge.protocol.offer import Offer, Sizes
from render_bridge.protocol.renderer_side import RendererSide

MS = 1_000_000
WIDTH, HEIGHT = 64, 32
FOREIGN = ClassTable("two-1", (SceneClass(0, "floor", (9, 9, 9)), SceneClass(1, "blue", (0, 0, 99))))


def greeting(**changes):
    values = {"engine": "test", "instance": b"instance", "width": WIDTH, "height": HEIGHT, "table": RACING}
    return Greeting(**{**values, **changes})


def offer(**changes):
    return Offer(**{"renderer": "test", "sizes": Sizes(32, (256, 256)), "window": 8, **changes})


def drawn(tick=0, value=None, **changes):
    class_map = np.full((HEIGHT, WIDTH), tick % 13 if value is None else value, np.uint8)
    return Drawn(**{"tick": tick, "class_map": class_map, "stamps": {"drawn": tick}, **changes})


def tokens():
    """Tokens that count, so that runs repeat."""
    numbers = itertools.count(1)
    return lambda: next(numbers).to_bytes(16, "big")


class Link:
    """Engines and one renderer; messages arrive at once, time passes only when told."""

    def __init__(self, offer_=None, **greeting_changes):
        self.now = 1000 * MS
        self.offer = offer_ or offer()
        self.renderer = RendererSide(self.offer, tokens())
        self.engines = {}
        self.engine_events = {}
        self.renderer_events = []
        self.wires_seen = []
        self.cut = set()
        self.engine = self.join(b"peer-0", **greeting_changes)

    def join(self, peer, **changes):
        side = {k: changes.pop(k) for k in ("generation", "next_seq", "resume") if k in changes}
        engine = EngineSide(greeting(**changes), self.now, **side)
        self.engines[peer] = engine
        self.engine_events[peer] = []
        return engine

    def exchange(self):
        """Carry messages until both are silent."""
        moved = True
        while moved:
            moved = False
            for peer, engine in self.engines.items():
                for wire in engine.drain():
                    moved = True
                    self.wires_seen.append((peer, "engine", wire))
                    if peer not in self.cut:
                        self.renderer_events += self.renderer.receive(peer, [bytes(b) for b in wire], self.now)
            for peer, wire in self.renderer.drain():
                moved = True
                self.wires_seen.append((peer, "renderer", wire))
                if peer in self.engines and peer not in self.cut:
                    events = self.engines[peer].receive([bytes(b) for b in wire], self.now)
                    self.engine_events[peer] += events
        return self

    def elapse(self, ms, step=50):
        """Let time pass, in steps of a poll."""
        for _ in range(max(1, round(ms / step))):
            self.now += step * MS
            for peer, engine in self.engines.items():
                self.engine_events[peer] += engine.advance(self.now)
            self.renderer_events += self.renderer.advance(self.now)
            self.exchange()
        return self

    def open(self):
        """Greet and return the token."""
        self.elapse(50)
        return self.engine.token

    def frames(self):
        """Frames that the renderer was handed since the last call."""
        found = [e for e in self.renderer_events if isinstance(e, FrameTaken)]
        self.renderer_events = [e for e in self.renderer_events if not isinstance(e, FrameTaken)]
        return found

    def of(self, kind, peer=b"peer-0"):
        """Engine events of a kind."""
        return [e for e in self.engine_events[peer] if isinstance(e, kind)]

    def told(self, kind):
        """Renderer events of a kind."""
        return [e for e in self.renderer_events if isinstance(e, kind)]

    def answer(self, frame, chunk=0, value=7):
        pixels = np.full((*frame.class_map.shape, 3), value, np.uint8)
        sent = self.renderer.answer(frame, pixels, chunk, {"started": self.now, "rendered": self.now})
        self.exchange()
        return sent


def opened(**changes):
    """A link whose engine has greeted; raw class maps, so that tests can write frames by hand."""
    link = Link(changes.pop("offer", None), encodings=("raw",), **changes)
    link.open()
    return link


def sent_by(link, who, kind=None):
    """Messages that an end has sent."""
    messages = [decode([bytes(b) for b in wire]) for _, sender, wire in link.wires_seen if sender == who]
    return [m for m in messages if kind is None or isinstance(m, kind)]


def put(link, message, peer=b"peer-0"):
    """A message from an engine that does not obey our state machine."""
    wire = message if isinstance(message, list) else encode(message)
    link.renderer_events += link.renderer.receive(peer, [bytes(b) for b in wire], link.now)
    return link.exchange()


def raw_frame(**changes):
    """A frame of the link's size, to put."""
    return frame(**{"buffers": (bytes(WIDTH * HEIGHT),), **changes})


def stream_of(link):
    """The renderer's account of the first engine's stream."""
    return link.renderer.sessions[link.engine.token].account
