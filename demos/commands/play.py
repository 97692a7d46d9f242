"""`paintover play`: race in a window, or without one film a scripted race."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from demos.options import add_race_arguments, add_view_arguments, check_fps, parse_size, positive

if TYPE_CHECKING:
    from demos.play.game import PlayOptions

FILM = Path("sessions/play.mp4")
FILM_SECONDS = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add_race_arguments(parser)
    add_view_arguments(parser)
    parser.add_argument("--view", choices=("class", "teacher", "both"), help="default: both, where OpenGL is found")
    parser.add_argument("--manual", action="store_true", help="shift gears yourself")
    parser.add_argument("--record", type=Path, metavar="DIR", help="write the drive to a session folder")
    parser.add_argument("--headless", action="store_true", help="no window: a scripted driver, filmed")
    parser.add_argument("--seconds", type=float, default=FILM_SECONDS, metavar="S", help="headless: length (20)")
    parser.add_argument("--out", type=Path, default=FILM, metavar="FILE", help=f"headless: the film ({FILM})")


def run(args: argparse.Namespace) -> int:
    """Play."""
    options = play_options(args)
    if args.headless:
        return film(args, options)
    from demos.play.screen import display_found

    if not display_found():
        print(f"no display here: filming a scripted race of {args.seconds:g} s to {args.out} instead", file=sys.stderr)
        return film(args, options)
    from demos.play.window import play_in_window

    return play_in_window(options)


def play_options(args: argparse.Namespace) -> PlayOptions:
    """Arguments → options; everything that can be refused at once is. Raises UserError."""
    from demos.options import DEFAULT_TRACK, looks_from
    from demos.play.game import PlayOptions
    from engine_sim.racing.world import RaceSetup
    from engine_sim.recording.writer import check_new_folder

    if args.record is not None:
        check_new_folder(args.record)
    width, height = parse_size(args.size)
    setup = RaceSetup(
        track=args.track or DEFAULT_TRACK,
        seed=args.seed,
        rivals=args.rivals,
        laps=args.laps,
        automatic=not args.manual,
    )
    return PlayOptions(
        setup=setup,
        looks=looks_from(args.look),
        camera=args.camera,
        width=width,
        height=height,
        fps=check_fps(args.fps),
        view=args.view,
        record=args.record,
    )


def film(args: argparse.Namespace, options: PlayOptions) -> int:
    """Headless play; prints where the film is, and figures as JSON on the last line."""
    from demos.play.headless import film_race
    from demos.report import print_json

    report = film_race(options, positive(args.seconds, "--seconds"), args.out, say=print)
    print_json(report)
    return 0
