"""The plain twin, in torch: what turned heads *are*. Runs on any device, with gradients, and compiles."""

from __future__ import annotations

import torch
from torch import Tensor

from ..norm_silu.plain import rms_norm


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn pairs of channels (Su et al., 2021): channel k of D with channel k + D/2.

    Whole halves stay contiguous, which is four times as fast on a CPU as neighbours.

    Args:
        x: ``[N, L, heads, D]``.
        cos, sin: ``[L, 1, D]`` in the number type of ``x``; each half of ``sin`` has the sign of its half.
    """
    a, b = x.chunk(2, -1)
    return torch.addcmul(x * cos, torch.cat([b, a], -1), sin)


def turned_heads(x: Tensor, gain: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """rotate(rms_norm(x) · gain).

    Args:
        x: ``[N, L, heads, D]``.
        gain: ``[D]``, or ``[heads, D]`` if the heads differ.
        cos, sin: see ``rotate``.
    """
    return rotate(rms_norm(x, gain), cos, sin)
