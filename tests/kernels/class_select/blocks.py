"""Random class maps and values that both twins are tried on."""

import torch

from kernels.class_select.plain import BLOCK

CLASSES = 13
FRAMES, HEIGHT, WIDTH = 3, 20, 28


def some_blocks(dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Class maps ``[M, H, W]`` with edges in every block, their codes ``[M, H/4, W/4, 16]``, values of each block."""
    draw = torch.Generator().manual_seed(4)
    maps = torch.randint(0, CLASSES, (FRAMES, HEIGHT, WIDTH), generator=draw)
    codes = torch.empty(FRAMES, HEIGHT // BLOCK, WIDTH // BLOCK, BLOCK * BLOCK, dtype=torch.int32)
    for place in range(BLOCK * BLOCK):
        codes[..., place] = place * CLASSES + maps[:, place // BLOCK :: BLOCK, place % BLOCK :: BLOCK]
    values = torch.randn(FRAMES, CLASSES * 3, HEIGHT // BLOCK, WIDTH // BLOCK, generator=draw)
    return maps, codes, values.to(dtype)
