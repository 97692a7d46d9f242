"""A prompt schedule while a film is made: carried out at its borders, told to whoever watches, and reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine_sim.core.ticks import TICK_RATE

from .course import Course, Step


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

    @property
    def report(self) -> dict[str, Any]:
        """When each change began; nothing without a schedule."""
        return {"changes": self._told} if self._asked else {}
