"""The segmenter's stage: class maps read back from teacher frames. It judges the renderer, and is no part of it.

Trained on pictures that were tampered with (``tampering``), scored on held-out clips: on clean frames, which sets the
ceiling of the structure score, and on tampered ones, which says whether it judges structure rather than style.
"""

from __future__ import annotations

import copy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from render_bridge.palette import RACING

from ..evaluate.segmenter import Segmenter
from ..evaluate.sheets import picture_bytes, write_sheet
from ..evaluate.structure import confusion, mean_iou
from .clip_bank import ClipBank
from .learner import Group, Learner, LearnerConfig
from .tampering import Tampering, tamper
from .team import ALONE, Team

_WHOLE = 1 << 16
"""A crop that no picture is larger than."""
_HELD_OUT = 1 << 40
"""Seeds of held-out pictures, which no step of training has."""


@dataclass(frozen=True)
class SegmenterStage:
    """Settings of the stage.

    Args:
        batch, crop: pictures a step, and side of their square crops in pixels, divisible by 32.
        rate, warmup: peak learning rate and its warm-up steps.
        average: decay of the weight average.
        pictures: held-out pictures that are scored.
        rarest: most by which a rare class may outweigh the mean class in the loss.
        tampering: what is done to the pictures.
    """

    batch: int = 48
    crop: int = 256
    rate: float = 2e-3
    warmup: int = 100
    average: float = 0.995
    pictures: int = 32
    rarest: float = 4.0
    tampering: Tampering = field(default_factory=Tampering)


class SegmenterTrainer:
    """State of one run; ``loop.run_stage`` drives it.

    Args:
        model: as it starts.
        stage: settings.
        bank, held_out: clips to train and to score on; their guides are not drawn, which would cost far more than
            the segmenter itself.
        folder: where the sheet of held-out pictures goes.
        team: of GPUs that work on it.
    """

    def __init__(
        self,
        model: Segmenter,
        stage: SegmenterStage,
        bank: ClipBank,
        held_out: ClipBank,
        folder: Path,
        team: Team = ALONE,
    ) -> None:
        self.stage, self.folder, self.team = stage, folder, team
        self.bank, self.held_out = (_without_guides(b) for b in (bank, held_out))
        self.device, self.model = bank.device, model.to(bank.device)
        self.step = 0
        config = LearnerConfig(stage.warmup, stage.average, (0.9, 0.99))
        self.learner = Learner([Group(self.model, stage.rate)], config, self.device, team)
        self.weights = self._class_weights()

    def state(self) -> dict[str, Any]:
        """Everything that the next step needs."""
        return self.learner.state()

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave."""
        self.learner.load(state)

    def settings(self) -> dict[str, Any]:
        """What a run folder says of the run."""
        return {"stage": asdict(self.stage), "model": asdict(self.model.config), "data": self.bank.describe()}

    def _class_weights(self) -> Tensor:
        """1 / √share of each class, mean 1 over those that occur: thin classes decide the mean IoU as much as sky."""
        maps = torch.cat([self._pictures(self.bank, k, 64, self.stage.crop)[1].flatten() for k in range(4)])
        share = torch.bincount(maps.long(), minlength=self.model.config.classes).double() / len(maps)
        weight = torch.where(share > 0, share.clamp(min=1e-6).rsqrt(), 0.0)
        mean = weight.sum() / (share > 0).sum()
        return (weight / mean).clamp(max=self.stage.rarest).float()

    @staticmethod
    def _pictures(bank: ClipBank, seed: int, count: int, crop: int) -> tuple[Tensor, Tensor]:
        """Pictures ``[N, 3, h, w]`` in [−1, 1] and their class maps ``[N, h, w]``."""
        batch = bank.sample(seed, count, 1, crop)
        return batch.frames[:, 0], batch.class_maps[:, 0]

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def train_step(self, share: float) -> dict[str, Tensor]:
        """One optimiser step."""
        stage, number = self.stage, self.team.draw(self.step)
        pictures, maps = self._pictures(self.bank, number, stage.batch, stage.crop)
        if self.step % 2:
            pictures, maps = pictures.flip(-1), maps.flip(-1)
        pictures = tamper(pictures, stage.tampering, number)
        with self._autocast():
            scores = self.model(pictures)
        loss = F.cross_entropy(scores.float(), maps.long(), self.weights)
        self.learner.descend(loss, self.step, share)
        self.step += 1
        return {"loss": loss.detach()}

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Mean IoU on held-out pictures, clean and tampered with, by the averaged weights; writes ``sheet.jpg``."""
        classes = self.model.config.classes
        clean, tampered = (torch.zeros(classes, classes, dtype=torch.int64, device=self.device) for _ in range(2))
        rows: list[list[np.ndarray]] = []
        with self.learner.averaged():
            for k in range(self.stage.pictures):
                picture, truth = self._pictures(self.held_out, _HELD_OUT + k, 1, _WHOLE)
                worse = tamper(picture, self.stage.tampering, _HELD_OUT + k)
                read = self.model.read(picture)
                clean += confusion(truth, read, classes)
                tampered += confusion(truth, self.model.read(worse), classes)
                if len(rows) < 8:
                    colors = [RACING.colorize(m[0].cpu().numpy()) for m in (truth, read)]
                    rows.append([picture_bytes(picture[0]), *colors, picture_bytes(worse[0])])
        write_sheet(self.folder / "sheet.jpg", rows)
        return {"held_out_miou": mean_iou(clean), "held_out_miou_tampered": mean_iou(tampered)}


def _without_guides(bank: ClipBank) -> ClipBank:
    """The same clips, drawn without anchored noise."""
    plain = copy.copy(bank)
    plain.depth = None
    return plain
