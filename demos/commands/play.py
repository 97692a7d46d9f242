"""`paintover play`: race in a window, or without one film a scripted race."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demos.ends import stoppable
from demos.options import add_race_arguments, add_view_arguments, check_fps, check_place, parse_size, positive
from demos.play.paint_plan import PRESETS
from demos.prompt_schedule.options import add_schedule_argument, scheduled
from demos.streaming.options import add_stream_arguments, stream_plans
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from demos.play.game import PlayOptions
    from demos.play.paint_plan import PaintPlan
    from demos.play.start import Painters

FILM = Path("sessions/play.mp4")
FILM_SECONDS = 20.0
NEVER_LIVE = 1
"""Exit code of a run that made a stream and nothing else, which was never live."""
SHIPPED = "nano"
"""The preset that paints when nobody says otherwise, if its weights are there."""
VIEWS = {
    "paint": "the renderer's picture",
    "split": "class map | picture",
    "all": "class map | picture | teacher view",
    "class": "class map",
    "teacher": "teacher view",
    "both": "class map | teacher view",
}


RACE_WORDS = ("track", "seed", "rivals", "laps", "look", "camera", "size", "record")
"""Options that say what is raced. With none of them the window opens on the start screen."""


class Remembered(argparse.Action):
    """Stores a value as ever, and that it was given."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, values)
        namespace.given = (*getattr(namespace, "given", ()), self.dest)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.epilog = (
        "Without an option that says what to race (track, look, size …) the window opens on a start screen. A stream "
        "that was never live is told on stderr at the end; the exit code stays 0, since the race or the film is there."
    )
    parser.register("action", None, Remembered)
    add_race_arguments(parser)
    add_view_arguments(parser)
    shown = "; ".join(f"{name}: {meaning}" for name, meaning in VIEWS.items())
    parser.add_argument("--view", choices=tuple(VIEWS), help=f"{shown} (default: the most that there is)")
    parser.add_argument("--manual", action="store_true", help="shift gears yourself")
    parser.add_argument("--record", type=Path, metavar="DIR", help="write the drive to a session folder")
    add_renderer_arguments(parser)
    add_stream_arguments(parser)
    parser.add_argument("--headless", action="store_true", help="no window: a scripted driver, filmed")
    parser.add_argument("--seconds", type=float, default=FILM_SECONDS, metavar="S", help="headless: length (20)")
    parser.add_argument("--out", type=Path, default=FILM, metavar="FILE", help=f"headless: the film ({FILM})")
    add_schedule_argument(parser, "headless")
    parser.add_argument("--json", action="store_true", help="headless: one JSON object on the last line, as always")


