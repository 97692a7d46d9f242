"""The fast path for processors: the plain twin as one pass over the blocks (numba), without gradients."""

from __future__ import annotations

import numba
import numpy as np
import torch
from torch import Tensor

from .plain import BLOCK, COLORS, check_shapes

WORDS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Type as which numbers of so many bytes are copied: numpy has no bfloat16, and a copy needs none."""


def class_select_cpu(codes: Tensor, values: Tensor) -> Tensor:
    """As ``plain.class_select`` for floats on the CPU; channels-last in memory."""
    m, h, w, _ = check_shapes(codes, values)
    word = WORDS[values.element_size()]
    rows = values.detach().permute(0, 2, 3, 1).contiguous()
    out = torch.empty(m, h * BLOCK, w * BLOCK, COLORS, dtype=values.dtype)
    _pick(codes.contiguous().numpy(), rows.view(word).numpy(), out.view(word).numpy())
    return out.permute(0, 3, 1, 2)


@numba.njit(cache=True, nogil=True)
def _pick(codes, rows, out):
    frames, height, width, _ = codes.shape
    # Unsigned, so that no code, however wrong, reads beside its block.
    classes = np.uint32(rows.shape[3] // COLORS)
    for f in range(frames):
        for i in range(height):
            for j in range(width):
                for place in range(BLOCK * BLOCK):
                    row, col = i * BLOCK + place // BLOCK, j * BLOCK + place % BLOCK
                    first = np.int64(np.uint32(codes[f, i, j, place]) % classes) * COLORS
                    for k in range(COLORS):
                        out[f, row, col, k] = rows[f, i, j, first + k]
