"""Stages 2 and 3: teacher forcing, then resampling forcing. One window a clip, loss on the chunk's velocity.

Rectified flow (Liu et al., 2022): x_t = (1 − t) · data + t · noise, target noise − data. The attention mask is that of
play: prefix, history and chunk each see themselves and what lies before. First windows, which have no history, take
their share of the steps.

Teacher forcing takes history from the ground truth. *Resampling forcing* (source text, section 3.3.1) takes a share of
it from the model: the units before the chunk are noised to a level drawn once for the window, and the model makes them
anew from there, without gradient. What it then sees is what it will see in play: its own errors, but still a past
which the ground truth continues, so that unit borders do not learn to pop.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from ..model.renderer import Renderer
from ..model.transfer import send
from ..stream.schedule import Schedule
from .guidance import Noised, Scales, fitting_loss
from .latent_bank import LatentBank, WindowBatch
from .learner import Group, Learner, LearnerConfig
from .light import add_light, light_scores
from .team import ALONE, Team
from .windows import logit_normal, refuse_sink, repeatable, resample_history, sample, shift_history, velocity


@dataclass(frozen=True)
class ForcingStage:
    """Settings of the stage.

    Args:
        batch: windows a step.
        rate, warmup: peak learning rate and its warm-up steps.
        shift: of the logit-normal noise level; above 1 favours high noise.
        history_most: history is noised to ``history_most`` · u², u uniform; noised history damps drift.
        history_absent: share of windows whose history is pure noise.
        history_shift: largest drift put on history, see ``windows.shift_history``.
        first_share: share of steps that train windows without history. A true history says nearly all about colours and
            light (told the wrong sun, a trained generator changed nothing), so only these teach what a reference means.
        span_share: share of those steps whose windows are as long as a later one, history and chunk, instead of as long
            as the first: the spans that critics judge, see ``distillation``.
        scales: guidance that is fitted, or None; each window then counts three times, see ``guidance``.
        single_share: share of the other steps that train chunks of one unit, for play at low latency.
        resampled: share of the other steps whose history the model makes; 0 is teacher forcing.
        light_weight: weight of the error of the light that a generator with light reads; 0 for off.
        average: decay of the weight average.
        compile: compile the transformer's blocks; pays after about a minute.
    """

    batch: int = 160
    rate: float = 1e-3
    warmup: int = 300
    shift: float = 2.0
    history_most: float = 0.6
    history_absent: float = 0.08
    history_shift: float = 0.6
    first_share: float = 0.4
    span_share: float = 0.3
    scales: Scales | None = None
    single_share: float = 0.25
    resampled: float = 0.0
    light_weight: float = 1.0
    average: float = 0.999
    compile: bool = False


class ForcingTrainer:
    """State of one run over the renderer's structure encoder and generator; ``loop.run_stage`` drives it."""

    def __init__(
        self,
        renderer: Renderer,
        schedule: Schedule,
        stage: ForcingStage,
        bank: LatentBank,
        held_out: LatentBank,
        team: Team = ALONE,
    ) -> None:
        refuse_sink(schedule)
        self.renderer, self.schedule, self.stage = renderer, schedule, stage
        self.bank, self.held_out, self.team = bank, held_out, team
        self.device = bank.device
        self.light_weight = stage.light_weight if bank.knows_light else 0.0
        groups = [Group(part, stage.rate) for part in (renderer.structure, renderer.generator)]
        self.learner = Learner(groups, LearnerConfig(stage.warmup, stage.average), self.device, team)
        torch.manual_seed(1 + team.rank)
        if stage.compile:
            renderer.generator.compile_blocks()
        self.step = 0

    def state(self) -> dict[str, Any]:
        """Everything that the next step needs."""
        return self.learner.state()

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave."""
        self.learner.load(state)

    def settings(self) -> dict[str, Any]:
        """What a run folder says of the run."""
        data = self.bank.bank.describe()
        return {"stage": asdict(self.stage), "schedule": asdict(self.schedule), "data": data}

    def train_step(self, share: float) -> dict[str, Tensor]:
        """One step on windows of one kind: first windows, or later ones with true or resampled history."""
        stage, number = self.stage, self.team.draw(self.step)
        draw = torch.Generator().manual_seed(self.step)  # one kind of window for the whole team
        shares = torch.tensor([stage.first_share, stage.resampled, stage.single_share, stage.span_share])
        first, resampled, single, span = (torch.rand(4, generator=draw) < shares).tolist()
        history, whole = 0 if first else self.schedule.history, self.schedule.history + self.schedule.chunk
        lead = history if resampled else 0
        if first:
            units = whole if span else self.schedule.first
        else:
            units = history + (1 if single else self.schedule.chunk)
        size = max(1, stage.batch * whole // units // (3 if stage.scales else 1))
        batch, draw = self.bank.sample(number, size, lead + units), torch.Generator().manual_seed(number)
        if lead:
            batch = resample_history(self.renderer, batch, draw, history, stage.shift)
        batch = shift_history(batch, draw, history, stage.history_shift)
        loss = self.loss(batch, draw, history)
        whole_loss, light = add_light(loss, self.renderer, batch, self.light_weight)
        norm = self.learner.descend(whole_loss, self.step, share)
        self.step += 1
        kind = "first" if first else "resampled" if lead else "forced"
        return {"loss": loss.detach(), f"loss_{kind}": loss.detach(), **light, "gradient": norm}

    def loss(self, batch: WindowBatch, draw: torch.Generator, history: int) -> Tensor:
        """Mean squared error of the velocity of the chunk; noise and levels come from ``draw``."""
        n, units = batch.latents.shape[:2]
        level = self._levels(draw, n, units, history)
        noise = torch.randn(batch.latents.shape, device=self.device)
        t = level[:, :, None, None, None]
        noised, target = (1 - t) * batch.latents + t * noise, (noise - batch.latents)[:, history:]
        if self.stage.scales is None:
            made = velocity(self.renderer, batch, noised, level, history)
            return (made.float() - target).square().mean()
        return fitting_loss(self.renderer, batch, Noised(noised, level, target), history, self.stage.scales)

    def _levels(self, draw: torch.Generator, n: int, units: int, history: int) -> Tensor:
        """Noise levels ``[N, U]``: one for the history, one for the chunk."""
        stage = self.stage
        chunk = logit_normal(draw, n, stage.shift).expand(n, units - history)
        held = stage.history_most * torch.rand(n, 1, generator=draw).square()
        held = torch.where(torch.rand(n, 1, generator=draw) < stage.history_absent, 1.0, held).expand(n, history)
        return send(torch.cat([held, chunk], 1), self.device)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Velocity loss, error of latents sampled in 1, 2 and 8 steps, on held-out windows with true history; and the
        reader's scores, see ``light_scores``."""
        # Sizes of its own are not worth compiling for.
        with repeatable(), self.learner.averaged(), torch.compiler.set_stance("force_eager"):
            return self._held_out_scores()

    def _held_out_scores(self) -> dict[str, float]:
        history = self.schedule.history
        batch = self.held_out.openings(history + self.schedule.chunk)
        scores = {"held_out_loss": float(self.loss(batch, torch.Generator().manual_seed(0), history))}
        for steps in (1, 2, 8):
            made = sample(self.renderer, batch, torch.linspace(1, 0, steps + 1).tolist(), history)
            error = (made - batch.latents[:, history:]).square().mean()
            scores[f"latent_error_{steps}"] = float(error)
        return scores | light_scores(self.renderer, self.held_out)
