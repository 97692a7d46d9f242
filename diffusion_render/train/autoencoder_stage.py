"""Stage 1: the autoencoder. L1, gradients and frame differences first, then a patch discriminator on top.

The look table comes from another place of the same look half of the time, so that the decoder never
learns to rely on a reference that shows this very picture.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from ..evaluate.detail import DetailSums, measure_detail
from ..evaluate.fidelity import psnr, saturation_ratio
from ..evaluate.sheets import reconstruction_row, write_sheet
from ..model.autoencoder import Autoencoder, AutoencoderConfig
from .clip_bank import Batch, ClipBank
from .discriminator import Discriminator
from .losses import ReconstructionWeights, discriminator_loss, reconstruction_loss
from .run import Journal, WeightAverage, learning_rate, load_run, save_run
from .start import data_dependent_start


@dataclass(frozen=True)
class AutoencoderStage:
    """Settings of the stage.

    Args:
        steps: optimiser steps; ``seconds`` ends the run earlier, and the schedule follows whichever comes first.
        batch, frames, crop: clips a step, video frames of each, and side of the square crop in pixels.
        rate, warmup: peak learning rate and its warm-up steps.
        latent_noise: standard deviation of the noise on latents (whose rms is 1).
        adversarial_from: share of the run after which the discriminator takes part; 1 for never.
        adversarial, matching: weights of the adversarial and the feature-matching term.
        average: decay of the weight average.
        compile: compile encoder and decoder; pays after about a minute.
    """

    steps: int = 16000
    seconds: float = 600.0
    batch: int = 14
    frames: int = 8
    crop: int = 256
    rate: float = 2e-3
    warmup: int = 200
    latent_noise: float = 0.08
    adversarial_from: float = 0.6
    adversarial: float = 0.05
    matching: float = 0.5
    average: float = 0.998
    compile: bool = False
    reconstruction: ReconstructionWeights = field(default_factory=ReconstructionWeights)


class AutoencoderTrainer:
    """State of one run; ``run`` goes on until the budget of steps or seconds is spent."""

    def __init__(
        self, config: AutoencoderConfig, stage: AutoencoderStage, bank: ClipBank, held_out: ClipBank, folder: Path
    ) -> None:
        self.stage, self.bank, self.held_out, self.folder = stage, bank, held_out, folder
        self.device = bank.device
        torch.manual_seed(0)
        self.model = Autoencoder(config).to(self.device)
        self.judge = Discriminator().to(self.device)
        self.step = 0
        with torch.no_grad():
            data_dependent_start(self.model, lambda: self._reconstruct(self._batch()))
        if stage.compile:
            for part in (self.model.encoder, self.model.decoder):
                part.compile(dynamic=False)
        self.average = WeightAverage(self.model, stage.average)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), stage.rate, (0.9, 0.99), weight_decay=0.01)
        self.judge_optimizer = torch.optim.AdamW(self.judge.parameters(), 2e-4, (0.5, 0.99))
        self._resume()

    def _resume(self) -> None:
        saved = load_run(self.folder, self.device)
        if saved is None:
            return
        self.model.load_state_dict(saved["model"])
        self.judge.load_state_dict(saved["judge"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.judge_optimizer.load_state_dict(saved["judge_optimizer"])
        self.average.values, self.average.steps = saved["average"], saved["step"]
        self.step = saved["step"]

    def save(self) -> None:
        """Write everything that the next step needs."""
        save_run(
            self.folder,
            model=self.model.state_dict(),
            judge=self.judge.state_dict(),
            optimizer=self.optimizer.state_dict(),
            judge_optimizer=self.judge_optimizer.state_dict(),
            average=self.average.values,
            step=self.step,
        )

    def _batch(self) -> Batch:
        return self.bank.sample(self.step, self.stage.batch, self.stage.frames, self.stage.crop)

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def _reconstruct(self, batch: Batch, noise: float | None = None) -> Tensor:
        with self._autocast():
            look = self.model.look(batch.look_table)
            codes = self.model.codes(batch.class_maps)
            latents = self.model.encode(batch.frames, codes, look)
            latents = latents + (self.stage.latent_noise if noise is None else noise) * torch.randn_like(latents)
            output, _ = self.model.decode(latents, codes, look, noise=batch.noise)
        return output.float()

    def run(self) -> dict[str, float]:
        """Train to the end of the budget; returns the last held-out scores."""
        stage = self.stage
        settings = {"stage": asdict(stage), "model": asdict(self.model.config), "data": self.bank.describe()}
        journal = Journal(self.folder, stage.seconds, "s", settings)
        start, scores, every = time.monotonic(), {}, max(1, min(500, stage.steps // 4))
        try:
            while self.step < stage.steps and (elapsed := time.monotonic() - start) < stage.seconds:
                share = max(self.step / stage.steps, elapsed / stage.seconds)
                values = self._train_step(share)
                if self.step % 100 == 0:
                    journal.write(self.step, **{k: v.item() for k, v in values.items()})
                    journal.progress(elapsed)
                if self.step % every == 0:
                    scores = self.evaluate()
                    journal.write(self.step, **scores)
            scores = self.evaluate()
            journal.write(self.step, **scores)
        finally:
            self.save()
            journal.close()
        return scores

    def _train_step(self, share: float) -> dict[str, Tensor]:
        stage = self.stage
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.step, share, stage.rate, stage.warmup)
        batch = self._batch()
        output = self._reconstruct(batch)
        values = reconstruction_loss(output, batch.frames, stage.reconstruction)
        loss = values["total"]
        if share >= stage.adversarial_from:
            loss = loss + self._adversarial(output, batch, values)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.average.update(self.model)
        values["saturation"] = saturation_ratio(output.detach(), batch.frames)
        self.step += 1
        return values

    def _adversarial(self, output: Tensor, batch: Batch, values: dict[str, Tensor]) -> Tensor:
        """One step of the discriminator, then the decoder's terms against it."""
        maps = _pairs(batch.class_maps)
        real, fake = _pairs(batch.frames), _pairs(output)
        with self._autocast():
            judged = discriminator_loss(self.judge(real, maps)[0], self.judge(fake.detach(), maps)[0])
        self.judge_optimizer.zero_grad(set_to_none=True)
        judged.backward()
        self.judge_optimizer.step()
        self.judge.requires_grad_(False)
        with self._autocast():
            score, features = self.judge(fake, maps)
            with torch.no_grad():
                _, wanted = self.judge(real, maps)
            matching = sum(
                ((a - b).abs().mean() for a, b in zip(features, wanted)), torch.zeros((), device=score.device)
            )
        self.judge.requires_grad_(True)
        values |= {"judge": judged.detach(), "matching": matching.detach()}
        return self.stage.matching * matching.float() - self.stage.adversarial * score.float().mean()

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Scores on held-out clips with the averaged weights; the newest pictures go to ``sheet.jpg``."""
        self.average.swap(self.model)
        rows: list[list[Tensor]] = []
        pictures: list[list[np.ndarray]] = []
        detail: DetailSums | None = None
        try:
            for batch in self.held_out.held_out(self.stage.frames):
                output = self._reconstruct(batch, noise=0.0)
                rows.append([psnr(output, batch.frames), saturation_ratio(output, batch.frames)])
                maps = batch.class_maps.flatten(0, 1)
                sums = measure_detail(output.flatten(0, 1), batch.frames.flatten(0, 1), maps, self.model.config.classes)
                detail = sums if detail is None else detail + sums
                if len(pictures) < 8:
                    last = batch.class_maps[0, -1], batch.frames[0, -1], output[0, -1]
                    pictures.append(reconstruction_row(*last))
        finally:
            self.average.swap(self.model)
        assert detail is not None
        write_sheet(self.folder / "sheet.jpg", pictures)
        means = torch.tensor([[float(v) for v in row] for row in rows]).mean(0)
        return {
            "held_out_psnr": float(means[0]),
            "held_out_saturation": float(means[1]),
            "held_out_detail": detail.ratio(),
            "held_out_detail_correlation": detail.correlation(),
        }


def _pairs(x: Tensor) -> Tensor:
    """``[N, F, …]`` → neighbouring frames ``[N · F/2, 2, …]``."""
    return x.unflatten(1, (-1, 2)).flatten(0, 1)
