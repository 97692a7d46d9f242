"""`paintover replay DIR`: the same inputs again, and every hash must come out again."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from demos.commands.play import VIEWS, add_renderer_arguments
from demos.ends import INTERRUPTED, advising, stoppable
from demos.options import CAMERAS, DEFAULT_LOOK, check_fps, parse_look, parse_size, positive
from demos.prompt_schedule.options import add_schedule_argument, scheduled
from demos.report import print_json
from demos.streaming.options import add_stream_arguments, stream_plans, streams_asked_for
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from demos.play.game import PlayOptions
    from engine_sim.recording.reader import Session

DIFFERENT = 1
FILMED = (
    "silent_audio", "view", "begin", "seconds", "schedule", "preset", "random_weights", "renderer", "keys", "peer",
    "reference", "prompt",
)  # fmt: skip
"""Options that change nothing unless the drive is filmed or streamed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.epilog = (
        "Exit code 0: all that was recorded came out again, of a recording that was killed or cut as far as it goes. "
        "1: something differs or is damaged, or a stream without --film was never live. 2: no session can be read. "
        "130: stopped."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="session folder")
    parser.add_argument(
        "--views", choices=("same", "auto", "gl", "cpu", "none"), default="same", help="who draws the class maps"
    )
    parser.add_argument("--render", action="store_true", help="draw the drive anew into another session folder")
    parser.add_argument("--out", type=Path, metavar="DIR", help="--render: folder to make (default: DIR-rendered)")
    drawn = "drawn anew or filmed: (default: as recorded"
    parser.add_argument("--look", metavar="NAME|SEED", help=f"{drawn}, else {DEFAULT_LOOK})")
    parser.add_argument("--size", metavar="WxH", help=f"{drawn})")
    parser.add_argument("--camera", choices=CAMERAS, help=f"{drawn})")
    parser.add_argument("--fps", type=int, metavar="N", help=f"{drawn})")
    parser.add_argument("--teacher", choices=("none", "mp4", "lossless"), default="mp4", help="--render: (mp4)")
    add_film_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


def add_film_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that film a drive or stream it, painted by a renderer if there is one."""
    parser.add_argument("--film", type=Path, metavar="FILE", help="film the drive, as `paintover play --headless` does")
    add_stream_arguments(parser)
    parser.add_argument(
        "--view", choices=tuple(VIEWS), help="filmed: see `paintover play` (default: the most there is)"
    )
    parser.add_argument("--begin", type=float, default=0.0, metavar="S", help="filmed: seconds to leave out (0)")
    parser.add_argument("--seconds", type=float, metavar="S", help="filmed: length (default: to the end)")
    add_schedule_argument(parser, "filmed")
    add_renderer_arguments(parser)


@stoppable()
def run(args: argparse.Namespace) -> int:
    """Replay, render anew, or film.

    Exit code 0 if all that was recorded came out again, of a recording that was killed or cut up to there; 1 if
    anything differs or is damaged, or if a stream that was all to be made was never live; 130 if drawing anew was
    stopped.
    """
    filmed = args.film is not None or streams_asked_for(args)
    if filmed and args.render:
        raise UserError("--render makes a session folder, --film, --rtmp and --webrtc show the drive: one at a time")
    idle = [name for name in FILMED if getattr(args, name) and not filmed]
    if idle:
        word = idle[0].replace("_", "-")
        raise UserError(f"--{word} is for a drive that is filmed: add --film FILE, --rtmp URL or --webrtc PORT")
    if filmed:
        return film(args)
    from demos.play.preparing import say_if_compiling

    say_if_compiling()
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


def film(args: argparse.Namespace) -> int:
    """Film the drive, or stream it."""
    from demos.commands.play import film as film_options
    from engine_sim.core.ticks import TICK_RATE
    from engine_sim.recording.reader import open_session

    session = open_session(args.folder)
    whole = session.ticks / TICK_RATE
    if not 0 <= args.begin < whole:
        raise UserError(f"--begin must lie within the drive, 0 to {whole:g} s, got {args.begin:g}")
    options = drive_options(args, session)
    options = scheduled(replace(options, streams=stream_plans(args, options.fps)), args)
    left = whole - args.begin
    seconds = left if args.seconds is None else min(left, positive(args.seconds, "--seconds"))
    return film_options(options, seconds, args.film, args.begin)


def drive_options(args: argparse.Namespace, session: Session) -> PlayOptions:
    """A recorded drive as the options of a film, changed by what ``args`` say. Raises UserError."""
    from demos.commands.play import paint_plan
    from demos.options import NamedLook, looks_from
    from demos.play.game import PlayOptions
    from engine_sim.recording.drive import setup_of
    from engine_sim.views.look import Look

    header = session.header
    looks = looks_from(args.look)
    if args.look is None and header.look is not None:
        looks = (NamedLook("as recorded", Look.from_dict(header.look)), *looks)
    width, height = parse_size(args.size) if args.size else (header.width, header.height)
    return PlayOptions(
        setup=setup_of(session),
        looks=looks,
        camera=args.camera or header.camera,
        width=width,
        height=height,
        fps=check_fps(args.fps or header.fps),
        view=args.view,
        paint=paint_plan(args),
        inputs=session.inputs,
    )
