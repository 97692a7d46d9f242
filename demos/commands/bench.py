"""`paintover bench WHAT`: medians with their spread, the device and the versions behind them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demos.commands.serve import PRESETS, add_model_arguments, plan_of
from demos.options import check_fps, check_place, parse_size, positive
from demos.report import print_json
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from demos.renderer.factory import RendererPlan

SIZES = "448x256,672x384,1344x768"
BRIDGE_SIZE = "1344x768"
WHAT = ("engine", "bridge", "decoder", "generator", "loop", "players", "soak", "web", "stream")
MODEL = ("decoder", "generator", "loop", "players", "soak")
PACED = ("loop", "players", "soak")
MOST_PLAYERS = 256
VISITED = ("web", "stream")
SECONDS = {"loop": 20.0, "players": 20.0, "soak": 600.0, "web": 1800.0, "stream": 1800.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("what", choices=WHAT, metavar="WHAT", help=", ".join(WHAT))
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")
    parser.add_argument("--track", metavar="NAME", help="circuit to measure on (default: the one that `play` opens)")
    parser.add_argument("--sizes", metavar="WxH,…", help=f"engine: render sizes (default {SIZES})")
    parser.add_argument("--processes", type=int, metavar="N", help="engine: the teacher view alone, in N at once")
    parser.add_argument("--size", metavar="WxH", help=f"size (bridge: {BRIDGE_SIZE}; a model: its preset's)")
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="for each figure (3; loop, players 20; slow renderer 60; soak, of media time, 600; visits 1800)",
    )
    parser.add_argument("--fps", type=int, metavar="N", help="loop, players, soak: video frames a second (24)")
    parser.add_argument("--players", type=int, default=1, metavar="N", help="players: so many at once (1)")
    parser.add_argument("--depth", action="store_true", help="players, soak: depth and cameras come too")
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="players: where a chunk's time goes, as a table, and as a trace for chrome://tracing in this file",
    )
    parser.add_argument("--chunk", type=int, metavar="N", help="frames of a chunk (default 8)")
    parser.add_argument("--preset", choices=PRESETS, default="nano", help="model (default nano)")
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    from demos.options import DEFAULT_TRACK

    track = args.track or DEFAULT_TRACK
    if args.processes is not None and args.what != "engine":
        raise UserError(f"--processes is an option of `bench engine`, got `bench {args.what}`")
    if args.profile is not None:
        if args.what != "players":
            raise UserError(f"--profile is an option of `bench players`, got `bench {args.what}`")
        check_place(args.profile, "a trace")
    if args.fps is not None and args.what not in PACED:
        raise UserError(f"--fps is an option of bench {', '.join(PACED)}, got `bench {args.what}`")
    seconds = positive(SECONDS.get(args.what, 3.0) if args.seconds is None else args.seconds, "--seconds")
    if args.what in MODEL:
        report = measure_model(args, track, seconds)
    elif args.what in VISITED:
        report = measure_visits(args.what, seconds)
    elif args.what == "bridge":
        report = measure_bridge(track, parse_size(args.size or args.sizes or BRIDGE_SIZE), seconds, args.seconds)
    else:
        sizes = tuple(parse_size(text) for text in (args.sizes or args.size or SIZES).split(","))
        report = measure_engine(track, sizes, seconds, args.processes)
    if args.json:
        print_json(report)
    return 0


def measure_engine(
    track: str, sizes: tuple[tuple[int, int], ...], seconds: float, processes: int | None
) -> dict[str, Any]:
    """Figures of the racing world and its views; with ``processes``, of the teacher view drawn by so many at once."""
    from demos.engine_bench import BenchPlan, bench_engine

    plan = BenchPlan(track, sizes, seconds)
    if processes is None:
        return bench_engine(plan, say=print)
    from demos.benches.teacher_processes import bench_teacher_processes

    return bench_teacher_processes(plan, processes, say=print)


def measure_bridge(track: str, size: tuple[int, int], seconds: float, slow_seconds: float | None) -> dict[str, Any]:
    """Figures of the bridge at one size; ``slow_seconds`` None watches a slow renderer as long as it should be."""
    from demos.bridge.bench import SLOW_S, BridgePlan, bench_bridge
    from demos.bridge.options import mendable

    with mendable():
        return bench_bridge(BridgePlan(track, size, seconds, slow_seconds or SLOW_S), say=print)


def measure_visits(what: str, seconds: float) -> dict[str, Any]:
    """Memory and delay of the page of the game, or of a stream, while viewers come and go."""
    from demos.web.options import need_packages

    need_packages()
    from demos.ends import stoppable
    from demos.streaming.bench import bench_stream
    from demos.web.bench import bench_web
    from demos.web.visits import VisitsPlan

    bench = {"web": bench_web, "stream": bench_stream}[what]
    with stoppable():  # nobody is left behind
        return bench(VisitsPlan(seconds), lambda line: print(line, flush=True))


def measure_model(args: argparse.Namespace, track: str, seconds: float) -> dict[str, Any]:
    """Figures of the model's parts, or of the whole loop. UserError without torch or weights."""
    from demos.renderer.process import need_torch, set_up_torch

    need_torch()
    from diffusion_render.model.renderer import PRESETS as SIZED

    config = SIZED[args.preset]
    size = parse_size(args.size) if args.size else (config.width, config.height)
    plan = plan_of(args, args.preset)
    if args.what == "loop":
        return measure_loop(args, track, seconds, size)
    set_up_torch(plan.threads)
    if args.what == "players":
        return measure_players(args, plan, seconds, size)
    if args.what == "soak":
        from demos.benches.soak import SoakPlan, bench_soak

        return bench_soak(SoakPlan(plan, size, seconds, rate_of(args), args.depth), say=print)
    from demos.benches.parts import PartsPlan, bench_decoder, bench_generator

    bench = bench_decoder if args.what == "decoder" else bench_generator
    report = bench(PartsPlan(plan, size, seconds))
    ms = report["ms"]
    print(f"{args.what}, {report['frames']} frames: {ms['median']:.1f} ms, p95 {ms['p95']:.1f} ms, {report['device']}")
    return report


