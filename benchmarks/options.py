"""Options that the benchmarks share, and what they end with."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from demos.cli import OneLineParser, refuse_empty
from demos.ends import guarded
from demos.report import print_json

NUMBER_TYPES = ("bfloat16", "float32")


def parser_for(name: str, summary: str) -> argparse.ArgumentParser:
    """A parser with ``--device``, ``--number-type``, ``--threads``, ``--seconds``, ``--compile`` and ``--json``."""
    parser = OneLineParser(prog=f"python -m benchmarks.{name}", description=summary)
    parser.add_argument("--device", default="cpu", metavar="NAME", help="of torch: cpu (default), cuda")
    parser.add_argument("--number-type", choices=NUMBER_TYPES, help="default: the fastest on the device")
    parser.add_argument("--threads", type=int, metavar="N", help="of torch (default: what play takes)")
    parser.add_argument("--seconds", type=float, default=3.0, metavar="S", help="for each figure (3)")
    parser.add_argument("--compile", action="store_true", help="compile too: takes minutes")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")
    return parser


def measured(
    name: str,
    parser: argparse.ArgumentParser,
    measure: Callable[[argparse.Namespace], dict[str, Any]],
    argv: Sequence[str] | None,
) -> int:
    """Parse, measure, print; returns the exit code: 2 with one line on stderr for what the user can mend."""
    args = parser.parse_args(argv)

    def action() -> int:
        refuse_empty(argv or ())
        report = measure(args)
        if args.json:
            print_json(report)
        return 0

    return guarded(name, action)
