"""Class maps at full resolution as features at a quarter of it, through one small table.

A 4×4 block of class ids becomes the sum over its 16 places of one row of a table ``[16 · classes, channels]``: the
same linear map as one-hot, unshuffle and a 1×1 convolution, but as a lookup, because one-hot planes
cost a laptop more than the whole decoder. The rows are made from the class embedding and the
look table of the session, so that every pixel knows what its class looks like here.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .look_table import LOOK_FEATURES

BLOCK = 4
PLACES = BLOCK * BLOCK


def block_codes(class_maps: Tensor, classes: int) -> Tensor:
    """uint8 class maps ``[..., H, W]`` → int32 table rows ``[..., H/4, W/4, 16]``: place · classes + class."""
    *lead, height, width = class_maps.shape
    if height % BLOCK or width % BLOCK:
        raise ValueError(f"class maps must be divisible by {BLOCK}, got {height} × {width}")
    blocks = class_maps.reshape(*lead, height // BLOCK, BLOCK, width // BLOCK, BLOCK)
    ids = blocks.movedim(-3, -2).flatten(-2).int()
    return ids.add_(torch.arange(PLACES, device=ids.device, dtype=torch.int32) * classes)


def sum_rows_by_lookup(codes: Tensor, table: Tensor) -> Tensor:
    """codes int32 ``[N, M, 16]``, table ``[N, R, C]`` → ``[N, M, C]``. The fast path without gradients."""
    return torch.stack([F.embedding_bag(c, t, mode="sum") for c, t in zip(codes, table, strict=True)])


def sum_rows_by_comparison(codes: Tensor, table: Tensor) -> Tensor:
    """The same product without gradients: compiled, the multi-hot matrix is one pass that writes it once."""
    classes = table.shape[1] // PLACES
    rows = torch.arange(table.shape[1], device=codes.device, dtype=codes.dtype).view(PLACES, classes)
    return (codes[..., None] == rows).to(table.dtype).flatten(-2) @ table


def reads_by_comparison(table: Tensor) -> bool:
    """Whether a table is read on a graphics card without gradients."""
    return table.device.type == "cuda" and not (torch.is_grad_enabled() and table.requires_grad)


def sum_rows_by_matmul(codes: Tensor, table: Tensor) -> Tensor:
    """The same sum as a product with the multi-hot matrix ``[N, M, R]``: the path with gradients.

    The gradient of a lookup adds millions of pixels into 208 rows one by one; the product does it at matrix speed.
    """
    hot = torch.zeros(*codes.shape[:2], table.shape[1], device=table.device, dtype=table.dtype)
    return hot.scatter_(2, codes.long(), 1.0) @ table


class ClassRows(nn.Module):
    """One feature row per class of a session: class embedding and look table, mixed.

    Args:
        classes: number of classes.
        channels: width of a row.
    """

    def __init__(self, classes: int, channels: int) -> None:
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(classes, channels))
        self.look = nn.Linear(LOOK_FEATURES, channels)
        self.mix = nn.Sequential(nn.SiLU(), nn.Linear(channels, channels))

    def forward(self, look_table: Tensor) -> Tensor:
        """look table ``[N, classes, LOOK_FEATURES]`` → rows ``[N, classes, channels]``."""
        rows = self.embedding + self.look(look_table)
        return rows + self.mix(rows)


class BlockTable(nn.Module):
    """Makes a session's table from its class rows, and reads class maps through it."""

    def __init__(self, row_channels: int, channels: int) -> None:
        super().__init__()
        self.project = nn.Linear(row_channels, PLACES * channels)
        self.channels = channels

    def table(self, rows: Tensor) -> Tensor:
        """rows ``[N, classes, R]`` → table ``[N, 16 · classes, channels]``, place-major."""
        by_place = self.project(rows).unflatten(-1, (PLACES, self.channels))
        return by_place.transpose(1, 2).flatten(1, 2) / BLOCK

    def forward(self, codes: Tensor, table: Tensor) -> Tensor:
        """codes ``[N, T, F, h, w, 16]``, table ``[N, 16 · classes, C]`` → features ``[N, T, F, C, h, w]``."""
        n, t, f, h, w, _ = codes.shape
        if torch.is_grad_enabled() and table.requires_grad:
            read = sum_rows_by_matmul
        else:
            read = sum_rows_by_comparison if reads_by_comparison(table) else sum_rows_by_lookup
        return read(codes.reshape(n, -1, PLACES), table).view(n, t, f, h, w, -1).permute(0, 1, 2, 5, 3, 4)
