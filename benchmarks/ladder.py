"""`python -m benchmarks.ladder`: what each saving of the renderer is worth, one after the other.

Every rung draws the same chunk from the same weights, and its pictures are held against the first rung's. From class
maps on the device to bytes on the device; `paintover bench players` measures from host to host.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from benchmarks.options import measured, parser_for
from demos.options import parse_size, positive
from engine_sim.core.errors import UserError

PRESETS = ("nano", "base", "toy")
LADDERS = ("card", "laptop")


def build_parser() -> argparse.ArgumentParser:
    """All options."""
    parser = parser_for("ladder", "what each saving of the renderer is worth")
    parser.add_argument(
        "--ladder", choices=LADDERS, default="card", help="card: caches to graphs; laptop: layout to bf16"
    )
    parser.add_argument("--presets", default="nano,base", metavar="NAME,…", help="models (nano,base), random weights")
    parser.add_argument("--size", metavar="WxH", help="of the pictures (default: the preset's)")
    return parser


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """A ladder for each preset. UserError for options that cannot be, no torch, no such device."""
    from demos.renderer.process import need_torch, set_up_torch

    presets = args.presets.split(",")
    if unknown := [name for name in presets if name not in PRESETS]:
        raise UserError(f"unknown preset {unknown[0]!r} in --presets: there are {', '.join(PRESETS)}")
    if args.ladder == "laptop":
        for word, value, meant in (("--threads", args.threads, None), ("--number-type", args.number_type, None)):
            if value is not meant:
                raise UserError(f"{word} {value}: the laptop's ladder climbs from one to another itself; leave it out")
        if args.device != "cpu":
            raise UserError(f"the laptop's ladder is a processor's, got --device {args.device}")
    seconds = positive(args.seconds, "--seconds")
    size = parse_size(args.size) if args.size else None
    need_torch()
    from benchmarks.climbing import LadderPlan
    from benchmarks.climbing import measure as climb
    from demos.renderer.factory import RendererPlan
    from diffusion_render.model.renderer import PRESETS as SIZED

    set_up_torch(args.threads)
    ladders = []
    for name in presets:
        renderer = RendererPlan(
            name, random_weights=True, device=args.device, threads=args.threads, number_type=args.number_type
        )
        chosen = size or (SIZED[name].width, SIZED[name].height)
        print(f"{name} at {chosen[0]}x{chosen[1]}, {args.ladder} ladder, {args.device}", flush=True)
        ladders.append(climb(LadderPlan(renderer, args.ladder, chosen, seconds, args.compile), say=print))
    return {"bench": "ladders", "ladders": ladders}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; returns the exit code."""
    return measured("ladder", build_parser(), measure, argv)


if __name__ == "__main__":
    raise SystemExit(main())
