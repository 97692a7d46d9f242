"""What the autoencoder is trained on."""

import pytest
import torch
import torch.nn.functional as F

from diffusion_render.train.losses import (
    ReconstructionWeights,
    grid_loss,
    motion_loss,
    reconstruction_loss,
    texture_loss,
    tone_loss,
)


def grain(seed: int, strength: float = 0.2) -> torch.Tensor:
    return strength * torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(seed))


def test_local_contrast_asks_for_the_strength_of_grain_and_not_for_its_place():
    teacher = grain(0)
    other, clay, harsh = grain(1), torch.zeros_like(teacher), grain(1, 0.4)
    assert texture_loss(teacher, teacher) == 0
    assert texture_loss(other, teacher) < 0.2 * texture_loss(clay, teacher)
    assert texture_loss(harsh, teacher) > 3 * texture_loss(other, teacher)
    assert F.l1_loss(other, teacher) > F.l1_loss(clay, teacher)


def test_local_contrast_has_a_gradient_even_for_a_flat_picture():
    flat = (1e-4 * grain(2)).requires_grad_()
    texture_loss(flat, grain(0)).backward()
    assert torch.isfinite(flat.grad).all()
    assert flat.grad.abs().sum() > 0


def blocks(seed: int, strength: float) -> torch.Tensor:
    small = torch.randn(2, 3, 16, 16, generator=torch.Generator().manual_seed(seed))
    return strength * small.repeat_interleave(4, 2).repeat_interleave(4, 3)


def test_blocks_do_not_pass_for_grain():
    teacher = grain(0)
    # Near to the teacher's local contrast, all of it where blocks meet.
    grid = blocks(1, 0.2)
    assert texture_loss(grid, teacher) < 0.6 * texture_loss(torch.zeros_like(teacher), teacher)
    assert grid_loss(teacher, teacher) == 0
    assert grid_loss(grid, teacher) > 5 * grid_loss(grain(1), teacher)
    assert grid_loss(grid.transpose(2, 3), teacher) == pytest.approx(float(grid_loss(grid, teacher)), rel=0.2)


def test_tone_asks_for_the_mean_of_a_patch_and_not_for_its_grain():
    brighter = torch.full((2, 3, 64, 64), 0.05)
    assert float(tone_loss(brighter)) == pytest.approx(0.05, rel=1e-5)
    assert tone_loss(brighter + grain(3)) < 2 * tone_loss(brighter)
    assert tone_loss(grain(3)) < 0.1 * grain(3).abs().mean()


def test_steps_into_a_new_unit_weigh_as_stated():
    error = torch.zeros(1, 8, 3, 8, 8)
    error[:, 4:] = 1.0
    inside = torch.zeros_like(error)
    inside[:, 2:] = 1.0
    assert motion_loss(error, 3.0) == pytest.approx(3 * float(motion_loss(inside, 3.0)))


def test_the_total_is_the_sum_of_its_terms_under_their_weights():
    weights = ReconstructionWeights(chroma=0.1, gradient=0.2, motion=0.3, texture=0.4, grid=0.6, tone=0.5)
    output, target = (torch.rand(1, 4, 3, 32, 32, generator=torch.Generator().manual_seed(k)) for k in (0, 1))
    terms = reconstruction_loss(output, target, weights)
    expected = sum(w * float(terms[n]) for n, w in vars(weights).items() if n != "border") + float(terms["l1"])
    assert float(terms["total"]) == pytest.approx(expected, rel=1e-5)
