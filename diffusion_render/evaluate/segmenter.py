"""The segmenter: reads a class map back from a picture. Trained once on teacher frames, then frozen.

Small on purpose, and trained on pictures whose colours, sharpness and noise were tampered with, so that it judges
where things are and not how they are painted.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from render_bridge.palette import RACING

from ..model.layers import ChannelRMSNorm, Down, ResidualBlock, Up
from ..model.weights import WeightsError, load_weights, read_header

PART = "segmenter"
FILE_NAME = "segmenter.safetensors"


@dataclass(frozen=True)
class SegmenterConfig:
    """Sizes of the segmenter.

    Args:
        classes: size of the class table.
        widths: channels at 1/2, 1/4, 1/8 and 1/16 of the size.
    """

    classes: int = len(RACING)
    widths: tuple[int, ...] = (32, 64, 64, 64)

    def __post_init__(self) -> None:
        if len(self.widths) != 4 or min(self.widths) < 4:
            raise ValueError(f"widths needs 4 entries of at least 4 channels, got {self.widths}")


class Segmenter(nn.Module):
    """Picture → scores of classes at every pixel: a small U-net without any state or size of its own."""

    def __init__(self, config: SegmenterConfig | None = None) -> None:
        super().__init__()
        self.config = c = config or SegmenterConfig()
        w = c.widths
        self.stem = nn.Conv2d(3 * 4, w[0], 3, padding=1)
        self.down_blocks = nn.ModuleList(ResidualBlock(n) for n in w)
        self.downs = nn.ModuleList(Down(a, b) for a, b in itertools.pairwise(w))
        self.ups = nn.ModuleList(Up(b, a) for a, b in itertools.pairwise(w))
        self.up_blocks = nn.ModuleList(ResidualBlock(n) for n in w[:-1])
        self.head = nn.Sequential(ChannelRMSNorm(w[0]), nn.SiLU(), nn.Conv2d(w[0], 4 * c.classes, 1))

    def forward(self, pictures: Tensor) -> Tensor:
        """RGB ``[M, 3, H, W]`` in [−1, 1], sides divisible by 32 → scores ``[M, classes, H, W]``.

        Raises:
            ValueError: for another size.
        """
        height, width = pictures.shape[-2:]
        if height % 32 or width % 32:
            raise ValueError(f"segmenter takes sides divisible by 32, got {width} × {height}")
        x = self.stem(F.pixel_unshuffle(pictures, 2).contiguous(memory_format=torch.channels_last))
        skips = []
        for level, block in enumerate(self.down_blocks):
            x = block(x)
            if level < len(self.downs):
                skips.append(x)
                x = self.downs[level](x)
        for level in reversed(range(len(self.ups))):
            x = self.up_blocks[level](self.ups[level](x) + skips[level])
        return F.pixel_shuffle(self.head(x), 2)

    @torch.inference_mode()
    def read(self, pictures: Tensor, batch: int = 8) -> Tensor:
        """Class maps uint8 ``[M, H, W]`` read from pictures ``[M, 3, H, W]`` in [−1, 1], ``batch`` at a time."""
        return torch.cat([self(part).argmax(1).to(torch.uint8) for part in pictures.split(batch)])


def open_segmenter(path: Path, device: torch.device | str = "cpu") -> Segmenter:
    """A trained segmenter, frozen, in evaluation mode.

    Raises:
        WeightsError: missing, broken, or of another part or class table; the message says what to do.
    """
    if not path.is_file():
        raise WeightsError(f"no segmenter at {path}: train it with 'paintover train segmenter'")
    config: dict[str, Any] = read_header(path).config
    try:
        sizes = SegmenterConfig(int(config["classes"]), tuple(int(w) for w in config["widths"]))
    except (KeyError, TypeError, ValueError) as error:
        raise WeightsError(f"{path.name}: its config is not that of a segmenter ({error!r})") from None
    segmenter = Segmenter(sizes)
    load_weights(path, segmenter, part=PART, class_table=RACING.hash)
    return segmenter.requires_grad_(False).eval().to(device)
