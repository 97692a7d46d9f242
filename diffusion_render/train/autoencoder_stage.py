"""Stage 1: the autoencoder. L1, gradients and frame differences first, then a patch discriminator on top.

The look table comes from another place of the same look half of the time, so that the decoder never
learns to rely on a reference that shows this very picture.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..evaluate.detail import DetailSums, measure_detail, measure_grid
from ..evaluate.fidelity import psnr, saturation_ratio
from ..evaluate.sheets import reconstruction_row, write_sheet
from ..model.autoencoder import Autoencoder
from .adversary import Adversary, AdversaryConfig
from .clip_bank import Batch, ClipBank
from .learner import Group, Learner, LearnerConfig
from .losses import ReconstructionWeights, reconstruction_loss
from .start import data_dependent_start
from .team import ALONE, Team


@dataclass(frozen=True)
class AutoencoderStage:
    """Settings of the stage.

    Args:
        batch, frames, crop: clips a step, video frames of each, and side of the square crop in pixels.
        rate, warmup: peak learning rate and its warm-up steps.
        latent_noise: standard deviation of the noise on latents (whose rms is 1).
        adversarial_from: share of the budget after which the discriminator takes part; 1 for never.
        adversarial_least: steps before which it does not, however short the budget.
        average: decay of the weight average.
        compile: compile the whole forward pass and the discriminator; pays after about a minute.
    """

    batch: int = 12
    frames: int = 12
    crop: int = 224
    rate: float = 2e-3
    warmup: int = 200
    latent_noise: float = 0.08
    adversarial_from: float = 0.6
    adversarial_least: int = 4000
    average: float = 0.998
    compile: bool = False
    reconstruction: ReconstructionWeights = field(default_factory=ReconstructionWeights)
    adversary: AdversaryConfig = field(default_factory=AdversaryConfig)


class AutoencoderTrainer:
    """State of one run; ``loop.run_stage`` drives it.

    Args:
        model: as it starts; a new one gets the data-dependent start, one that ``is_trained`` is left as it is.
        stage: settings.
        bank, held_out: clips to train and to score on.
        folder: where the sheet of held-out pictures goes.
        team: of GPUs that work on it.
    """

    def __init__(
        self,
        model: Autoencoder,
        stage: AutoencoderStage,
        bank: ClipBank,
        held_out: ClipBank,
        folder: Path,
        is_trained: bool = False,
        team: Team = ALONE,
    ) -> None:
        self.stage, self.bank, self.held_out, self.folder, self.team = stage, bank, held_out, folder, team
        self.device, self.model = bank.device, model.to(bank.device)
        torch.manual_seed(0)
        self.step = 0
        if not is_trained:
            with torch.no_grad():
                data_dependent_start(self.model, lambda: self._reconstruct(self._batch(), stage.latent_noise))
        config = LearnerConfig(stage.warmup, stage.average, (0.9, 0.99))
        self.learner = Learner([Group(self.model, stage.rate)], config, self.device, team)
        torch.manual_seed(1 + team.rank)
        self._forward = torch.compile(self._losses, dynamic=False) if stage.compile else self._losses
        self.adversary = Adversary(stage.adversary, self.device, team, stage.compile)

    def state(self) -> dict[str, Any]:
        """Everything that the next step needs."""
        return {"learner": self.learner.state(), "adversary": self.adversary.state()}

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave."""
        self.learner.load(state["learner"])
        self.adversary.load(state["adversary"])

    def settings(self) -> dict[str, Any]:
        """What a run folder says of the run."""
        return {"stage": asdict(self.stage), "model": asdict(self.model.config), "data": self.bank.describe()}

    def _batch(self) -> Batch:
        return self.bank.sample(self.team.draw(self.step), self.stage.batch, self.stage.frames, self.stage.crop)

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def _reconstruct(self, batch: Batch, noise: float) -> Tensor:
        with self._autocast():
            look = self.model.look(batch.look_table)
            codes = self.model.codes(batch.class_maps)
            latents = self.model.encode(batch.frames, codes, look)
            latents = latents + noise * torch.randn_like(latents)
            output, _ = self.model.decode(latents, codes, look, noise=batch.noise)
        return output.float()

    def _losses(self, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """Output and named losses of a batch."""
        output = self._reconstruct(batch, self.stage.latent_noise)
        return output, reconstruction_loss(output, batch.frames, self.stage.reconstruction)

    def train_step(self, share: float) -> dict[str, Tensor]:
        """One step of the autoencoder, and of the discriminator once its time has come."""
        stage = self.stage
        batch = self._batch()
        output, values = self._forward(batch)
        loss, values = values["total"], dict(values)
        if share >= stage.adversarial_from and self.step >= stage.adversarial_least:
            terms, judged = self.adversary(output, batch.frames, batch.class_maps)
            loss, values = loss + terms, values | judged
        self.learner.descend(loss, self.step, share)
        values["saturation"] = saturation_ratio(output.detach(), batch.frames)
        self.step += 1
        return {name: value.detach() for name, value in values.items()}

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Scores on held-out clips with the averaged weights; the newest pictures go to ``sheet.jpg``."""
        rows: list[list[Tensor]] = []
        pictures: list[list[np.ndarray]] = []
        detail: DetailSums | None = None
        with self.learner.averaged():
            for batch in self.held_out.held_out(2 * self.stage.frames):
                output = self._reconstruct(batch, 0.0)
                shown, true = output.flatten(0, 1), batch.frames.flatten(0, 1)
                grid = torch.tensor(measure_grid(shown, true))
                rows.append([psnr(output, batch.frames), saturation_ratio(output, batch.frames), grid])
                sums = measure_detail(shown, true, batch.class_maps.flatten(0, 1), self.model.config.classes)
                detail = sums if detail is None else detail + sums
                if len(pictures) < 8:
                    last = batch.class_maps[0, -1], batch.frames[0, -1], output[0, -1]
                    pictures.append(reconstruction_row(*last))
        assert detail is not None
        write_sheet(self.folder / "sheet.jpg", pictures)
        means = torch.tensor([[float(v) for v in row] for row in rows]).mean(0)
        return {
            "held_out_psnr": float(means[0]),
            "held_out_saturation": float(means[1]),
            "held_out_detail": detail.ratio(),
            "held_out_detail_correlation": detail.correlation(),
            "held_out_grid": float(means[2]),
        }
