"""A prompt schedule while a film is made: carried out at its borders, told to whoever watches, and reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine_sim.core.ticks import TICK_RATE

from .course import Course, Step
from .text import Change, clock

MOST_LISTED = 4


class Changes:
    """Carries out the prompt schedule of a film, and tells of it.

    Args:
        course: the schedule.
        say: takes lines for people.
    """

    def __init__(self, course: Course, say: Callable[[str], None]) -> None:
        self._course, self._say = course, say
        self._told: list[dict[str, Any]] = []
        self._asked = course.planned
        self._end = float("inf")

    def step(self, tick: int, at_border: Callable[[], bool]) -> Step | None:
        """What is new from this tick on; asks whether a chunk begins only if something is due."""
        seconds = tick / TICK_RATE
        step = self._course.border(seconds) if self._course.due(seconds) and at_border() else None
        if step is not None and step.begins:
            look, prompt = step.after.look.name, step.after.prompt
            self._told.append({"at": round(seconds, 3), "look": look, "prompt": prompt, "chunks": step.chunks})
            how = "" if step.chunks == 1 else f", over {step.chunks} chunks"
            self._say(f"{seconds:.2f} s: look {look}{'' if prompt is None else f', prompt {prompt!r}'}{how}")
        return step

    def look_ahead(self, end: float) -> None:
        """Before the film: tell which changes lie beyond its end, at this time of the drive in seconds."""
        self._end = end
        beyond = [change for change in self._course.waiting if change.seconds >= end]
        if beyond:
            self._say(f"the film ends at {clock(end)}: {listed(beyond)} of the schedule, beyond it, will not be seen")

    def look_back(self) -> None:
        """After the film: tell which changes came too late in it for another chunk."""
        late = [change for change in self._course.waiting if change.seconds < self._end]
        if late:
            self._say(f"no chunk began between {listed(late)} of the schedule and the film's end: not seen")

    @property
    def report(self) -> dict[str, Any]:
        """When each change began, and the lines of those that never did; nothing without a schedule."""
        missed = [change.line for change in self._course.waiting]
        return {"changes": self._told, "missed_lines": missed} if self._asked else {}


def listed(changes: Sequence[Change]) -> str:
    """Lines and times of changes, the first few of many."""
    named = ", ".join(change.place for change in changes[:MOST_LISTED])
    return named if len(changes) <= MOST_LISTED else f"{named} and {len(changes) - MOST_LISTED} more"
