"""`python -m benchmarks.peers`: a chunk of a public transformer's shape beside one of ours, in one run.

The public shape has random weights: 30 layers, 1536 wide, 1560 tokens a latent frame, 3 latent frames a chunk, 4 steps
and the pass that fills its cache. Its decoder is left out; ours is measured with and without.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from benchmarks.options import measured, parser_for
from demos.options import parse_size, positive
from engine_sim.core.errors import UserError

TOY = {"layers": 1, "width": 256, "hidden": 512, "rows": 2, "columns": 3, "history": 2, "text": 8, "pixels": 48 * 32}
MOST = 1000


def build_parser() -> argparse.ArgumentParser:
    """All options."""
    parser = parser_for("peers", "a public transformer's shape beside ours")
    parser.add_argument("--preset", choices=("base", "nano", "toy"), default="base", help="ours (base), random weights")
    parser.add_argument("--size", metavar="WxH", help="of our pictures (default: the preset's)")
    parser.add_argument("--layers", type=int, default=30, metavar="N", help="of the public shape (30)")
    parser.add_argument("--history", type=int, default=18, metavar="N", help="latent frames behind its chunk (18)")
    parser.add_argument("--toy", action="store_true", help="a tiny public shape, to see that everything runs")
    parser.add_argument("--eager", action="store_true", help="launch everything anew on a GPU, instead of recording it")
    return parser


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Figures of both. UserError for options that cannot be, no torch, no such device."""
    from demos.renderer.process import need_torch, set_up_torch

    for name in ("layers", "history"):
        value = getattr(args, name)
        if not 1 <= value <= MOST:
            raise UserError(f"--{name} must be 1 to {MOST}, got {value}")
    seconds = positive(args.seconds, "--seconds")
    size = parse_size(args.size) if args.size else None
    need_torch()
    from benchmarks.beside import PeersPlan
    from benchmarks.beside import measure as measure_both
    from benchmarks.public_dit import PublicDitConfig
    from demos.renderer.factory import RendererPlan
    from diffusion_render.model.renderer import PRESETS

    set_up_torch(args.threads)
    ours = RendererPlan(
        args.preset, random_weights=True, device=args.device, threads=args.threads, number_type=args.number_type
    )
    public = PublicDitConfig(**TOY) if args.toy else PublicDitConfig(layers=args.layers, history=args.history)
    config = PRESETS[args.preset]
    recorded = args.device.startswith("cuda") and not args.eager
    plan = PeersPlan(ours, size or (config.width, config.height), public, seconds, args.compile, recorded)
    return measure_both(plan, say=print)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; returns the exit code."""
    return measured("peers", build_parser(), measure, argv)


if __name__ == "__main__":
    raise SystemExit(main())
