"""What has come for an engine and waits to be read, bounded whatever the renderer sends."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from ..protocol.events import Closed, EngineEvent, Opened, PeerBroke, PictureTaken, Refused
from ..protocol.messages import Welcome

MOST_EVENTS = 1024
"""Of a peer that floods us with errors."""


class EngineInbox:
    """Events in the order in which they came; not locked, that is the owner's affair.

    Args:
        counters: where pictures are counted that made room for newer ones.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._events: deque[EngineEvent] = deque()
        self.refusal = ""
        """Why the renderer that is there does not serve us; empty while it does, or if it has said nothing."""

    def __len__(self) -> int:
        return len(self._events)

    def is_full(self, welcome: Welcome | None) -> bool:
        """True if nothing more should be read in record, and old pictures must go in play."""
        return welcome is not None and len(self._events) >= 2 * welcome.window + 16

    def put(self, events: Iterable[EngineEvent], welcome: Welcome | None) -> None:
        """Append events; a picture that finds no room takes the place of the oldest."""
        for event in events:
            if self.is_full(welcome) and isinstance(event, PictureTaken):
                oldest = next((e for e in self._events if isinstance(e, PictureTaken)), None)
                if oldest is not None:
                    self._events.remove(oldest)
                    self._counters["unread_pictures"] += 1
            self._events.append(event)
            if isinstance(event, PeerBroke):
                self.refusal = f"what the renderer says is not legal: {event.text}"
            elif isinstance(event, Refused):
                self.refusal = f"the renderer there refuses us: {event.code} {event.name}: {event.text}"
            elif isinstance(event, Opened):
                self.refusal = ""
        while len(self._events) > MOST_EVENTS:
            self._events.popleft()

    def take(self) -> list[EngineEvent]:
        """Everything, once."""
        found = list(self._events)
        self._events.clear()
        return found

    def forget_pictures(self) -> None:
        """A reset: pictures of the old generation are void."""
        self._events = deque(e for e in self._events if not isinstance(e, PictureTaken))

    @property
    def farewell(self) -> str:
        """Why the connection is over, if that waits to be read."""
        return next((e.reason for e in reversed(self._events) if isinstance(e, Closed)), "")
