"""`paintover looks`: names, prompts, the numbers behind them, a sheet of one place in every look."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demos.ends import advising, stoppable
from demos.options import DEFAULT_TRACK, NamedLook, parse_look, parse_size
from demos.report import print_json
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from engine_sim.views.frame import FrameState
    from engine_sim.views.scene_data import Scene

SETTLE_TICKS = 3 * 120 + 4 * 120  # the countdown, and four seconds of the race
COLUMNS = 2
SIZE = "448x256"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("names", nargs="*", metavar="NAME|SEED", help="only these looks (default: all ten by name)")
    parser.add_argument("--prompt", metavar="NAME|SEED", help="print the prompt of one look")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="draw one place in each look into a PNG (needs GL)")
    parser.add_argument("--track", metavar="NAME", help=f"circuit of the sheet ({DEFAULT_TRACK})")
    parser.add_argument("--size", metavar="WxH", help=f"size of a picture on the sheet ({SIZE})")
    parser.add_argument("--json", action="store_true", help="print the looks whole, one JSON object on the last line")


@stoppable()
def run(args: argparse.Namespace) -> int:
    """List, describe and draw."""
    from engine_sim.views.look import look_names, look_split

    refuse_idle_options(args)
    if args.prompt is not None:
        print(parse_look(args.prompt).look.prompt())
        return 0
    looks = [parse_look(text) for text in (args.names or look_names())]
    track = args.track or DEFAULT_TRACK
    if args.sheet is not None:
        draw_sheet(args.sheet, looks, track, parse_size(args.size or SIZE))
    for name, look in looks:
        split = "held-out" if name in look_names() else look_split(look.seed)
        print(f"{name:<18} {split:<9} {look.weather.lighting}, {look.style}")
    if args.sheet is not None:
        print(f"{len(looks)} looks of {track} in {args.sheet}")
    if args.json:
        print_json({"looks": [{"name": name, **look.to_dict()} for name, look in looks]})
    return 0


def refuse_idle_options(args: argparse.Namespace) -> None:
    """UserError for options that would change nothing: those of a sheet without one, and a sheet beside a prompt."""
    given = [name for name in ("track", "size") if getattr(args, name) is not None]
    if args.sheet is None and given:
        raise UserError(f"--{given[0]} says how a sheet is drawn: name its file with --sheet FILE, or leave it out")
    if args.sheet is not None and args.prompt is not None:
        raise UserError("--prompt prints one look's prompt and draws nothing: leave --sheet or --prompt out")


def draw_sheet(path: Path, looks: list[NamedLook], track: str, size: tuple[int, int]) -> None:
    """One moment of a race in every look. UserError: unknown track, no GL, a place that cannot be written."""
    from demos.sheet import check_sheet, write_sheet
    from engine_sim.tracks.catalogue import load_track
    from engine_sim.views.scene import build_scene
    from engine_sim.views.teacher_view import open_teacher_view

    check_sheet(path)
    scene: Scene = build_scene(load_track(track))
    with advising("the list of looks needs none: leave --sheet out"):
        view = open_teacher_view(scene, *size, looks[0].look)
    cells: list[tuple[str, Any]] = []
    try:
        moment = opening_moment(track)
        for name, look in looks:
            view.set_look(look)
            cells.append((name, view.draw(moment)))
    finally:
        view.close()
    write_sheet(path, cells, COLUMNS)


def opening_moment(track: str) -> FrameState:
    """A few seconds into a scripted race: cars near and far, speed, shadows."""
    from engine_sim.racing.world import RaceSetup
    from engine_sim.recording.drive import Drive

    drive = Drive(RaceSetup(track=track, player="ai"))
    for _ in range(SETTLE_TICKS):
        drive.step()
    return drive.frame()
