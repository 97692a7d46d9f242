"""Viewers who come and go, for as long as it takes to see whether memory grows or pictures get older."""

from __future__ import annotations

import asyncio
import math
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from demos.benches.spread import spread
from demos.report import machine_facts, package_version
from engine_sim.core.errors import UserError

from .household import Household, household

Say = Callable[[str], None]
STAY, COUNT = 0.6, 0.95
"""Shares of a turn: a viewer stays until the one, what the server then holds is counted at the other."""
WARM_UP = 0.2
"""Share of the time that memory is not judged by: pools and caches fill."""
GROWTH, AGE_GROWTH_MS, FIRST_S = 0.02, 40.0, 3.0
"""Limits: share of the memory, milliseconds (a frame lasts 42), seconds."""
POOL_THREADS = 1
"""Threads that may come late: a pool makes its next one when all others happen to be busy, and keeps it."""
WHOLE_S = 1800.0
"""How long it is to be watched."""


@dataclass(frozen=True)
class VisitsPlan:
    """How viewers come.

    Args:
        seconds: in all.
        every: from one viewer's coming to the next one's.
    """

    seconds: float = WHOLE_S
    every: float = 20.0


class Caller(Protocol):
    """A viewer who watches.

    Attributes:
        ages: of the pictures so far, milliseconds from being shown to being here.
        first_picture: seconds from asking for it to having it; None before.
    """

    ages: list[float]
    first_picture: float | None

    async def go(self, politely: bool = True) -> None:
        """Leave; not ``politely`` without a word to anybody."""


@dataclass
class VisitsFigures:
    """Everything that was seen.

    Args:
        homes: what the server held, with seconds since the start, between two visits.
        ages: of each visit's pictures, milliseconds: the medians.
        firsts: seconds to the first picture.
        pictures: of each visit.
        loads: of the machine; pictures grow old where many programs want the same cores.
    """

    homes: list[tuple[float, Household]] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)

    def count(self, caller: Caller, at: float, home: Household) -> None:
        """A visit is over."""
        self.homes.append((at, home))
        self.loads.append(round(os.getloadavg()[0], 1))
        self.pictures.append(len(caller.ages))
        if caller.ages and caller.first_picture is not None:
            self.ages.append(statistics.median(caller.ages))
            self.firsts.append(caller.first_picture)

    def line(self) -> str:
        """The last visit, for people."""
        at, home = self.homes[-1]
        age = f"{self.ages[-1]:.0f} ms old" if self.pictures[-1] else "none"
        return (
            f"{at:6.0f} s, visit {len(self.homes)}: {self.pictures[-1]} pictures, {age}; server: {home.mb:.0f} MB, "
            f"{home.files} files, {home.threads} threads, {home.processes} processes; load {self.loads[-1]:g}"
        )


async def receive(plan: VisitsPlan, invite: Callable[[], Awaitable[Caller]], pid: int, say: Say) -> VisitsFigures:
    """Have one viewer after the other come, stay a while and go, every second one without a word.

    Args:
        invite: brings a viewer who watches.
        pid: of the server, whose household is counted.
    """
    seen, begun = VisitsFigures(), time.monotonic()

    async def until(moment: float) -> None:
        await asyncio.sleep(max(0.0, begun + moment * plan.every - time.monotonic()))

    for number in range(max(1, math.floor(plan.seconds / plan.every))):
        caller = await invite()
        await until(number + STAY)
        await caller.go(politely=number % 2 == 0)
        await until(number + COUNT)
        seen.count(caller, time.monotonic() - begun, household(pid))
        say(seen.line())
        await until(number + 1)
    return seen


def report_of(bench: str, plan: VisitsPlan, seen: VisitsFigures, say: Say) -> dict[str, Any]:
    """All figures and which limits they hold, told line by line. UserError if no picture ever came."""
    report = {
        "bench": bench, "seconds": plan.seconds, "every": plan.every, **machine_facts(),
        "aiortc": package_version("aiortc"), **summary_of(seen),
    }  # fmt: skip
    report["limits"] = limits(report)
    report["holds"] = all(row["holds"] for row in report["limits"])
    for row in report["limits"]:
        bound = f"at most {row['at_most']:g}" if "at_most" in row else f"at least {row['at_least']:g}"
        say(f"{'holds ' if row['holds'] else 'MISSED'}  {row['what']}: {row['value']:g} ({bound})")
    return report


def summary_of(seen: VisitsFigures) -> dict[str, Any]:
    """Growth and spread of what was seen. UserError if no picture ever came."""
    if not seen.ages:
        raise UserError("no picture came to any viewer; a firewall may block UDP")
    settled = [home for at, home in seen.homes if at >= WARM_UP * seen.homes[-1][0]]
    memory = [home.mb for home in settled]
    return {
        "visits": len(seen.homes),
        "blind_visits": sum(count == 0 for count in seen.pictures),
        "memory_mb": spread(memory),
        "memory_growth": round(grown(memory, 4) / statistics.median(memory), 4),
        "files_growth": grown([home.files for home in settled], 4),
        "threads_growth": grown([home.threads for home in settled], 4),
        "age_ms": spread(seen.ages),
        "age_growth_ms": grown(seen.ages, 3),
        "first_picture_s": spread(seen.firsts),
        "pictures": spread(seen.pictures),
        "load": spread(seen.loads),
        "homes": [
            [round(at), home.mb, home.files, home.threads, load]
            for (at, home), load in zip(seen.homes, seen.loads, strict=True)
        ],
    }


def grown(values: Sequence[float], parts: int) -> float:
    """Median of the last of so many equal parts, less that of the first."""
    part = max(1, len(values) // parts)
    return round(statistics.median(values[-part:]) - statistics.median(values[:part]), 2)


def limits(report: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a limit: ``what`` was measured, ``value``, ``at_most`` or ``at_least``, ``holds``."""
    rows = [
        ("growth of the server's memory after warming up, as a share of it", report["memory_growth"], GROWTH),
        ("growth of its open files", report["files_growth"], 0),
        ("growth of its threads", report["threads_growth"], POOL_THREADS),
        ("growth of the pictures' age, first third to last: ms", report["age_growth_ms"], AGE_GROWTH_MS),
        ("visits without a picture", report["blind_visits"], 0),
        ("first picture, median: s", report["first_picture_s"]["median"], FIRST_S),
    ]
    found = [{"what": what, "value": value, "at_most": most, "holds": value <= most} for what, value, most in rows]
    seconds = report["seconds"]
    return [*found, {"what": "seconds watched", "value": seconds, "at_least": WHOLE_S, "holds": seconds >= WHOLE_S}]
