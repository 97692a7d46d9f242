"""`paintover train STAGE …`: stages of the recipe, from clip folders to weights; the same command again goes on.

Several GPUs: ``torchrun --standalone --nproc-per-node 2 --local-ranks-filter 0 -m demos.cli train …``.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from demos.ends import leave_at_once, stoppable
from demos.options import check_place, positive
from demos.report import print_json
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from demos.training.stages import Workshop
    from diffusion_render.model.autoencoder import AutoencoderConfig
    from diffusion_render.model.generator import GeneratorConfig
    from diffusion_render.train.team import Team

Number = TypeVar("Number", int, float)
STAGES = ("autoencoder", "teacher-forcing", "resampling", "distillation", "refinement", "segmenter")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add = parser.add_argument
    add("stage", nargs="+", choices=STAGES, metavar="STAGE", help=", ".join(STAGES) + "; several run one after another")
    add("--preset", default="nano", help="nano or base (default nano)")
    add("--clips", type=Path, required=True, metavar="DIR", help="clip folder to train on")
    add("--held-out", type=Path, required=True, metavar="DIR", help="clip folder to score on")
    add("--folder", type=Path, required=True, metavar="DIR", help="run folder: curves, pictures, state, weights/")
    add("--start-from", type=Path, metavar="DIR", help="go on from parts of an earlier run in DIR, or 'shipped'")
    add("--seconds", default="600", metavar="S,…", help="time for each stage, or one for all (default 600)")
    add("--steps", type=int, default=1_000_000, metavar="N", help="most optimiser steps of a stage")
    add("--evaluations", type=int, default=6, metavar="N", help="held-out scores taken in a stage (default 6)")
    add("--batch", metavar="N,…", help="clips or windows a step, for each stage or for all (default: the stage's)")
    add("--crop", type=int, metavar="PX", help="side of the autoencoder's square crops")
    add("--rate", metavar="LR,…", help="peak learning rate, for each stage or for all (default: the stage's)")
    add("--octaves", type=int, metavar="N", help="octaves of anchored noise that the decoder reads (default: preset's)")
    add(
        "--selected",
        action="store_true",
        help="the decoder gives corrections per class; --start-from may lack it",
    )
    add("--heading", action="store_true", help="the generator knows the camera's turn; --start-from may lack it")
    add("--light", action="store_true", help="the generator is told where the light stands; --start-from may lack it")
    add("--guides", type=float, metavar="SHARE", help="share of batches with guide planes")
    add("--adversarial-from", type=float, metavar="SHARE", help="when the discriminator takes part; 1: never")
    add("--adversarial", type=float, metavar="W", help="weight of the discriminator")
    add("--texture", type=float, metavar="W", help="weight of local contrast")
    add("--guidance", action="store_true", help="fit guidance in the forcing stages: each window counts three times")
    add("--compile", action="store_true", help="compile the networks: pays after about a minute")
    add("--limit", type=int, default=0, metavar="N", help="most clips to load (default 0: all)")
    add("--json", action="store_true", help="print one JSON object on the last line")


@stoppable()
def run(args: argparse.Namespace) -> int:
    """Train the stages; SIGTERM, like Ctrl-C, saves how far they are."""
    try:
        import torch
    except ModuleNotFoundError:
        raise UserError("training needs torch: pip install 'paintover[render]'") from None
    from demos.renderer.process import lacks_memory
    from demos.training.stages import STAGES as FUNCTIONS
    from demos.training.stages import StageOptions
    from diffusion_render.model.weights import WeightsError
    from diffusion_render.train.loop import Budget
    from diffusion_render.train.run import first_line
    from diffusion_render.train.team import Team

    count = len(args.stage)
    seconds = _for_each("--seconds", args.seconds, count, float)
    batches = _for_each("--batch", args.batch, count, int) if args.batch else [None] * count
    rates = _for_each("--rate", args.rate, count, float) if args.rate else [None] * count
    _check(args)
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    known = {f.name for f in dataclasses.fields(StageOptions)}
    options = {name: value for name, value in vars(args).items() if name in known}
    scores: dict[str, Any] = {}
    try:
        team = Team.join()
        shop = _open(args, team)
        for stage, budget, batch, rate in zip(args.stage, seconds, batches, rates, strict=True):
            print(f"stage {stage}: {budget:g} s", flush=True)
            spent = Budget(args.steps, budget, args.evaluations)
            chosen = StageOptions(spent, **options | {"batch": batch, "rate": rate})
            scores[stage] = _plain(FUNCTIONS[stage](shop, chosen))
            print_json({"stage": stage, **scores[stage]})
    except (WeightsError, ValueError) as error:  # those of clips, runs and options among them
        raise UserError(str(error)) from error
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and not lacks_memory(error):
            raise
        raise UserError(f"no memory for this ({first_line(error)}): a smaller --batch takes less") from error
    except OSError as error:
        raise UserError(f"cannot use {error.filename or args.folder}: {error.strerror or error}") from error
    if args.json and team.leads:
        print_json(scores)
    if team.size > 1:
        team.agree(0.0)  # all have written what they had to
        leave_at_once(0)  # torch's gloo now and then aborts while it is taken down
    return 0


def _for_each(option: str, text: str, stages: int, kind: Callable[[str], Number]) -> list[Number]:
    """One positive value for each stage. UserError for anything else."""
    try:
        values = [kind(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (1, stages) or not all(0 < value < math.inf for value in values):
        raise UserError(f"{option} takes one value, or {stages} of them with commas between, all above 0; got {text!r}")
    return values * (stages if len(values) == 1 else 1)


def _check(args: argparse.Namespace) -> None:
    """Refuse what cannot be meant before clips are read. Raises UserError."""
    for name, least in (("steps", 1), ("evaluations", 1), ("limit", 0), ("octaves", 0)):
        if (count := getattr(args, name)) is not None and count < least:
            raise UserError(f"--{name} must be a whole number from {least} on, got {count}")
    for name in ("guides", "adversarial_from"):
        if (share := getattr(args, name)) is not None and not 0 <= share <= 1:
            raise UserError(f"--{name.replace('_', '-')} is a share from 0 to 1, got {share:g}")
    for name in ("adversarial", "texture"):
        if getattr(args, name):  # 0 leaves the loss out
            positive(getattr(args, name), f"--{name}")
    if args.crop is not None and (args.crop < 32 or args.crop % 32):
        raise UserError(f"--crop must be divisible by 32, and at least 32, got {args.crop}")
    start = args.start_from
    if start is not None and str(start) != "shipped" and not any(start.glob("*.safetensors")):
        raise UserError(f"--start-from: {start} holds no parts (.safetensors); expected a run's folder of weights")
    if args.folder.exists() and not args.folder.is_dir():
        raise UserError(f"--folder: {args.folder} is a file; name a folder")
    check_place(args.folder / "weights", "a run")


def _plain(scores: dict[str, Any]) -> dict[str, Any]:
    """Scores as JSON has them: null where one is not finite."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in scores.items()}


