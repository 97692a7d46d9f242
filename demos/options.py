"""Words of the command line turned into values; every refusal names what was expected and what to do."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine_sim.core.errors import UserError
from engine_sim.core.ticks import FRAME_RATES, ticks_per_frame

if TYPE_CHECKING:
    from engine_sim.views.look import Look

SIZE_STEP, LARGEST_SIDE = 32, 8192
DEFAULT_LOOK = "golden-hour"
DEFAULT_TRACK = "kestrel-valley"
CAMERAS = ("chase", "cockpit", "trackside")


def parse_size(text: str) -> tuple[int, int]:
    """``"448x256"`` → (width, height), both divisible by 32, 32 to 8192. Raises UserError."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(p.isascii() and p.isdigit() and len(p) < 20 for p in parts):
        raise UserError(f"size {text!r} is not WIDTHxHEIGHT in pixels, such as 448x256")
    width, height = int(parts[0]), int(parts[1])
    nearest = [min(LARGEST_SIDE, max(SIZE_STEP, round(v / SIZE_STEP) * SIZE_STEP)) for v in (width, height)]
    if nearest != [width, height]:
        raise UserError(
            f"size {text!r}: width and height must be divisible by {SIZE_STEP}, at least {SIZE_STEP}x{SIZE_STEP} and "
            f"at most {LARGEST_SIDE}x{LARGEST_SIDE}; the nearest is {nearest[0]}x{nearest[1]}"
        )
    return width, height


class NamedLook(NamedTuple):
    """A look and what the player calls it."""

    name: str
    look: Look


def parse_look(text: str) -> NamedLook:
    """A look by name (``golden-hour``), by seed (any whole number from 0), or from a JSON file. Raises UserError."""
    from engine_sim.views.look import named_look, read_look, sample_look

    if text.isascii() and text.isdigit():
        return NamedLook(f"seed {int(text)}", sample_look(int(text)))
    if text.endswith(".json"):
        return NamedLook(Path(text).stem, read_look(Path(text)))
    return NamedLook(text, named_look(text))


def looks_from(first: str | None) -> tuple[NamedLook, ...]:
    """Every curated look in turn, starting with the one asked for, which need not be one of them."""
    from engine_sim.views.look import look_names, named_look

    names = look_names()
    if first is None or first in names:
        start = names.index(first) if first else names.index(DEFAULT_LOOK)
        return tuple(NamedLook(n, named_look(n)) for n in names[start:] + names[:start])
    return (parse_look(first), *(NamedLook(n, named_look(n)) for n in names))


def positive(value: float, what: str) -> float:
    """The value, if it is a positive number. Raises UserError naming it otherwise."""
    if not 0 < value < float("inf"):
        raise UserError(f"{what} must be a positive number, got {value:g}")
    return value


def check_place(path: Path, what: str) -> None:
    """Refuse a place where ``what`` cannot be written, before the work on it. Raises UserError.

    Folders that are missing are made later; the first one that is there decides.
    """
    folder = next(place for place in path.absolute().parents if place.exists())
    if not folder.is_dir():
        raise UserError(f"cannot write {what} to {path}: {folder} is a file; name a place that can be written")
    if not os.access(folder, os.W_OK):
        raise UserError(f"cannot write {what} to {path}: {folder} is read-only; name a place that can be written")


def add_race_arguments(parser: argparse.ArgumentParser, rivals: int = 7, laps: int = 2) -> None:
    """The options of every command that starts a race."""
    parser.add_argument("--track", metavar="NAME", help="circuit, see `paintover tracks` (default: a scenic one)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the race (default 0)")
    parser.add_argument("--rivals", type=int, default=rivals, metavar="N", help=f"0 to 15 (default {rivals})")
    parser.add_argument("--laps", type=int, default=laps, metavar="N", help=f"laps of the race (default {laps})")


def add_view_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of every command that draws."""
    parser.add_argument("--look", metavar="NAME|SEED", help="look of the teacher view, see `paintover looks`")
    parser.add_argument("--camera", choices=CAMERAS, default="chase", help="default: chase")
    parser.add_argument("--size", default="448x256", metavar="WxH", help="render size, divisible by 32 (448x256)")
    parser.add_argument(
        "--fps", type=int, default=24, metavar="N", help=f"video rate, one of {', '.join(map(str, FRAME_RATES))} (24)"
    )


def check_fps(fps: int) -> int:
    """The rate, if it divides the tick rate. Raises UserError."""
    ticks_per_frame(fps)
    return fps
