"""`paintover gallery`: recorded drives into a page of loops and pictures for people."""

from __future__ import annotations

import argparse
import re
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from demos.commands.play import VIEWS, add_renderer_arguments
from demos.commands.replay import drive_options
from demos.ends import stoppable
from demos.options import CAMERAS, check_place, positive
from demos.report import print_json
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from demos.play.game import PlayOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="session folders, a loop each")
    parser.add_argument("--out", type=Path, default=Path("docs/gallery"), metavar="DIR", help="(docs/gallery)")
    parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="of a loop (4)")
    parser.add_argument("--begin", type=float, metavar="S", help="where loops begin (default: where most is seen)")
    parser.add_argument("--loop-kb", type=int, default=900, metavar="N", help="most kilobytes of a loop (900)")
    parser.add_argument("--sheet-kb", type=int, default=600, metavar="N", help="most kilobytes of the sheet (600)")
    parser.add_argument(
        "--look", metavar="NAME|SEED", action="append", default=[], help="of the first drive, of the second, …"
    )
    parser.add_argument("--size", metavar="WxH", help="(default: as recorded)")
    parser.add_argument("--camera", choices=CAMERAS, help="(default: as recorded)")
    parser.add_argument("--fps", type=int, metavar="N", help="(default: as recorded)")
    parser.add_argument("--view", choices=tuple(VIEWS), help="see `paintover play` (default: class map | picture)")
    add_renderer_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


@stoppable()
def run(args: argparse.Namespace) -> int:
    """Make the gallery."""
    from demos.gallery.make import GalleryPlan, finish_gallery, make_exhibit

    for name in ("loop_kb", "sheet_kb"):
        positive(getattr(args, name), f"--{name.replace('_', '-')}")
    plan = GalleryPlan(
        args.out, positive(args.seconds, "--seconds"), 1000 * args.loop_kb, sheet_bytes=1000 * args.sheet_kb
    )
    check_place(args.out / "README.md", "a gallery")
    if len(args.look) > len(args.folders):
        raise UserError(f"--look stands {len(args.look)} times for {len(args.folders)} drives: one for each at most")
    drives = [chosen_part(args, folder, look, plan.seconds) for folder, look in zip_longest(args.folders, args.look)]
    names = file_names(args.folders)
    exhibits = [make_exhibit(name, *drive, plan, print) for name, drive in zip(names, drives, strict=True)]
    files = finish_gallery(exhibits, plan)
    size = sum(file.stat().st_size for file in files)
    print(f"{len(exhibits)} drives in {args.out}: {size / 1e6:.1f} MB")
    if args.json:
        print_json({"gallery": str(args.out), "files": [str(file) for file in files], "bytes": size})
    return 0


def chosen_part(args: argparse.Namespace, folder: Path, look: str | None, seconds: float) -> tuple[PlayOptions, float]:
    """How a drive is filmed, and from which second on. Raises UserError: no session, or one that is too short."""
    from demos.gallery.moments import best_moment
    from engine_sim.core.ticks import TICK_RATE
    from engine_sim.recording.reader import open_session

    session = open_session(folder)
    options = drive_options(argparse.Namespace(**{**vars(args), "look": look}), session)
    whole = session.ticks / TICK_RATE
    begin = best_moment(session, seconds) if args.begin is None else args.begin
    if not 0 <= begin <= whole - seconds + 1e-6:
        raise UserError(f"{folder} lasts {whole:g} s, so there are no {seconds:g} s from {begin:g} s on")
    return options, begin


def file_names(folders: list[Path]) -> list[str]:
    """A plain name for the files of each folder, no two alike."""
    names: list[str] = []
    for folder in folders:
        name = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-") or "drive"
        taken = [n for n in names if n == name or re.fullmatch(re.escape(name) + r"-\d+", n)]
        names.append(f"{name}-{len(taken) + 1}" if taken else name)
    return names
