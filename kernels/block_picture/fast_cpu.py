"""The fast path for processors: the plain twin as one pass over the blocks (numba), fp32, without gradients."""

from __future__ import annotations

import numba
import numpy as np
import torch
from torch import Tensor

from ..class_select.plain import BLOCK, COLORS, PLACES
from ..dispatch import run_parallel
from .plain import check_blocks


def block_picture_cpu(values: Tensor, base: Tensor, codes: Tensor | None, corrections: Tensor | None) -> Tensor:
    """As ``plain.block_picture`` for fp32 on the CPU, equal to the bit; channels-last in memory."""
    check_blocks(values, base, codes, corrections)
    m, _, h, w = values.shape
    selects = codes is not None and corrections is not None
    if codes is None or corrections is None:
        codes, corrections = torch.empty(0, 0, 0, PLACES, dtype=torch.int32), torch.empty(0, COLORS, 0, 0)
    out = torch.empty(m, h * BLOCK, w * BLOCK, COLORS)
    rows = [t.detach().permute(0, 2, 3, 1).contiguous().numpy() for t in (values, base, corrections)]
    run_parallel(_draw, out.numel(), *rows, codes.contiguous().numpy(), selects, out.numpy())
    return out.permute(0, 3, 1, 2)


@numba.njit(parallel=True, cache=True, nogil=True)
def _draw(values, base, corrections, codes, selects, out):
    frames, height, width, _ = values.shape
    # Unsigned, so that no code, however wrong, reads beside its block.
    classes = np.uint32(corrections.shape[3] // COLORS)
    for line in numba.prange(frames * height):
        f, i = line // height, line % height
        for j in range(width):
            value, ground = values[f, i, j], base[f, i, j]
            for place in range(PLACES):
                pixel = out[f, i * BLOCK + place // BLOCK, j * BLOCK + place % BLOCK]
                for k in range(COLORS):
                    pixel[k] = value[k * PLACES + place] + ground[k * PLACES + place]
                if selects:
                    first = np.int64(np.uint32(codes[f, i, j, place]) % classes) * COLORS
                    for k in range(COLORS):
                        pixel[k] += corrections[f, i, j, first + k]
