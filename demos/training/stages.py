"""One function a stage: builds its trainer, runs it, writes its part, returns its scores."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from diffusion_render.evaluate.streaming import score_streams
from diffusion_render.model.autoencoder import MAY_BE_MISSING
from diffusion_render.model.renderer import Renderer
from diffusion_render.stream.schedule import Schedule
from diffusion_render.train.adversary import AdversaryConfig
from diffusion_render.train.autoencoder_stage import AutoencoderStage, AutoencoderTrainer
from diffusion_render.train.clip_bank import ClipBank
from diffusion_render.train.distillation import DistillationStage, DistillationTrainer
from diffusion_render.train.guidance import Scales
from diffusion_render.train.latent_bank import LatentBank
from diffusion_render.train.loop import Budget, run_stage
from diffusion_render.train.losses import ReconstructionWeights
from diffusion_render.train.refinement import RefinementStage, RefinementTrainer
from diffusion_render.train.teacher_forcing import ForcingStage, ForcingTrainer
from diffusion_render.train.team import ALONE, Team

from .parts import GENERATOR_MAY_LACK, Parts, generator_part
from .segmenter import train_segmenter

DRIVES = 8
"""Held-out clips that are streamed after a generator's stage."""


@dataclass(frozen=True)
class StageOptions:
    """What the command line may change of a stage; None leaves the stage's own value.

    Args:
        budget: of this stage.
        batch: clips or windows a step.
        crop: side of the autoencoder's square crops, pixels.
        rate: peak learning rate.
        adversarial_from: share of the autoencoder's budget after which the discriminator takes part.
        adversarial, texture: weights of those losses.
        guidance: fit guidance in the forcing stages, at the scales of ``guidance.Scales``.
        compile: compile the networks.
    """

    budget: Budget
    batch: int | None = None
    crop: int | None = None
    rate: float | None = None
    adversarial_from: float | None = None
    adversarial: float | None = None
    texture: float | None = None
    guidance: bool = False
    compile: bool = False

    def given(self, *names: str) -> dict[str, Any]:
        """Those of ``names`` that were given."""
        return {n: getattr(self, n) for n in names if getattr(self, n) is not None}

    def losses(self) -> dict[str, Any]:
        """Weights of the losses on pictures."""
        return {
            "reconstruction": ReconstructionWeights(**self.given("texture")),
            "adversary": AdversaryConfig(**self.given("adversarial")),
        }


@dataclass
class Workshop:
    """What all stages of one command share.

    Args:
        renderer: on the device of the banks.
        bank, held_out: clips to train and to score on.
        parts: where trained parts lie.
        folder: run folder; a stage has a folder of its own in it.
        prompts: makes the prompt tokens of a bank.
        team: of GPUs; its first member writes and scores.
    """

    renderer: Renderer
    bank: ClipBank
    held_out: ClipBank
    parts: Parts
    folder: Path
    prompts: Callable[[ClipBank], torch.Tensor]
    team: Team = ALONE
    _latents: tuple[LatentBank, LatentBank] | None = field(default=None)

    def latents(self) -> tuple[LatentBank, LatentBank]:
        """Both banks encoded, once, by the autoencoder as it is now."""
        if self._latents is None:
            self.renderer.autoencoder.requires_grad_(False)
            ae = self.renderer.autoencoder
            first, second = (LatentBank(b, ae, self.prompts(b)) for b in (self.bank, self.held_out))
            self._latents = first, second
        return self._latents

    def meet(self) -> None:
        """Wait until the whole team is here: what the first member wrote can be read now."""
        self.team.agree(0.0)

    def place(self, stage: str) -> Path:
        """The stage's own folder, made."""
        path = self.folder / stage
        path.mkdir(parents=True, exist_ok=True)
        return path


def train_autoencoder(shop: Workshop, options: StageOptions) -> dict[str, Any]:
    """Stage 1; a part that is there already is trained further."""
    given = options.given("batch", "crop", "rate", "adversarial_from") | options.losses()
    stage = AutoencoderStage(**given, compile=options.compile)
    model, place = shop.renderer.autoencoder, shop.place("autoencoder")
    trained = shop.parts.load("autoencoder", model, MAY_BE_MISSING)
    trainer = AutoencoderTrainer(model, stage, shop.bank, shop.held_out, place, trained, shop.team)
    scores = run_stage(trainer, options.budget, place, trainer.settings())
    trainer.learner.settle()
    if shop.team.leads:
        shop.parts.save("autoencoder", model, "autoencoder", "none", model.config, shop.bank.describe())
    shop.meet()
    shop._latents = None
    return scores


def train_teacher_forcing(shop: Workshop, options: StageOptions) -> dict[str, Any]:
    """Stage 2."""
    return _train_generator(shop, options, "teacher-forcing", 0.0)


