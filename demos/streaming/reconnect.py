"""When to try again after a stream broke, and what to say of it: a line for each outage, not for each attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class ReconnectConfig:
    """Pauses between attempts, in seconds.

    Args:
        first, most: the pause doubles from the one to the other.
        settled: a connection that has held for so long begins with the first pause again.
    """

    first: float = 0.5
    most: float = 15.0
    settled: float = 10.0


class Fault(NamedTuple):
    """Why a connection did not come or is gone.

    Args:
        reason: in words.
        by_server: True if a server that was there closed it, which it does without a reason.
    """

    reason: str
    by_server: bool = False


NOT_KNOWN = "the server may not know this application, or not take this key"
SOON_CLOSED = "the server took the stream and soon closed it: it may not take this key, or have been restarted"
BROKEN_OFF = "the server took the stream before: it may have been restarted, or the network failed"


class Reconnect:
    """Follows one stream through its connections.

    Args:
        config: the pauses.
    """

    def __init__(self, config: ReconnectConfig | None = None) -> None:
        self.config = config or ReconnectConfig()
        self.outages = self.connections = 0
        self._pause = self.config.first
        self._live_since: float | None = None
        self._out = self._settled = False

    def live(self, now: float) -> str:
        """A connection stands; a line for people."""
        again, self._out = self._out, False
        self._live_since = now
        self.connections += 1
        return "live again" if again else "live"

    def failed(self, now: float, fault: Fault) -> tuple[float, str]:
        """A connection broke or did not come: how long to wait, and a line, which is empty while people know."""
        if self._live_since is not None and now - self._live_since >= self.config.settled:
            self._pause = self.config.first
            self._settled = True
        self._live_since = None
        pause, self._pause = self._pause, min(2 * self._pause, self.config.most)
        known, self._out = self._out, True
        if known:
            return pause, ""
        self.outages += 1
        return pause, f"not live: {self.explained(fault)}; trying again until it is"

    def explained(self, fault: Fault) -> str:
        """The reason, with what is likely behind it where a server gives none; after ``failed`` was told of it."""
        if not fault.by_server:
            return fault.reason
        likely = BROKEN_OFF if self._settled else SOON_CLOSED if self.connections else NOT_KNOWN
        return f"{fault.reason} ({likely})"
