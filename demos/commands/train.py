"""`paintover train STAGE`: one stage of the recipe, from clip folders to weights; the same command again goes on."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from engine_sim.core.errors import UserError

STAGES = ("autoencoder",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("stage", choices=STAGES, metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--preset", default="nano", help="nano or base (default nano)")
    parser.add_argument("--clips", type=Path, required=True, metavar="DIR", help="clip folder to train on")
    parser.add_argument("--held-out", type=Path, required=True, metavar="DIR", help="clip folder to score on")
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="run folder: curves, pictures, state")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="write the averaged weights here at the end")
    parser.add_argument("--seconds", type=float, default=600.0, metavar="S", help="time budget (default 600)")
    parser.add_argument("--steps", type=int, default=1_000_000, metavar="N", help="most optimiser steps")
    parser.add_argument("--batch", type=int, default=14, metavar="N", help="clips a step (default 14)")
    parser.add_argument("--crop", type=int, default=256, metavar="PX", help="side of the square crop (default 256)")
    parser.add_argument(
        "--octaves", type=int, default=0, metavar="N", help="octaves of anchored noise (default 0: none)"
    )
    parser.add_argument("--adversarial-from", type=float, default=0.6, metavar="SHARE", help="1: never (default 0.6)")
    parser.add_argument("--adversarial", type=float, default=0.05, metavar="W", help="weight (default 0.05)")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="most clips to load (default 0: all)")


def run(args: argparse.Namespace) -> int:
    """Train one stage."""
    try:
        import torch
    except ModuleNotFoundError:
        raise UserError("training needs torch: pip install 'paintover[render]'") from None
    from diffusion_render.model.renderer import PRESETS
    from diffusion_render.model.weights import WeightsHeader, save_weights
    from diffusion_render.train.autoencoder_stage import AutoencoderStage, AutoencoderTrainer
    from diffusion_render.train.clip_bank import ClipBank
    from diffusion_render.train.shards import ShardError
    from render_bridge.palette import RACING

    if args.preset not in PRESETS:
        raise UserError(f"unknown preset {args.preset!r}; expected one of {', '.join(PRESETS)}")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.benchmark = True
    try:
        bank = ClipBank(args.clips, device, limit=args.limit)
        held_out = ClipBank(args.held_out, device, limit=16)
    except ShardError as error:
        raise UserError(str(error)) from error
    print(f"training on {device}: {bank.describe()}")
    stage = AutoencoderStage(
        steps=args.steps,
        seconds=args.seconds,
        batch=args.batch,
        crop=args.crop,
        adversarial_from=args.adversarial_from,
        adversarial=args.adversarial,
    )
    config = dataclasses.replace(PRESETS[args.preset].autoencoder, noise_octaves=args.octaves)
    trainer = AutoencoderTrainer(config, stage, bank, held_out, args.run)
    trainer.run()
    if args.weights:
        header = WeightsHeader(
            "autoencoder", args.preset, "autoencoder", "none", RACING.hash, dataclasses.asdict(config), bank.describe()
        )
        trainer.average.swap(trainer.model)
        size = save_weights(args.weights, trainer.model, header)
        print(f"wrote {args.weights}, {size / 2**20:.2f} MiB")
    return 0
