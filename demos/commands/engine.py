"""`paintover engine`: the racing engine alone, as a client of the frame protocol."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from demos.bridge.options import add_address_arguments, waiting_time
from demos.ends import advising, stoppable
from demos.options import add_race_arguments, add_view_arguments, check_place, parse_size, positive
from demos.report import print_json
from engine_sim.core.errors import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add_address_arguments(parser)
    add_race_arguments(parser)
    add_view_arguments(parser)
    parser.add_argument("--mode", choices=("play", "record"), default="play", help="newest wins, or nothing dropped")
    parser.add_argument("--seconds", type=float, metavar="S", help="stop after so long (default: at Ctrl-C)")
    parser.add_argument("--views", choices=("auto", "gl", "cpu"), default="auto", help="who draws the class maps")
    parser.add_argument("--memory", type=Path, metavar="FILE", help="go on from this file after a kill; written anew")
    parser.add_argument("--wait", type=float, default=10.0, metavar="S", help="time for a renderer to come (10)")
    parser.add_argument("--prompt", metavar="TEXT", help="prompt for the renderer")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


def run(args: argparse.Namespace) -> int:
    """Drive until the end of the plan, Ctrl-C or SIGTERM."""
    from demos.bridge.engine import EnginePlan, RemoteEngine
    from demos.bridge.lines import Lines
    from demos.bridge.options import keys_of, mendable
    from demos.options import DEFAULT_TRACK
    from demos.play.preparing import say_if_compiling
    from engine_sim.racing.world import RaceSetup

    if args.memory is not None:
        check_place(args.memory, "the engine's memory")
    track = args.track or DEFAULT_TRACK
    setup = RaceSetup(track=track, seed=args.seed, rivals=args.rivals, laps=args.laps, player="ai")
    plan = EnginePlan(
        setup,
        args.address,
        parse_size(args.size),
        args.fps,
        args.camera,
        args.mode,
        args.views,
        None if args.seconds is None else positive(args.seconds, "--seconds"),
        args.memory,
        waiting_time(args.wait, "--wait"),
        args.prompt,
    )
    engine: RemoteEngine | None = None
    say_if_compiling()
    with mendable():
        try:
            with stoppable(), Lines() as lines:
                with advising("--views cpu needs none"):
                    engine = RemoteEngine(plan, keys_of(args), lines.say)
                engine.run()
        except KeyboardInterrupt:  # without --seconds the usual end: the figures are wanted all the same
            if engine is not None and engine.figures.pictures:
                tell(engine.report(), track, args)
            raise
        except OSError as error:
            raise UserError(
                f"cannot write {error.filename or args.memory}: {error.strerror or error}; the race ends here"
            ) from error
    tell(engine.report(), track, args)
    return 0


def tell(figures: dict[str, Any], track: str, args: argparse.Namespace) -> None:
    """Print what came of it."""
    print(
        f"{figures['offered']} frames drawn, {figures['frames']} sent, {figures['skipped']} skipped, "
        f"{figures['pictures']} pictures, input to picture {figures['input_to_picture_ms']} ms"
    )
    if args.json:
        print_json({"engine": track, "mode": args.mode, **figures})
