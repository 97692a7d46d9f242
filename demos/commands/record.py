"""`paintover record`: a scripted agent drives into a session folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from demos.ends import INTERRUPTED, advising, stoppable
from demos.options import add_race_arguments, add_view_arguments, check_fps, parse_look, parse_size, positive
from demos.report import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add_race_arguments(parser)
    add_view_arguments(parser)
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="game time, from the grid on (60)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="session folder to make (default: sessions/TRACK-SEED)")
    parser.add_argument(
        "--teacher", choices=("none", "mp4", "lossless"), default="none", help="keep the teacher view too (needs GL)"
    )
    parser.add_argument(
        "--manner", default="race", metavar="NAME",
        help="how the player drives: race (default), restless, stand, reverse, spin, ram or stray",
    )  # fmt: skip
    parser.add_argument("--views", choices=("auto", "gl", "cpu"), default="auto", help="who draws the class maps")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


@stoppable()
def run(args: argparse.Namespace) -> int:
    """Record. Exit code 130 if it was stopped, with Ctrl-C or SIGTERM: the session is shorter, and valid."""
    from demos.options import DEFAULT_LOOK, DEFAULT_TRACK
    from demos.play.preparing import say_if_compiling
    from engine_sim.racing.world import RaceSetup
    from engine_sim.recording.reader import open_session
    from engine_sim.recording.record import record_session

    setup = RaceSetup(track=args.track or DEFAULT_TRACK, seed=args.seed, rivals=args.rivals, laps=args.laps)
    say_if_compiling()
    needs_look = args.look is not None or args.teacher != "none"
    with advising("--views cpu and --teacher none need none"):
        folder = record_session(
            setup,
            args.out or Path("sessions") / f"{setup.track.replace(':', '-')}-{setup.seed}",
            positive(args.seconds, "--seconds"),
            fps=check_fps(args.fps),
            size=parse_size(args.size),
            look=parse_look(args.look or DEFAULT_LOOK).look if needs_look else None,
            camera=args.camera,
            teacher=args.teacher,
            views=args.views,
            progress=not args.quiet,
            manner=args.manner,
        )
    session = open_session(folder)
    stopped = session.header.finished is not None and session.header.finished.reason == "interrupted"
    print(f"{session.ticks} ticks, {len(session.frames)} class maps in {folder}{': stopped early' if stopped else ''}")
    if args.json:
        print_json(
            {
                "record": str(folder),
                "ticks": session.ticks,
                "frames": len(session.frames),
                "stopped": stopped,
                "last_state": session.hashes[-1],
                "renderer": session.header.renderer,
                "bytes": sum(f.stat().st_size for f in folder.iterdir()),
            }
        )
    return INTERRUPTED if stopped else 0
