"""What every measuring command prints: facts about the machine, median and spread, one JSON object on the last line."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def package_version(name: str) -> str | None:
    """Version of an installed distribution, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def machine_facts() -> dict[str, Any]:
    """Processor, cores, system and the versions that a figure depends on."""
    names = ("numpy", "numba", "moderngl", "av", "opencv-python-headless")
    return {
        "cpu": cpu_name(),
        "cores": usable_cores(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {n: package_version(n) for n in names},
    }


def usable_cores() -> int:
    """Cores that this process may use, which containers limit below the machine's count."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu_name() -> str:
    """Name of the processor as the system gives it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def summary(samples: Sequence[float]) -> dict[str, float]:
    """Median with its spread: the lowest and highest of the samples, and how many there are."""
    return {
        "median": round(statistics.median(samples), 3),
        "low": round(min(samples), 3),
        "high": round(max(samples), 3),
        "samples": len(samples),
    }


def print_json(report: dict[str, Any]) -> None:
    """One JSON object on one line; NaN and infinity are refused because JSON has none."""
    print(json.dumps(report, allow_nan=False, ensure_ascii=False), flush=True)


def resident_mb(pid: int) -> float:
    """Resident memory of a process in MB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
