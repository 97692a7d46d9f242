"""Words of the command line of everything that browsers open: the door, and what must be installed for it."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from .plan import WebPlan

DOOR: dict[str, Any] = {"token_file": None, "tls_cert": None, "tls_key": None, "origin": []}
"""Words of a door that must have one, as they are when nobody gives them."""
ELSEWHERE = {
    "--webrtc": "this page itself is where browsers watch and drive, so leave it out; a page for watching alone comes "
    "with `paintover play --webrtc PORT`",
    "--rtmp": "this page goes to browsers alone; `paintover play --rtmp URL` streams to a server",
    "--silent-audio": "this page has no sound track; `paintover play --rtmp URL --silent-audio` sends one",
    "--record": "this page records by its Record button; `paintover play --record DIR` writes a folder here",
}
"""Words of ``paintover play`` that people try on the game in a browser → what to do instead."""
NEEDED = {"aiohttp": "aiohttp", "aiortc": "aiortc"}
"""Import name → distribution."""


def add_door_arguments(parser: argparse.ArgumentParser, what: str = "") -> None:
    """Options that say who may come in; ``what`` begins their help."""
    parser.add_argument("--token-file", type=Path, metavar="FILE", help=f"{what}what browsers must know (else made)")
    parser.add_argument("--tls-cert", type=Path, metavar="FILE", help=f"{what}certificate, PEM; beyond this machine")
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help=f"{what}its key, PEM")
    parser.add_argument(
        "--origin", action="append", default=[], metavar="URL",
        help=f"{what}address that people type, if it is not HOST:PORT",
    )  # fmt: skip
    parser.add_argument("--viewers", type=int, default=8, metavar="N", help=f"{what}most browsers at once (8)")


class Advice(argparse.Action):
    """An option that is another command's: whoever gives it is told what to use instead."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        """End with one line on stderr."""
        name = self.option_strings[0]
        parser.error(f"{name}: {ELSEWHERE[name]}")


def add_words_of_play(parser: argparse.ArgumentParser) -> None:
    """Options that exist for ``paintover play`` alone: none here, and no word of them in the help."""
    for name in ELSEWHERE:
        parser.add_argument(name, nargs="?", action=Advice, help=argparse.SUPPRESS)
    parser.set_defaults(silent_audio=False)


def door_of(args: argparse.Namespace, host: str, port: int, words: str = "--host") -> WebPlan:
    """Arguments → plan of a door at this place. UserError for what is missing beyond this machine.

    Args:
        words: the option that named the place.
    """
    from .plan import WebPlan, checked_plan, read_token

    token = "" if args.token_file is None else read_token(args.token_file)
    plan = WebPlan(host, port, token, args.tls_cert, args.tls_key, tuple(args.origin), args.viewers)
    return checked_plan(plan, words)


def without_door(args: argparse.Namespace) -> argparse.Namespace:
    """The same arguments without words of a door: they were meant for another than the one who reads these."""
    return argparse.Namespace(**{**vars(args), **DOOR})


def need_packages() -> None:
    """UserError that says what to install."""
    missing = [package for name, package in NEEDED.items() if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(f"this needs {' and '.join(missing)}: pip install 'paintover[web]'")
