"""`paintover bench WHAT`: medians with their spread, the device and the versions behind them."""

from __future__ import annotations

import argparse

from demos.options import parse_size, positive
from demos.report import print_json

SIZES = "448x256,672x384,1344x768"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("what", choices=("engine",), metavar="WHAT", help="engine")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")
    parser.add_argument("--track", metavar="NAME", help="circuit to measure on (default: the one that `play` opens)")
    parser.add_argument("--sizes", default=SIZES, metavar="WxH,…", help=f"render sizes (default {SIZES})")
    parser.add_argument("--seconds", type=float, default=3.0, metavar="S", help="time for each figure (default 3)")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    from demos.engine_bench import BenchPlan, bench_engine
    from demos.options import DEFAULT_TRACK

    sizes = tuple(parse_size(text) for text in args.sizes.split(","))
    plan = BenchPlan(args.track or DEFAULT_TRACK, sizes, positive(args.seconds, "--seconds"))
    report = bench_engine(plan, say=print)
    if args.json:
        print_json(report)
    return 0
