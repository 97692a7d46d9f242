"""A figure's median with its spread, and its slow end."""

from __future__ import annotations

from collections.abc import Sequence

from demos.report import summary


def spread(samples: Sequence[float]) -> dict[str, float]:
    """``summary`` and the 95th percentile."""
    return {**summary(samples), "p95": percentile(samples, 0.95)}


def percentile(samples: Sequence[float], part: float) -> float:
    """The sample below which a part of them lies."""
    return round(sorted(samples)[round(part * (len(samples) - 1))], 3)