def _open(args: argparse.Namespace, team: Team) -> Workshop:
    """Load the clips and make the networks."""
    from demos.training.parts import SHIPPED, Parts, unpack_shipped
    from demos.training.stages import Workshop
    from diffusion_render.model.renderer import PRESETS, Renderer
    from diffusion_render.train.clip_bank import BankConfig, ClipBank
    from diffusion_render.train.prompt_bank import encode_prompts

    if args.preset not in PRESETS:
        raise UserError(f"unknown preset {args.preset!r}; expected one of {', '.join(PRESETS)}")
    config, device = PRESETS[args.preset], team.device
    generator = _generator(config.generator, args)
    config = dataclasses.replace(config, autoencoder=_autoencoder(config.autoencoder, args), generator=generator)
    bank_config = BankConfig() if args.guides is None else BankConfig(guides=args.guides)
    bank = ClipBank(args.clips, device, bank_config, limit=args.limit)
    held_out = ClipBank(args.held_out, device, limit=32)
    print(f"training on {device}: {bank.describe()}; scored on {held_out.describe()}")
    renderer = Renderer(config).to(device)
    start = args.start_from
    if start == Path(SHIPPED) and not start.exists():
        start = args.folder / SHIPPED
        if team.leads:
            unpack_shipped(args.preset, start)
        team.agree(0.0)  # nobody reads before it is there
    parts = Parts(args.folder / "weights", start, args.preset)
    return Workshop(renderer, bank, held_out, parts, args.folder, lambda b: encode_prompts(b.prompts, device), team)


def _autoencoder(preset: AutoencoderConfig, args: argparse.Namespace) -> AutoencoderConfig:
    """The preset's autoencoder with what the command line changes of it."""
    octaves = preset.noise_octaves if args.octaves is None else args.octaves
    return dataclasses.replace(preset, noise_octaves=octaves, selected=preset.selected or args.selected)


def _generator(preset: GeneratorConfig, args: argparse.Namespace) -> GeneratorConfig:
    """The preset's generator with what the command line changes of it; light is told by way of headings."""
    light = preset.light or args.light
    return dataclasses.replace(preset, heading=preset.heading or args.heading or light, light=light)
