"""`paintover bench WHAT`: medians with their spread, the device and the versions behind them."""

from __future__ import annotations

import argparse
from typing import Any

from demos.options import parse_size, positive
from demos.report import print_json

SIZES = "448x256,672x384,1344x768"
BRIDGE_SIZE = "1344x768"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("what", choices=("engine", "bridge"), metavar="WHAT", help="engine or bridge")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")
    parser.add_argument("--track", metavar="NAME", help="circuit to measure on (default: the one that `play` opens)")
    parser.add_argument("--sizes", metavar="WxH,…", help=f"render sizes (default {SIZES}; bridge: 1344x768)")
    parser.add_argument("--seconds", type=float, default=3.0, metavar="S", help="time for each figure (default 3)")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    from demos.options import DEFAULT_TRACK

    sizes = tuple(parse_size(text) for text in (args.sizes or SIZES).split(","))
    track, seconds = args.track or DEFAULT_TRACK, positive(args.seconds, "--seconds")
    if args.what == "bridge":
        report = measure_bridge(track, parse_size(args.sizes or BRIDGE_SIZE), seconds)
    else:
        from demos.engine_bench import BenchPlan, bench_engine

        report = bench_engine(BenchPlan(track, sizes, seconds), say=print)
    if args.json:
        print_json(report)
    return 0


def measure_bridge(track: str, size: tuple[int, int], seconds: float) -> dict[str, Any]:
    """Figures of the bridge at one size."""
    from demos.bridge.bench import BridgePlan, bench_bridge
    from demos.bridge.options import mendable

    with mendable():
        return bench_bridge(BridgePlan(track, size, seconds), say=print)