def train_resampling(shop: Workshop, options: StageOptions) -> dict[str, Any]:
    """Stage 3: half of the histories are the model's own."""
    return _train_generator(shop, options, "resampling", 0.5)


def _train_generator(shop: Workshop, options: StageOptions, name: str, resampled: float) -> dict[str, Any]:
    renderer, part = shop.renderer, generator_part(shop.renderer)
    shop.parts.need("autoencoder", renderer.autoencoder, "autoencoder")
    if resampled:
        shop.parts.need("generator", part, "teacher-forcing", GENERATOR_MAY_LACK)
    else:
        shop.parts.load("generator", part, GENERATOR_MAY_LACK)
    scales = Scales() if options.guidance else None
    stage = ForcingStage(**options.given("batch", "rate"), resampled=resampled, scales=scales, compile=options.compile)
    trainer = ForcingTrainer(renderer, Schedule(), stage, *shop.latents(), shop.team)
    return _finish_generator(shop, trainer, options, name)


def _finish_generator(
    shop: Workshop, trainer: ForcingTrainer | DistillationTrainer, options: StageOptions, name: str
) -> dict[str, Any]:
    """Run a stage that trains the generator alone, write the part, and score its streams."""
    scores: dict[str, Any] = dict(run_stage(trainer, options.budget, shop.place(name), trainer.settings()))
    trainer.learner.settle()
    schedule, part = trainer.schedule, generator_part(shop.renderer)
    sampler = f"euler-{len(schedule.steps)}"
    if shop.team.leads:
        shop.parts.save("generator", part, name, sampler, shop.renderer.config.generator, shop.bank.describe())
        scores |= score_generator(shop, schedule, shop.place(name))
    shop.meet()
    return scores


def train_distillation(shop: Workshop, options: StageOptions) -> dict[str, Any]:
    """Stage 4: the generator, in its few steps and on its own streams, towards its many-step self."""
    renderer = shop.renderer
    shop.parts.need("autoencoder", renderer.autoencoder, "autoencoder")
    shop.parts.need("generator", generator_part(renderer), "resampling", GENERATOR_MAY_LACK)
    stage = DistillationStage(**options.given("batch", "rate"), compile=options.compile)
    trainer = DistillationTrainer(renderer, Schedule(), stage, *shop.latents(), shop.team)
    return _finish_generator(shop, trainer, options, "distillation")


def train_refinement(shop: Workshop, options: StageOptions) -> dict[str, Any]:
    """Stage 5: generator and decoder on the pictures of the model's own windows."""
    renderer, part, place = shop.renderer, generator_part(shop.renderer), shop.place("refinement")
    shop.parts.need("autoencoder", renderer.autoencoder, "autoencoder")
    shop.parts.need("generator", part, "teacher-forcing", GENERATOR_MAY_LACK)
    schedule = Schedule()
    stage = RefinementStage(**options.given("batch", "rate"), **options.losses(), compile=options.compile)
    trainer = RefinementTrainer(renderer, schedule, stage, *shop.latents(), place, shop.team)
    scores: dict[str, Any] = dict(run_stage(trainer, options.budget, place, trainer.settings()))
    trainer.learner.settle()
    if shop.team.leads:
        data, config = shop.bank.describe(), renderer.config
        shop.parts.save("autoencoder", renderer.autoencoder, "refinement", "none", config.autoencoder, data)
        sampler = f"euler-{len(schedule.steps)}"
        shop.parts.save("generator", part, "refinement", sampler, config.generator, data)
        scores |= score_generator(shop, schedule, place)
    shop.meet()
    return scores


def score_generator(shop: Workshop, schedule: Schedule, place: Path) -> dict[str, Any]:
    """Streams of held-out clips from both kinds of reference; a contact sheet of each."""
    scores: dict[str, Any] = {}
    shop.renderer.eval()
    for away in (False, True):
        name = "other_place" if away else "own_frame"
        text = shop.latents()[1].prompts
        drives = [shop.held_out.drive(k, away, text[k].float()) for k in range(min(DRIVES, len(shop.held_out)))]
        with torch.compiler.set_stance("force_eager"):  # sizes of its own, not worth compiling for
            streams = score_streams(shop.renderer, schedule, drives, place / f"stream_{name}.jpg")
        scores |= {f"{name}_{k}": v for k, v in dataclasses.asdict(streams).items()}
    return scores


STAGES: dict[str, Callable[[Workshop, StageOptions], dict[str, Any]]] = {
    "autoencoder": train_autoencoder,
    "teacher-forcing": train_teacher_forcing,
    "resampling": train_resampling,
    "distillation": train_distillation,
    "refinement": train_refinement,
    "segmenter": train_segmenter,
}
