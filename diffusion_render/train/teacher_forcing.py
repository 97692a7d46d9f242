"""Stage 2: teacher forcing. One window a clip, history from the ground truth, loss on the chunk's velocity.

Rectified flow (Liu et al., 2022): x_t = (1 − t) · data + t · noise, target noise − data. The attention mask is that of
play: the prefix sees only itself. First windows, which have no history, take their share of the steps.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from ..model.encoder import normalize_latent
from ..model.generator import Tokens
from ..model.renderer import Renderer
from ..stream.schedule import Schedule
from .latent_bank import LatentBank, WindowBatch
from .run import Journal, WeightAverage, learning_rate, load_run, save_run


@dataclass(frozen=True)
class ForcingStage:
    """Settings of the stage.

    Args:
        steps, seconds: budget; the schedule follows whichever is spent first.
        batch: windows a step.
        rate, warmup: peak learning rate and its warm-up steps.
        shift: of the logit-normal noise level; above 1 favours high noise.
        history_most: history is noised to ``history_most`` · u², u uniform; noised history damps drift.
        history_absent: share of windows whose history is pure noise.
        first_share: share of steps that train the first window.
        average: decay of the weight average.
        compile: compile the transformer's blocks; pays after about a minute.
    """

    steps: int = 100_000
    seconds: float = 540.0
    batch: int = 160
    rate: float = 1e-3
    warmup: int = 300
    shift: float = 2.0
    history_most: float = 0.6
    history_absent: float = 0.08
    first_share: float = 0.1
    average: float = 0.999
    compile: bool = False


class ForcingTrainer:
    """State of one run over the renderer's structure encoder and generator."""

    def __init__(
        self,
        renderer: Renderer,
        schedule: Schedule,
        stage: ForcingStage,
        bank: LatentBank,
        held_out: LatentBank,
        folder: Path,
    ) -> None:
        if schedule.sink:
            raise ValueError(f"teacher forcing on short clips knows no sink; got a schedule with {schedule.sink}")
        self.renderer, self.schedule, self.stage = renderer, schedule, stage
        self.bank, self.held_out, self.folder = bank, held_out, folder
        self.device = bank.device
        self.trained = torch.nn.ModuleList([renderer.structure, renderer.generator])
        if stage.compile:
            for block in renderer.generator.blocks:
                block.compile(dynamic=False)
        self.average = WeightAverage(self.trained, stage.average)
        self.optimizer = torch.optim.AdamW(
            self.trained.parameters(), stage.rate, (0.9, 0.98), weight_decay=0.01, fused=self.device.type == "cuda"
        )
        self.step = 0
        saved = load_run(folder, self.device)
        if saved is not None:
            self.trained.load_state_dict(saved["trained"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.average.values, self.average.steps = saved["average"], saved["step"]
            self.step = saved["step"]

    def save(self) -> None:
        """Write everything that the next step needs."""
        save_run(
            self.folder,
            trained=self.trained.state_dict(),
            optimizer=self.optimizer.state_dict(),
            average=self.average.values,
            step=self.step,
        )

    def run(self) -> dict[str, float]:
        """Train to the end of the budget; returns the last held-out losses."""
        stage = self.stage
        settings = {"stage": asdict(stage), "schedule": asdict(self.schedule), "data": self.bank.bank.describe()}
        journal = Journal(self.folder, stage.seconds, "s", settings)
        start, losses = time.monotonic(), []
        try:
            while self.step < stage.steps and (elapsed := time.monotonic() - start) < stage.seconds:
                losses.append(self._train_step(max(self.step / stage.steps, elapsed / stage.seconds)))
                if self.step % 200 == 0:
                    journal.write(self.step, loss=torch.stack(losses).mean().item())
                    journal.progress(elapsed)
                    losses = []
                if self.step % 2000 == 0:
                    journal.write(self.step, **self.evaluate())
            scores = self.evaluate()
            journal.write(self.step, **scores)
        finally:
            self.save()
            journal.close()
        return scores

    def _train_step(self, share: float) -> Tensor:
        stage, draw = self.stage, torch.Generator().manual_seed(self.step)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.step, share, stage.rate, stage.warmup)
        first = bool(torch.rand(1, generator=draw) < stage.first_share)
        window = self.schedule.window(0 if first else 1)
        units = len(window.history) + len(window.chunk)
        size = max(1, stage.batch * (self.schedule.history + self.schedule.chunk) // units)
        batch = self.bank.sample(self.step, size, units)
        loss = self.loss(batch, draw, len(window.history))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        clip_grad_norm_(self.trained.parameters(), 1.0)
        self.optimizer.step()
        self.average.update(self.trained)
        self.step += 1
        return loss.detach()

    def loss(self, batch: WindowBatch, draw: torch.Generator, history: int) -> Tensor:
        """Mean squared error of the velocity of the chunk; noise and levels come from ``draw``."""
        n, units = batch.latents.shape[:2]
        level = self._levels(draw, n, units, history)
        noise = torch.randn(batch.latents.shape, device=self.device)
        t = level[:, :, None, None, None]
        noised = (1 - t) * batch.latents + t * noise
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            velocity = self._velocity(batch, noised, level)[:, history:]
        return (velocity.float() - (noise - batch.latents)[:, history:]).square().mean()

    def _levels(self, draw: torch.Generator, n: int, units: int, history: int) -> Tensor:
        """Noise levels ``[N, U]``: one for the history, one for the chunk."""
        stage = self.stage
        odds = torch.exp(torch.randn(n, 1, generator=draw)) * stage.shift
        chunk = (odds / (1 + odds)).expand(n, units - history)
        held = stage.history_most * torch.rand(n, 1, generator=draw).square()
        held = torch.where(torch.rand(n, 1, generator=draw) < stage.history_absent, 1.0, held).expand(n, history)
        return torch.cat([held, chunk], 1).to(self.device)

    def _velocity(self, batch: WindowBatch, noised: Tensor, level: Tensor) -> Tensor:
        structure, generator = self.renderer.structure, self.renderer.generator
        n, units = level.shape
        table = structure.table(batch.look_table)
        shares = torch.cat([batch.reference_shares, batch.shares], 1)
        features = structure.from_shares(shares, table)
        zero = torch.zeros(n, 1, device=self.device)
        reference = Tokens(batch.reference, features[:, :1], zero, torch.zeros(1, device=self.device))
        positions = torch.arange(1, units + 1, device=self.device)
        text = torch.zeros(n, generator.config.text_tokens, generator.config.text, device=self.device)
        return generator(text, reference, None, Tokens(noised, features[:, 1:], level, positions))

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Velocity loss, and error of latents sampled in 1, 2 and 8 steps, on held-out windows with true history."""
        self.average.swap(self.trained)
        try:
            count = min(32, len(self.held_out.bank))
            pick, away = torch.arange(count), torch.ones(count, dtype=torch.bool)
            history = self.schedule.history
            batch = self.held_out.windows(pick, torch.zeros_like(pick), away, history + self.schedule.chunk)
            torch.manual_seed(0)
            scores = {"held_out_loss": float(self.loss(batch, torch.Generator().manual_seed(0), history))}
            for steps in (1, 2, 8):
                made = self._sample(batch, torch.linspace(1, 0, steps + 1).tolist(), history)
                error = (made - batch.latents[:, history:]).square().mean()
                scores[f"latent_error_{steps}"] = float(error)
        finally:
            self.average.swap(self.trained)
        return scores

    def _sample(self, batch: WindowBatch, levels: list[float], history: int) -> Tensor:
        x = torch.randn(batch.latents[:, history:].shape, device=self.device)
        held = batch.latents[:, :history]
        for level, after in pairwise(levels):
            t = torch.full(batch.latents.shape[:2], level, device=self.device)
            t[:, :history] = 0.0
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
                velocity = self._velocity(batch, torch.cat([held, x], 1), t)[:, history:]
            x = x + (after - level) * velocity.float()
        return normalize_latent(x, 2)
