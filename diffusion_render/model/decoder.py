"""Decoder: one latent frame and the class maps of its four video frames → four pictures, strictly causal.

Edges come from the maps, appearance from the latent and the look. Convolutions stay at 1/4 of the resolution or
below; full resolution enters through the block table and leaves through a pixel shuffle (ENVIRONMENT, 11.3), and, if
the head selects, through the classes of the pixels themselves.
"""

from __future__ import annotations

import itertools
from typing import TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels.block_picture.fast_cpu import block_picture_cpu
from kernels.block_picture.plain import block_picture
from kernels.class_select.fast_cpu import class_select_cpu
from kernels.class_select.plain import COLORS, class_select
from kernels.dispatch import can_fuse, on_processor

from .encoder import FRAMES
from .layers import ChannelRMSNorm, Down, TimedStage, Up, fold_time, join_frames, mix, unfold_time

PIXELS = 3 * 16
"""RGB of a 4 × 4 block."""

DecoderState: TypeAlias = tuple[Tensor, ...]


def select(codes: Tensor, corrections: Tensor) -> Tensor:
    """``class_select`` by whichever twin can: the fast one has no gradients and cannot be compiled."""
    return (class_select_cpu if on_processor(corrections) else class_select)(codes, corrections)


class FrameHead(nn.Module):
    """Turns the features shared by four frames into four pictures, each under its own class map.

    A head that selects also gives each block one colour correction per class, which every pixel takes by its own class:
    an edge inside a block is then exact, and shading may differ on its two sides. The layer starts at zero, where it
    changes nothing, so that weights trained without it go on with it.
    """

    def __init__(self, channels: int, head: int, structure: int, noise: int, selected: int = 0) -> None:
        super().__init__()
        self.spread = nn.Conv2d(channels, FRAMES * head, 1)
        self.structure = nn.Conv2d(structure, head, 1)
        # Without a bias, so that no noise and noise of zeros are the same.
        self.noise = nn.Conv2d(noise, head, 1, bias=False) if noise else None
        self.norm = ChannelRMSNorm(head)
        self.conv = nn.Conv2d(head, head, 3, padding=1)
        self.norm_out = ChannelRMSNorm(head)
        self.out = nn.Conv2d(head, PIXELS, 1)
        self.select = _zero(nn.Conv2d(head, selected * COLORS, 1)) if selected else None

    def forward(self, x: Tensor, structure: Tensor, base: Tensor, codes: Tensor, noise: Tensor | None) -> Tensor:
        """Features shared by four frames and what each has of its own → pictures ``[4·M, 3, 4h, 4w]``.

        Args:
            x: ``[M, C, h, w]``.
            structure: ``[4·M, S, h, w]``.
            base: base colours ``[4·M, 48, h, w]``.
            codes: int32 ``[4·M, h, w, 16]``; read only if the head selects.
            noise: ``[4·M, K, h, w]``, or None.
        """
        y = self._sum(x, structure, noise)
        y = self.norm_out.silu(self.conv(self.norm.silu(y)), y, last_use=True)
        corrections = None if self.select is None else mix(self.select, y)
        values = mix(self.out, y)
        if can_fuse(values, base, corrections):
            return block_picture_cpu(values, base, codes, corrections)
        picture = block_picture(values, base, None, None)
        return picture if corrections is None else picture + select(codes, corrections)

    def _sum(self, x: Tensor, structure: Tensor, noise: Tensor | None) -> Tensor:
        """What the features, the structure and the noise say together: ``[4·M, head, h, w]``, channels-last."""
        y = mix(self.structure, structure)
        if not can_fuse(y, x, noise):
            if self.noise is not None and noise is not None:
                y = y + mix(self.noise, noise)
            return y + self._spread(x)
        # The same sums, each inside of its product.
        rows = y.permute(0, 2, 3, 1).flatten(1, 2)
        if self.noise is not None and noise is not None:
            weight = self.noise.weight.flatten(1).t()
            rows.view(-1, rows.shape[2]).addmm_(noise.permute(0, 2, 3, 1).flatten(0, 2), weight)
        shared, weight, bias = self._products(x)
        rows.add_(bias).baddbmm_(shared, weight)
        return rows.unflatten(1, structure.shape[2:]).permute(0, 3, 1, 2)

    def _spread(self, x: Tensor) -> Tensor:
        """``[M, C, h, w]`` → ``[4·M, head, h, w]``, channels-last: a product for each frame leaves it in one piece."""
        h, w = x.shape[2:]
        rows, weight, bias = self._products(x)
        return torch.baddbmm(bias, rows, weight).unflatten(1, (h, w)).permute(0, 3, 1, 2)

    def _products(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Rows ``[4·M, h·w, C]``, weights ``[4·M, C, head]`` and biases ``[4·M, 1, head]`` whose products spread x."""
        m, c, h, w = x.shape
        assert self.spread.bias is not None
        weight = self.spread.weight.view(FRAMES, -1, c).transpose(1, 2).repeat(m, 1, 1)
        bias = self.spread.bias.view(FRAMES, 1, -1).repeat(m, 1, 1)
        rows = x.permute(0, 2, 3, 1).reshape(m, 1, h * w, c).expand(-1, FRAMES, -1, -1).flatten(0, 1)
        return rows, weight, bias


def _zero(layer: nn.Conv2d) -> nn.Conv2d:
    """The layer with every parameter at zero."""
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
    return layer


class Decoder(nn.Module):
    """Latents and structure in, RGB out.

    Args:
        widths: channels at 1/32, 1/16, 1/8 and 1/4.
        blocks: residual blocks at each of them.
        latent: channels of a latent pixel.
        structure: channels of a frame's structure features.
        head: channels of the per-frame head at 1/4.
        noise: channels of anchored noise at 1/4 (16 × octaves), 0 for none.
        selected: classes among which the head selects, 0 for a head that does not.
    """

    def __init__(
        self,
        widths: tuple[int, ...],
        blocks: tuple[int, ...],
        latent: int,
        structure: int,
        head: int,
        noise: int,
        selected: int = 0,
    ) -> None:
        super().__init__()
        self.latent = nn.Conv2d(latent, widths[0], 1)
        finest = widths[::-1]
        self.structure = nn.Conv2d(FRAMES * structure, finest[0], 1)
        self.structure_downs = nn.ModuleList(Down(a, b) for a, b in itertools.pairwise(finest))
        self.stages = nn.ModuleList(TimedStage(w, b) for w, b in zip(widths, blocks, strict=True))
        self.ups = nn.ModuleList(Up(a, b) for a, b in itertools.pairwise(widths))
        self.head = FrameHead(widths[-1], head, structure, noise, selected)

    def forward(
        self,
        latents: Tensor,
        structure: Tensor,
        base: Tensor,
        codes: Tensor,
        state: DecoderState | None = None,
        noise: Tensor | None = None,
    ) -> tuple[Tensor, DecoderState]:
        """Decode.

        Args:
            latents: ``[N, T, C, H/32, W/32]``, rms 1 per pixel.
            structure: ``[N, T, 4, S, H/4, W/4]``.
            base: base colours from the look, ``[N, T, 4, 48, H/4, W/4]``.
            codes: of the frames' class maps, int32 ``[N, T, 4, H/4, W/4, 16]``; read only if the head selects.
            state: what the last call returned, or None at the start of a stream.
            noise: anchored noise ``[N, T, 4, K, H/4, W/4]``, or None.

        Returns:
            frames ``[N, 4·T, 3, H, W]`` around [−1, 1] (not clamped), and the next state.
        """
        n = latents.shape[0]
        pyramid = [mix(self.structure, join_frames(structure))]
        for down in self.structure_downs:
            pyramid.append(down(F.silu(pyramid[-1])))
        x = mix(self.latent, fold_time(latents))
        after = []
        for k, stage in enumerate(self.stages):
            x, memory = stage(unfold_time(x + pyramid[-1 - k], n), None if state is None else state[k])
            after.append(memory)
            x = fold_time(x)
            if k < len(self.ups):
                x = self.ups[k](x)
        flat_noise = None if noise is None else noise.flatten(0, 2)
        frames = self.head(x, structure.flatten(0, 2), base.flatten(0, 2), codes.flatten(0, 2), flat_noise)
        return frames.unflatten(0, (n, -1)), tuple(after)
