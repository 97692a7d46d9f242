"""Where the time of chunks goes, and what it costs to know it: chunks with the profiler and without, in turn."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch

from demos.benches.spread import spread
from diffusion_render.stream import profile_report
from diffusion_render.stream.profile import Profiler, Tree, card_of
from diffusion_render.stream.profile_report import Row
from engine_sim.core.errors import UserError

LEAST_TURNS = 4
Draw = Callable[[], None]
Say = Callable[[str], None]


def profile_chunks(draw: Draw, block: int, seconds: float, device: torch.device) -> tuple[list[Tree], dict[str, Any]]:
    """Draw chunks for so long, ``block`` of them with the profiler, as many without, and so on.

    Returns:
        spans of the profiled chunks; ``ms_on``, ``ms_off`` and ``overhead``, what the profiler adds in each turn as a
        part of the time without it: its spread says what the median is worth on this machine.
    """
    profiler = Profiler(card=card_of(device))
    taken: dict[bool, list[float]] = {True: [], False: []}
    turns: list[float] = []
    end = time.monotonic() + seconds
    while len(turns) < LEAST_TURNS or time.monotonic() < end:
        first = len(turns) % 2 == 0  # who comes first changes: a machine that grows slower is unfair to both
        sums = {on: _drawn(draw, block, profiler.active() if on else nullcontext()) for on in (first, not first)}
        turns.append(sum(sums[True]) / sum(sums[False]) - 1)
        for on, ms in sums.items():
            taken[on] += ms
    figures = {"ms_on": spread(taken[True]), "ms_off": spread(taken[False])}
    return profiler.trees(), {**figures, "overhead": spread(turns)}


def _drawn(draw: Draw, count: int, how: AbstractContextManager[Any]) -> list[float]:
    taken = []
    with how:
        for _ in range(count):
            before = time.perf_counter()
            draw()
            taken.append(1000 * (time.perf_counter() - before))
    return taken


def report_profile(trees: list[Tree], figures: dict[str, Any], path: Path, say: Say) -> dict[str, Any]:
    """Print the table and write the trace; returns what a benchmark reports. UserError: it cannot be written."""
    rows, counted = profile_report.table(trees), profile_report.counters(trees)
    for line in profile_report.lines(rows, counted):
        say(line)
    try:
        path.write_text(json.dumps(profile_report.chrome_trace(trees)), encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write the trace to {path}: {error.strerror or error}") from None
    added = {name: f"{100 * value:.1f}" for name, value in figures["overhead"].items()}
    turns = f"{figures['overhead']['samples']} turns, from {added['low']} to {added['high']} %"
    say(f"the profiler adds {added['median']} % to a chunk (median of {turns}); the trace is in {path}")
    parts = [row_facts(row) for row in rows]
    return {"chunks": len(trees), **figures, "spans": parts, "counters": counted, "trace": str(path)}


def row_facts(row: Row) -> dict[str, Any]:
    """A row of the table as a JSON object: milliseconds a chunk on both clocks."""
    facts: dict[str, Any] = {"name": row.name, "depth": row.depth, "calls": row.calls}
    for clock, figures in (("processor", row.processor), ("card", row.card)):
        if figures is not None:
            facts[clock] = {name: round(value, 4) for name, value in figures._asdict().items()}
    return facts
