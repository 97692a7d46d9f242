"""What the autoencoder is trained on. Pictures are ``[N, F, 3, H, W]`` RGB around [−1, 1], F video frames."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from ..evaluate.detail import BLOCK

_LUMA = (0.299, 0.587, 0.114)


@dataclass(frozen=True)
class ReconstructionWeights:
    """Weights of the reconstruction loss.

    Args:
        chroma: extra L1 on colour differences: luma is learnt first, colour may stay grey for long.
        gradient: multi-scale gradient L1.
        motion: L1 of frame differences.
        border: factor on the frame differences across latent borders.
        texture: L1 of local contrast, see ``texture_loss``.
        grid: L1 of the strength of steps by their place in a block, see ``grid_loss``.
        tone: L1 of means over patches, see ``tone_loss``.
    """

    chroma: float = 0.5
    gradient: float = 0.5
    motion: float = 0.5
    border: float = 3.0
    texture: float = 1.0
    grid: float = 1.0
    tone: float = 1.0


def reconstruction_loss(output: Tensor, target: Tensor, w: ReconstructionWeights) -> dict[str, Tensor]:
    """Named terms whose sum under the weights is ``total``."""
    error = output - target
    luma = (error * error.new_tensor(_LUMA)[:, None, None]).sum(2, keepdim=True)
    terms = {
        "l1": error.abs().mean(),
        "chroma": (error - luma).abs().mean(),
        "gradient": multi_scale_gradient(error.flatten(0, 1)),
        "motion": motion_loss(error, w.border),
        "texture": texture_loss(output.flatten(0, 1), target.flatten(0, 1)),
        "grid": grid_loss(output.flatten(0, 1), target.flatten(0, 1)),
        "tone": tone_loss(error.flatten(0, 1)),
    }
    weights = {"l1": 1.0, **{name: getattr(w, name) for name in terms if name != "l1"}}
    total = sum((weights[name] * value for name, value in terms.items()), error.new_zeros(()))
    return {"total": total, **terms}


def multi_scale_gradient(error: Tensor, scales: int = 3) -> Tensor:
    """Mean |∂x e| + |∂y e| of ``[M, 3, H, W]`` over a pyramid of 2× averages; linear in the error of gradients."""
    total = error.new_zeros(())
    for _ in range(scales):
        total = total + (error[..., 1:] - error[..., :-1]).abs().mean()
        total = total + (error[..., 1:, :] - error[..., :-1, :]).abs().mean()
        error = F.avg_pool2d(error, 2)
    return total / scales


def texture_loss(output: Tensor, target: Tensor, scales: int = 2, patch: int = 16) -> Tensor:
    """L1 between the local contrasts of ``[M, 3, H, W]``: as much grain as the teacher, wherever each grain lies.

    Contrast is the root mean square, over patches, of a picture minus its 5 × 5 mean, at full size and at half. L1
    on pixels fines misplaced grain and ends in clay; this asks for its strength and leaves its place to anchored noise.
    """
    total = output.new_zeros(())
    for _ in range(scales):
        contrasts = [_local_contrast(picture, patch) for picture in (output, target)]
        total = total + (contrasts[0] - contrasts[1]).abs().mean()
        output, target = F.avg_pool2d(output, 2), F.avg_pool2d(target, 2)
        patch = max(2, patch // 2)
    return total / scales


def _local_contrast(picture: Tensor, patch: int) -> Tensor:
    fine = picture - F.avg_pool2d(picture, 5, 1, 2, count_include_pad=False)
    return torch.sqrt(F.avg_pool2d(fine.square(), patch, patch // 2) + 1e-5)


def grid_loss(output: Tensor, target: Tensor, patch: int = 16) -> Tensor:
    """L1 between how large steps from pixel to pixel are in ``[M, 3, H, W]``, by their place in a block of 4 × 4.

    A decoder that paints whole blocks finds local contrast cheapest where one block meets the next: there steps were
    twice as large as inside. Each of the four places in a block is therefore asked for the target's strength, over
    patches and in both directions.
    """
    return 0.5 * sum(
        ((_steps_by_place(output, axis, patch) - _steps_by_place(target, axis, patch)).abs().mean() for axis in (2, 3)),
        output.new_zeros(()),
    )


def _steps_by_place(picture: Tensor, axis: int, patch: int) -> Tensor:
    """Mean |steps| along ``axis`` 2 or 3 over patches, ``[12 · M, 1, rows, columns]``: three colours, four places."""
    x = picture if axis == 3 else picture.transpose(2, 3)
    steps = F.pad((x[..., 1:] - x[..., :-1]).abs(), (0, 1))
    places = steps[..., : steps.shape[-1] // BLOCK * BLOCK].unflatten(-1, (-1, BLOCK)).movedim(-1, 2)
    return F.avg_pool2d(places.flatten(0, 2)[:, None], (patch, patch // BLOCK))


def tone_loss(error: Tensor, patch: int = 16) -> Tensor:
    """L1 of the patch means of an error ``[M, 3, H, W]``.

    On pixels, L1 is ruled by fine detail, and a picture that is a little too bright everywhere costs next to nothing.
    """
    return F.avg_pool2d(error, patch).abs().mean()


def motion_loss(error: Tensor, border: float) -> Tensor:
    """L1 of the error of frame differences; steps into frames 4·k weigh ``border`` times: there latents jump."""
    steps = (error[:, 1:] - error[:, :-1]).abs().mean((0, 2, 3, 4))
    into = torch.arange(1, error.shape[1], device=error.device)
    weight = torch.where(into % 4 == 0, border, 1.0)
    return (steps * weight).sum() / weight.sum()


def discriminator_loss(real: Tensor, fake: Tensor) -> Tensor:
    """Hinge loss (Lim and Ye, 2017) on patch scores."""
    return F.relu(1.0 - real).mean() + F.relu(1.0 + fake).mean()
