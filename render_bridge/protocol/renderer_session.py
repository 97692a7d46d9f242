"""One session as a renderer keeps it, whether its engine is there or away: what it reads and what it answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..palette import ClassTable
from .encodings import encode_plane
from .events import FrameTaken
from .messages import Frame, Hello, Picture, Welcome
from .offer import Offer, Terms
from .pulse import Pulse
from .reading import read_class_map, read_planes
from .renderer_flow import StreamAccount


class RendererSession:
    """Token, greeting, account and pulse of one session; while it is parked ``peer`` is None, and was ``left_peer``."""

    def __init__(self, token: bytes, hello: Hello, terms: Terms, offer: Offer, now: int) -> None:
        self.token = token
        self.hello = hello
        self.terms = terms
        self.peer: bytes | None = None
        self.left_peer: bytes | None = None
        self.parked_for = 0
        self.chunk = 0
        self.counters: Counter[str] = Counter()
        self.account = StreamAccount(hello.mode == "record", hello.generation, hello.next_seq, offer.window)
        self.pulse = Pulse(offer.heartbeat_ms, offer.dead_ms, now)
        self._last_stamp: dict[str, int] = {}

    def fits(self, hello: Hello, terms: Terms) -> bool:
        """True if a greeting goes on with the same stream: everything that a renderer has built on is unchanged."""
        old, new = self.hello, hello
        same = all(getattr(old, n) == getattr(new, n) for n in ("mode", "width", "height", "rate", "form"))
        tables = self.terms.table == terms.table and old.mapping == new.mapping and old.otherwise == new.otherwise
        return same and tables and self.terms.planes == terms.planes and new.generation >= self.account.generation

    def come_back(self, hello: Hello, terms: Terms, now: int) -> bool:
        """The engine is back. Returns True if the stream is flushed."""
        self.hello, self.terms = hello, terms
        self.pulse = Pulse(self.pulse.heartbeat // 1_000_000, self.pulse.dead // 1_000_000, now)
        self.parked_for = 0
        return self.account.begin_connection(hello.generation, hello.next_seq)

    def welcome(self, offer: Offer, resumed: bool) -> Welcome:
        """The answer to its greeting."""
        o, account = offer, self.account
        return Welcome(
            renderer=o.renderer, attempt=self.hello.attempt, session=self.token, resumed=resumed,
            generation=account.generation, table_name=o.table.name, table_hash=o.table.hash,
            encoding=self.terms.encoding, planes=self.terms.planes, run=o.run, first_run=o.first_run,
            window=o.window, heartbeat_ms=o.heartbeat_ms, dead_ms=o.dead_ms, chunk=self.chunk,
            last_seq=account.last_seq, last_tick=account.last_tick, notes=self.terms.notes,
        )  # fmt: skip

    def read(self, frame: Frame, ends_run: bool, ours: ClassTable, now: int, own_buffers: bool = False) -> FrameTaken:
        """A frame that was booked, as arrays in our ids. RemoteProtocolError names what is wrong with them."""
        self._check_stamps(frame.stamps)
        class_map = read_class_map(frame, self.hello, self.terms, ours, own_buffers)
        planes = read_planes(frame, self.hello, self.terms, own_buffers) if frame.planes or self.terms.planes else {}
        return FrameTaken(
            self.token, frame.generation, frame.grant, frame.seq, frame.tick, class_map, planes, frame.stamps,
            now, frame.last, ends_run, frame.view, frame.projection,
        )  # fmt: skip

    def picture(
        self, frame: FrameTaken, pixels: NDArray[np.uint8], chunk: int, stamps: Mapping[str, int], encoding: str
    ) -> Picture:
        """The answer to a frame; ``encoding`` if the engine reads it, else raw."""
        self.chunk = max(self.chunk, chunk + 1)
        encoding = encoding if encoding in self.hello.encodings else "raw"
        return Picture(
            generation=frame.generation, seq=frame.seq, tick=frame.tick, chunk=chunk, width=self.hello.width,
            height=self.hello.height, encoding=encoding, stamps=dict(frame.stamps),
            renderer_stamps={"received": frame.received, **stamps}, buffers=(encode_plane(pixels, encoding),),
        )  # fmt: skip

    def _check_stamps(self, stamps: Mapping[str, int]) -> None:
        """R-32: stamps that go backwards are counted."""
        for name, value in stamps.items():
            if value < self._last_stamp.get(name, value):
                self.counters["clock_jumps"] += 1
        self._last_stamp = dict(stamps)
