"""`paintover train STAGE`: one stage of the recipe, from clip folders to weights; the same command again goes on."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demos.report import print_json
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from diffusion_render.model.renderer import Renderer
    from diffusion_render.train.clip_bank import ClipBank

STAGES = ("autoencoder", "teacher-forcing")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("stage", choices=STAGES, metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--preset", default="nano", help="nano or base (default nano)")
    parser.add_argument("--clips", type=Path, required=True, metavar="DIR", help="clip folder to train on")
    parser.add_argument("--held-out", type=Path, required=True, metavar="DIR", help="clip folder to score on")
    parser.add_argument("--folder", type=Path, required=True, metavar="DIR", help="run folder: curves, pictures, state")
    parser.add_argument("--autoencoder", type=Path, metavar="FILE", help="weights that teacher forcing builds on")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="write the averaged weights here at the end")
    parser.add_argument("--seconds", type=float, default=600.0, metavar="S", help="time budget (default 600)")
    parser.add_argument("--steps", type=int, default=1_000_000, metavar="N", help="most optimiser steps")
    parser.add_argument(
        "--batch", type=int, default=0, metavar="N", help="clips or windows a step (default: the stage's)"
    )
    parser.add_argument("--crop", type=int, default=256, metavar="PX", help="side of the square crop (default 256)")
    parser.add_argument(
        "--octaves", type=int, default=0, metavar="N", help="octaves of anchored noise (default 0: none)"
    )
    parser.add_argument("--adversarial-from", type=float, default=0.6, metavar="SHARE", help="1: never (default 0.6)")
    parser.add_argument("--adversarial", type=float, default=0.05, metavar="W", help="weight (default 0.05)")
    parser.add_argument("--compile", action="store_true", help="compile the networks: pays after about a minute")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="most clips to load (default 0: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


def run(args: argparse.Namespace) -> int:
    """Train one stage."""
    try:
        import torch
    except ModuleNotFoundError:
        raise UserError("training needs torch: pip install 'paintover[render]'") from None
    from diffusion_render.model.renderer import PRESETS, Renderer
    from diffusion_render.model.weights import WeightsError
    from diffusion_render.train.clip_bank import ClipBank
    from diffusion_render.train.shards import ShardError

    if args.preset not in PRESETS:
        raise UserError(f"unknown preset {args.preset!r}; expected one of {', '.join(PRESETS)}")
    config = PRESETS[args.preset]
    autoencoder = dataclasses.replace(config.autoencoder, noise_octaves=args.octaves)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.benchmark = True
    try:
        bank, held_out = ClipBank(args.clips, device, limit=args.limit), ClipBank(args.held_out, device, limit=32)
        print(f"training on {device}: {bank.describe()}; scored on {held_out.describe()}")
        renderer = Renderer(dataclasses.replace(config, autoencoder=autoencoder)).to(device)
        stage = _train_autoencoder if args.stage == "autoencoder" else _train_generator
        scores = stage(args, renderer, bank, held_out)
    except (ShardError, WeightsError) as error:
        raise UserError(str(error)) from error
    if args.json:
        print_json(scores)
    return 0


def _train_autoencoder(
    args: argparse.Namespace, renderer: Renderer, bank: ClipBank, held_out: ClipBank
) -> dict[str, Any]:
    from diffusion_render.train.autoencoder_stage import AutoencoderStage, AutoencoderTrainer

    stage = AutoencoderStage(
        steps=args.steps,
        seconds=args.seconds,
        batch=args.batch or AutoencoderStage.batch,
        crop=args.crop,
        adversarial_from=args.adversarial_from,
        adversarial=args.adversarial,
        compile=args.compile,
    )
    trainer = AutoencoderTrainer(renderer.config.autoencoder, stage, bank, held_out, args.folder)
    scores = trainer.run()
    trainer.average.swap(trainer.model)
    _write(args, trainer.model, "autoencoder", "none", renderer.config.autoencoder, bank)
    return scores


def _train_generator(
    args: argparse.Namespace, renderer: Renderer, bank: ClipBank, held_out: ClipBank
) -> dict[str, Any]:
    from diffusion_render.evaluate.streaming import score_streams
    from diffusion_render.model.weights import load_weights
    from diffusion_render.stream.schedule import Schedule
    from diffusion_render.train.latent_bank import LatentBank
    from diffusion_render.train.teacher_forcing import ForcingStage, ForcingTrainer
    from render_bridge.palette import RACING

    if args.autoencoder is None:
        raise UserError("teacher forcing builds on an autoencoder: give its weights with --autoencoder FILE")
    load_weights(
        args.autoencoder, renderer.autoencoder, part="autoencoder", preset=args.preset, class_table=RACING.hash
    )
    renderer.autoencoder.requires_grad_(False)
    schedule = Schedule(sink=0)
    stage = ForcingStage(
        steps=args.steps, seconds=args.seconds, batch=args.batch or ForcingStage.batch, compile=args.compile
    )
    latents, held_latents = (LatentBank(b, renderer.autoencoder) for b in (bank, held_out))
    trainer = ForcingTrainer(renderer, schedule, stage, latents, held_latents, args.folder)
    scores: dict[str, Any] = trainer.run()
    trainer.average.swap(trainer.trained)
    _write(args, renderer, "renderer", "euler", renderer.config, bank)
    renderer.eval()
    for away in (False, True):
        name = "other_place" if away else "own_frame"
        sheet = args.folder / f"stream_{name}.jpg"
        drives = [held_out.drive(k, away) for k in range(min(8, len(held_out)))]
        streams = score_streams(renderer, schedule, drives, sheet)
        scores |= {f"{name}_{k}": v for k, v in dataclasses.asdict(streams).items()}
    return scores


def _write(args: argparse.Namespace, module: Any, part: str, sampler: str, config: Any, bank: ClipBank) -> None:
    from diffusion_render.model.weights import WeightsHeader, save_weights
    from render_bridge.palette import RACING

    if args.weights is None:
        return
    header = WeightsHeader(
        part, args.preset, args.stage, sampler, RACING.hash, dataclasses.asdict(config), bank.describe()
    )
    print(f"wrote {args.weights}, {save_weights(args.weights, module, header) / 2**20:.2f} MiB")
