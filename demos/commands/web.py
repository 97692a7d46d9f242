"""`paintover web`: the game in a browser, on this machine or, with token and TLS, on others."""

from __future__ import annotations

import argparse

from demos.commands.play import VIEWS, add_renderer_arguments, play_options
from demos.options import add_race_arguments, add_view_arguments
from demos.web.options import add_door_arguments, add_words_of_play, door_of, need_packages, without_door


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
    add_door_arguments(parser)
    add_words_of_play(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    need_packages()
    from demos.web.server import serve_web

    plan = door_of(args, args.host, args.port)
    return serve_web(plan, play_options(without_door(args)), lambda line: print(line, flush=True))
