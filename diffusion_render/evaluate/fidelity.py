"""Distance of pictures to the teacher's. Pictures are ``[..., 3, H, W]`` RGB in [−1, 1] unless said otherwise."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from .pictures import luma

_WINDOW, _SIGMA = 11, 1.5
_RANGE = 2.0
_C1, _C2 = (0.01 * _RANGE) ** 2, (0.03 * _RANGE) ** 2


def saturation_ratio(output: Tensor, target: Tensor) -> Tensor:
    """Mean chroma of the output over the target's: under 0.5 after 700 steps means stuck on the grey plateau."""

    def chroma(x: Tensor) -> Tensor:
        return (x - luma(x).unsqueeze(-3)).abs().mean()

    return chroma(output) / chroma(target).clamp(min=1e-6)


def psnr(output: Tensor, target: Tensor) -> Tensor:
    """Peak signal-to-noise ratio in dB of pictures in [−1, 1], the output clamped to that range."""
    error = (output.float().clamp(-1, 1) - target.float()).square().mean()
    return 10.0 * torch.log10(4.0 / error.clamp(min=1e-12))


def ssim_map(output: Tensor, target: Tensor) -> Tensor:
    """Structural similarity of luma at each pixel.

    Wang et al. (2004), equation 13: Gaussian window 11 × 11 of σ 1.5 px, K1 0.01, K2 0.03. Borders are reflected,
    so that every pixel has a value and regions can be averaged.

    Args:
        output, target: ``[M, 3, H, W]`` in [−1, 1], both sides above 5 px; the output is clamped to that range.

    Returns:
        float32 ``[M, H, W]``, at most 1.
    """
    # Variances are taken around 0, mid-grey, where float32 loses least; the luminance term counts from black, −1.
    x, y = luma(output.float().clamp(-1, 1))[:, None], luma(target)[:, None]
    mean_x, mean_y, square_x, square_y, product = _blur(torch.cat([x, y, x * x, y * y, x * y], 1)).unbind(1)
    spread_x, spread_y = square_x - mean_x.square(), square_y - mean_y.square()
    shared = product - mean_x * mean_y
    mean_x, mean_y = mean_x + 1.0, mean_y + 1.0
    top = (2 * mean_x * mean_y + _C1) * (2 * shared + _C2)
    return top / ((mean_x.square() + mean_y.square() + _C1) * (spread_x + spread_y + _C2))


def ssim(output: Tensor, target: Tensor) -> Tensor:
    """Mean structural similarity; see ``ssim_map``."""
    return ssim_map(output, target).mean()


def _blur(x: Tensor) -> Tensor:
    """Gaussian mean of each channel of ``[M, C, H, W]``, in two passes."""
    reach = _WINDOW // 2
    place = torch.arange(-reach, reach + 1, device=x.device, dtype=torch.float32)
    weight = torch.exp(-place.square() / (2 * _SIGMA**2))
    weight = (weight / weight.sum()).expand(x.shape[1], 1, 1, -1)
    x = F.pad(x, (reach, reach, reach, reach), mode="reflect")
    return F.conv2d(F.conv2d(x, weight, groups=x.shape[1]), weight.transpose(2, 3), groups=x.shape[1])
