"""The fast path for processors: the plain twin as one pass over the rows (numba), fp32, without gradients.

A row's result depends on nothing but the row, so neither threads nor neighbours change a bit of it.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from ..dispatch import run_parallel
from .plain import EPS

TILE = 3072
"""Numbers that are taken through all steps together: 12 KiB, which stay in the first cache."""

LN_2, LN_2_COARSE = math.log(2.0), 355.0 / 512.0

# Squares may be summed in any order and multiply-adds fused; NaN and infinity stay what they are. numpy's errors: a
# division that can raise is not vectorised.
FAST: dict[str, Any] = {
    "nogil": True,
    "cache": True,
    "fastmath": {"reassoc", "contract", "nsz"},
    "error_model": "numpy",
}


def norm_silu_cpu(x: Tensor, gain: Tensor, added: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """As ``plain.norm_silu`` for fp32 on the CPU.

    Args:
        x: ``[..., C]``; contiguous saves a copy.
        gain: ``[C]``.
        added: as ``x``, or None for nothing.
        out: written to and returned: contiguous, of the shape of ``x``; may be ``x`` or ``added``. None makes one.

    Raises:
        ValueError: if the shapes do not fit, or ``out`` is not contiguous.
    """
    channels = x.shape[-1]
    if gain.shape != (channels,) or (added is not None and added.shape != x.shape):
        got = f"{tuple(x.shape)}, {tuple(gain.shape)} and {None if added is None else tuple(added.shape)}"
        raise ValueError(f"x [..., C] needs a gain [C], and as much added if anything, got {got}")
    if out is None:
        out = torch.empty(x.shape)
    elif out.shape != x.shape or not out.is_contiguous():
        raise ValueError(f"out must be contiguous {tuple(x.shape)}, got {tuple(out.shape)}, strides {out.stride()}")
    parts = x, x[:0] if added is None else added, out
    rows, others, drawn = (part.detach().contiguous().view(-1, channels).numpy() for part in parts)
    tile = max(1, TILE // channels)
    run_parallel(_norm_silu, x.numel(), rows, others, gain.detach().contiguous().numpy(), drawn, tile)
    return out


@numba.njit(parallel=True, **FAST)
def _norm_silu(x, added, gain, out, tile):
    count, channels = x.shape
    for block in numba.prange((count + tile - 1) // tile):
        start, end = block * tile, min(count, block * tile + tile)
        # Held aside, so that ``out`` may be what is read: loops over memory that may overlap are not vectorised.
        held = np.empty((end - start, channels), np.float32)
        if added.shape[0] > 0:
            _add_and_scale(x[start:end], added[start:end], gain, held)
        else:
            _scale(x[start:end], gain, held)
        _silu(held.reshape(-1), out[start:end].reshape(-1))


@numba.njit(**FAST)
def _scale(x, gain, out):
    for i in range(x.shape[0]):
        squares = np.float32(0.0)
        for k in range(x.shape[1]):
            squares += x[i, k] * x[i, k]
        factor = np.float32(1.0) / np.sqrt(squares / np.float32(x.shape[1]) + np.float32(EPS))
        for k in range(x.shape[1]):
            out[i, k] = x[i, k] * factor * gain[k]


@numba.njit(**FAST)
def _add_and_scale(x, added, gain, out):
    for i in range(x.shape[0]):
        squares = np.float32(0.0)
        for k in range(x.shape[1]):
            value = x[i, k] + added[i, k]
            out[i, k] = value
            squares += value * value
        factor = np.float32(1.0) / np.sqrt(squares / np.float32(x.shape[1]) + np.float32(EPS))
        for k in range(x.shape[1]):
            out[i, k] = out[i, k] * factor * gain[k]


@numba.njit(**FAST)
def _silu(x, out):
    """x / (1 + exp(−x)). The library's exponential takes one number at a time; this one is vectorised.

    exp(z) = 2^n · exp(r) with n = round(z / ln 2), so |r| ≤ ln 2 / 2, where Taylor's series up to r^6 is right to
    2e-7. ln 2 is subtracted in two parts, the first of which is exact times any n that occurs.
    """
    for k in range(x.size):
        value = x[k]
        z = min(max(-value, np.float32(-87.0)), np.float32(87.0))  # beyond them 2^n is no float
        n = np.floor(z * np.float32(1.0 / LN_2) + np.float32(0.5))
        r = z - n * np.float32(LN_2_COARSE) - n * np.float32(LN_2 - LN_2_COARSE)
        p = np.float32(1.0 / 720.0) * r + np.float32(1.0 / 120.0)
        p = p * r + np.float32(1.0 / 24.0)
        p = p * r + np.float32(1.0 / 6.0)
        p = p * r + np.float32(0.5)
        p = p * (r * r) + r + np.float32(1.0)
        power = np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)
        out[k] = value / (np.float32(1.0) + p * power)
