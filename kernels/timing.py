"""How the kernels' benchmarks take their times."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

RUNS = 9


def milliseconds(call: Callable[[], object]) -> dict[str, float]:
    """Median and spread of RUNS calls after one to warm up."""
    call()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return {"median": statistics.median(times), "low": min(times), "high": max(times)}
