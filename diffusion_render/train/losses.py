"""What the autoencoder is trained on. Pictures are ``[N, F, 3, H, W]`` RGB around [−1, 1], F video frames."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

_LUMA = (0.299, 0.587, 0.114)


@dataclass(frozen=True)
class ReconstructionWeights:
    """Weights of the reconstruction loss.

    Args:
        chroma: extra L1 on colour differences: luma is learnt first, colour may stay grey for long.
        gradient: multi-scale gradient L1.
        motion: L1 of frame differences.
        border: factor on the frame differences across latent borders.
    """

    chroma: float = 0.5
    gradient: float = 0.5
    motion: float = 0.5
    border: float = 3.0


def reconstruction_loss(output: Tensor, target: Tensor, w: ReconstructionWeights) -> dict[str, Tensor]:
    """Named terms whose sum under the weights is ``total``."""
    error = output - target
    luma = (error * error.new_tensor(_LUMA)[:, None, None]).sum(2, keepdim=True)
    terms = {
        "l1": error.abs().mean(),
        "chroma": (error - luma).abs().mean(),
        "gradient": multi_scale_gradient(error.flatten(0, 1)),
        "motion": motion_loss(error, w.border),
    }
    weighted = terms["l1"] + w.chroma * terms["chroma"] + w.gradient * terms["gradient"] + w.motion * terms["motion"]
    return {"total": weighted, **terms}


def multi_scale_gradient(error: Tensor, scales: int = 3) -> Tensor:
    """Mean |∂x e| + |∂y e| of ``[M, 3, H, W]`` over a pyramid of 2× averages; linear in the error of gradients."""
    total = error.new_zeros(())
    for _ in range(scales):
        total = total + (error[..., 1:] - error[..., :-1]).abs().mean()
        total = total + (error[..., 1:, :] - error[..., :-1, :]).abs().mean()
        error = F.avg_pool2d(error, 2)
    return total / scales


def motion_loss(error: Tensor, border: float) -> Tensor:
    """L1 of the error of frame differences; steps into frames 4·k weigh ``border`` times: there latents jump."""
    steps = (error[:, 1:] - error[:, :-1]).abs().mean((0, 2, 3, 4))
    into = torch.arange(1, error.shape[1], device=error.device)
    weight = torch.where(into % 4 == 0, border, 1.0)
    return (steps * weight).sum() / weight.sum()


def discriminator_loss(real: Tensor, fake: Tensor) -> Tensor:
    """Hinge loss (Lim and Ye, 2017) on patch scores."""
    return F.relu(1.0 - real).mean() + F.relu(1.0 + fake).mean()
