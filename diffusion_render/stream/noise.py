"""Noise of a stream's units: a function of (seed, unit, purpose) alone, drawn on the CPU for every device."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..model.transfer import send


class Draw(NamedTuple):
    """Which noise: the stream's seed, the unit's number, and what for (``chunk`` or ``history``)."""

    seed: int
    unit: int
    purpose: str


class UnitNoise:
    """Draws noise. Worth doing ahead of its use: 128 channels of a large picture take the CPU a millisecond.

    Args:
        shape: of one unit's noise ``[1, 1, C, h, w]``.
        device, dtype: where and as what it is wanted.
    """

    def __init__(self, shape: tuple[int, ...], device: torch.device, dtype: torch.dtype) -> None:
        self._shape, self._device, self._dtype = shape, device, dtype

    def __call__(self, draws: Sequence[Draw]) -> Tensor:
        """The noise of at least one unit ``[1, U, C, h, w]``, on the device, in a single journey."""
        made = [self._make(draw) for draw in draws]
        return send(made[0] if len(made) == 1 else torch.cat(made, 1), self._device)

    def _make(self, draw: Draw) -> Tensor:
        digest = hashlib.sha256(f"{draw.seed}/{draw.purpose}/{draw.unit}".encode()).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "little"))
        return torch.randn(self._shape, generator=generator).to(self._dtype)
