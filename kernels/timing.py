"""How the kernels' benchmarks take their times."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch

RUNS = 9
RECORDED_CALLS = 50
"""On a card so many calls are recorded and replayed at once, so that launching them does not count."""


def milliseconds(call: Callable[[], object]) -> dict[str, float]:
    """Median and spread of RUNS calls after one to warm up."""
    call()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return {"median": statistics.median(times), "low": min(times), "high": max(times)}


def milliseconds_on(device: torch.device, call: Callable[[], object]) -> dict[str, float]:
    """``milliseconds`` of one call on a processor; on a card of the card's own work alone."""
    if device.type != "cuda":
        return milliseconds(call)
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(RECORDED_CALLS):
            call()

    def replay() -> None:
        graph.replay()
        torch.cuda.synchronize()

    return {name: each / RECORDED_CALLS for name, each in milliseconds(replay).items()}
