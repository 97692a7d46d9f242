"""The plain twin, in torch: what attention *is*. Runs on any device, with gradients, and compiles."""

from __future__ import annotations

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """softmax(q kᵀ / √D) v for every head (Vaswani et al., 2017).

    Args:
        query: ``[N, Q, heads, D]``.
        key, value: ``[N, K, heads, D]``.

    Returns:
        ``[N, Q, heads, D]``.
    """
    q, k, v = query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2)
    weights = torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, -1)
    return (weights @ v).transpose(1, 2)
