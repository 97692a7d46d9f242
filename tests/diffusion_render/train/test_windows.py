"""Windows that are made in training are those of play."""

import pytest
import torch

from diffusion_render.train.windows import resample_history, sample, shift_history
from tests.diffusion_render.toys import toy_renderer
from tests.diffusion_render.train.test_teacher_forcing import bank  # noqa: F401

LEVELS = (1.0, 0.6, 0.0)


@pytest.fixture
def renderer():
    return toy_renderer()


def test_resampled_history_is_made_by_the_model_and_the_chunk_stays_true(bank, renderer):  # noqa: F811
    batch = bank.sample(0, 3, 3)
    made = resample_history(renderer, batch, torch.Generator().manual_seed(0), 1, 2.0)
    assert made.latents.shape[1] == 2
    assert torch.equal(made.latents[:, 1], batch.latents[:, 2])
    assert torch.equal(made.shares, batch.shares[:, 1:])
    assert torch.equal(made.heading, batch.heading[:, 1:])
    assert torch.equal(made.place.unit, batch.place.unit[:, 1:])
    assert not torch.equal(made.latents[:, 0], batch.latents[:, 1])
    assert torch.allclose(made.latents[:, 0].square().mean(1), torch.ones(()), atol=1e-2)
    assert not made.latents.requires_grad


def test_a_sampled_chunk_does_not_know_its_true_latents(bank, renderer):  # noqa: F811
    batch = bank.sample(0, 3, 3)
    other = batch._replace(latents=torch.cat([batch.latents[:, :1], torch.randn_like(batch.latents[:, 1:])], 1))
    torch.manual_seed(0)
    made = sample(renderer, batch, LEVELS, 1, 0.1)
    torch.manual_seed(0)
    assert torch.equal(sample(renderer, other, LEVELS, 1, 0.1), made)
    assert torch.allclose(made.square().mean(2), torch.ones(()), atol=1e-2)


def test_gradients_flow_through_the_last_step_alone(bank, renderer):  # noqa: F811
    batch, calls = bank.sample(0, 2, 3), []
    forward = renderer.generator.forward
    renderer.generator.forward = lambda *a: calls.append(torch.is_grad_enabled()) or forward(*a)
    assert not sample(renderer, batch, LEVELS, 1).requires_grad
    sample(renderer, batch, LEVELS, 1, last_learns=True).sum().backward()
    assert calls == [False, False, False, True]
    assert renderer.generator.out.weight.grad.abs().sum() > 0


def test_drift_shifts_the_mean_of_history_and_leaves_the_chunk(bank):  # noqa: F811
    batch = bank.sample(0, 16, 3)
    moved = shift_history(batch, torch.Generator().manual_seed(0), 1, 0.8)
    assert torch.equal(moved.latents[:, 1:], batch.latents[:, 1:])
    assert torch.allclose(moved.latents[:, :1].square().mean(2), torch.ones(()), atol=1e-2)
    before, after = batch.latents[:, 0].double(), moved.latents[:, 0].double()
    mean = before.mean((2, 3), keepdim=True), after.mean((2, 3), keepdim=True)
    assert (mean[1] - mean[0]).abs().amax((1, 2, 3)).max() > 0.1
    assert torch.equal(shift_history(batch, torch.Generator().manual_seed(0), 1, 0.8).latents, moved.latents)


def test_no_drift_and_no_history_change_nothing(bank):  # noqa: F811
    batch, draw = bank.sample(0, 4, 3), torch.Generator().manual_seed(0)
    assert shift_history(batch, draw, 0, 0.8) is batch
    assert shift_history(batch, draw, 1, 0.0) is batch
