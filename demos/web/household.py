"""What a process and all its children hold: memory, open files, threads. Linux tells; elsewhere there is nothing."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from demos.report import resident_mb

PROC = Path("/proc")


class Household(NamedTuple):
    """Sums over a process and its children.

    Args:
        mb: resident memory; pages that several share count for each.
    """

    processes: int
    mb: float
    files: int
    threads: int


def household(pid: int) -> Household:
    """Of a process, its children, theirs, and so on. OSError where the system does not tell."""
    children: dict[int, list[int]] = defaultdict(list)
    for folder in PROC.iterdir():
        if folder.name.isdigit() and (parent := parent_of(folder)) is not None:
            children[parent].append(int(folder.name))
    members, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        members.append(one)
        waiting += children[one]
    seen = [figures for member in members if (figures := figures_of(PROC / str(member))) is not None]
    if not seen:
        raise OSError(f"no process {pid} here")
    return Household(len(seen), round(sum(s[0] for s in seen), 1), sum(s[1] for s in seen), sum(s[2] for s in seen))


def parent_of(folder: Path) -> int | None:
    """Number of a process' parent; None if it has ended meanwhile."""
    try:
        return int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return None


def figures_of(folder: Path) -> tuple[float, int, int] | None:
    """Resident MB, open files and threads of a process; None if it has ended meanwhile."""
    try:
        return resident_mb(int(folder.name)), len(list((folder / "fd").iterdir())), _threads(folder)
    except OSError:
        return None


def _threads(folder: Path) -> int:
    return len(list((folder / "task").iterdir()))
