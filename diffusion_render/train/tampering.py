"""Pictures tampered with: other colours, softer, coarser, noisier, but every outline where it was.

A network trained on them must judge structure; it cannot lean on the colours, grain or sharpness of any one look.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from ..evaluate.pictures import LUMA

_REACH = 4


@dataclass(frozen=True)
class Tampering:
    """How strongly pictures are tampered with; every strength is drawn for each picture, up to these.

    Args:
        untouched: share of pictures that stay as they are.
        saturation: colourfulness is scaled by 0 (grey) to this.
        turn: rotation about the grey axis, radians, either way.
        gain: each channel is scaled by 1 / gain … gain; offset: shift of the whole picture, of 2.
        gamma: tone curve x^(1/gamma) … x^gamma.
        blur: σ of the Gaussian, pixels.
        coarse: share of pictures brought to 1/2 or 1/4 of the size and back.
        noise: standard deviation of white noise, of 2; blotches: that of noise at 1/16 of the size.
    """

    untouched: float = 0.2
    saturation: float = 1.6
    turn: float = 0.6
    gain: float = 1.5
    offset: float = 0.2
    gamma: float = 1.6
    blur: float = 2.0
    coarse: float = 0.2
    noise: float = 0.15
    blotches: float = 0.15


def tamper(pictures: Tensor, settings: Tampering, seed: int) -> Tensor:
    """RGB ``[N, 3, H, W]`` in [−1, 1], sides divisible by 16 → the same, tampered with; a function of ``seed``."""
    draw = torch.Generator().manual_seed(seed)
    n = len(pictures)
    changed = _colors(pictures, settings, draw)
    changed = _blur(changed, settings.blur * torch.rand(n, generator=draw).square())
    coarse = torch.rand(n, generator=draw)
    for factor, below in ((2, settings.coarse), (4, settings.coarse / 2)):
        small = F.interpolate(changed, scale_factor=1 / factor, mode="area")
        back = F.interpolate(small, size=pictures.shape[-2:], mode="bilinear", align_corners=False)
        changed = torch.where(_each(coarse < below, pictures), back, changed)
    changed = changed + _noise(pictures, settings, draw, seed)
    touched = _each(torch.rand(n, generator=draw) >= settings.untouched, pictures)
    return torch.where(touched, changed.clamp(-1, 1), pictures)


def _each(values: Tensor, like: Tensor) -> Tensor:
    """One value a picture, on its device: ``[N]`` → ``[N, 1, 1, 1]``."""
    return values.to(like.device)[:, None, None, None]


def _colors(pictures: Tensor, settings: Tampering, draw: torch.Generator) -> Tensor:
    """Saturation, rotation about the grey axis and gain as one matrix, then offset and tone curve."""
    n = len(pictures)

    def even(low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(n, *shape, generator=draw)

    axis = torch.full((3,), 1 / math.sqrt(3))
    cross = torch.linalg.cross(axis.expand(3, 3), torch.eye(3)).T
    angle = even(-settings.turn, settings.turn)[:, None, None]
    turn = torch.cos(angle) * torch.eye(3) + torch.sin(angle) * cross
    turn = turn + (1 - torch.cos(angle)) * torch.outer(axis, axis)
    saturation = even(0, settings.saturation)[:, None, None]
    grey = torch.tensor(LUMA).expand(3, 3)
    spread = math.log(settings.gain)
    gain = torch.exp(even(-spread, spread, 3))[:, :, None]
    matrix = gain * ((saturation * torch.eye(3) + (1 - saturation) * grey) @ turn)
    light = torch.einsum("nij,njhw->nihw", matrix.to(pictures), (pictures + 1) / 2)
    light = light + _each(even(-settings.offset, settings.offset) / 2, pictures)
    power = torch.exp(even(-math.log(settings.gamma), math.log(settings.gamma)))
    return light.clamp(1e-4, 1) ** _each(power, pictures) * 2 - 1


def _blur(pictures: Tensor, sigma: Tensor) -> Tensor:
    """Gaussian of its own σ for each picture, in two passes."""
    n, channels = pictures.shape[:2]
    place = torch.arange(-_REACH, _REACH + 1, dtype=torch.float32)
    weight = torch.exp(-place.square() / (2 * sigma.clamp(min=0.1)[:, None].square()))
    weight = (weight / weight.sum(1, keepdim=True)).repeat_interleave(channels, 0).to(pictures)[:, None, None]
    x = F.pad(pictures.flatten(0, 1)[None], (_REACH, _REACH, _REACH, _REACH), mode="replicate")
    x = F.conv2d(F.conv2d(x, weight, groups=n * channels), weight.transpose(2, 3), groups=n * channels)
    return x[0].unflatten(0, (n, channels))


def _noise(pictures: Tensor, settings: Tampering, draw: torch.Generator, seed: int) -> Tensor:
    n, _, height, width = pictures.shape
    own = torch.Generator(pictures.device).manual_seed(seed)
    white = torch.randn(pictures.shape, generator=own, device=pictures.device)
    blotches = torch.randn(n, 3, height // 16, width // 16, generator=own, device=pictures.device)
    blotches = F.interpolate(blotches, size=(height, width), mode="bilinear", align_corners=False)
    strength, wide = (_each(torch.rand(n, generator=draw).square(), pictures) for _ in range(2))
    return settings.noise * strength * white + settings.blotches * wide * blotches
