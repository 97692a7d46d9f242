"""Windows that walk along their clips, each standing on the chunk that the model made in the window before.

A stream feeds on its own pictures for minutes. Histories made from the truth in one hop show the generator none of what
gathers over many; a whole stream for every step of training would cost as many windows as it has. Here a step's
windows *are* the next ones of streams that go on from step to step: the chunk that the step makes anyway is the
history of the next, so every depth is trained at the price of one window (Ross et al., 2011, on learning from the
states that one's own policy reaches; Huang et al., 2025, on video that a model rolls out itself).

A walk that begins on the truth ends before much of it is forgotten, and its history tells the generator nearly all that
it has to know. Walks that go on from first windows of the model's own stand where play stands: all that they know of
the look is what the generator itself made of the reference.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..stream.schedule import Schedule
from .latent_bank import Given, LatentBank, Pick, WindowBatch


class Walks:
    """As many streams as a step has windows; each begins on a true history, or on a first window that the model made,
    and ends with its clip.

    A new ``Walks`` starts anew: where the streams of an interrupted run were is not kept.

    Args:
        bank: the clips.
        schedule: how far a window reaches back, and how far a step goes.
        rows: windows a step.
        broken: share of the rows that start anew at each step, wherever they are.

    Raises:
        ValueError: if the clips are too short for one window.
    """

    def __init__(self, bank: LatentBank, schedule: Schedule, rows: int, broken: float = 0.05) -> None:
        self.units = schedule.history + schedule.chunk
        if bank.units < self.units:
            raise ValueError(f"walks need clips of {self.units} units (history and chunk), these have {bank.units}")
        self.bank, self.history, self.chunk, self.rows, self.broken = (
            bank,
            schedule.history,
            schedule.chunk,
            rows,
            broken,
        )
        self._pick: Pick | None = None
        self._made: Tensor | None = None
        self._walked = torch.zeros(rows, dtype=torch.bool)

    def next(self, number: int) -> WindowBatch:
        """The windows of step ``number``: history and chunk, true latents but where the model made the history."""
        pick = self._moved(number)
        batch = self.bank.at(pick, self.units)
        if self._made is not None:
            walked = self._walked.to(self.bank.device)[:, None, None, None, None]
            own = torch.where(walked, self._made, batch.latents[:, : self.history])
            batch = batch._replace(latents=torch.cat([own, batch.latents[:, self.history :]], 1))
        self._pick, self._held = pick, batch.latents[:, : self.history]
        return batch

    def keep(self, made: Tensor) -> None:
        """Take the chunks ``[rows, chunk, C, h, w]`` that the model made in the last windows as what comes next."""
        self._made = torch.cat([self._held, made.detach()], 1)[:, self.chunk :]

    def openings(self, number: int, count: int, units: int) -> Pick:
        """Where ``count`` first windows of ``units`` units are cut at step ``number``: early in their clips."""
        return self._early(self.bank.draw(torch.Generator().manual_seed(number), count, units))

    def begin(self, number: int, pick: Pick, made: Tensor) -> None:
        """Let walks go on from first windows.

        Args:
            number: of the step; it says which rows give way to them.
            pick: where the windows were cut, see ``openings``.
            made: what the model made of them ``[n, U, C, h, w]``, at least as many units as a history has; n is at most
                the number of rows. Before the walks have made their first step nothing is taken.
        """
        if self._pick is None or self._made is None:
            return
        count, units = made.shape[:2]
        rows = (number * count + torch.arange(count)) % self.rows
        late = pick._replace(start=pick.start + units - self.history - self.chunk)
        clip, start, kind = (_put(*pair, rows) for pair in zip(self._pick[:3], late[:3], strict=True))
        given = Given(*(_put(old, new, rows) for old, new in zip(self._pick.given, late.given, strict=True)))
        self._pick = Pick(clip, start, kind, given)
        self._made = _put(self._made, made[:, -self.history :].detach().to(self._made.dtype), rows.to(made.device))

    def _early(self, pick: Pick) -> Pick:
        """A walk begins early in its clip, so that most walks are long."""
        return pick._replace(start=pick.start % self.chunk)

    def _moved(self, number: int) -> Pick:
        """Where the rows stand at step ``number``; those that end, or break off, are drawn anew."""
        draw = torch.Generator().manual_seed(number)
        fresh = self.bank.draw(draw, self.rows, self.units)
        if self._pick is None or self._made is None:
            return fresh
        fresh = self._early(fresh)
        start = self._pick.start + self.chunk
        goes_on = (start + self.units <= self.bank.units) & (torch.rand(self.rows, generator=draw) >= self.broken)
        self._walked = goes_on
        old = self._pick
        return Pick(
            torch.where(goes_on, old.clip, fresh.clip),
            torch.where(goes_on, start, fresh.start),
            torch.where(goes_on, old.kind, fresh.kind),
            Given(*(torch.where(goes_on, a, b) for a, b in zip(old.given, fresh.given, strict=True))),
        )


def _put(old: Tensor, new: Tensor, rows: Tensor) -> Tensor:
    """A copy of ``old`` with ``new`` in these rows."""
    return old.index_copy(0, rows, new)
