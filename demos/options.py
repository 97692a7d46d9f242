"""Words of the command line turned into values; every refusal names what was expected and what to do."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from engine_sim.core.errors import UserError
from engine_sim.core.ticks import FRAME_RATES, ticks_per_frame

if TYPE_CHECKING:
    from engine_sim.views.look import Look

SIZE_STEP = 32
CAMERAS = ("chase", "cockpit", "trackside")


def parse_size(text: str) -> tuple[int, int]:
    """``"448x256"`` → (width, height), both positive and divisible by 32. Raises UserError."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(p.isascii() and p.isdigit() and len(p) < 6 for p in parts):
        raise UserError(f"size {text!r} is not WIDTHxHEIGHT in pixels, such as 448x256")
    width, height = int(parts[0]), int(parts[1])
    if width % SIZE_STEP or height % SIZE_STEP or not width or not height:
        near = "x".join(str(max(SIZE_STEP, round(v / SIZE_STEP) * SIZE_STEP)) for v in (width, height))
        raise UserError(f"size {text!r}: width and height must be divisible by {SIZE_STEP}; the nearest is {near}")
    return width, height


def parse_look(text: str) -> Look:
    """A look by name (``golden-hour``) or by seed (any whole number). Raises UserError on an unknown name."""
    from engine_sim.views.look import named_look, sample_look

    if text.lstrip("-").isdigit():
        return sample_look(int(text))
    return named_look(text)


def positive(value: float, what: str) -> float:
    """The value, if it is a positive number. Raises UserError naming it otherwise."""
    if not 0 < value < float("inf"):
        raise UserError(f"{what} must be a positive number, got {value:g}")
    return value


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
