"""`paintover tracks`: names, figures, a sheet of plans or of places."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demos.ends import BAD_INPUT, advising, stoppable
from demos.options import parse_size
from demos.report import print_json
from demos.sheet import check_sheet
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from engine_sim.tracks.track import Track

CELL = (320, 240)
PICTURE = "448x256"
ALONG = 0.35
"""Share of the lap where a circuit is pictured: past the buildings of its start."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these circuits (default: all)")
    parser.add_argument("--source", choices=("built-in", "torcs"), help="only those that we built, or those found")
    parser.add_argument("--survey", action="store_true", help="load each and print its figures")
    parser.add_argument("--race", action="store_true", help="16 scripted cars, two laps on each: minutes for all")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="draw the plans into a PNG")
    parser.add_argument(
        "--pictures", type=Path, metavar="FILE", help="draw a place of each under a look of its own (GL)"
    )
    parser.add_argument("--size", metavar="WxH", help=f"size of a picture ({PICTURE})")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


@stoppable()
def run(args: argparse.Namespace) -> int:
    """List, survey, race and draw. A circuit that cannot be read is named on stderr; exit code 2 at the end."""
    from engine_sim.tracks.catalogue import load_track, split_of, track_names

    if args.size and not args.pictures:
        raise UserError("--size says how pictures are drawn: name their file with --pictures FILE, or leave it out")
    for path in filter(None, (args.sheet, args.pictures)):
        check_sheet(path)
    names = args.names or track_names(args.source)
    if args.race:
        return race(names, args.json)
    if args.pictures:
        draw_pictures(args.pictures, names, parse_size(args.size or PICTURE))
        print(f"{len(names)} circuits in {args.pictures}")
        return 0
    rows: list[dict[str, Any]] = []
    plans = []
    bad = 0
    for name in names:
        row: dict[str, Any] = {"name": name, "split": split_of(name)}
        if args.survey or args.sheet or args.names:
            try:
                track = load_track(name)
            except UserError as error:
                complain(name, error)
                bad += 1
                continue
            row = survey(track)
            if args.sheet:
                plans.append(plan(track))
        rows.append(row)
        print(line_of(row))
    if args.sheet and plans:
        from demos.sheet import write_sheet

        write_sheet(args.sheet, plans)
        print(f"{len(plans)} plans in {args.sheet}")
    if args.json:
        print_json({"tracks": rows})
    return BAD_INPUT if bad else 0


def complain(name: str, error: UserError) -> None:
    """One line on stderr about a circuit that cannot be read."""
    text = " ".join(str(error).split())
    print(f"paintover tracks: {text if name in text else f'{name}: {text}'}", file=sys.stderr)


def race(names: list[str], as_json: bool) -> int:
    """Race on every circuit; 1 if a car did not come home or had to be put back, 2 if a circuit cannot be read."""
    from tqdm import tqdm

    from demos.play.preparing import say_if_compiling
    from engine_sim.racing.survey import survey_track, table

    say_if_compiling()
    rows = []
    for name in tqdm(names, unit="race"):
        try:
            rows.append(survey_track(name))
        except UserError as error:
            with tqdm.external_write_mode(file=sys.stderr):
                complain(name, error)
    print(table(rows))
    clean = sum(row.clean for row in rows)
    print(f"{clean} of {len(rows)} races clean: every car home, none put back")
    if as_json:
        print_json({"races": [asdict(row) for row in rows], "clean": clean})
    if len(rows) < len(names):
        return BAD_INPUT
    return 0 if clean == len(rows) else 1


def draw_pictures(path: Path, names: list[str], size: tuple[int, int]) -> None:
    """A place of each circuit, under the curated looks in turn. UserError: unknown track, no GL, no place to write."""
    from demos.sheet import write_sheet
    from engine_sim.tracks.catalogue import load_track
    from engine_sim.views.look import look_names, named_look
    from engine_sim.views.posed import posed_frame
    from engine_sim.views.scene import build_scene
    from engine_sim.views.teacher_view import open_teacher_view

    looks, cells = look_names(), []
    for number, name in enumerate(names):
        track, look = load_track(name), looks[number % len(looks)]
        with advising("the list of circuits needs none: leave --pictures out"):
            view = open_teacher_view(build_scene(track), *size, named_look(look))
        try:
            cells.append((f"{name}  {look}", view.draw(posed_frame(track, ALONG * track.length))))
        finally:
            view.close()
    write_sheet(path, cells)


def survey(track: Track) -> dict[str, Any]:
    """Figures of a circuit: lengths in metres, lap time of the reference line in seconds."""
    from engine_sim.tracks.catalogue import summary
    from engine_sim.tracks.questions import bridges, corners

    a = track.arrays
    width = a.width_left + a.width_right
    found = corners(track)
    return {
        **asdict(summary(track)),
        "width": [round(float(width.min()), 1), round(float(width.max()), 1)],
        "steepest": round(float(abs(a.grade).max()), 3),
        "bank": round(float(abs(a.bank).max()), 3),
        "left": sum(c.direction == "left" for c in found),
        "right": sum(c.direction == "right" for c in found),
        "tightest": round(min((c.radius for c in found), default=0.0), 1),
        "bridges": len(bridges(track)),
        "scenery": len(track.scenery),
        "pit": track.pit is not None,
    }


def line_of(row: dict[str, Any]) -> str:
    """One row for people."""
    if "length" not in row:
        return f"{row['name']:<26} {row['split']}"
    return (
        f"{row['name']:<22} {row['split']:<8} {row['kind']:<5} {row['length'] / 1000:6.2f} km"
        f"  {row['lap_seconds']:5.1f} s  {row['width'][0]:4.1f}–{row['width'][1]:4.1f} m wide  {row['climb']:5.1f} m up"
        f"  {row['left']:2d} left {row['right']:2d} right  r ≥ {row['tightest']:5.1f} m"
        f"  {row['bridges']} bridges  {row['scenery']} objects"
    )


def plan(track: Track) -> tuple[str, Any]:
    """Caption and picture of a circuit for the sheet."""
    from engine_sim.tracks.plan import draw_map

    return f"{track.name}  {track.length / 1000:.2f} km", draw_map(track, CELL)