def measure_players(
    args: argparse.Namespace, plan: RendererPlan, seconds: float, size: tuple[int, int]
) -> dict[str, Any]:
    """Figures of streams that share a model in this process. UserError for a number of players that cannot be."""
    from demos.benches.players import PlayersPlan, bench_players

    if not 1 <= args.players <= MOST_PLAYERS:
        raise UserError(f"--players must be 1 to {MOST_PLAYERS}, got {args.players}")
    players = PlayersPlan(plan, size, args.players, seconds, rate_of(args), args.depth, args.profile)
    return bench_players(players, say=print)


def measure_loop(args: argparse.Namespace, track: str, seconds: float, size: tuple[int, int]) -> dict[str, Any]:
    """Figures of the whole loop; the model runs in another process. UserError without weights."""
    from demos.benches.loop import COMPILE_S, WAIT_S, LoopPlan, bench_loop
    from demos.bridge.options import mendable
    from diffusion_render.model.places import has_weights

    if not args.random_weights and not has_weights(args.preset, args.weights):
        raise UserError(f"no weights of {args.preset} are there to measure with; --random-weights costs the same time")
    words = ["--preset", args.preset, "--sessions", "1", *(["--random-weights"] if args.random_weights else [])]
    words += [f"--{name}" for name in ("eager", "compile") if getattr(args, name)]
    for name in ("weights", "device", "threads", "number_type", "chunk", "batch"):
        if getattr(args, name) is not None:
            words += [f"--{name.replace('_', '-')}", str(getattr(args, name))]
    with mendable():
        wait = COMPILE_S if args.compile else WAIT_S
        return bench_loop(LoopPlan(track, words, size, seconds, rate_of(args), wait=wait), say=print)


def rate_of(args: argparse.Namespace) -> int:
    """Video frames a second. UserError unless the tick rate divides by it."""
    return 24 if args.fps is None else check_fps(args.fps)
