"""A prompt on its way from one text to another: the rows of both, mixed by an equal step more for each run."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

NAME, MOST_RUNS = "blend", 64


class PromptFade:
    """The rows that a session is painted with.

    Args:
        rows: in force, ``[P, text]``.
    """

    def __init__(self, rows: Tensor) -> None:
        self.runs = 1
        """Over how many runs the changes to come are blended; 1 is a cut."""
        self.rows = self._before = self._after = rows
        self._done = self._total = 1

    def to(self, rows: Tensor, at_once: bool) -> None:
        """Go to these rows: with the next ``runs`` runs, or at once."""
        self._before, self._after = self.rows, rows
        self._done, self._total = 0, self.runs
        if at_once or self.runs == 1:
            self.finish()

    def step(self) -> bool:
        """A run begins; True if it has other rows than the last one."""
        if self._done >= self._total:
            return False
        self._done += 1
        share = self._done / self._total
        self.rows = self._after if share == 1.0 else self._before + (self._after - self._before) * share
        return True

    def finish(self) -> bool:
        """Be where it goes; True if it was not there yet."""
        moved = self._done < self._total
        self.rows, self._done = self._after, self._total
        return moved


def take_blend(values: Mapping[str, int]) -> tuple[int | None, dict[str, int]]:
    """The ``blend`` of a schedule that came over the bridge, and the rest of it. ValueError if it is out of range."""
    rest = dict(values)
    runs = rest.pop(NAME, None)
    if runs is not None and not 1 <= runs <= MOST_RUNS:
        raise ValueError(f"schedule: {NAME} must be 1 to {MOST_RUNS}, got {runs}")
    return runs, rest
