"""`paintover serve`: a renderer alone, at an address, for any engine."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from demos.bridge.options import add_address_arguments
from demos.streaming.options import add_stream_arguments, stream_plans
from engine_sim.core.errors import UserError
from render_bridge.protocol.offer import Offer

if TYPE_CHECKING:
    from demos.renderer.factory import RendererPlan
    from render_bridge.serving import RendererFactory

PRESETS = ("nano", "base", "toy")
DEFAULT_PRESET = "nano"
MOST_CHUNK = 1000
MOST_BATCH = 32
SLOWEST_MS = 60_000.0
LEAST_PATIENCE_S, MOST_PATIENCE_S = 1.0, 60.0
PATIENCE_S = Offer.dead_ms / 1000
DEFAULT_RATE = 24

Say = Callable[[str], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add_address_arguments(parser)
    parser.add_argument("--renderer", choices=("palette",), help="palette: no model, it colours the classes")
    parser.add_argument("--preset", choices=PRESETS, help="model (default: nano, if there are weights; else palette)")
    add_model_arguments(parser)
    parser.add_argument("--chunk", type=int, metavar="N", help="frames of a chunk (model: 8; palette: 1)")
    parser.add_argument("--first-chunk", type=int, metavar="N", help="of the first (model: 28; palette: as --chunk)")
    parser.add_argument("--planes", metavar="NAME,…", help="palette: guide planes to ask for: depth, motion, object")
    most, silence = Offer.max_sessions, "silence after which an engine counts as gone"
    parser.add_argument("--sessions", type=int, default=most, metavar="N", help=f"most engines at once ({most})")
    parser.add_argument("--patience", type=float, default=PATIENCE_S, metavar="S", help=f"{silence} ({PATIENCE_S:g})")
    parser.add_argument("--overbook", action="store_true", help="take in engines also if all would be late then")
    parser.add_argument("--web", type=int, metavar="PORT", help="serve browsers too, at http://127.0.0.1:PORT/")
    add_stream_arguments(parser)
    parser.add_argument("--slow", type=float, default=0.0, metavar="MS", help="palette: time for a frame, to be slow")


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of every command that opens a model."""
    parser.add_argument("--random-weights", action="store_true", help="a model that has learnt nothing")
    parser.add_argument("--weights", type=Path, metavar="DIR", help="folder of the weights (default: the shipped ones)")
    parser.add_argument("--device", metavar="NAME", help="cpu (default), cuda, cuda:1, …")
    parser.add_argument("--threads", type=int, metavar="N", help="of the processor (default: one for each core)")
    parser.add_argument("--number-type", choices=("bfloat16", "float32"), help="default: the fastest here")
    parser.add_argument("--compile", action="store_true", help="compile the model at the start: minutes, for a GPU")
    parser.add_argument("--eager", action="store_true", help="on a GPU: launch every window anew, record none")
    parser.add_argument("--batch", type=int, metavar="N", help="engines whose chunks are drawn as one (GPU: 4; CPU: 1)")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    from demos.bridge.lines import Lines
    from demos.bridge.options import keys_of, mendable
    from demos.bridge.web import web_gateway
    from demos.ends import stoppable
    from render_bridge.serving import serve
    from render_bridge.zmq.address import check_address, refuse_if_served

    for name in ("chunk", "first_chunk", "sessions"):
        value = getattr(args, name)
        if value is not None and not 1 <= value <= MOST_CHUNK:
            raise UserError(f"--{name.replace('_', '-')} must be at least 1 and at most {MOST_CHUNK}, got {value}")
    if not 0 <= args.slow <= SLOWEST_MS:
        raise UserError(f"--slow must be at least 0 and at most {SLOWEST_MS:g} milliseconds, got {args.slow:g}")
    if not LEAST_PATIENCE_S <= args.patience <= MOST_PATIENCE_S:
        raise UserError(
            f"--patience must be at least {LEAST_PATIENCE_S:g} and at most {MOST_PATIENCE_S:g} seconds, "
            f"got {args.patience:g}"
        )
    plans = stream_plans(args, DEFAULT_RATE)
    with mendable(), stoppable(), Lines() as lines, ExitStack() as stack:
        keys = keys_of(args)
        address = check_address(args.address, keys is not None)
        refuse_if_served(address)  # before a model is loaded for nothing
        preset = choose_preset(args, lines.say)
        factory, what = palette_factory(args) if preset is None else model_factory(args, preset, lines.say)
        if plans:
            from demos.streaming.serving import streamed

            factory = streamed(factory, plans, lines.say)
            stack.callback(factory.close)
        gateway, keys = web_gateway(args.web, address, keys, lines.say)

        def opened() -> None:
            lines.say(f"serving {what} at {address}")
            stack.enter_context(gateway)

        serve(address, factory, keys, say=lines.say, opened=opened, overbook=args.overbook)
    return 0


