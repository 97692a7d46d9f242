"""What stays the same from window to window of a stream under one plan and look: it is sent to the device once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..model.generator import Tokens
from ..model.transfer import send
from .heading import UNKNOWN
from .look import Look
from .past import Past, Unit
from .schedule import Window

Pair = tuple[Tensor | None, Tensor | None]
"""What the generator is told of headings: those of the history, and those of the chunk."""


class Standing(NamedTuple):
    """``before`` and ``chunk``: places of P units of history and U of the chunk on the template; ``levels`` ``[1, P]``
    of the history's noise; ``untold``, where no heading is known; and what all that was made for."""

    look: Look
    level: float
    positions: tuple[int, ...]
    before: Tensor
    chunk: Tensor
    levels: Tensor
    untold: Pair

    def fits(self, look: Look, level: float, positions: tuple[int, ...], behind: int) -> bool:
        """Whether it would be the same for this look, level, places of history and chunk, and units of history."""
        places = self.positions == positions and len(self.before) == behind
        return self.look is look and self.level == level and places

    def told(self, headings: Sequence[float]) -> Pair:
        """What the generator is told of the headings of history and chunk, rad; NaN for unknown."""
        if all(map(math.isnan, headings)):
            return self.untold
        return _split(self.look.tell(headings), len(self.before))


def make_standing(look: Look, level: float, positions: tuple[int, ...], behind: int, device: torch.device) -> Standing:
    """For ``behind`` units of history and all others of the chunk at these ``positions``."""
    places = send(torch.tensor(positions), device)
    levels = torch.full((1, behind), level, device=device)
    untold = _split(look.tell([UNKNOWN] * len(positions)), behind)
    return Standing(look, level, positions, places[:behind], places[behind:], levels, untold)


def places_of(window: Window, behind: int) -> tuple[int, ...]:
    """Places of the newest ``behind`` units of history, and of the chunk."""
    return window.positions[-behind - len(window.chunk) :]


def history_tokens(past: Past, standing: Standing, told: Tensor | None) -> Tokens | None:
    """The history as the generator reads it, ``told`` its headings; None without any."""
    if past.held is None or past.structure is None:
        return None
    return Tokens(past.held, past.structure, standing.levels, standing.before, told)


def sink_tokens(sink: Sequence[Unit], look: Look, device: torch.device) -> Tokens | None:
    """The sink as the generator reads it, clean, on the first places behind the reference's; None without any."""
    if not sink:
        return None
    return Tokens(
        torch.cat([unit.latent for unit in sink], 1),
        torch.cat([unit.structure for unit in sink], 1),
        torch.zeros(1, len(sink), device=device),
        torch.arange(1, len(sink) + 1, device=device),
        look.tell([unit.heading for unit in sink]),
    )


def _split(told: Tensor | None, behind: int) -> Pair:
    return (None, None) if told is None else (told[:, :behind], told[:, behind:])