def add_renderer_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that say who paints, and with what."""
    parser.add_argument(
        "--preset", choices=(*PRESETS, "none"),
        help=f"model that paints ({SHIPPED}, if its weights are there); palette: a stand-in; none: engine's views only",
    )  # fmt: skip
    parser.add_argument("--random-weights", action="store_true", help="with --preset: a model that has learnt nothing")
    parser.add_argument("--renderer", metavar="ADDR", help="a renderer that is there already, see `paintover serve`")
    parser.add_argument("--keys", type=Path, metavar="FILE", help="our .secret file, for --renderer on another machine")
    parser.add_argument("--peer", type=Path, action="append", default=[], metavar="FILE", help="its .public file")
    parser.add_argument("--reference", type=Path, metavar="FILE", help="picture to paint after, instead of a look's")
    parser.add_argument("--prompt", metavar="TEXT", help="prompt of the picture, instead of the look's own")


def run(args: argparse.Namespace) -> int:
    """Play."""
    options = scheduled(play_options(args), args)
    if args.headless:
        return film(options, args.seconds, args.out)
    from demos.play.screen import display_found

    if not display_found():
        print(f"no display here: filming a scripted race of {args.seconds:g} s to {args.out} instead", file=sys.stderr)
        return film(options, args.seconds, args.out)
    if args.schedule is not None:
        raise UserError("--schedule is for films: add --headless; in the window L and T change look and prompt")
    if any(name in getattr(args, "given", ()) for name in RACE_WORDS):
        from demos.play.window import play_in_window

        return play_in_window(options)
    from demos.play.evening import play_from_start

    return play_from_start(options, painters_of(options.paint, args))


def play_options(args: argparse.Namespace) -> PlayOptions:
    """Arguments → options; everything that can be refused at once is. Raises UserError."""
    from demos.options import DEFAULT_TRACK, looks_from
    from demos.play.game import PlayOptions
    from engine_sim.racing.world import RaceSetup
    from engine_sim.recording.writer import check_new_folder

    if args.record is not None:
        check_new_folder(args.record)
        check_place(args.record, "a recording")
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
        paint=paint_plan(args),
        streams=stream_plans(args, args.fps),
    )


def paint_plan(args: argparse.Namespace) -> PaintPlan | None:
    """Who paints, or None for the engine's own views. Raises UserError for options that contradict each other."""
    from demos.bridge.options import keys_of, mendable
    from demos.play.paint_plan import PaintPlan, weights_there
    from demos.play.stage import shown_views

    paints = args.view is None or "paint" in shown_views(args.view)
    if args.preset is not None and args.renderer is not None:
        raise UserError("--preset starts a renderer, --renderer goes to one that is there: give one of them")
    if args.random_weights and args.preset in (None, "none", "palette"):
        raise UserError("--random-weights goes with --preset nano, base or toy")
    preset = args.preset
    if preset is None and args.renderer is None and paints and weights_there(SHIPPED):
        preset = SHIPPED
    if preset in (None, "none") and args.renderer is None:
        if args.view is not None and paints:
            raise UserError(f"--view {args.view} needs a renderer: add --preset or --renderer (palette needs no model)")
        for name in ("reference", "prompt"):
            if getattr(args, name) is not None:
                raise UserError(f"--{name} is for a renderer, and there is none: add --preset or --renderer")
        return None
    with mendable():
        keys = keys_of(args)
    return PaintPlan(preset, args.random_weights, args.renderer, keys, args.reference, checked_prompt(args.prompt))


def painters_of(plan: PaintPlan | None, args: argparse.Namespace) -> Painters:
    """Who can paint, for the start screen: who the options name, or the shipped model, and the engine's own views."""
    from demos.play.start import Painters

    if plan is None or args.view is not None:  # a view that was asked for says whether there is a picture in it
        return Painters(("the engine's own",), (plan,))
    return Painters((f"painted by {plan.preset or plan.address}", "the engine's own"), (plan, None))


def checked_prompt(text: str | None) -> str | None:
    """A prompt as it can be sent: no line breaks or control characters. UserError if it is too long."""
    from demos.play.textbox import LONGEST, printable

    if text is not None and len(text) > LONGEST:
        raise UserError(f"--prompt has {len(text)} characters; at most {LONGEST} can be used, and 64 words matter")
    return None if text is None else printable(text).strip()


@stoppable()
def film(options: PlayOptions, seconds: float, out: Path | None, begin: float = 0.0) -> int:
    """Headless play; prints where the film is, and figures as JSON on the last line.

    Args:
        seconds, out, begin: see ``film_race``.

    Returns:
        The exit code: 1 if a stream was never live and nothing else was made, otherwise 0.
    """
    from demos.play.headless import film_race
    from demos.play.stage import shown_views
    from demos.report import print_json

    positive(seconds, "--seconds")
    say = partial(print, flush=True)  # what takes minutes is said before, also into a file
    if options.paint is None or "paint" not in shown_views(options.view or "paint"):
        report = film_race(options, seconds, out, say, begin)
        print_json(report)
        return code_of(report)
    from demos.play.headless_paint import film_painted

    report = film_painted(options, options.paint, seconds, out, say, begin)
    chunk = report["chunk_ms"]
    print(
        f"{report['renderer']}: {report['fps']} frames a second, a chunk in {chunk['median']} ms (p95 {chunk['p95']}), "
        f"first picture after {report['first_frame_s']} s"
    )
    print_json(report)
    return code_of(report)


def code_of(report: dict[str, Any]) -> int:
    """The exit code of a film or of a stream alone, by its figures."""
    missed = any(not stream["connections"] for stream in report.get("streams", ()))
    return NEVER_LIVE if missed and report["film"] is None else 0
