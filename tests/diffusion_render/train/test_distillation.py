"""Distribution matching: its gradient on Gaussians, whom it reaches, who stays frozen, and that a run resumes."""

import pytest
import torch

from diffusion_render.stream.schedule import Schedule
from diffusion_render.train.distillation import (
    DistillationStage,
    DistillationTrainer,
    Judged,
    matching_gradient,
    matching_loss,
)
from diffusion_render.train.loop import Budget, run_stage
from tests.diffusion_render.toys import same_tensors, toy_renderer
from tests.diffusion_render.train.test_teacher_forcing import SCHEDULE, bank  # noqa: F401

SPREAD = 0.5


def exact_velocity(noised, t, mean):
    """E[noise − data | x_t] for data ~ N(mean, SPREAD²)."""
    variance = (1 - t) ** 2 * SPREAD**2 + t**2
    away = noised - (1 - t) * mean
    return t / variance * away - (mean + (1 - t) * SPREAD**2 / variance * away)


def judged(made, mean_real, mean_fake, draw):
    t = torch.rand(len(made), 1, 1, 1, 1, generator=draw) * 0.96 + 0.02
    noised = (1 - t) * made + t * torch.randn(made.shape, generator=draw)
    return Judged(noised, t, exact_velocity(noised, t, mean_real), exact_velocity(noised, t, mean_fake))


def test_on_gaussians_the_gradient_leads_from_the_one_made_to_the_one_wanted():
    draw = torch.Generator().manual_seed(0)
    wanted, mean = 0.8, torch.tensor(-1.0, requires_grad=True)
    learner = torch.optim.SGD([mean], 0.2)
    for _ in range(120):
        made = mean + SPREAD * torch.randn(64, 1, 2, 2, 2, generator=draw)
        with torch.no_grad():
            gradient = matching_gradient(made, judged(made, wanted, mean, draw))
        learner.zero_grad()
        matching_loss(made, gradient).backward()
        learner.step()
    assert mean.item() == pytest.approx(wanted, abs=0.05)


def test_where_both_critics_agree_there_is_no_gradient():
    draw = torch.Generator().manual_seed(1)
    made = torch.randn(8, 2, 3, 2, 2, generator=draw)
    assert not matching_gradient(made, judged(made, 0.3, 0.3, draw)).any()


def test_the_loss_has_the_gradient_that_it_was_given():
    made = torch.randn(2, 1, 3, 2, 2, requires_grad=True)
    gradient = torch.randn(2, 1, 3, 2, 2)
    matching_loss(made, gradient).backward()
    assert torch.allclose(made.grad, gradient / made.numel(), atol=1e-7)


def trainer(bank, **changes):  # noqa: F811
    settings = {"batch": 3, "rate": 2e-3, "critic_rate": 5e-3, "warmup": 2, "average": 0.9, "rank": 4, "every": 2}
    stage = DistillationStage(**settings | changes)
    return DistillationTrainer(toy_renderer(), SCHEDULE, stage, bank, bank)


def snapshot(module):
    return [p.detach().clone() for p in module.parameters()]


def test_the_critic_learns_at_every_step_the_generator_at_each_second(bank):  # noqa: F811
    stage = trainer(bank)
    generator, real = snapshot(stage.renderer.generator), snapshot(stage.real)
    frozen = [p.detach().clone() for p in stage.fake.parameters() if not p.requires_grad]
    adapters = snapshot(stage.critic.module)
    assert set(stage.train_step(0.0)) == {"critic"}
    assert same_tensors(generator, stage.renderer.generator.parameters())
    assert not same_tensors(adapters, stage.critic.module.parameters())
    values = stage.train_step(0.0)
    assert set(values) == {"critic", "matching", "gradient"}
    assert values["gradient"] > 0
    assert not same_tensors(generator, stage.renderer.generator.parameters())
    assert same_tensors(real, stage.real.parameters())
    assert same_tensors(frozen, [p for p in stage.fake.parameters() if not p.requires_grad])


def test_no_gradient_reaches_the_history(bank):  # noqa: F811
    stage = trainer(bank)
    batch = stage.walks.next(0)
    batch = batch._replace(latents=batch.latents.clone().requires_grad_())
    made = stage._made(batch, learns=True)
    assert made.requires_grad
    stage._matching(batch, made, torch.Generator().manual_seed(0)).backward()
    assert batch.latents.grad is None or not batch.latents.grad.any()
    assert any(p.grad is not None and p.grad.any() for p in stage.renderer.generator.parameters())
    stage.walks.keep(made)
    assert not stage.walks.next(1).latents[:, : SCHEDULE.history].requires_grad


def test_a_run_resumes_with_the_critics_of_its_start(bank, tmp_path):  # noqa: F811
    first = trainer(bank)
    run_stage(first, Budget(4, 1e9, 1), tmp_path, first.settings())
    again = trainer(bank)
    with torch.no_grad():  # as in a new process whose part on disk is a later one
        for p in (*again.real.parameters(), *again.fake.parameters()):
            p.add_(1.0)
    run_stage(again, Budget(4, 1e9, 1), tmp_path, again.settings())
    for name in ("real", "fake"):
        assert same_tensors(getattr(first, name).parameters(), getattr(again, name).parameters())
    assert same_tensors(first.learner.module.parameters(), again.learner.module.parameters())


@pytest.mark.parametrize("wrong", [{"every": 0}, {"least": 0.5, "most": 0.4}, {"most": 1.0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="every ≥ 1 and 0 < least < most < 1"):
        DistillationStage(**wrong)


def test_schedules_with_a_sink_are_refused(bank):  # noqa: F811
    with pytest.raises(ValueError, match="no sink"):
        DistillationTrainer(toy_renderer(), Schedule(sink=2), DistillationStage(rank=4), bank, bank)
