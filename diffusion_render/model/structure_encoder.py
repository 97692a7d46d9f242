"""Structure encoder: the class maps of one latent frame → features per token at 1/32, under the session's look."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from .encoder import FRAMES
from .layers import Down
from .structure import BlockTable, ClassRows


class StructureEncoder(nn.Module):
    """Class maps at full resolution in, one feature vector per latent pixel out; no time beyond the latent frame.

    Args:
        classes: size of the class table.
        rows: channels of a class row.
        structure: channels of one frame's features at 1/4.
        channels: features per token.
    """

    def __init__(self, classes: int, rows: int, structure: int, channels: int) -> None:
        super().__init__()
        self.rows = ClassRows(classes, rows)
        self.block_table = BlockTable(rows, structure)
        self.fold = nn.Conv2d(FRAMES * structure, channels, 1)
        self.downs = nn.ModuleList(Down(channels, channels) for _ in range(3))
        self.mix = nn.Conv2d(channels, channels, 3, padding=1)

    def table(self, look_table: Tensor) -> Tensor:
        """Look table ``[N, classes, LOOK_FEATURES]`` → block table ``[N, 16 · classes, structure]``, once a session."""
        return self.block_table.table(self.rows(look_table))

    def forward(self, codes: Tensor, table: Tensor) -> Tensor:
        """codes int64 ``[N, U, 4, H/4, W/4, 16]`` → features ``[N, U, channels, H/32, W/32]``."""
        n = codes.shape[0]
        x = self.fold(self.block_table(codes, table).flatten(0, 1).flatten(1, 2))
        for down in self.downs:
            x = down(F.silu(x))
        x = x + self.mix(F.silu(x))
        return x.unflatten(0, (n, -1))
