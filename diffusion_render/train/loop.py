"""The loop of every stage: a budget, a schedule over it, curves, evaluations, and a state that resumes."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from .run import STATE, Journal, RunError, all_finite, load_run, save_run, sole_use
from .team import Team

CURVE_EVERY = 100
"""Steps whose mean is one line of the curves."""


class Trainer(Protocol):
    """What a stage gives to the loop."""

    step: int
    device: torch.device
    team: Team

    def train_step(self, share: float) -> dict[str, Tensor]:
        """One optimiser step at ``share`` of the budget; raises ``step``. Scalars to log, on any device."""

    def evaluate(self) -> dict[str, float]:
        """Held-out scores."""

    def state(self) -> dict[str, Any]:
        """Everything that the next step needs: tensors, and state dictionaries of tensors and numbers."""

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave."""


@dataclass(frozen=True)
class Budget:
    """What a run may spend; the schedule follows whichever is spent first.

    Args:
        steps: optimiser steps in all, those before a resume included.
        seconds: wall time in all, evaluations included.
        evaluations: how often held-out scores are taken, evenly over the budget; the last one ends the run.
    """

    steps: int
    seconds: float
    evaluations: int = 6

    def __post_init__(self) -> None:
        if self.steps < 1 or self.seconds <= 0 or self.evaluations < 1:
            raise ValueError(f"a budget needs steps, seconds and evaluations above 0, got {self}")

    def share(self, step: int, seconds: float) -> float:
        """Part of the budget that is spent, 0 to 1 and above."""
        return max(step / self.steps, seconds / self.seconds)


def run_stage(trainer: Trainer, budget: Budget, folder: Path, settings: dict[str, Any]) -> dict[str, float]:
    """Train to the end of the budget, or go on where an earlier run of this folder stopped.

    The state is saved after each evaluation and when the run ends, also by an exception such as Ctrl-C. In a team the
    first member does that, and says for all how much of the budget is spent.

    Returns:
        The last held-out scores, with ``steps`` and ``seconds`` spent; for other members of a team the latter alone.

    Raises:
        RunError: another run has the folder, its state cannot be read or is of other networks, the disk refuses, or
            the weights are no longer finite; what was saved before stays.
    """
    if not trainer.team.leads:
        return _run(trainer, budget, folder, settings)
    with sole_use(folder):
        return _run(trainer, budget, folder, settings)


def _run(trainer: Trainer, budget: Budget, folder: Path, settings: dict[str, Any]) -> dict[str, float]:
    """As ``run_stage``, with the folder for itself."""
    spent = _resume(trainer, folder)
    clock = Clock(trainer.team, budget, spent)
    if not trainer.team.leads:
        while (share := clock.share(trainer.step)) < 1.0:
            trainer.train_step(share)
        clock.share(trainer.step)
        return clock.figures(trainer.step)
    return _lead(trainer, clock, folder, settings)


def _resume(trainer: Trainer, folder: Path) -> float:
    """Take up the state of an earlier run, if there is one; the seconds that it took. RunError: it does not fit."""
    saved = load_run(folder, trainer.device)
    if saved is None:
        return 0.0
    try:
        trainer.load(saved["trainer"])
    except torch.OutOfMemoryError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise RunError(
            f"{folder / STATE} does not fit these networks: was the run begun with another preset or other options? "
            "Take those again, another folder, or begin anew without this file"
        ) from error
    trainer.step = saved["step"]
    return float(saved["seconds"])


class Clock:
    """How much of a budget is spent: the first member's word for the whole team.

    Args:
        team, budget: of the run.
        spent: seconds that earlier parts of the run took.
    """

    def __init__(self, team: Team, budget: Budget, spent: float) -> None:
        self.team, self.budget = team, budget
        self._start = time.monotonic() - spent

    @property
    def seconds(self) -> float:
        """Seconds spent."""
        return time.monotonic() - self._start

    def share(self, step: int) -> float:
        """Part of the budget that is spent after ``step`` steps; every member must ask as often as the others."""
        return self.team.agree(self.budget.share(step, self.seconds))

    def figures(self, step: int) -> dict[str, float]:
        """What a run says of itself."""
        return {"steps": float(step), "seconds": round(self.seconds, 1)}


def _lead(trainer: Trainer, clock: Clock, folder: Path, settings: dict[str, Any]) -> dict[str, float]:
    """The run of a team's first member, or of one alone."""
    budget = clock.budget
    journal = Journal(folder, budget.seconds, "s", {"budget": asdict(budget), "team": clock.team.size, **settings})
    window: list[dict[str, Tensor]] = []
    due = int(budget.share(trainer.step, clock.seconds) * budget.evaluations) + 1

    def check() -> None:
        if not all_finite(trainer.state()):
            kept = f"{folder / STATE} keeps the last good one" if (folder / STATE).exists() else "none was saved"
            raise RunError(
                f"after step {trainer.step} the state of {folder} is not finite, and training cannot go on: {kept}; "
                "a lower rate may help"
            )

    def save() -> None:
        check()
        save_run(folder, trainer=trainer.state(), step=trainer.step, seconds=clock.seconds)

    try:
        while (share := clock.share(trainer.step)) < 1.0:
            if share * budget.evaluations >= due:
                due += 1
                check()
                journal.write(trainer.step, **trainer.evaluate())
                save()
            window.append(trainer.train_step(share))
            if len(window) == CURVE_EVERY:
                journal.write(trainer.step, **means(window))
                journal.progress(clock.seconds)
                window = []
                check()
        if window:
            journal.write(trainer.step, **means(window))
        check()
        scores = trainer.evaluate()
        journal.write(trainer.step, **scores)
    finally:
        try:
            save()
        finally:
            journal.close()
    clock.share(trainer.step)
    return {**scores, **clock.figures(trainer.step)}


def means(rows: list[dict[str, Tensor]]) -> dict[str, float]:
    """Mean of each name over the rows that have it; one wait for the device."""
    names = dict.fromkeys(name for row in rows for name in row)
    stacked = {n: torch.stack([row[n].detach().float() for row in rows if n in row]).mean() for n in names}
    return {n: float(v) for n, v in stacked.items()}
