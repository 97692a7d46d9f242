"""Attention with normalised queries and keys, rotary positions on three axes, and runs that never see a later one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from kernels.dispatch import compiled_for_play
from kernels.split_attention.split import parts_for, split_attention
from kernels.turned_heads import plain
from kernels.turned_heads.fused import turned_heads_fused

HEAD = 128
"""Width of a head: 1.2–1.5 × better per FLOP than 64 on Hopper (ENVIRONMENT, 11.1)."""
AXES = (32, 48, 48)
"""Share of a head's width for time, row and column."""


ON_GPUS = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""Kernels for attention in the order of their speed at our shapes: the first that takes a call does it. torch's own
order begins with the second, which takes 1.4 to 1.9 × as long on Hopper (ENVIRONMENT, 11.1)."""


class KeyValue(NamedTuple):
    """Keys and values of one layer, each ``[N, L, heads, HEAD]``."""

    key: Tensor
    value: Tensor


class Room(NamedTuple):
    """Keys and values of one layer with room behind them, so that later runs are written there and nothing is copied.

    ``key`` and ``value`` ``[N, most, heads, HEAD]``, of which the first ``filled`` tokens are known.
    """

    key: Tensor
    value: Tensor
    filled: int


Before: TypeAlias = KeyValue | Room
"""What is remembered of the runs before."""


def make_room(before: Sequence[KeyValue], more: int) -> list[Room]:
    """Copies of every layer's keys and values with room for so many tokens more."""
    rooms = []
    for kv in before:
        n, filled, heads, width = kv.key.shape
        key, value = (part.new_empty(n, filled + more, heads, width) for part in kv)
        rooms.append(Room(key, value, filled))
    known = [part[:, : room.filled] for room in rooms for part in (room.key, room.value)]
    torch._foreach_copy_(known, [part for kv in before for part in kv])  # one launch for all of them
    return rooms


def extend(before: Before, after: KeyValue) -> Before:
    """Both, one behind the other; where there is room, ``after`` is written into it."""
    if not isinstance(before, Room):
        return KeyValue(torch.cat([before.key, after.key], 1), torch.cat([before.value, after.value], 1))
    end = before.filled + after.key.shape[1]
    before.key[:, before.filled : end] = after.key
    before.value[:, before.filled : end] = after.value
    return before._replace(filled=end)


class Rotary(NamedTuple):
    """Rotations of L tokens, each ``[L, 1, HEAD]``: cosines, and sines with the sign of each half."""

    cos: Tensor
    sin: Tensor


def rotary_table(positions: Tensor, base: float = 100.0) -> Rotary:
    """Positions ``[L, 3]`` (time, row, column; NaN-free floats) → fp32 rotations of L tokens (Su et al., 2021).

    Every axis turns its own share of the channel pairs, see ``rotate``; tokens at (0, 0, 0) are not turned.
    """
    parts = []
    for axis, width in enumerate(AXES):
        rates = base ** (-torch.arange(0, width, 2, device=positions.device, dtype=torch.float32) / width)
        parts.append(positions[:, axis, None].float() * rates)
    angle = torch.cat(parts, 1)[:, None]
    sine = torch.sin(angle)
    return Rotary(torch.cos(angle).repeat(1, 1, 2), torch.cat([-sine, sine], -1))


def rotate(x: Tensor, table: Rotary) -> Tensor:
    """Turn channel pairs of ``[N, L, heads, HEAD]``; the table has the dtype of ``x``."""
    return plain.rotate(x, *table)


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """softmax(q kᵀ / √HEAD) v for ``[N, L, heads, HEAD]`` each → ``[N, L, heads · HEAD]``."""
    q, k, v = query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2)
    if q.device.type == "cpu" and q.dtype is torch.bfloat16:
        # torch's fused kernel for CPUs multiplies in fp32: plain products use the bf16 units, 2.7 × faster.
        out = torch.softmax((q * HEAD**-0.5) @ k.contiguous().transpose(-1, -2), -1) @ v
    elif q.device.type == "cuda":
        with sdpa_kernel(ON_GPUS, set_priority=True):
            out = F.scaled_dot_product_attention(q, k, v)
    else:
        out = F.scaled_dot_product_attention(q, k, v)
    return out.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    """Multi-head attention of a token sequence in runs: a run sees itself and the runs before it, never a later one."""

    def __init__(self, width: int) -> None:
        super().__init__()
        if width % HEAD:
            raise ValueError(f"width {width} must be divisible by the head width {HEAD}")
        self.heads = width // HEAD
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.processors = 0  # of the card that is to be filled, 0 for none
        self.query_gain = nn.Parameter(torch.ones(HEAD))
        self.key_gain = nn.Parameter(torch.ones(HEAD))

    def project(self, x: Tensor, rotary: Rotary) -> tuple[Tensor, KeyValue]:
        """Tokens ``[N, L, width]`` → (turned queries, turned keys and values)."""
        heads = self.qkv(x).unflatten(-1, (3 * self.heads, HEAD))
        if compiled_for_play():
            q, k, v = heads.chunk(3, 2)
            q = turned_heads_fused(q, self.query_gain.to(q.dtype), *rotary)
            return q, KeyValue(turned_heads_fused(k, self.key_gain.to(k.dtype), *rotary), v)
        qk, v = heads.split((2 * self.heads, self.heads), 2)
        gain = torch.stack([self.query_gain, self.key_gain]).repeat_interleave(self.heads, 0)
        q, k = plain.turned_heads(qk, gain.to(qk.dtype), *rotary).chunk(2, 2)
        return q, KeyValue(k, v)

    def forward(
        self, x: Tensor, rotary: Rotary, runs: Sequence[int], before: Before | None = None
    ) -> tuple[Tensor, Before]:
        """Attend.

        Args:
            x: ``[N, L, width]``.
            rotary: rotations of the L tokens, in the dtype of ``x``.
            runs: lengths of the runs in ``x``; L in all.
            before: keys and values of the runs before ``x``, all of which every token sees.

        Returns:
            ``[N, L, width]``, and the keys and values of ``before`` and ``x`` together.
        """
        q, own = self.project(x, rotary)
        kv = own if before is None else extend(before, own)
        start = kv.filled - x.shape[1] if isinstance(kv, Room) else kv.key.shape[1] - x.shape[1]
        ends = (start + end for end in accumulate(runs))
        seen = [self._attend(part, kv.key[:, :end], kv.value[:, :end]) for part, end in zip(q.split(runs, 1), ends)]
        return self.out(seen[0] if len(seen) == 1 else torch.cat(seen, 1)), kv

    def _attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """``attend``; without gradients the keys may be split to fill the card."""
        parts = 1 if torch.is_grad_enabled() else parts_for(query, key, self.processors)
        return attend(query, key, value) if parts == 1 else split_attention(query, key, value, parts).flatten(2)
