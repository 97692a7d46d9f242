"""Building blocks of the convolutional networks, and how time passes through them.

Axis order NTCHW, with time in *latent frames*. Every layer is causal: the output at t depends on inputs at
times ≤ t only, and reaches back through ``CausalMemory`` alone, which looks exactly one latent frame back. So
a stream needs one feature map per memory as its whole state.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def fold_time(x: Tensor) -> Tensor:
    """[N, T, C, H, W] → [N·T, C, H, W], channels-last for the convolutions."""
    return x.flatten(0, 1).contiguous(memory_format=torch.channels_last)


def unfold_time(x: Tensor, batch: int) -> Tensor:
    """[N·T, C, H, W] → [N, T, C, H, W]."""
    return x.unflatten(0, (batch, -1))


class ChannelRMSNorm(nn.Module):
    """x / rms over channels · gain, at every pixel (Zhang and Sennrich, 2019); fp32 inside."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        # In channels-last memory this is a norm over the last axis, which has a fused kernel.
        rows = x.permute(0, 2, 3, 1)
        return F.rms_norm(rows, rows.shape[-1:], self.gain.to(x.dtype), 1e-6).permute(0, 3, 1, 2)


class ResidualBlock(nn.Module):
    """x + conv(silu(norm(conv(silu(norm(x)))))); 3×3 convolutions, zero padding."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = ChannelRMSNorm(channels), ChannelRMSNorm(channels)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.conv1(F.silu(self.norm1(x)))
        return x + self.conv2(F.silu(self.norm2(h)))


class Down(nn.Module):
    """Half the size: a convolution beside a shortcut that averages the unshuffled channels.

    The shortcut (DC-AE, Chen et al. 2024) carries the signal from the first step on; without it the
    autoencoder sat on a grey plateau for thousands of steps.
    """

    def __init__(self, channels: int, out_channels: int) -> None:
        super().__init__()
        if 4 * channels % out_channels:
            raise ValueError(f"Down: 4 × {channels} channels must be divisible by {out_channels}")
        self.conv = nn.Conv2d(4 * channels, out_channels, 1)
        self.group = 4 * channels // out_channels

    def forward(self, x: Tensor) -> Tensor:
        x = F.pixel_unshuffle(x, 2)
        return self.conv(x) + x.unflatten(1, (-1, self.group)).mean(2)


class Up(nn.Module):
    """Double the size: convolution and pixel shuffle beside a shortcut that repeats channels (DC-AE)."""

    def __init__(self, channels: int, out_channels: int) -> None:
        super().__init__()
        if 4 * out_channels % channels:
            raise ValueError(f"Up: 4 × {out_channels} channels must be divisible by {channels}")
        self.conv = nn.Conv2d(channels, 4 * out_channels, 1)
        self.repeats = 4 * out_channels // channels

    def forward(self, x: Tensor) -> Tensor:
        return F.pixel_shuffle(self.conv(x) + x.repeat_interleave(self.repeats, 1), 2)


class CausalMemory(nn.Module):
    """Adds what the same layer held one latent frame earlier; zeros stand before the first.

    ``forward`` takes the whole clip, or any part of it with the state that the part before returned: the results
    are the same.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.mix = nn.Conv2d(2 * channels, channels, 1)

    def forward(self, x: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        """x [N, T, C, H, W], state [N, C, H, W] or None → (mixed x, next state)."""
        first = torch.zeros_like(x[:, :1]) if state is None else state[:, None]
        before = torch.cat([first, x[:, :-1]], 1)
        mixed = self.mix(fold_time(torch.cat([x, before], 2)))
        return x + unfold_time(mixed, x.shape[0]), x[:, -1]


class TimedStage(nn.Module):
    """One scale of a network: a causal memory, then residual blocks per latent frame."""

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.memory = CausalMemory(channels)
        self.blocks = nn.Sequential(*(ResidualBlock(channels) for _ in range(blocks)))

    def forward(self, x: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        """x [N, T, C, H, W] → (features of the same shape, next state [N, C, H, W])."""
        x, after = self.memory(x, state)
        return unfold_time(self.blocks(fold_time(x)), x.shape[0]), after
