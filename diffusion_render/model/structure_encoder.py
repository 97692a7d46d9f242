"""Structure encoder: the class maps of one latent frame → features per token at 1/32, under the session's look.

A token needs to know what lies where in its 32 × 32 pixels, not every edge (the decoder reads those at full
resolution): so maps enter as class shares of 8 × 8 blocks. Shares of a whole training set fit in memory
and are counted once; in play the same sum is a lookup.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels.dispatch import compiled_for_play

from .encoder import FRAMES
from .layers import Down, in_eights, join_frames, mix
from .structure import ClassRows

SHARE_BLOCK = 8


def class_shares(class_maps: Tensor, classes: int) -> Tensor:
    """uint8 maps ``[..., H, W]`` → pixels of each class per 8 × 8 block, uint8 ``[..., classes, H/8, W/8]``."""
    blocks = _blocks(class_maps)
    counts = [(blocks == k).sum(-1, dtype=torch.uint8) for k in range(classes)]
    return torch.stack(counts, -3)


def _blocks(class_maps: Tensor) -> Tensor:
    """``[..., H, W]`` → ``[..., H/8, W/8, 64]``."""
    *lead, height, width = class_maps.shape
    if height % SHARE_BLOCK or width % SHARE_BLOCK:
        raise ValueError(f"class maps must be divisible by {SHARE_BLOCK}, got {height} × {width}")
    blocks = class_maps.reshape(*lead, height // SHARE_BLOCK, SHARE_BLOCK, width // SHARE_BLOCK, SHARE_BLOCK)
    return blocks.movedim(-3, -2).flatten(-2)


class StructureEncoder(nn.Module):
    """Class maps in, one feature vector per latent pixel out; no time beyond the latent frame.

    Args:
        classes: size of the class table.
        rows: channels of a class row.
        structure: channels of one frame's features at 1/8.
        channels: features per token.
    """

    def __init__(self, classes: int, rows: int, structure: int, channels: int) -> None:
        super().__init__()
        self.rows = ClassRows(classes, rows)
        self.project = nn.Linear(rows, structure)
        self.fold = nn.Conv2d(FRAMES * structure, channels, 1)
        self.downs = nn.ModuleList(Down(channels, channels) for _ in range(2))
        self.mix = nn.Conv2d(channels, channels, 3, padding=1)

    def table(self, look_table: Tensor) -> Tensor:
        """Look table ``[N, classes, LOOK_FEATURES]`` → features ``[N, classes, structure]``, once a session."""
        return self.project(self.rows(look_table))

    def forward(self, class_maps: Tensor, table: Tensor) -> Tensor:
        """uint8 class maps ``[N, U, 4, H, W]`` → features ``[N, U, channels, H/32, W/32]``."""
        n, u, f, height, width = class_maps.shape
        if class_maps.device.type == "cuda":  # the lookup takes 0.7 ms of a chunk there
            return self.from_shares(class_shares(class_maps, table.shape[1]), table)
        blocks = _blocks(class_maps).reshape(n, -1, SHARE_BLOCK * SHARE_BLOCK).int()
        read = [F.embedding_bag(blocks[i], table[i], mode="sum") for i in range(n)]
        features = torch.stack(read) / SHARE_BLOCK**2
        return self._fold(features.view(n, u, f, height // 8, width // 8, -1).permute(0, 1, 2, 5, 3, 4))

    def from_shares(self, shares: Tensor, table: Tensor) -> Tensor:
        """The same from class shares uint8 ``[N, U, 4, classes, H/8, W/8]``: the path of training."""
        weights = shares.to(table.dtype) / SHARE_BLOCK**2
        if not compiled_for_play():
            return self._fold(torch.einsum("nufchw,ncs->nufshw", weights, table))
        rows = weights.movedim(3, -1)
        read = in_eights(rows, -1).flatten(1, -2) @ in_eights(table, -2)
        return self._fold(read.view(*rows.shape[:-1], -1).movedim(-1, 3))

    def _fold(self, features: Tensor) -> Tensor:
        """``[N, U, 4, S, H/8, W/8]`` → ``[N, U, channels, H/32, W/32]``."""
        x = mix(self.fold, join_frames(features))
        for down in self.downs:
            x = down(F.silu(x))
        x = x + self.mix(F.silu(x))
        return x.unflatten(0, (features.shape[0], -1))
