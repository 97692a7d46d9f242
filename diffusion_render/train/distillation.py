"""Streaming distribution matching distillation: the generator's few steps towards what its many-step self makes.

Each step makes the next window of every stream (``walks``), so histories are the generator's own and no gradient
reaches them. Two critics, both copies of the generator as it was when the stage began, judge the span of history and
chunk as a whole, without history before it, re-noised to one level. The *real* critic is frozen: it stands for what the
generator should make. The *fake* one learns, by low-rank adapters and with fitted guidance, what the generator makes
now. The difference of what they would denoise the span to is the gradient of the chunk (Yin et al., 2024: DMD and
DMD2; source text, section 3.1.3).
"""

from __future__ import annotations

import copy
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ..model.renderer import Renderer
from ..stream.schedule import Schedule
from .guidance import Noised, Scales, ask_branches, fitting_loss, plain_predictions
from .latent_bank import LatentBank, WindowBatch
from .learner import Group, Learner, LearnerConfig
from .light import add_light
from .low_rank import adapt
from .team import ALONE, Team
from .walks import Walks
from .windows import logit_normal, refuse_sink, repeatable, sample_as_played, velocity

CRITIC_SCALES = Scales(3.0, 4.0)


@dataclass(frozen=True)
class DistillationStage:
    """Settings of the stage.

    Args:
        batch: windows a step.
        rate, critic_rate, warmup: peak learning rates of generator and fake critic, and their warm-up steps.
        every: steps of the fake critic for each one of the generator.
        rank: of the fake critic's adapters.
        scales: guidance that the fake critic fits; it judges by its plain prediction.
        shift: of the logit-normal noise level of spans.
        least, most: bounds of that level: near 0 and 1 the two critics cannot differ.
        broken: share of the walks that start anew at each step.
        light_weight: weight of the error of the light that a generator with light reads; 0 for off.
        average: decay of the weight average.
        compile: compile the transformers' blocks.
    """

    batch: int = 48
    rate: float = 5e-5
    critic_rate: float = 2e-4
    warmup: int = 50
    every: int = 3
    rank: int = 32
    scales: Scales = CRITIC_SCALES
    shift: float = 2.0
    least: float = 0.02
    most: float = 0.98
    broken: float = 0.05
    light_weight: float = 1.0
    average: float = 0.995
    compile: bool = False

    def __post_init__(self) -> None:
        if self.every < 1 or not 0.0 < self.least < self.most < 1.0:
            raise ValueError(f"distillation needs every ≥ 1 and 0 < least < most < 1, got {self}")


class Judged(NamedTuple):
    """What two critics say of latents ``[N, U, C, h, w]`` noised to ``level`` ``[N, 1, 1, 1, 1]``: velocities."""

    noised: Tensor
    level: Tensor
    real: Tensor
    fake: Tensor


def matching_gradient(made: Tensor, judged: Judged) -> Tensor:
    """The direction away from the real critic's distribution, of the shape of ``made`` ``[N, U, C, h, w]``.

    The difference of both denoised estimates, over the mean distance of ``made`` from the real one (Yin et al., 2024,
    equations 7 and 8); zero on average where both distributions agree.
    """
    real = judged.noised - judged.level * judged.real
    fake = judged.noised - judged.level * judged.fake
    distance = (made - real).abs().mean(tuple(range(1, made.ndim)), keepdim=True).clamp(min=1e-3)
    return (fake - real) / distance


def matching_loss(made: Tensor, gradient: Tensor) -> Tensor:
    """A loss whose gradient in ``made`` is ``gradient``, over the number of its elements."""
    wanted = (made - gradient).detach()
    return 0.5 * (made - wanted).square().mean()


class Critic(nn.Module):
    """A copy of the two parts that make velocities."""

    def __init__(self, renderer: Renderer) -> None:
        super().__init__()
        self.structure, self.generator = copy.deepcopy(renderer.structure), copy.deepcopy(renderer.generator)
        self.requires_grad_(False)