def choose_preset(args: argparse.Namespace, say: Say = print) -> str | None:
    """The model that is meant, or None: the palette stand-in. Raises UserError if both are asked for."""
    model_words = [w for w in ("random_weights", "weights", "device", "threads", "number_type") if getattr(args, w)]
    if args.renderer == "palette":
        if args.preset or model_words:
            word = "--preset" if args.preset else "--" + model_words[0].replace("_", "-")
            raise UserError(f"--renderer palette has no model: leave out {word}, or --renderer")
        return None
    if args.preset or model_words:
        return str(args.preset or DEFAULT_PRESET)
    if args.planes or args.slow:
        return None
    return default_preset(say)


def default_preset(say: Say) -> str | None:
    """``nano`` if it can be had; otherwise a line says why not, and what is taken instead."""
    from demos.renderer.process import need_torch
    from diffusion_render.model.places import has_weights, weights_folder

    instead = "the palette stand-in colours the classes instead"
    if not has_weights(DEFAULT_PRESET):
        say(f"no weights of {DEFAULT_PRESET} in {weights_folder()} yet: {instead}")
        return None
    try:
        need_torch()
    except UserError as error:
        say(f"{error}; {instead}")
        return None
    return DEFAULT_PRESET


def palette_factory(args: argparse.Namespace) -> tuple[RendererFactory, str]:
    """The stand-in, and what it is. Raises UserError for a plane that does not exist."""
    from render_bridge.protocol.planes import PLANES
    from render_bridge.stand_in import PaletteFactory

    planes = tuple(name for name in (args.planes or "").split(",") if name)
    if unknown := [name for name in planes if name not in PLANES]:
        raise UserError(f"unknown plane {unknown[0]!r}: there are {', '.join(PLANES)}")
    chunk = args.chunk or 1
    first = args.first_chunk or chunk
    window = 2 * max(chunk, first) + 2
    offer = Offer(
        "palette stand-in", run=chunk, first_run=first, window=window, planes=planes, max_sessions=args.sessions,
        dead_ms=dead_after(args.patience),
    )  # fmt: skip
    what = "the palette stand-in (no model: it colours the classes)"
    return PaletteFactory(offer, args.slow / 1000), what


def model_factory(args: argparse.Namespace, preset: str, say: Say) -> tuple[RendererFactory, str]:
    """The model, ready to draw, and what it is. Raises UserError for weights or a device that cannot be used."""
    from demos.renderer.process import need_torch, set_up_torch

    if args.planes or args.slow:
        raise UserError("--planes and --slow are for --renderer palette; a model knows what it wants")
    need_torch()
    from demos.renderer.factory import StreamFactory

    plan = served_plan(args, preset)
    set_up_torch(plan.threads)
    factory = StreamFactory(plan, say=say)
    factory.warm_up()
    return factory, factory.what


def dead_after(patience: float) -> int:
    """Seconds → milliseconds of silence after which a peer is gone."""
    return round(1000 * patience)


def served_plan(args: argparse.Namespace, preset: str) -> RendererPlan:
    """Arguments of ``serve`` → plan. Raises UserError for options that contradict. Needs torch."""
    plan = plan_of(args, preset, args.first_chunk)
    return replace(plan, sessions=args.sessions, dead_ms=dead_after(args.patience))


def plan_of(args: argparse.Namespace, preset: str, first_chunk: int | None = None) -> RendererPlan:
    """Arguments of any command that opens a model → plan for one session.

    Args:
        args: with those of ``add_model_arguments``, and ``chunk``.
        preset: the model.
        first_chunk: frames of the first chunk; None for the default's.

    Raises UserError for options that contradict. Needs torch.
    """
    from demos.renderer.factory import RendererPlan, cut_schedule

    if args.random_weights and args.weights:
        raise UserError("--random-weights takes none from --weights: leave out one of them")
    if args.batch is not None and not 1 <= args.batch <= MOST_BATCH:
        raise UserError(f"--batch must be at least 1 and at most {MOST_BATCH}, got {args.batch}")
    return RendererPlan(
        preset=preset,
        weights=args.weights,
        random_weights=args.random_weights,
        device=args.device or "cpu",
        threads=args.threads,
        number_type=args.number_type,
        schedule=cut_schedule(args.chunk, first_chunk),
        sessions=1,
        eager=args.eager,
        compile=args.compile,
        batch=args.batch,
    )
