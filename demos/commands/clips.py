"""`paintover clips DIR`: cut training clips, many workers at once; the same command again goes on where it stopped."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from demos.ends import stoppable
from demos.options import parse_size
from demos.report import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="clip folder to make, or to go on with")
    parser.add_argument("--count", type=int, default=64, metavar="N", help="clips in all (default 64)")
    parser.add_argument("--split", choices=("train", "held-out"), default="train", help="set of tracks and looks")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of every draw (default 0)")
    parser.add_argument("--size", default="672x384", metavar="WxH", help="picture size (default 672x384)")
    parser.add_argument("--fps", type=int, default=24, metavar="N", help="video frames a second (default 24)")
    parser.add_argument("--frames", type=int, default=64, metavar="N", help="video frames a clip (default 64)")
    parser.add_argument("--places", type=int, default=2, metavar="N", help="clips of one look (default 2)")
    parser.add_argument("--planes", default="", metavar="NAME,…", help="guide planes to keep: depth, motion, object")
    parser.add_argument("--sessions", type=Path, nargs="*", default=[], metavar="DIR", help="cut these drives instead")
    parser.add_argument("--clips-per-race", type=int, default=24, metavar="N", help="that share a race (default 24)")
    parser.add_argument("--renderers", type=int, metavar="N", help="processes that draw (default: by cores)")
    parser.add_argument("--racers", type=int, default=4, metavar="N", help="processes that race, with --renderers")
    parser.add_argument("--gl-devices", type=int, default=1, metavar="N", help="graphics cards to share the drawing")
    parser.add_argument("--views", choices=("auto", "gl", "cpu"), default="auto", help="who draws the class maps")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


@stoppable()
def run(args: argparse.Namespace) -> int:
    """Cut the clips."""
    from demos.play.preparing import say_if_compiling
    from engine_sim.recording.clip_plan import ClipPlan
    from engine_sim.recording.render_pool import Workers, render_clips

    width, height = parse_size(args.size)
    plan = ClipPlan(
        seed=args.seed,
        count=args.count,
        split=args.split,
        width=width,
        height=height,
        fps=args.fps,
        frames=args.frames,
        places=args.places,
        planes=tuple(name for name in args.planes.split(",") if name),
        sessions=tuple(str(path) for path in args.sessions),
        clips_per_race=args.clips_per_race,
    )
    workers = Workers.for_this_machine()
    if args.renderers is not None:
        workers = Workers(args.renderers, args.racers)
    workers = replace(workers, gl_devices=args.gl_devices)
    say_if_compiling()
    report = render_clips(plan, args.folder, workers, args.views)
    rate = report.frames / max(report.seconds, 1e-9)
    state = "finished" if report.finished else "stopped; the same command goes on"
    print(f"{report.clips} clips, {report.frames} frames in {report.seconds:.1f} s ({rate:.0f} a second): {state}")
    if report.frames:
        parts = ", ".join(f"{part} {share:.0%}" for part, share in report.shares.items())
        print(f"{report.steady_fps:.0f} a second once the first clip was there; a drawing process: {parts}")
    if args.json:
        print_json(
            {"clips": report.clips, "frames": report.frames, "seconds": report.seconds, "fps": rate,
             "steady_fps": report.steady_fps, "shares": report.shares, "processor_ms": report.processor_ms}
        )  # fmt: skip
    return 0 if report.finished else 130
