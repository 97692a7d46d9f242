"""The plain twin, in torch: what norm-silu *is*. Runs on any device, with gradients, and compiles."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

EPS = 1e-6


def rms_norm(x: Tensor, gain: Tensor | None = None) -> Tensor:
    """x / rms over the last axis · gain (Zhang and Sennrich, 2019); the mean square is summed in fp32."""
    if x.device.type != "cpu":
        if gain is None or gain.ndim == 1:
            return F.rms_norm(x, x.shape[-1:], gain, EPS)
        return F.rms_norm(x, x.shape[-1:], None, EPS) * gain  # torch takes one gain for all rows only
    # torch has no fused kernel for this on CPUs; its own five passes cost twice as much.
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
    scaled = x * torch.rsqrt(length.square() / x.shape[-1] + EPS).to(x.dtype)
    return scaled if gain is None else scaled * gain


def norm_silu(x: Tensor, gain: Tensor, added: Tensor | None = None) -> Tensor:
    """silu(rms_norm(x + added) · gain), over the last axis.

    Args:
        x: ``[..., C]``.
        gain: ``[C]``.
        added: as ``x``, or None for nothing.
    """
    return F.silu(rms_norm(x if added is None else x + added, gain))
