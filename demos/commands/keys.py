"""`paintover keys`: a pair of CURVE keys for a bridge between two machines."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("stem", type=Path, metavar="NAME", help="writes NAME.public, to hand out, and NAME.secret")


def run(args: argparse.Namespace) -> int:
    """Make them."""
    from demos.bridge.options import mendable
    from render_bridge.zmq.keys import make_keys

    with mendable():
        public, secret = make_keys(args.stem)
    print(f"{public}  give this one to the other end, which names it with --peer")
    print(f"{secret}  keep this one here, and name it with --keys")
    return 0
