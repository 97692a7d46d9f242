"""The plain twin, in torch: what class select *is*. Runs on any device, with gradients, and compiles.

A decoder that works at 1/4 of the resolution draws a 4×4 block from one vector, so a class edge inside the block has to
be redrawn by the network. Here it gives one RGB value for each class instead, and every pixel takes that of its own.
"""

from __future__ import annotations

import torch
from torch import Tensor

BLOCK = 4
PLACES = BLOCK * BLOCK
COLORS = 3


def class_select(codes: Tensor, values: Tensor) -> Tensor:
    """Pictures that hold, at every pixel, the value of its class in its block.

    Args:
        codes: int32 ``[M, h, w, 16]``, place · classes + class; places in reading order of the block.
        values: ``[M, classes · 3, h, w]``, class · 3 + colour; channels-last saves a copy.

    Returns:
        ``[M, 3, 4h, 4w]`` in the number type of ``values``. Copies, no arithmetic: twins agree to the bit.

    Raises:
        ValueError: if the shapes do not fit one another.
    """
    m, h, w, classes = check_shapes(codes, values)
    rows = values.permute(0, 2, 3, 1).unflatten(-1, (classes, COLORS))
    index = codes.remainder(classes).long()[..., None].expand(-1, -1, -1, -1, COLORS)
    # The gradient adds a block's 16 pixels into its own few rows, so no two blocks ever meet in memory.
    picked = torch.gather(rows, 3, index).view(m, h, w, BLOCK, BLOCK, COLORS)
    return picked.permute(0, 5, 1, 3, 2, 4).reshape(m, COLORS, h * BLOCK, w * BLOCK)


def check_shapes(codes: Tensor, values: Tensor) -> tuple[int, int, int, int]:
    """M, h, w and the number of classes. Raises ValueError as above."""
    m, channels, h, w = values.shape
    if tuple(codes.shape) != (m, h, w, PLACES) or channels % COLORS:
        got = f"{tuple(values.shape)} and {tuple(codes.shape)}"
        raise ValueError(f"values [M, classes · 3, h, w] need codes [M, h, w, 16], got {got}")
    return m, h, w, channels // COLORS
