"""`paintover web`: the game in a browser, on this machine or, with token and TLS, on others."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from demos.commands.play import VIEWS, add_renderer_arguments, play_options
from demos.options import add_race_arguments, add_view_arguments
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from demos.web.plan import WebPlan

NEEDED = {"aiohttp": "aiohttp", "aiortc": "aiortc"}
"""Import name → distribution."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add_race_arguments(parser)
    add_view_arguments(parser)
    shown = "; ".join(f"{name}: {meaning}" for name, meaning in VIEWS.items())
    parser.add_argument("--view", choices=tuple(VIEWS), help=f"{shown} (default: the picture; the page can switch)")
    parser.add_argument("--manual", action="store_true", help="shift gears yourself")
    add_renderer_arguments(parser)
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="NAME", help="where to listen (this machine alone); others take TLS"
    )
    parser.add_argument("--port", type=int, default=8080, metavar="N", help="port of the page (8080); 0: any free one")
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="what browsers must know (else one is made)")
    parser.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate, PEM; a must beyond this machine")
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its key, PEM")
    parser.add_argument(
        "--origin", action="append", default=[], metavar="URL", help="address that people type, if it is not HOST:PORT"
    )
    parser.set_defaults(record=None, rtmp=None, silent_audio=False)  # of play alone; pages record by a button
    parser.add_argument("--viewers", type=int, default=8, metavar="N", help="most browsers at once (8)")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    need_packages()
    from demos.web.server import serve_web

    plan = web_plan(args)
    return serve_web(plan, play_options(args), lambda line: print(line, flush=True))


def need_packages() -> None:
    """UserError that says what to install."""
    import importlib.util

    missing = [package for name, package in NEEDED.items() if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(f"this needs {' and '.join(missing)}: pip install 'paintover[web]'")


def web_plan(args: argparse.Namespace) -> WebPlan:
    """Arguments → plan. Raises UserError for what is missing beyond this machine."""
    from demos.web.plan import WebPlan, checked_plan, read_token

    token = "" if args.token_file is None else read_token(args.token_file)
    return checked_plan(
        WebPlan(args.host, args.port, token, args.tls_cert, args.tls_key, tuple(args.origin), args.viewers)
    )
