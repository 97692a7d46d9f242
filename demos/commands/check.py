"""`paintover check ADDR`: conformance of somebody else's engine or renderer, rule by rule."""

from __future__ import annotations

import argparse
import shlex

from demos.bridge.options import add_address_arguments
from demos.report import print_json
from engine_sim.core.errors import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add_address_arguments(parser, positional=True)
    parser.add_argument(
        "--engine", action="store_true", help="listen at ADDR and check the engine that connects (else: the renderer)"
    )
    parser.add_argument("--only", metavar="R-01,…", help="only these rules of docs/PROTOCOL.md")
    parser.add_argument(
        "--start", metavar="COMMAND", help="start the peer with this command; rules on suspending and ending need it"
    )
    parser.add_argument("--wait", type=float, default=30.0, metavar="S", help="time for an engine to come (30)")
    parser.add_argument("--patience", type=float, default=2.0, metavar="S", help="time for an answer (2)")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


def run(args: argparse.Namespace) -> int:
    """Check; exit code 1 if a rule is broken, or none could be tried."""
    from demos.bridge.options import keys_of, mendable, waiting_time
    from demos.ends import stoppable
    from render_bridge.conformance.checker import check_engine, check_renderer

    only = args.only.split(",") if args.only is not None else None
    patience, wait = waiting_time(args.patience, "--patience"), waiting_time(args.wait, "--wait")
    start = words_of(args.start)
    with mendable(), stoppable():
        if args.engine:
            report = check_engine(args.address, keys_of(args), only, patience, wait, say=print, start=start)
        else:
            report = check_renderer(args.address, keys_of(args), only, patience, say=print, start=start)
    broken = "".join(f" {rule}" for rule in report.broken)
    print(f"{len(report.held)} rules held, {len(report.not_tried)} not tried, {len(report.broken)} broken{broken}")
    if args.json:
        print_json(report.as_json())
    return 1 if report.broken or not report.held else 0


def words_of(command: str | None) -> list[str]:
    """Words of a command line. Raises UserError if its quotes do not match."""
    try:
        return shlex.split(command or "")
    except ValueError as error:
        raise UserError(f"--start {command!r}: {error}") from None
