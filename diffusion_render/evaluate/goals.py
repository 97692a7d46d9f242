"""What a renderer is asked to reach on held-out drives, as data; and whether it does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .footage import CONTROL, DECODER, OTHER_PLACE, OWN


@dataclass(frozen=True)
class Goal:
    """One line of what is asked for.

    Args:
        what: in words.
        stream: which stream is read.
        score: its score.
        limit: that the score must reach, or must not pass.
        at_least: True if more is better.
        unit: for people.
        most: where more is better up to a point: above it the goal is missed too.
    """

    what: str
    stream: str
    score: str
    limit: float
    at_least: bool
    unit: str = ""
    most: float = math.inf

    def met(self, value: float) -> bool | None:
        """Whether a value reaches the goal; None where there is none."""
        if math.isnan(value):
            return None
        return self.limit <= value <= self.most if self.at_least else value <= self.limit


NOISE = 1.25
"""Detail beyond this many times the teacher's is noise, and no merit."""

GOALS = (
    Goal("decoder alone: PSNR", DECODER, "psnr", 30.0, True, "dB"),
    Goal("decoder alone: detail", DECODER, "detail", 0.9, True, "of the teacher's", NOISE),
    Goal("structure: mean IoU", OWN, "structure_share", 0.9, True, "of the teacher's own"),
    Goal("look: colour of class regions", OWN, "look", 6.0, False, "ΔE₀₀"),
    Goal("fidelity: PSNR", OWN, "psnr", 21.0, True, "dB"),
    Goal("flicker at unit borders", OWN, "flicker_border_over_inside", 1.3, False, "× inside"),
    Goal("drift", OTHER_PLACE, "drift", 0.15, False, ""),
    Goal("another look's reference is worse", CONTROL, "look_ratio", 3.0, True, "× ΔE₀₀"),
)
"""The floor of a shipped renderer, streamed for 60 s at two steps."""


@dataclass(frozen=True)
class GoalResult:
    """A goal and what was found; ``met`` is None where nothing was measured."""

    goal: Goal
    value: float
    met: bool | None


def compare(means: Mapping[str, Mapping[str, float]], goals: tuple[Goal, ...] = GOALS) -> list[GoalResult]:
    """Hold the mean scores of each stream against the goals."""
    found = []
    for goal in goals:
        value = means.get(goal.stream, {}).get(goal.score, math.nan)
        found.append(GoalResult(goal, value, goal.met(value)))
    return found
