"""The `paintover` command: one subcommand a module, imported only when it is asked for.

Exit codes: 0 done, 1 done and something is wrong (a replay that differs), 2 input that the user can mend (one line on
stderr), 130 stopped with Ctrl-C or SIGTERM.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn

from demos.ends import BAD_INPUT, guarded, leave_at_once
from engine_sim.core.errors import UserError

DESCRIPTION = "A deterministic engine draws class maps; a renderer paints over them, live."
COMMANDS = {
    "play": "race in a window with keyboard or pad; without a screen: film a scripted race",
    "web": "the game in a browser: keyboard, pad or touch; picture over WebRTC",
    "record": "drive a scripted agent into a session folder, no screen",
    "clips": "cut training clips: class maps, teacher frames, prompts; many workers at once",
    "replay": "run a session folder again, compare every hash, name the first tick that differs",
    "gallery": "recorded drives into a page of loops and pictures for people",
    "tracks": "list the circuits, draw a sheet of them, survey their figures",
    "looks": "list the looks, draw a sheet of them, write their prompts",
    "serve": "a renderer alone, at an address, for any engine",
    "engine": "the racing engine alone, as a client of the frame protocol",
    "check": "conformance of somebody else's engine or renderer, rule by rule",
    "keys": "make CURVE keys for a bridge between two machines",
    "bench": "measure: engine, bridge, decoder, generator, loop",
    "train": "stages of the renderer's recipe, from clips to weights",
    "pack": "trained parts into one small file of weights",
    "eval": "scores of a session folder, of clips or of the held-out suite: JSON and an HTML report",
    "doctor": "what this machine has, what is missing and how to get it",
}
"""Every subcommand with its line of help; module ``demos.commands.NAME`` holds it."""


MAY_BE_EMPTY = "--prompt"
"""The one option whose value is free text."""
LEAVE_AT_ONCE = ("serve",)
"""Commands that must end within 2 s (PROTOCOL.md R-47): taking torch down in order costs 1.5 s of a processor, and by
then everything of theirs is closed."""


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line, like every other message for the user."""

    def __init__(self, *args: Any, **words: Any) -> None:
        super().__init__(*args, **words)
        self.register("type", int, whole_number)  # so that ``type=int`` of any option says what it expected
        self.register("type", float, number)

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def whole_number(text: str) -> int:
    """An option's whole number. Raises ArgumentTypeError, which argparse prints after the option's name."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number such as 24, got {text!r}") from None


def number(text: str) -> float:
    """An option's number. Raises ArgumentTypeError, which argparse prints after the option's name."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number such as 2.5, got {text!r}") from None


def refuse_empty(words: Sequence[str]) -> None:
    """Refuse ``--track ""`` (often an unset variable of a shell), which must not mean the default. Raises UserError."""
    for before, word in itertools.pairwise(("", *words)):
        joined = word.startswith("--") and word.endswith("=")
        name = word.removesuffix("=") if joined else before
        if (joined or not word) and name != MAY_BE_EMPTY:
            what = name if name.startswith("-") else "an argument"
            raise UserError(f"{what} is empty: give it a value, or leave it out for the default")


def build_parser(chosen: str | None) -> argparse.ArgumentParser:
    """The whole parser; only the ``chosen`` subcommand's module is imported to add its options."""
    parser = OneLineParser(prog="paintover", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"paintover {installed_version()}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        sub = subparsers.add_parser(name, help=summary, description=summary)
        if name == chosen:
            module = importlib.import_module(f"demos.commands.{name}")
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    return parser


def installed_version() -> str:
    """Version of the installed distribution, or a word that says that there is none."""
    try:
        return version("paintover")
    except PackageNotFoundError:
        return "(not installed)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Args:
        argv: arguments without the program's name; None takes those of the process.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = words[0] if words and words[0] in COMMANDS else None

    def action() -> int:
        args = build_parser(chosen).parse_args(words)
        refuse_empty(words)
        return int(args.run(args))

    code = guarded(chosen or "", action)
    if argv is None and chosen in LEAVE_AT_ONCE:
        leave_at_once(code)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
