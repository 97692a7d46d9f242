"""The light in training: what the reader learns from clips that name it, and what the generator is told meanwhile."""

from __future__ import annotations

import torch
from torch import Tensor

from ..model.generator import Generator
from ..model.renderer import Renderer
from .latent_bank import LatentBank, WindowBatch

READ_NOISE = 0.5
"""Standard deviation of the noise on references that teach the reader; latents have rms 1."""


def told_light(generator: Generator, batch: WindowBatch, structure: Tensor) -> Tensor | None:
    """The light that the generator is told in these windows, as their references' cameras see it.

    Args:
        generator: whose reader is asked, without gradients.
        batch: windows; those marked ``light_told`` get the truth.
        structure: features of their references ``[N, 1, S, h, w]``.

    Returns:
        float32 ``[N, 3]``, zeros where there is no reference; None for a generator without light.
    """
    if generator.reader is None:
        return None
    with torch.no_grad():
        read = generator.reader(batch.reference, structure)
        light = torch.where(batch.light_told[:, None], batch.light, read)
        return torch.where(batch.reference_level < 1.0, light, 0.0)


def varied(batch: WindowBatch) -> WindowBatch:
    """The windows with half of their references mirrored, and all of them noised.

    A bank has few references for what a reader could learn by heart. Taught by these, it errs about a seventh less on
    held-out ones.
    """
    mirrored = torch.rand(len(batch.light), device=batch.light.device) < 0.5

    def some(x: Tensor) -> Tensor:
        return torch.where(mirrored.view(-1, *[1] * (x.ndim - 1)), x.flip(-1), x)

    latents, light = some(batch.reference), batch.light.clone()
    light[:, 1] *= torch.where(mirrored, -1.0, 1.0)  # what was to the left is to the right
    noised = latents + READ_NOISE * torch.randn_like(latents)
    return batch._replace(reference=noised, reference_shares=some(batch.reference_shares), light=light)


def light_loss(renderer: Renderer, batch: WindowBatch) -> Tensor | None:
    """Mean squared error of what the reader says, over windows whose reference and light are known; None without a
    reader.

    No gradient reaches the structure encoder: it serves the generator alone.
    """
    if renderer.generator.reader is None:
        return None
    device = batch.reference.device
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        with torch.no_grad():
            table = renderer.structure.table(batch.look_table)
            structure = renderer.structure.from_shares(batch.reference_shares, table)
        read = renderer.generator.reader(batch.reference, structure)
    return _error(batch, read)


def add_light(loss: Tensor, renderer: Renderer, batch: WindowBatch, weight: float) -> tuple[Tensor, dict[str, Tensor]]:
    """A stage's loss with the reader's, ``weight`` times, and what the curves show of it; as it was without a reader
    or a weight."""
    if not weight or renderer.generator.reader is None:
        return loss, {}
    error = light_loss(renderer, varied(batch))
    assert error is not None
    return loss + weight * error, {"light": error.detach()}


def _error(batch: WindowBatch, read: Tensor) -> Tensor:
    """Mean squared error of ``read`` ``[N, 3]`` where something is known to compare it with; 0 if nowhere."""
    known = batch.light.isfinite().all(1) & (batch.reference_level[:, 0] < 1.0)
    squares = (read - torch.where(known[:, None], batch.light, 0.0)).square().mean(1)
    return (squares * known).sum() / known.sum().clamp(min=1)


@torch.no_grad()
def light_scores(renderer: Renderer, held_out: LatentBank) -> dict[str, float]:
    """The reader's error on held-out references, ``light_error``, beside that of always saying nothing,
    ``light_error_of_zero``; empty without a reader or a light."""
    batch = held_out.openings(1)
    error = light_loss(renderer, batch)
    if error is None or not held_out.knows_light:
        return {}
    silent = _error(batch, torch.zeros_like(batch.light))
    return {"light_error": float(error), "light_error_of_zero": float(silent)}
