"""What a window is made from besides its frames and its look: it can be ready before either is known.

A stream's past is known once the window before is launched. On a graphics card all of it is then prepared while the
card is busy, behind that window in the card's queue; what did not come true is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .heading import UNKNOWN
from .noise import Draw, UnitNoise
from .schedule import Schedule, Window
from .window import WindowOutputs


class Unit(NamedTuple):
    """One latent frame that the stream still remembers."""

    number: int
    latent: Tensor  # [1, 1, C, h, w], clean
    structure: Tensor  # [1, 1, S, h, w]
    heading: float = UNKNOWN  # of the camera in the world, so that another look can still tell how far it has turned


class Past(NamedTuple):
    """Noise of a chunk and of the history before it.

    ``seed``, ``schedule`` and ``start``, the chunk's first unit, are what it was made under, ``history`` what from;
    ``noise`` ``[1, U, C, h, w]`` of the chunk; ``held``, the history's latents with their noise ``[1, P, C, h, w]``,
    and its ``structure`` ``[1, P, S, h, w]``, or None without any.
    """

    seed: int
    schedule: Schedule
    start: int
    history: list[Unit]
    noise: Tensor
    held: Tensor | None
    structure: Tensor | None

    def fits(self, seed: int, schedule: Schedule, start: int, history: list[Unit]) -> bool:
        """Whether it would be made the same now. Looks and prompts do not matter; what is remembered must be the very
        same list, and not only an equal one."""
        same = self.seed == seed and self.start == start and self.schedule == schedule
        return same and (self.history is history or not (self.history or history))


class Ahead(NamedTuple):
    """What follows a window that was launched, if it turns out finite: its ``latents``, by which it is known again, its
    ``units``, and the ``past`` of the window behind it."""

    latents: Tensor
    units: list[Unit]
    past: Past


def make_past(seed: int, schedule: Schedule, window: Window, history: list[Unit], noise: UnitNoise) -> Past:
    """The past of a window that follows ``history``; without any for the first one."""
    draws = [Draw(seed, number, "chunk") for number in window.chunk]
    drawn = noise([*draws, *(Draw(seed, unit.number, "history") for unit in history)])
    chunk, behind = drawn[:, : len(draws)], drawn[:, len(draws) :]
    held = structure = None
    if history:
        level = schedule.history_noise
        held = (1 - level) * torch.cat([u.latent for u in history], 1) + level * behind
        structure = torch.cat([u.structure for u in history], 1)
    return Past(seed, schedule, window.chunk[0], history, chunk, held, structure)


def units_of(window: Window, made: WindowOutputs, headings: Sequence[float]) -> list[Unit]:
    """The units of a window that was made."""
    return [
        Unit(number, made.latents[:, k : k + 1], made.structure[:, k : k + 1], headings[k])
        for k, number in enumerate(window.chunk)
    ]


def newest(history: Sequence[Unit], units: Sequence[Unit], schedule: Schedule) -> list[Unit]:
    """The history of the next window."""
    return [*history, *units][-schedule.history :] if schedule.history else []
