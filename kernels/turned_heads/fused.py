"""The fast path for a compiler: halves from the start, so that it makes one kernel for a graphics card.

Turned as the plain twin does it, every channel needs another one that the norm has made. So the compiler writes the
normalised heads to memory and reads them again in further kernels, one for queries and one for keys.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..norm_silu.plain import EPS


def turned_heads_fused(x: Tensor, gain: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """As ``plain.turned_heads``; computed in fp32 and rounded once. Runs on any device, with gradients."""
    a, b = x.float().chunk(2, -1)
    factor = torch.rsqrt((a.square() + b.square()).sum(-1, keepdim=True) / x.shape[-1] + EPS)
    first, second = gain.chunk(2, -1)
    a, b = a * factor * first, b * factor * second
    half = x.shape[-1] // 2
    cos, sin = cos[..., half:], sin[..., half:]
    # Each half is rounded by itself: a cast behind the joint would be a kernel of its own.
    return torch.cat([(a * cos - b * sin).to(x.dtype), (b * cos + a * sin).to(x.dtype)], -1)
