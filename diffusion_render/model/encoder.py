"""Encoder: 4 video frames → 1 latent frame at 1/32 of the resolution, with causal memory.

Without memory the latents jump at unit borders and the picture pops (LEARNABILITY, section 1).
"""

from __future__ import annotations

import itertools
from typing import TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import ChannelRMSNorm, Down, TimedStage, fold_time, join_frames, unfold_time

FRAMES = 4
"""Video frames of one latent frame."""

EncoderState: TypeAlias = tuple[Tensor, ...]


def normalize_latent(z: Tensor, dim: int) -> Tensor:
    """Scale to root mean square 1 over the channels of each latent pixel: the decoder's and generator's unit."""
    return z * torch.rsqrt(z.float().square().mean(dim, keepdim=True) + 1e-6).to(z.dtype)


class Encoder(nn.Module):
    """RGB and structure features in, latents out.

    Args:
        widths: channels at 1/4, 1/8, 1/16 and 1/32.
        blocks: residual blocks at each of them.
        latent: channels of a latent pixel.
        structure: channels of a frame's structure features.
    """

    def __init__(self, widths: tuple[int, ...], blocks: tuple[int, ...], latent: int, structure: int) -> None:
        super().__init__()
        self.pixels = nn.Conv2d(FRAMES * 3 * 16, widths[0], 1)
        self.structure = nn.Conv2d(FRAMES * structure, widths[0], 1)
        self.stages = nn.ModuleList(TimedStage(w, b) for w, b in zip(widths, blocks, strict=True))
        self.downs = nn.ModuleList(Down(a, b) for a, b in itertools.pairwise(widths))
        self.head = nn.Sequential(ChannelRMSNorm(widths[-1]), nn.Conv2d(widths[-1], latent, 1))

    def forward(
        self, frames: Tensor, structure: Tensor, state: EncoderState | None = None
    ) -> tuple[Tensor, EncoderState]:
        """Encode.

        Args:
            frames: ``[N, 4·T, 3, H, W]`` RGB in [−1, 1]; H and W divisible by 32.
            structure: ``[N, T, 4, S, H/4, W/4]``, see ``structure.BlockTable``.
            state: what the last call returned, or None at the start of a stream.

        Returns:
            latents ``[N, T, C, H/32, W/32]`` with rms 1 per pixel, and the next state.
        """
        n, count, _, height, width = frames.shape
        if count % FRAMES or height % 32 or width % 32:
            raise ValueError(
                f"encoder takes multiples of 4 frames of 32 × 32 pixels, got {count} of {height} × {width}"
            )
        x = F.pixel_unshuffle(frames.reshape(n * count, 3, height, width), 4)
        x = x.reshape(n * count // FRAMES, -1, height // 4, width // 4)
        x = self.pixels(x) + self.structure(join_frames(structure))
        after = []
        for k, stage in enumerate(self.stages):
            x = unfold_time(x, n)
            x, memory = stage(x, None if state is None else state[k])
            after.append(memory)
            x = fold_time(x)
            if k < len(self.downs):
                x = self.downs[k](x)
        return normalize_latent(unfold_time(self.head(x), n), 2), tuple(after)
