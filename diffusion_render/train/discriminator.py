"""Patch discriminator: two neighbouring frames and their class maps, judged patch by patch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm


@dataclass(frozen=True)
class DiscriminatorConfig:
    """Sizes of the discriminator: one width per halving; its field of view is about 70 pixels."""

    classes: int = 13
    widths: tuple[int, ...] = (64, 128, 256, 256)
    embedding: int = 8


class Discriminator(nn.Module):
    """Scores ``[M, 1, h, w]`` for pairs of frames; features on request for feature matching."""

    def __init__(self, config: DiscriminatorConfig = DiscriminatorConfig()) -> None:
        super().__init__()
        self.embedding = nn.Embedding(config.classes, config.embedding)
        wide = 4 * 2 * (3 + config.embedding)
        layers: list[nn.Module] = []
        for width in config.widths:
            layers.append(spectral_norm(nn.Conv2d(wide, width, 4 if layers else 3, 2 if layers else 1, 1)))
            wide = width
        self.layers = nn.ModuleList(layers)
        self.score = spectral_norm(nn.Conv2d(wide, 1, 3, padding=1))

    def forward(self, frames: Tensor, class_maps: Tensor) -> tuple[Tensor, list[Tensor]]:
        """frames ``[M, 2, 3, H, W]`` in [−1, 1], class maps int ``[M, 2, H, W]`` → (scores, features)."""
        classes = self.embedding(class_maps.long()).movedim(-1, 2).to(frames.dtype)
        x = F.pixel_unshuffle(torch.cat([frames, classes], 2).flatten(1, 2), 2)
        x = x.contiguous(memory_format=torch.channels_last)
        features = []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.2)
            features.append(x)
        return self.score(x), features
