"""The segmenter's stage as the command line runs it: clips in, ``segmenter.safetensors`` out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diffusion_render.evaluate.segmenter import PART, Segmenter
from diffusion_render.train.loop import run_stage
from diffusion_render.train.segmenter_stage import SegmenterStage, SegmenterTrainer

if TYPE_CHECKING:
    from .stages import StageOptions, Workshop


def train_segmenter(shop: Workshop, options: StageOptions) -> dict[str, Any]:
    """Train what the structure score reads classes with; it is no part of the renderer, and of no preset."""
    place = shop.place(PART)
    model = Segmenter().to(shop.bank.device)
    shop.parts.load(PART, model)
    stage = SegmenterStage(**options.given("batch", "crop", "rate"))
    trainer = SegmenterTrainer(model, stage, shop.bank, shop.held_out, place, shop.team)
    scores: dict[str, Any] = run_stage(trainer, options.budget, place, trainer.settings())
    trainer.learner.settle()
    if shop.team.leads:
        shop.parts.save(PART, model, PART, "none", model.config, shop.bank.describe())
    shop.meet()
    return scores
