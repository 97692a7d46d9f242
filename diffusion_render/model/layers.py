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


EPS = 1e-6


def rms_norm(x: Tensor, gain: Tensor | None = None) -> Tensor:
    """x / rms over the last axis · gain (Zhang and Sennrich, 2019); the mean square is summed in fp32."""
    if x.device.type != "cpu":
        if gain is None or gain.ndim == 1:
            return F.rms_norm(x, x.shape[-1:], gain, EPS)
        return F.rms_norm(x, x.shape[-1:], None, EPS) * gain  # torch takes one gain for all rows only
    # torch has no fused kernel for this on CPUs; its own five passes cost twice as much.
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
    scaled = x * torch.rsqrt(length.square() / x.shape[-1] + EPS).to(x.dtype)
    return scaled if gain is None else scaled * gain


def join_frames(x: Tensor) -> Tensor:
    """[N, T, F, C, H, W] → [N·T, F·C, H, W], channels-last; ``x`` holds its channels innermost in memory."""
    n, t, f, c, h, w = x.shape
    return x.permute(0, 1, 4, 5, 2, 3).reshape(n * t, h, w, f * c).permute(0, 3, 1, 2)


class ChannelRMSNorm(nn.Module):
    """``rms_norm`` over channels, at every pixel."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        # In channels-last memory this is a norm over the last axis, which has a fused kernel.
        return rms_norm(x.permute(0, 2, 3, 1), self.gain.to(x.dtype)).permute(0, 3, 1, 2)


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
        # Unshuffling and a 1×1 convolution are one 2×2 convolution of stride 2, which moves no memory beforehand.
        kernel = self.conv.weight.view(self.conv.out_channels, -1, 2, 2)
        y = F.conv2d(x, kernel, self.conv.bias, stride=2)
        if self.group == 4:  # the four places of one channel
            return y + F.avg_pool2d(x, 2)
        return y + F.pixel_unshuffle(x, 2).unflatten(1, (-1, self.group)).mean(2)


class Up(nn.Module):
    """Double the size: convolution and pixel shuffle beside a shortcut that repeats channels (DC-AE)."""

    def __init__(self, channels: int, out_channels: int) -> None:
        super().__init__()
        if 4 * out_channels % channels:
            raise ValueError(f"Up: 4 × {out_channels} channels must be divisible by {channels}")
        self.conv = nn.Conv2d(channels, 4 * out_channels, 1)
        self.repeats = 4 * out_channels // channels

    def forward(self, x: Tensor) -> Tensor:
        if self.repeats == 4:  # all four places repeat one channel
            return F.pixel_shuffle(self.conv(x), 2) + F.interpolate(x, scale_factor=2)
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
        before = first if x.shape[1] == 1 else torch.cat([first, x[:, :-1]], 1)
        mixed = self.mix(torch.cat([fold_time(x), fold_time(before)], 1))
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
