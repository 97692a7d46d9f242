"""Where a drawing process's time goes, part by part: cheap enough to be kept in every run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

PARTS = ("set-up", "looks", "drawing", "reading", "packing")
"""Opening tracks and views; looks and their light; culling and calls to the card; waiting for pictures and fetching
them; waiting for compression and the disk. What is left of a process's time, it waited for work, or was starting."""
WAITING = "waiting"


class Ledger:
    """Seconds by part, of one process or of many."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self.processor = 0.0
        """Seconds of processor time, all threads together, of what was drawn."""

    @contextmanager
    def on(self, part: str) -> Iterator[None]:
        """Count what the ``with`` block takes towards one of PARTS; blocks must not nest."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] += time.perf_counter() - began

    def add(self, other: Ledger) -> None:
        """Take over what another process has counted."""
        for part, seconds in other.seconds.items():
            self.seconds[part] += seconds
        self.processor += other.processor

    def shares(self, process_seconds: float) -> dict[str, float]:
        """Each part's share of ``process_seconds`` (seconds × processes), in the order of PARTS, WAITING last.

        Empty if nothing was drawn.
        """
        if process_seconds <= 0.0 or not any(self.seconds.values()):
            return {}
        shares = {part: self.seconds[part] / process_seconds for part in PARTS}
        return {**shares, WAITING: max(0.0, 1.0 - sum(shares.values()))}
