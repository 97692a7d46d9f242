"""A layer of the generator, and how the noise level tunes it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import Attention, Before, Rotary, extend
from .layers import rms_norm


class Modulation(nn.Module):
    """Shift, scale and gate of each layer from the noise level: one network and a table per layer (PixArt-α)."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.waves, self.out = nn.Linear(256, width), nn.Linear(width, 6 * width)
        self.table = nn.Parameter(torch.randn(layers, 6 * width) / width**0.5)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, level: Tensor) -> Tensor:
        """Levels in [0, 1] ``[N, U]`` → shared projections ``[N, U, 6 · width]``; layer k adds ``table[k]``."""
        rates = torch.exp(-math.log(1e4) * torch.arange(128, device=level.device) / 128)
        angle = 1000.0 * level.float()[..., None] * rates
        waves = torch.cat([torch.cos(angle), torch.sin(angle)], -1)
        return self.out(F.silu(self.waves(waves.to(self.waves.weight.dtype))))


class Block(nn.Module):
    """Attention and SwiGLU, each behind an RMS norm that the noise level shifts, scales and gates."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.attention = Attention(width)
        self.up = nn.Linear(width, 2 * hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(
        self, x: Tensor, modulation: Tensor, rotary: Rotary, runs: Sequence[int], before: Before | None, own: Tensor
    ) -> tuple[Tensor, Before]:
        """x ``[N, ..., D]``, modulation ``[N, ..., 6 · D]`` that broadcasts to it, the layer's ``own`` ``[6 · D]``
        → (x, keys and values so far)."""
        modulation = modulation + own
        shift1, scale1, gate1, shift2, scale2, gate2 = modulation.chunk(6, -1)
        h = torch.addcmul(shift1, rms_norm(x), 1 + scale1)
        h, kept = self.attention(h.flatten(1, -2), rotary, runs, before)
        x = torch.addcmul(x, gate1, h.view_as(x))
        h = torch.addcmul(shift2, rms_norm(x), 1 + scale2)
        a, b = self.up(h).chunk(2, -1)
        return torch.addcmul(x, gate2, self.down(F.silu(a) * b)), kept

    def keys(self, x: Tensor, modulation: Tensor, rotary: Rotary, before: Before | None, own: Tensor) -> Before:
        """What ``forward`` keeps, without the rest: all that later runs need of the last block."""
        shift, scale = (modulation + own).chunk(6, -1)[:2]
        h = torch.addcmul(shift, rms_norm(x), 1 + scale)
        _, kept = self.attention.project(h.flatten(1, -2), rotary)
        return kept if before is None else extend(before, kept)
