"""`paintover replay DIR`: the same inputs again, and every hash must come out again."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from demos.ends import INTERRUPTED, advising
from demos.options import CAMERAS, DEFAULT_LOOK, parse_look, parse_size
from demos.report import print_json

DIFFERENT = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.epilog = (
        "Exit code 0: all that was recorded came out again, of a recording that was killed or cut as far as it goes. "
        "1: something differs or is damaged. 2: no session can be read. 130: stopped."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="session folder")
    parser.add_argument(
        "--views", choices=("same", "auto", "gl", "cpu", "none"), default="same", help="who draws the class maps"
    )
    parser.add_argument("--render", action="store_true", help="draw the drive anew into another session folder")
    parser.add_argument("--out", type=Path, metavar="DIR", help="--render: folder to make (default: DIR-rendered)")
    parser.add_argument("--look", metavar="NAME|SEED", help=f"--render: (default: as recorded, else {DEFAULT_LOOK})")
    parser.add_argument("--size", metavar="WxH", help="--render: (default: as recorded)")
    parser.add_argument("--camera", choices=CAMERAS, help="--render: (default: as recorded)")
    parser.add_argument("--fps", type=int, metavar="N", help="--render: (default: as recorded)")
    parser.add_argument("--teacher", choices=("none", "mp4", "lossless"), default="mp4", help="--render: (mp4)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


def run(args: argparse.Namespace) -> int:
    """Replay, or render anew.

    Exit code 0 if all that was recorded came out again, of a recording that was killed or cut up to there; 1 if
    anything differs or is damaged; 130 if drawing anew was stopped.
    """
    return render(args) if args.render else compare(args)


def compare(args: argparse.Namespace) -> int:
    """Compare every state and class map."""
    from engine_sim.recording.replay import replay_session

    with advising("--views none compares the states alone"):
        report = replay_session(args.folder, args.views, progress=not args.quiet)
    for line in report.lines():
        print(line)
    print(report.verdict)
    if args.json:
        print_json({"replay": str(args.folder), "identical": report.identical, **asdict(report)})
    return 0 if report.identical else DIFFERENT


def render(args: argparse.Namespace) -> int:
    """Draw the drive anew."""
    from engine_sim.recording.reader import open_session
    from engine_sim.recording.replay import render_session

    out = args.out or args.folder.with_name(args.folder.name + "-rendered")
    look = args.look
    if look is None and args.teacher != "none" and open_session(args.folder).header.look is None:
        look = DEFAULT_LOOK
        print(f"recorded without a look: drawn under {look}; --look takes another, --teacher none does without")
    with advising("--views cpu and --teacher none need none"):
        folder = render_session(
            args.folder,
            out,
            look=parse_look(look).look if look else None,
            size=parse_size(args.size) if args.size else None,
            camera=args.camera,
            fps=args.fps,
            teacher=args.teacher,
            views="auto" if args.views in ("same", "none") else args.views,
            progress=not args.quiet,
        )
    end = open_session(folder).header.finished
    stopped = end is not None and end.reason == "interrupted"
    print(f"stopped early; drawn anew so far in {folder}" if stopped else f"drawn anew in {folder}")
    if args.json:
        print_json({"render": str(folder)})
    return INTERRUPTED if stopped else 0
