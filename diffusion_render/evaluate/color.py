"""Colour as people see it: sRGB → CIE L*a*b*, and the difference of two colours after CIEDE2000."""

from __future__ import annotations

import torch
from torch import Tensor

_TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
"""Linear sRGB → CIE XYZ, D65 (IEC 61966-2-1)."""
_WHITE = tuple(sum(row) for row in _TO_XYZ)


def linear_light(pictures: Tensor) -> Tensor:
    """sRGB uint8 → linear light 0 … 1, float32, same shape (IEC 61966-2-1)."""
    level = torch.arange(256, device=pictures.device, dtype=torch.float32) / 255.0
    table = torch.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    return table[pictures.long()]


def lab_of(linear: Tensor) -> Tensor:
    """Linear-light sRGB ``[..., 3]``, 0 … 1 → L*a*b* ``[..., 3]`` under D65, float64 (CIE 15)."""
    matrix = torch.tensor(_TO_XYZ, dtype=torch.float64, device=linear.device)
    white = torch.tensor(_WHITE, dtype=torch.float64, device=linear.device)
    t = linear.double() @ matrix.T / white
    f = torch.where(t > (6 / 29) ** 3, t.clamp(min=0) ** (1 / 3), t / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = f.unbind(-1)
    return torch.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def ciede2000(one: Tensor, two: Tensor) -> Tensor:
    """Colour difference ΔE₀₀ of L*a*b* colours ``[..., 3]`` → ``[...]``, float64; weights k_L = k_C = k_H = 1.

    Sharma, Wu and Dalal (2005), equations 2 to 22. About 1 is just visible side by side, 5 is plain.
    """
    one, two = torch.broadcast_tensors(one.double(), two.double())
    lightness = (one[..., 0], two[..., 0])
    chroma, hue = _chroma_and_hue(one, two)
    turn = _turn(hue[1] - hue[0])
    neutral = chroma[0] * chroma[1] == 0
    d_light, d_chroma = lightness[1] - lightness[0], chroma[1] - chroma[0]
    angle = torch.where(neutral, torch.zeros_like(turn), turn)
    d_hue = 2 * (chroma[0] * chroma[1]).sqrt() * torch.sin(torch.deg2rad(angle / 2))
    mean_light, mean_chroma = (lightness[0] + lightness[1]) / 2, (chroma[0] + chroma[1]) / 2
    mean_hue = torch.where(neutral, hue[0] + hue[1], _mean_hue(hue[0], hue[1]))
    off = (mean_light - 50).square()
    term_light = d_light / (1 + 0.015 * off / (20 + off).sqrt())
    term_chroma = d_chroma / (1 + 0.045 * mean_chroma)
    term_hue = d_hue / (1 + 0.015 * mean_chroma * _hue_weight(mean_hue))
    turning = torch.deg2rad(60 * torch.exp(-(((mean_hue - 275) / 25).square())))
    rotation = -torch.sin(turning) * 2 * _seventh(mean_chroma)
    squares = term_light.square() + term_chroma.square() + term_hue.square() + rotation * term_chroma * term_hue
    return squares.clamp(min=0).sqrt()


def _chroma_and_hue(one: Tensor, two: Tensor) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """C′ and h′ in degrees (equations 2 to 7): a* is stretched where both colours are nearly grey."""
    plain = [torch.hypot(x[..., 1], x[..., 2]) for x in (one, two)]
    stretch = 1 + 0.5 * (1 - _seventh((plain[0] + plain[1]) / 2))
    chroma, hue = [], []
    for x in (one, two):
        a, b = stretch * x[..., 1], x[..., 2]
        chroma.append(torch.hypot(a, b))
        hue.append(torch.rad2deg(torch.atan2(b, a)) % 360.0)
    return (chroma[0], chroma[1]), (hue[0], hue[1])


def _seventh(chroma: Tensor) -> Tensor:
    power = chroma**7
    return (power / (power + 25.0**7)).sqrt()


def _turn(difference: Tensor) -> Tensor:
    """The shorter way round the circle, degrees in [−180, 180] (equation 10)."""
    difference = torch.where(difference > 180, difference - 360, difference)
    return torch.where(difference < -180, difference + 360, difference)


def _mean_hue(one: Tensor, two: Tensor) -> Tensor:
    """Equation 14."""
    total = one + two
    far = (one - two).abs() > 180
    return torch.where(far, torch.where(total < 360, total + 360, total - 360), total) / 2


def _hue_weight(hue: Tensor) -> Tensor:
    """T of equation 15."""

    def wave(factor: float, shift: float) -> Tensor:
        return torch.cos(torch.deg2rad(factor * hue + shift))

    return 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.20 * wave(4, -63)
