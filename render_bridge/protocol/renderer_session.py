"""One session as a renderer keeps it, whether its engine is there or away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from .messages import Hello
from .offer import Offer, Terms
from .pulse import Pulse
from .renderer_flow import StreamAccount


class RendererSession:
    """Token, greeting, account and pulse of one session; ``peer`` is None while it is parked."""

    def __init__(self, token: bytes, hello: Hello, terms: Terms, offer: Offer, now: int) -> None:
        self.token = token
        self.hello = hello
        self.terms = terms
        self.peer: bytes | None = None
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

    def check_stamps(self, stamps: Mapping[str, int]) -> None:
        """R-32: stamps that go backwards are counted."""
        for name, value in stamps.items():
            if value < self._last_stamp.get(name, value):
                self.counters["clock_jumps"] += 1
        self._last_stamp = dict(stamps)
