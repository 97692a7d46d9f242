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
