"""Attention with normalised queries and keys, rotary positions on three axes, and a prefix that sees only itself."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

HEAD = 128
"""Width of a head: 1.2–1.5 × better per FLOP than 64 on Hopper (ENVIRONMENT, 11.1)."""
AXES = (32, 48, 48)
"""Share of a head's width for time, row and column."""


class KeyValue(NamedTuple):
    """Keys and values of one layer, each ``[N, L, heads, HEAD]``."""

    key: Tensor
    value: Tensor


def rotary_table(positions: Tensor, base: float = 100.0) -> Tensor:
    """Positions ``[L, 3]`` (time, row, column; NaN-free floats) → complex rotations ``[L, HEAD/2]`` (Su et al., 2021).

    Every axis turns its own share of the channel pairs; tokens at (0, 0, 0) are not turned.
    """
    parts = []
    for axis, width in enumerate(AXES):
        rates = base ** (-torch.arange(0, width, 2, device=positions.device, dtype=torch.float32) / width)
        parts.append(positions[:, axis, None].float() * rates)
    angle = torch.cat(parts, 1)
    return torch.polar(torch.ones_like(angle), angle)


def rotate(x: Tensor, table: Tensor) -> Tensor:
    """Turn channel pairs of ``[N, L, heads, HEAD]`` by ``[L, HEAD/2]``; same dtype out."""
    real, imag = table.real[:, None].to(x.dtype), table.imag[:, None].to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * real - b * imag, a * imag + b * real], -1).flatten(-2)


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """softmax(q kᵀ / √HEAD) v for ``[N, L, heads, HEAD]`` each → ``[N, L, heads · HEAD]``."""
    out = F.scaled_dot_product_attention(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2))
    return out.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    """Multi-head attention of a token sequence whose first part, the prefix, attends only to itself."""

    def __init__(self, width: int) -> None:
        super().__init__()
        if width % HEAD:
            raise ValueError(f"width {width} must be divisible by the head width {HEAD}")
        self.heads = width // HEAD
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.query_gain = nn.Parameter(torch.ones(HEAD))
        self.key_gain = nn.Parameter(torch.ones(HEAD))

    def project(self, x: Tensor, rotary: Tensor) -> tuple[Tensor, KeyValue]:
        """Tokens ``[N, L, width]`` → (turned queries, turned keys and values)."""
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, HEAD)).unbind(2)
        q = F.rms_norm(q, (HEAD,), self.query_gain.to(q.dtype), 1e-6)
        k = F.rms_norm(k, (HEAD,), self.key_gain.to(k.dtype), 1e-6)
        return rotate(q, rotary), KeyValue(rotate(k, rotary), v)

    def forward(
        self, x: Tensor, rotary: Tensor, prefix: int, cached: KeyValue | None = None
    ) -> tuple[Tensor, KeyValue]:
        """Attend.

        Args:
            x: ``[N, L, width]``: prefix tokens first, or the moving part alone if ``cached`` is given.
            rotary: ``[L, HEAD/2]``.
            prefix: number of prefix tokens in ``x``.
            cached: keys and values of a prefix computed before.

        Returns:
            ``[N, L, width]`` and the keys and values of the prefix.
        """
        q, kv = self.project(x, rotary)
        if cached is not None:
            key, value = torch.cat([cached.key, kv.key], 1), torch.cat([cached.value, kv.value], 1)
            return self.out(attend(q, key, value)), cached
        own = KeyValue(kv.key[:, :prefix], kv.value[:, :prefix])
        moving = attend(q[:, prefix:], kv.key, kv.value)
        if prefix:
            moving = torch.cat([attend(q[:, :prefix], own.key, own.value), moving], 1)
        return self.out(moving), own
