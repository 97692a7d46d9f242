"""The word of the command line for a prompt schedule, and what it makes of the options of a film."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from demos.play.game import PlayOptions


def add_schedule_argument(parser: argparse.ArgumentParser, where: str) -> None:
    """``where`` is the option that the schedule goes with."""
    what = (
        "looks and prompts by time, lines of TIME | LOOK | PROMPT | CHANGE, such as 0:12 | storm | heavy rain | blend 6"
    )
    parser.add_argument("--schedule", type=Path, metavar="FILE", help=f"{where}: {what}")


def scheduled(options: PlayOptions, args: argparse.Namespace) -> PlayOptions:
    """A film's options with the schedule of ``args``, if there is one.

    Raises:
        UserError: it cannot be read, or it and another option both say what the film begins with.
    """
    if args.schedule is None:
        return options
    from .course import InForce, opening
    from .text import read_prompt_schedule

    changes = read_prompt_schedule(args.schedule)
    if changes[0].seconds <= 0:
        for name in ("look", "prompt", "reference"):
            if getattr(args, name, None) is not None:
                raise UserError(f"--{name} and the line for 0 s of {args.schedule} both say how it begins: drop one")
    prompt = None if options.paint is None else options.paint.prompt
    start, rest = opening(changes, InForce(options.looks[0], prompt))
    others = tuple(look for look in options.looks if look.name != start.look.name)
    paint = None if options.paint is None else replace(options.paint, prompt=start.prompt)
    return replace(options, looks=(start.look, *others), paint=paint, schedule=rest)
