"""The fast path for graphics cards: a library's kernel on parts of the keys at once, and their results weighed.

The kernel gives each of a card's processors one block of queries of one head. A chunk has so few of them that half of
the card would stand idle. Every part of the keys is one more block. A part weighs the sum of its exponentials, whose
logarithm the kernel gives as well (as in flash decoding, Dao et al., 2023).
"""

from __future__ import annotations

import torch
from torch import Tensor

from .plain import attention

QUERIES = 128
"""Queries of a block, in the kernels for heads of 128."""
LEAST_KEYS = 512
"""Keys of a part: shorter ones cost more than they save."""
MOST_ERROR = 3.0
"""Times what plain attention in the same number type errs by; parts that are weighed wrongly err by far more."""


def parts_for(query: Tensor, key: Tensor, processors: int) -> int:
    """Parts of the keys that fill a card with so many processors without a second round; 1 for none.

    Args:
        query: ``[N, Q, heads, D]``.
        key: ``[N, K, heads, D]``.
        processors: of the card; 0 for keys that are never split.
    """
    blocks = query.shape[0] * query.shape[2] * -(-query.shape[1] // QUERIES)
    keys = key.shape[1]
    parts = min(processors // blocks, keys // LEAST_KEYS)
    while parts > 1 and keys % parts:
        parts -= 1
    return max(parts, 1)


def split_attention(query: Tensor, key: Tensor, value: Tensor, parts: int) -> Tensor:
    """As ``plain.attention``, without gradients; ``parts`` divides the number of keys.

    Weights and sums are fp32; what each part says is rounded to the number type of ``query`` before.
    """
    n, _, heads, _ = query.shape
    q = query.repeat_interleave(parts, 0).transpose(1, 2)
    k, v = (x.unflatten(1, (parts, -1)).flatten(0, 1).transpose(1, 2) for x in (key, value))
    said, logarithms = _of_each_part(q, k, v)
    each = said.transpose(1, 2).unflatten(0, (n, parts)).unbind(1)  # [N, Q, heads, D]
    sums = logarithms.reshape(n, parts, heads, -1, 1).transpose(2, 3).unbind(1)
    mixed, total = each[0].float(), sums[0]
    for one, added in zip(each[1:], sums[1:]):
        mixed = torch.lerp(mixed, one.float(), torch.sigmoid(added - total))
        total = torch.logaddexp(total, added)
    return mixed.to(query.dtype)


def _of_each_part(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """``[M, heads, L, D]`` each → attention, and the logarithms of the sums of exponentials ``[M, heads, Q]`` (or with
    an axis of length 1 behind)."""
    if q.device.type == "cuda":
        made = torch.ops.aten._scaled_dot_product_cudnn_attention(q, k, v, None, True)
        return made[0], made[1]
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v)


@torch.no_grad()
def why_not(device: torch.device, dtype: torch.dtype) -> str | None:
    """Why the keys cannot be split on this device; None if they can: a small trial is right.

    The library's kernel is not part of torch's promises: another version may refuse, or mean something else by its
    logarithms.
    """
    draw = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, long, 2, 128, generator=draw).to(device, dtype) for long in (QUERIES, 512, 512))
    q = 3 * q  # so that the parts weigh differently
    try:
        made = split_attention(q, k, v, 2)
    except RuntimeError as error:
        return str(error)
    truth = attention(q.float(), k.float(), v.float())
    plain, split = (float((x.float() - truth).abs().max()) for x in (attention(q, k, v), made))
    return None if split <= MOST_ERROR * plain + 1e-5 else f"it errs by {split:.3g}, plain attention by {plain:.3g}"
