"""`paintover eval`: scores of a session folder, of clips, or of the held-out suite; JSON and an HTML report."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from demos.ends import stoppable
from demos.options import parse_look, parse_size, positive
from demos.report import print_json
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demos.eval.drives import DriveOptions
    from demos.eval.held_out import SuitePlan
    from demos.eval.scoring import Scoring
    from diffusion_render.evaluate.footage import ScoredDrive

MISSED = 1
REFERENCES = {"own": "own_frame", "other": "other_place", "control": "control", "prompt": "prompt_alone"}
"""Words of --reference → streams."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add = parser.add_argument
    parser.epilog = "Exit code 1 with --strict if a goal is missed. docs/SCORES.md defines every score."
    add("folder", type=Path, nargs="?", metavar="DIR", help="session folder, or clip folder with teacher frames")
    add("--suite", action="store_true", help="score held-out tracks under held-out looks, recorded into --out")
    add("--preset", default="nano", help="nano, base or toy (default nano)")
    add("--weights", type=Path, metavar="DIR", help="folder of the weights (default: the shipped ones)")
    add("--random-weights", action="store_true", help="no weights: to try the way through, the scores mean nothing")
    add("--device", default="cpu", metavar="NAME", help="of torch (default cpu)")
    add("--threads", type=int, metavar="N", help="of torch (default: as many as cores)")
    add(
        "--reference",
        default="own,other,control",
        metavar="WHICH",
        help="of own, other, control, prompt with commas between, or a picture file (default own,other,control)",
    )
    add("--look", metavar="NAME|SEED", help="look of the teacher view (default: as recorded)")
    add("--no-prompt", action="store_true", help="stream without a prompt")
    add("--start", type=float, metavar="S", help="leave out the first seconds (default 4: then the cars move)")
    add("--seconds", type=float, metavar="S", help="stream at most S seconds (default all; a suite's drives: 60)")
    add("--samples", type=int, default=2, metavar="N", help="pictures a second that are scored (default 2)")
    add("--limit", type=int, default=8, metavar="N", help="most clips of a clip folder (default 8)")
    add("--tracks", metavar="NAME,…", help="--suite: circuits, held-out ones alone")
    add("--looks", metavar="NAME,…", help="--suite: looks, held-out ones alone")
    add("--size", default="448x256", metavar="WxH", help="--suite: picture size (448x256)")
    add("--out", type=Path, metavar="DIR", help="where report, scores and videos go (DIR-eval, sessions/suite-eval)")
    add("--no-video", action="store_true", help="write no videos")
    add("--strict", action="store_true", help="exit code 1 if a goal is missed")
    add("--quiet", action="store_true", help="no progress bar")
    add("--json", action="store_true", help="print one JSON object on the last line")


@stoppable()
def run(args: argparse.Namespace) -> int:
    """Score."""
    from demos.renderer.process import need_torch

    if args.suite == (args.folder is not None):
        raise UserError("name a session folder or a clip folder, or ask for --suite; one of them")
    if args.samples < 1 or args.limit < 1:
        raise UserError("--samples and --limit must be at least 1")
    need_torch()
    from demos.eval.scoring import open_scoring
    from demos.renderer.factory import RendererPlan

    folder = None if args.folder is None else args.folder.resolve()
    out = args.out or (Path("sessions/suite-eval") if folder is None else folder.with_name(folder.name + "-eval"))
    plan = RendererPlan(args.preset, args.weights, args.random_weights, args.device, args.threads)
    scoring = open_scoring(plan, args.samples, not args.no_prompt)
    title = f"Paintover: {'the held-out suite' if folder is None else folder.name}"
    drives = _drives(args, out, _options(args, scoring))
    record = scoring.score(drives, out, title, video=not args.no_video, progress=not args.quiet)
    for found in record.goals:
        word = {True: "met", False: "NOT met", None: "not measured"}[found.met]
        print(f"{found.goal.what:<36} {found.value:8.3f}  asked {found.goal.limit:g} {found.goal.unit}: {word}")
    print(f"{len(record.drives)} drives scored: {out / 'report.html'}")
    if args.json:
        print_json({"eval": str(out), **record.to_json()})
    return MISSED if args.strict and any(found.met is False for found in record.goals) else 0


def _options(args: argparse.Namespace, scoring: Scoring) -> DriveOptions:
    """How folders become drives."""
    from demos.eval.drives import DriveOptions

    words = [word for word in args.reference.split(",") if word]
    unknown = [word for word in words if word not in REFERENCES]
    streams, picture = tuple(REFERENCES[w] for w in words if w in REFERENCES), None
    if unknown:
        picture = Path(args.reference)
        if not picture.is_file():
            raise UserError(
                f"--reference {args.reference!r} is no picture file, nor of {', '.join(REFERENCES)} with commas between"
            )
        streams = ("given_picture",)
    look = parse_look(args.look).look if args.look else None
    seconds = positive(args.seconds, "--seconds") if args.seconds is not None else 0.0
    if args.start is not None and not 0 <= args.start < 1e6:
        raise UserError(f"--start must be 0 or more seconds, got {args.start:g}")
    return DriveOptions(streams, picture, look, args.start, seconds, scoring.guided, scoring.encode)


def _drives(args: argparse.Namespace, out: Path, options: DriveOptions) -> Iterator[ScoredDrive]:
    """What is to be scored."""
    from demos.eval.drives import clip_drives, session_drives
    from demos.eval.held_out import suite_drives
    from engine_sim.recording.clips import INDEX_FILE

    if args.suite:
        return suite_drives(_plan(args), out, options, not args.quiet)
    if (args.folder / INDEX_FILE).is_file() or any(args.folder.glob("*.clips")):
        return clip_drives(args.folder, options, args.limit)
    return session_drives([args.folder], options)


def _plan(args: argparse.Namespace) -> SuitePlan:
    """The held-out suite as it was asked for."""
    from demos.eval.held_out import LOOKS, TRACKS, SuitePlan

    width, height = parse_size(args.size)
    tracks, looks = (
        tuple(name for name in given.split(",") if name) if given else usual
        for given, usual in ((args.tracks, TRACKS), (args.looks, LOOKS))
    )
    seconds = SuitePlan.seconds if args.seconds is None else positive(args.seconds, "--seconds")
    return SuitePlan(tracks, looks, seconds, width, height)
