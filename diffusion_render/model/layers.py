"""Building blocks of the convolutional networks, and how time passes through them.

Axis order NTCHW, with time in *latent frames*. Every layer is causal: the output at t depends on inputs at
times ≤ t only, and reaches back through ``CausalMemory`` alone, which looks exactly one latent frame back. So
a stream needs one feature map per memory as its whole state.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels.dispatch import can_fuse, compiled_for_play
from kernels.norm_silu.fast_cpu import norm_silu_cpu
from kernels.norm_silu.plain import norm_silu, rms_norm


def fold_time(x: Tensor) -> Tensor:
    """[N, T, C, H, W] → [N·T, C, H, W], channels-last for the convolutions."""
    n, t, c, h, w = x.shape
    # By way of one axis: strides of axes of length 1 are free, and with others than the usual ones a convolution does
    # not know channels-last when it sees it, and turns its result around.
    return x.permute(0, 1, 3, 4, 2).flatten().view(n * t, h, w, c).permute(0, 3, 1, 2)


def unfold_time(x: Tensor, batch: int) -> Tensor:
    """[N·T, C, H, W] → [N, T, C, H, W]."""
    return x.unflatten(0, (batch, -1))


def join_frames(x: Tensor) -> Tensor:
    """[N, T, F, C, H, W] → [N·T, F·C, H, W], channels-last; ``x`` holds its channels innermost in memory."""
    n, t, f, c, h, w = x.shape
    return x.permute(0, 1, 4, 5, 2, 3).reshape(n * t, h, w, f * c).permute(0, 3, 1, 2)


def add_last(x: Tensor, y: Tensor) -> Tensor:
    """x + y, where nobody needs ``y`` afterwards: without gradients on a CPU the sum takes its memory."""
    return y.add_(x) if can_fuse(x, y) else x + y


def in_eights(x: Tensor, axis: int) -> Tensor:
    """``x`` with zeros behind it along an axis, counted from the last (-1), until a multiple of 8 is there.

    On a card, products that sum over another number, or make another number, take two times as long and more.
    """
    spare = -x.shape[axis] % 8
    return F.pad(x, (*(0, 0) * (-1 - axis), 0, spare)) if spare else x


def mix(layer: nn.Conv2d, x: Tensor) -> Tensor:
    """A 1×1 convolution."""
    if not compiled_for_play():
        return layer(x)
    # As a product of rows it leaves channels-last alone. The compiler's convolution turns a single picture around, and
    # nothing behind it is fused.
    weight, bias = in_eights(layer.weight.flatten(1), -2), layer.bias
    rows = F.linear(x.permute(0, 2, 3, 1), weight, None if bias is None else in_eights(bias, -1))
    return rows[..., : layer.out_channels].permute(0, 3, 1, 2)


class ChannelRMSNorm(nn.Module):
    """``rms_norm`` over channels, at every pixel."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        # In channels-last memory this is a norm over the last axis, which has a fused kernel.
        return rms_norm(x.permute(0, 2, 3, 1), self.gain.to(x.dtype)).permute(0, 3, 1, 2)

    def silu(self, x: Tensor, added: Tensor | None = None, last_use: bool = False) -> Tensor:
        """silu(norm(x + added)); with ``last_use`` the result may take the memory of ``x``."""
        rows, others = x.permute(0, 2, 3, 1), None if added is None else added.permute(0, 2, 3, 1)
        if can_fuse(x, added, self.gain):
            out = rows if last_use and rows.is_contiguous() else None
            return norm_silu_cpu(rows, self.gain, others, out).permute(0, 3, 1, 2)
        if compiled_for_play():  # rows with one axis before the channels are fused, with three they are not
            flat = norm_silu(
                rows.flatten(0, 2), self.gain.to(x.dtype), None if others is None else others.flatten(0, 2)
            )
            return flat.view(rows.shape).permute(0, 3, 1, 2)
        return norm_silu(rows, self.gain.to(x.dtype), others).permute(0, 3, 1, 2)


class ResidualBlock(nn.Module):
    """x + conv(silu(norm(conv(silu(norm(x)))))); 3×3 convolutions, zero padding."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = ChannelRMSNorm(channels), ChannelRMSNorm(channels)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.conv1(self.norm1.silu(x))
        return add_last(x, self.conv2(self.norm2.silu(h, last_use=True)))


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
            return F.pixel_shuffle(mix(self.conv, x), 2) + F.interpolate(x, scale_factor=2)
        return F.pixel_shuffle(mix(self.conv, x) + x.repeat_interleave(self.repeats, 1), 2)


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
        mixed = mix(self.mix, torch.cat([fold_time(x), fold_time(before)], 1))
        return add_last(x, unfold_time(mixed, x.shape[0])), x[:, -1]


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
