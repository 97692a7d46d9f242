"""`paintover pack RUN`: the trained parts of a run → one small file that `play` and `serve` open."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from demos.ends import stoppable
from engine_sim.core.errors import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("folder", type=Path, metavar="RUN", help="run folder of `paintover train`")
    parser.add_argument("--preset", default="nano", help="nano or base (default nano)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: the preset's file among the shipped weights")
    parser.add_argument(
        "--blend", type=Path, metavar="DIR", help="parts of the run's start, such as RUN/shipped, to blend with"
    )
    parser.add_argument("--share", type=float, metavar="S", help="with --blend: of the run in the blend (0.5)")
    parser.add_argument("--ratio", type=float, metavar="R", help="step of packed numbers; less is finer and larger")


@stoppable()
def run(args: argparse.Namespace) -> int:
    """Put the parts together and write them."""
    from demos.training.parts import Parts, blend_parts, generator_part
    from diffusion_render.model.bundle import read_config, save_renderer, weights_path
    from diffusion_render.model.packing import STEP_RATIO, PackError
    from diffusion_render.model.renderer import PRESETS, Renderer
    from diffusion_render.model.weights import WeightsError, WeightsHeader, read_header
    from render_bridge.palette import RACING

    if args.preset not in PRESETS:
        raise UserError(f"unknown preset {args.preset!r}; expected one of {', '.join(PRESETS)}")
    if args.ratio is not None and not 0.0 < args.ratio <= 1.0:
        raise UserError(f"--ratio must lie above 0 and be at most 1, got {args.ratio:g}")
    if args.share is not None and (args.blend is None or not 0.0 < args.share < 1.0):
        raise UserError(f"--share must lie between 0 and 1 and needs --blend DIR, got {args.share:g}")
    folder, sizes = args.folder / "weights", PRESETS[args.preset]
    try:
        first, second = (read_header(folder / f"{part}.safetensors") for part in ("autoencoder", "generator"))
        whole = dataclasses.asdict(sizes) | {"autoencoder": first.config, "generator": second.config}
        renderer, parts = Renderer(read_config(whole)), Parts(folder, None, args.preset)
        parts.need("autoencoder", renderer.autoencoder, "autoencoder")
        parts.need("generator", generator_part(renderer), "teacher-forcing")
        if args.blend is not None:
            blend_parts(renderer, args.blend, args.preset, 0.5 if args.share is None else args.share)
        out = args.out or weights_path(args.preset)
        header = WeightsHeader(
            "renderer", args.preset, second.stage, second.sampler, RACING.hash,
            dataclasses.asdict(renderer.config), second.data,
        )  # fmt: skip
        out.parent.mkdir(parents=True, exist_ok=True)
        size = save_renderer(out, renderer, header, args.ratio or STEP_RATIO)
    except (WeightsError, PackError, ValueError) as error:
        raise UserError(str(error)) from error
    print(f"wrote {out}, {size / 2**20:.2f} MiB")
    return 0