class DistillationTrainer:
    """State of one run over structure encoder and generator; ``loop.run_stage`` drives it.

    Args:
        renderer: trained by the forcing stages; critics are copied from it as it is now.
        schedule: of play; its steps are those that are distilled.
        stage: settings.
        bank, held_out: windows to train and to score on; the latents of their chunks are read for scores alone.
        team: of GPUs that work on it.
    """

    def __init__(
        self,
        renderer: Renderer,
        schedule: Schedule,
        stage: DistillationStage,
        bank: LatentBank,
        held_out: LatentBank,
        team: Team = ALONE,
    ) -> None:
        refuse_sink(schedule)
        self.renderer, self.schedule, self.stage = renderer, schedule, stage
        self.bank, self.held_out, self.team, self.device = bank, held_out, team, bank.device
        self.light_weight = stage.light_weight if bank.knows_light else 0.0
        torch.manual_seed(1)  # adapters start alike on all members
        self.real, self.fake = Critic(renderer), Critic(renderer)
        adapters = adapt(self.fake.generator, stage.rank)
        groups = [Group(part, stage.rate) for part in (renderer.structure, renderer.generator)]
        config = LearnerConfig(stage.warmup, stage.average)
        self.learner = Learner(groups, config, self.device, team)
        self.critic = Learner([Group(adapters, stage.critic_rate)], config, self.device, team)
        torch.manual_seed(1 + team.rank)
        if stage.compile:
            for network in (renderer, self.real, self.fake):
                network.generator.compile_blocks()
        self.walks = Walks(bank, schedule, stage.batch, stage.broken)
        self.step = 0

    def state(self) -> dict[str, Any]:
        """Everything that the next step needs, but for where the walks were: they start anew."""
        return {"learner": self.learner.state(), "critic": self.critic.state(), "real": self.real.state_dict()}

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave: also the generator that the critics were copied from."""
        self.learner.load(state["learner"])
        self.real.load_state_dict(state["real"])
        self._copy_under_adapters(self.real.generator)
        self.fake.structure.load_state_dict(self.real.structure.state_dict())
        self.critic.load(state["critic"])

    def _copy_under_adapters(self, origin: nn.Module) -> None:
        """Give the fake critic the frozen weights of ``origin``; an adapted one is called ``….original``."""
        own = dict(self.fake.generator.named_parameters())
        with torch.no_grad():
            for name, value in origin.named_parameters():
                layer, _, leaf = name.rpartition(".")
                adapted = f"{layer}.parametrizations.{leaf}.original"
                own[adapted if adapted in own else name].copy_(value)

    def settings(self) -> dict[str, Any]:
        """What a run folder says of the run."""
        data = self.bank.bank.describe()
        return {"stage": asdict(self.stage), "schedule": asdict(self.schedule), "data": data}

    def train_step(self, share: float) -> dict[str, Tensor]:
        """One window of every stream; a step of the fake critic and, each ``every``-th time, one of the generator."""
        number = self.team.draw(self.step)
        batch, draw = self.walks.next(number), torch.Generator().manual_seed(number)
        learns = self.step % self.stage.every == self.stage.every - 1
        made = self._made(batch, learns)
        self.walks.keep(made)
        values = {}
        if learns:
            loss = self._matching(batch, made, draw)
            whole, light = add_light(loss, self.renderer, batch, self.light_weight)
            norm = self.learner.descend(whole, self.step, share)
            values = {"matching": loss.detach(), **light, "gradient": norm}
        values["critic"] = self._teach_critic(batch, made.detach(), draw, share)
        self.step += 1
        return values

    def _made(self, batch: WindowBatch, learns: bool) -> Tensor:
        return sample_as_played(self.renderer, batch, self.schedule, self.schedule.history, learns)

    def _noised(self, span: Tensor, draw: torch.Generator) -> Noised:
        """A span at one level a window."""
        n, units = span.shape[:2]
        level = logit_normal(draw, n, self.stage.shift).clamp(self.stage.least, self.stage.most).to(self.device)
        noise, t = torch.randn_like(span), level[:, :, None, None, None]
        return Noised((1 - t) * span + t * noise, level.expand(n, units), noise - span)

    def _span(self, batch: WindowBatch, made: Tensor) -> Tensor:
        return torch.cat([batch.latents[:, : self.schedule.history], made.detach()], 1)

    def _matching(self, batch: WindowBatch, made: Tensor, draw: torch.Generator) -> Tensor:
        with torch.no_grad():
            noised = self._noised(self._span(batch, made), draw)
            real = velocity(self.real, batch, noised.latents, noised.level, 0).float()
            guided = ask_branches(self.fake, batch, noised.latents, noised.level, 0)
            fake = plain_predictions(guided, self.stage.scales).mapped
            chunk = slice(self.schedule.history, None)
            t = noised.level[:, :1, None, None, None]
            judged = Judged(noised.latents[:, chunk], t, real[:, chunk], fake[:, chunk])
            gradient = matching_gradient(made, judged)
        return matching_loss(made, gradient)

    def _teach_critic(self, batch: WindowBatch, made: Tensor, draw: torch.Generator, share: float) -> Tensor:
        noised = self._noised(self._span(batch, made), draw)
        loss = fitting_loss(self.fake, batch, noised, 0, self.stage.scales)
        self.critic.descend(loss, self.step, share)
        return loss.detach()

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Error of latents made in the steps of play, on held-out windows with true history."""
        history = self.schedule.history
        batch = self.held_out.openings(history + self.schedule.chunk)
        with repeatable(), self.learner.averaged(), torch.compiler.set_stance("force_eager"):
            made = self._made(batch, learns=False)
        return {"latent_error": float((made - batch.latents[:, history:]).square().mean())}
