"""Distance of pictures to the teacher's. Pictures are ``[..., 3, H, W]`` RGB in [−1, 1] unless said otherwise."""

from __future__ import annotations

import torch
from torch import Tensor

_LUMA = (0.299, 0.587, 0.114)


def saturation_ratio(output: Tensor, target: Tensor) -> Tensor:
    """Mean chroma of the output over the target's: under 0.5 after 700 steps means stuck on the grey plateau."""

    def chroma(x: Tensor) -> Tensor:
        return (x - (x * x.new_tensor(_LUMA)[:, None, None]).sum(-3, keepdim=True)).abs().mean()

    return chroma(output) / chroma(target).clamp(min=1e-6)


def psnr(output: Tensor, target: Tensor) -> Tensor:
    """Peak signal-to-noise ratio in dB of pictures in [−1, 1], the output clamped to that range."""
    error = (output.float().clamp(-1, 1) - target.float()).square().mean()
    return 10.0 * torch.log10(4.0 / error.clamp(min=1e-12))


def class_colour_error(output: Tensor, teacher: Tensor, class_map: Tensor, classes: int, least: int = 500) -> float:
    """Mean |difference of a class's mean colour|, 0–255, of uint8 pictures ``[3, H, W]``; classes weigh the same.

    Classes of fewer than ``least`` pixels do not count.
    """
    errors = []
    for k in range(classes):
        inside = class_map == k
        if int(inside.sum()) > least:
            errors.append((output[:, inside].float().mean(1) - teacher[:, inside].float().mean(1)).abs().mean())
    return float(torch.stack(errors).mean())
