"""Random blocks that both twins are tried on."""

import torch
from torch import Tensor

CLASSES = 13
FRAMES, HEIGHT, WIDTH = 3, 5, 7


def some_blocks() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Values and base ``[M, 48, h, w]``, codes ``[M, h, w, 16]``, corrections ``[M, 39, h, w]``; channels-last."""
    draw = torch.Generator().manual_seed(4)
    values, base = torch.randn(2, FRAMES, HEIGHT, WIDTH, 48, generator=draw).permute(0, 1, 4, 2, 3)
    codes = torch.randint(0, CLASSES, (FRAMES, HEIGHT, WIDTH, 16), generator=draw, dtype=torch.int32)
    codes += torch.arange(16, dtype=torch.int32) * CLASSES
    corrections = torch.randn(FRAMES, HEIGHT, WIDTH, 3 * CLASSES, generator=draw).permute(0, 3, 1, 2)
    return values, base, codes, corrections
