"""What both ends make of a generation that a message names (R-28)."""

from __future__ import annotations

from collections import Counter

from .faults import Fault, RemoteProtocolError


def is_current(generation: int, present: int, counters: Counter[str]) -> bool:
    """False for an older generation than the present one, counted as ``stale``. RemoteProtocolError for a newer one."""
    if generation > present:
        text = f"generation {generation} has not begun; the present one is {present}"
        raise RemoteProtocolError(Fault.UNKNOWN_GENERATION, text)
    if generation < present:
        counters["stale"] += 1
    return generation == present
