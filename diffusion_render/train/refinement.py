"""The last stage: generator and decoder together, on the pictures of windows that the model makes itself.

The stages before ask for latents in mean square. Where the latent cannot be told, the best answer to that is the mean
of all that it may be, and a decoder that has only seen true latents paints a mean as fog. Here a window is made in as
many steps as play takes, on a history that the model made in the steps before (``walks``), decoded, and judged as a
picture: reconstruction, and a discriminator that knows the class maps. Gradients flow through the decoder and through
the last step of the sampler. The flow's own loss stays on, so that latents keep their meaning as a history.

Training few-step generators on their own samples with a discriminator: Sauer et al., 2023 (adversarial diffusion
distillation), here on video and in pixels.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..evaluate.detail import DetailSums, measure_detail, measure_grid
from ..evaluate.fidelity import psnr
from ..evaluate.sheets import reconstruction_row, write_sheet
from ..model.encoder import FRAMES
from ..model.renderer import Renderer
from ..stream.schedule import Schedule
from .adversary import Adversary, AdversaryConfig
from .clip_bank import Batch
from .latent_bank import AWAY, LatentBank, WindowBatch
from .learner import Group, Learner, LearnerConfig
from .light import add_light, light_scores
from .losses import ReconstructionWeights, reconstruction_loss
from .team import ALONE, Team
from .walks import Walks
from .windows import logit_normal, refuse_sink, repeatable, sample_as_played, shift_history, velocity

CONTEXT = 1
"""Units of history that are decoded too: the decoder remembers, and its steps into the chunk are judged."""


@dataclass(frozen=True)
class RefinementStage:
    """Settings of the stage.

    Args:
        batch: windows of history and chunk a step.
        rate, decoder_rate, warmup: peak learning rates of generator and decoder, and their warm-up steps.
        broken: share of the walks that start anew at each step, see ``walks.Walks``.
        history_shift: largest drift put on history besides, see ``windows.shift_history``.
        first_share: share of the steps that train first windows. What the model makes there goes on as walks.
        true_share: share of the windows whose chunk is decoded from its true latents, noised by ``latent_noise``.
        latent_noise: standard deviation of the noise on true latents.
        shift: of the logit-normal noise level of the flow's loss.
        flow: weight of the flow's loss.
        light_weight: weight of the error of the light that a generator with light reads; 0 for off.
        adversarial_least: steps before which the discriminator asks for nothing; it learns from the first.
        average: decay of the weight average.
        compile: compile the transformer's blocks, the decoder with its losses, and the discriminator.
    """

    batch: int = 8
    rate: float = 2e-4
    decoder_rate: float = 4e-4
    warmup: int = 100
    broken: float = 0.05
    history_shift: float = 0.2
    first_share: float = 0.2
    true_share: float = 0.15
    latent_noise: float = 0.08
    shift: float = 2.0
    flow: float = 0.3
    light_weight: float = 1.0
    adversarial_least: int = 300
    average: float = 0.998
    compile: bool = False
    reconstruction: ReconstructionWeights = field(default_factory=ReconstructionWeights)
    adversary: AdversaryConfig = field(default_factory=AdversaryConfig)


class RefinementTrainer:
    """State of one run over structure encoder, generator and decoder; ``loop.run_stage`` drives it.

    Encoder and class tables stay as they are: latents and references mean what they meant.

    Args:
        renderer: trained by the stages before.
        schedule: of play; its steps are those that are trained.
        stage: settings.
        bank, held_out: windows to train and to score on.
        folder: where the sheet of held-out pictures goes.
        team: of GPUs that work on it.
    """

    def __init__(
        self,
        renderer: Renderer,
        schedule: Schedule,
        stage: RefinementStage,
        bank: LatentBank,
        held_out: LatentBank,
        folder: Path,
        team: Team = ALONE,
    ) -> None:
        refuse_sink(schedule)
        self.renderer, self.schedule, self.stage, self.folder = renderer, schedule, stage, folder
        self.bank, self.held_out, self.team, self.device = bank, held_out, team, bank.device
        self.light_weight = stage.light_weight if bank.knows_light else 0.0
        renderer.autoencoder.requires_grad_(False)
        decoder = renderer.autoencoder.decoder.requires_grad_(True)
        groups = [
            Group(renderer.structure, stage.rate),
            Group(renderer.generator, stage.rate),
            Group(decoder, stage.decoder_rate),
        ]
        self.learner = Learner(groups, LearnerConfig(stage.warmup, stage.average), self.device, team)
        torch.manual_seed(1 + team.rank)
        if stage.compile:
            renderer.generator.compile_blocks()
        self._painted = torch.compile(self._paint, dynamic=False) if stage.compile else self._paint
        self.adversary = Adversary(stage.adversary, self.device, team, stage.compile)
        self.walks = Walks(bank, schedule, stage.batch, stage.broken)
        self.step = 0

    def state(self) -> dict[str, Any]:
        """Everything that the next step needs, but for where the walks were: they start anew."""
        return {"learner": self.learner.state(), "adversary": self.adversary.state()}

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave."""
        self.learner.load(state["learner"])
        self.adversary.load(state["adversary"])

    def settings(self) -> dict[str, Any]:
        """What a run folder says of the run."""
        data = self.bank.bank.describe()
        return {"stage": asdict(self.stage), "schedule": asdict(self.schedule), "data": data}

    def train_step(self, share: float) -> dict[str, Tensor]:
        """One step of generator and decoder, and one of the discriminator."""
        stage, number = self.stage, self.team.draw(self.step)
        draw = torch.Generator().manual_seed(self.step)  # one kind of window for the whole team
        first = float(torch.rand(1, generator=draw)) < stage.first_share
        if first:
            shown = CONTEXT + self.schedule.chunk  # of a later window; as many units are decoded of first ones
            pick = self.walks.openings(number, max(1, stage.batch * shown // self.schedule.first), self.schedule.first)
            history, batch = 0, self.bank.at(pick, self.schedule.first)
        else:
            history, batch = self.schedule.history, self.walks.next(number)
        loss, values, made = self._losses(batch, torch.Generator().manual_seed(number), history)
        if first:
            self.walks.begin(number, pick, made)
        else:
            self.walks.keep(made)
        self.learner.descend(loss, self.step, share)
        self.step += 1
        return {name: value.detach() for name, value in values.items()}

    def _losses(
        self, batch: WindowBatch, draw: torch.Generator, history: int
    ) -> tuple[Tensor, dict[str, Tensor], Tensor]:
        """Weighted sum and named values of one batch of windows, and the chunks that were made of them."""
        drifted = shift_history(batch, draw, history, self.stage.history_shift)
        made = sample_as_played(self.renderer, drifted, self.schedule, history, torch.is_grad_enabled())
        latents, seen = self._shown(batch, made, draw, history)
        output, values = self._painted(latents, seen)
        terms, judged = self.adversary(output, seen.frames, seen.class_maps)
        flow = self._flow(drifted, draw, history)
        loss = values["total"] + self.stage.flow * flow
        if self.step >= self.stage.adversarial_least:
            loss = loss + terms
        loss, light = add_light(loss, self.renderer, drifted, self.light_weight)
        return loss, {**values, **judged, "flow": flow, **light}, made

    def _shown(self, batch: WindowBatch, made: Tensor, draw: torch.Generator, history: int) -> tuple[Tensor, Batch]:
        """Latents of the units that are decoded ``[N, V, C, h, w]``, and the true pictures of these units."""
        true = batch.latents[:, history:]
        true = true + self.stage.latent_noise * torch.randn_like(true)
        known = (torch.rand(len(true), generator=draw) < self.stage.true_share).to(self.device)
        chunk = torch.where(known[:, None, None, None, None], true, made)
        context = slice(max(0, history - CONTEXT), None)
        seen = self.bank.bank.units(batch.place.clip, batch.place.unit[:, context], batch.look_table)
        if seen.noise is not None:
            seen = seen._replace(noise=seen.noise * batch.heading[:, :1, 2, None, None, None, None])
        return torch.cat([batch.latents[:, context][:, : min(CONTEXT, history)], chunk], 1), seen

    def _paint(self, latents: Tensor, seen: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """Decoded frames and the reconstruction's losses."""
        model = self.renderer.autoencoder
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            look, codes = model.look(seen.look_table), model.codes(seen.class_maps)
            output, _ = model.decode(latents, codes, look, noise=seen.noise)
        output = output.float()
        return output, reconstruction_loss(output, seen.frames, self.stage.reconstruction)

    def _flow(self, batch: WindowBatch, draw: torch.Generator, history: int) -> Tensor:
        """The loss of forcing, on the same windows: history as in play, one level for the chunk."""
        n, units = batch.latents.shape[:2]
        held = torch.full((n, history), self.schedule.history_noise)
        chunk = logit_normal(draw, n, self.stage.shift).expand(n, units - history)
        level = torch.cat([held, chunk], 1).to(self.device)
        noise, t = torch.randn_like(batch.latents), level[:, :, None, None, None]
        made = velocity(self.renderer, batch, (1 - t) * batch.latents + t * noise, level, history)
        return (made.float() - (noise - batch.latents)[:, history:]).square().mean()

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Scores of windows made on held-out clips, true history, references from the other place; and a sheet."""
        # Sizes of its own are not worth compiling for.
        with repeatable(), self.learner.averaged(), torch.compiler.set_stance("force_eager"):
            return self._held_out_scores()

    def _held_out_scores(self) -> dict[str, float]:
        history, clips = self.schedule.history, min(16, len(self.held_out.bank))
        fidelity: list[float] = []
        grids: list[float] = []
        pictures: list[list[np.ndarray]] = []
        detail: DetailSums | None = None
        for k in range(clips):
            one = torch.tensor([k])
            batch = self.held_out.windows(one, one * 0, torch.tensor([AWAY]), history + self.schedule.chunk)
            made = sample_as_played(self.renderer, batch, self.schedule, history)
            seen = self.held_out.bank.units(batch.place.clip, batch.place.unit, batch.look_table)
            output, _ = self._paint(torch.cat([batch.latents[:, :history], made], 1), seen)
            # The history's units are decoded for the decoder's memory; the chunk alone is scored.
            shown, true, maps = (x[0, FRAMES * history :] for x in (output, seen.frames, seen.class_maps))
            fidelity.append(float(psnr(shown, true)))
            grids.append(measure_grid(shown, true))
            sums = measure_detail(shown, true, maps, self.renderer.config.autoencoder.classes)
            detail = sums if detail is None else detail + sums
            if len(pictures) < 8:
                pictures.append(reconstruction_row(maps[-1], true[-1], shown[-1]))
        assert detail is not None
        write_sheet(self.folder / "sheet.jpg", pictures)
        return {
            "held_out_psnr": float(np.mean(fidelity)),
            "held_out_detail": detail.ratio(),
            "held_out_detail_correlation": detail.correlation(),
            "held_out_grid": float(np.mean(grids)),
            **light_scores(self.renderer, self.held_out),
        }
