"""Heartbeat and silence (R-37 … R-39), from times that are handed in."""

from __future__ import annotations

MILLISECOND = 1_000_000


class Pulse:
    """Counts how long a peer and we have been silent.

    A gap between two calls counts as one heartbeat at most, so a suspended process or a clock that jumps ahead does not
    bury a live peer; a clock that goes back stands still.

    Args:
        heartbeat_ms: longest silence of our own.
        dead_ms: silence after which the peer is gone.
        now: nanoseconds of any monotonic clock.
    """

    def __init__(self, heartbeat_ms: int, dead_ms: int, now: int) -> None:
        self.heartbeat = heartbeat_ms * MILLISECOND
        self.dead = dead_ms * MILLISECOND
        self.jumps = 0
        self.last_step = 0
        self._now = now
        self._unheard = 0
        self._unspoken = 0

    def advance(self, now: int) -> None:
        """Let time pass."""
        gap = now - self._now
        if gap < 0 or gap > self.heartbeat:
            self.jumps += 1
        step = min(max(gap, 0), self.heartbeat)
        self._now = now
        self.last_step = step
        self._unheard += step
        self._unspoken += step

    def heard(self) -> None:
        """The peer said something."""
        self._unheard = 0

    def spoke(self) -> None:
        """We said something."""
        self._unspoken = 0

    @property
    def silence(self) -> int:
        """Nanoseconds since the peer was heard of."""
        return self._unheard

    @property
    def should_ping(self) -> bool:
        """We have been silent for a heartbeat."""
        return self._unspoken >= self.heartbeat

    @property
    def is_dead(self) -> bool:
        """The peer is gone."""
        return self._unheard >= self.dead
