"""Noise of a stream's units: a function of (seed, unit, purpose) alone, drawn on the CPU for every device."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from ..model.transfer import send

KEPT = 32
"""Draws that wait for their use; what was drawn ahead for a plan that then changed is dropped beyond that."""


class Draw(NamedTuple):
    """Which noise: the stream's seed, the unit's number, and what for (``chunk`` or ``history``)."""

    seed: int
    unit: int
    purpose: str


class UnitNoise:
    """Draws noise, ahead of its use where that helps: 128 channels of a large picture take the CPU a millisecond.

    Args:
        shape: of one unit's noise ``[1, 1, C, h, w]``.
        device, dtype: where and as what it is wanted.
    """

    def __init__(self, shape: tuple[int, ...], device: torch.device, dtype: torch.dtype) -> None:
        self._shape, self._device, self._dtype = shape, device, dtype
        self._kept: dict[Draw, Tensor] = {}

    def __call__(self, draw: Draw) -> Tensor:
        """The noise ``[1, 1, C, h, w]``, on the device."""
        return send(self._kept.pop(draw) if draw in self._kept else self._make(draw), self._device)

    def ahead(self, draws: Iterable[Draw]) -> None:
        """Make these now: while the device is busy, the CPU has time."""
        for draw in draws:
            if draw not in self._kept:
                self._kept[draw] = self._make(draw)
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]

    def _make(self, draw: Draw) -> Tensor:
        digest = hashlib.sha256(f"{draw.seed}/{draw.purpose}/{draw.unit}".encode()).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "little"))
        return torch.randn(self._shape, generator=generator).to(self._dtype)
