"""What the figures of ``paintover bench bridge`` are held against, in words and numbers that need no explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

FPS = 24
ONE_WAY_MS = 1.5
"""Median, compression included, over ipc."""
AGE_MS = 1000 / FPS + 5
"""Any frame that a renderer begins to draw: no older than a frame period and a little."""
SLOW_S = 60.0
"""How long ages and memory are to be watched."""
GROWTH_MB = 10.0
"""Of either process meanwhile: a leak of one compressed class map a frame would be four times as much."""
FAIR_SHARE = 0.5
"""Pictures of the session that is served least, over those of the one that is served most."""


def limits(report: Mapping[str, Any], transports: Sequence[str], encoding: str) -> list[dict[str, Any]]:
    """One row a limit: ``what`` was measured, ``value``, ``at_most`` or ``at_least``, ``holds``.

    Args:
        report: figures of ``bench_bridge``.
        transports: those that were measured; the latency is limited on ipc alone.
        encoding: of the class maps that latency is limited for.
    """
    rows = []
    if "ipc" in transports:
        way = report["one_way_ms_ipc"][encoding]["median"]
        rows.append(_most(f"one way of a class map, ipc, {encoding}: median ms", way, ONE_WAY_MS))
    for name in transports:
        ages = report[f"slow_renderer_{name}"]
        beside = f"{name}, renderer too slow for {ages['seconds']:g} s"
        rows.append(_most(f"age of the oldest frame used, {beside}: ms", ages["age_ms"]["high"], round(AGE_MS, 1)))
        if ages["memory_growth_mb"] is not None:  # some systems do not tell
            rows.append(_most(f"growth of memory, {beside}: MB", max(ages["memory_growth_mb"]), GROWTH_MB))
        if ages["seconds"] < SLOW_S:
            rows.append(_least(f"{beside}: seconds watched", ages["seconds"], SLOW_S))
    pictures = report["sessions"]["pictures"]
    share = round(min(pictures) / max(pictures), 3) if max(pictures) else 0.0
    what = f"{len(pictures)} sessions at once: pictures of the least served, as a share of the most served"
    return [*rows, _least(what, share, FAIR_SHARE)]


def line_of(row: Mapping[str, Any]) -> str:
    """A row for people."""
    bound = f"at most {row['at_most']:g}" if "at_most" in row else f"at least {row['at_least']:g}"
    return f"{'holds ' if row['holds'] else 'MISSED'}  {row['what']}: {row['value']:g} ({bound})"


def _most(what: str, value: float, limit: float) -> dict[str, Any]:
    return {"what": what, "value": value, "at_most": limit, "holds": value <= limit}


def _least(what: str, value: float, limit: float) -> dict[str, Any]:
    return {"what": what, "value": value, "at_least": limit, "holds": value >= limit}
