"""Options that every command on the bridge shares."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from demos.options import positive
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from render_bridge.zmq.keys import Keys

LONGEST_S = 86_400.0
"""More than anybody waits for; clocks and sockets take no numbers without end."""
DEFAULT_ADDRESS = "ipc:///tmp/paintover.sock"


def add_address_arguments(parser: argparse.ArgumentParser, positional: bool = False) -> None:
    """Where to listen or to connect, and the keys for it."""
    shown = f"ipc://PATH or tcp://HOST:PORT (default {DEFAULT_ADDRESS})"
    if positional:
        parser.add_argument("address", metavar="ADDR", help="ipc://PATH or tcp://HOST:PORT")
    else:
        parser.add_argument("--address", default=DEFAULT_ADDRESS, metavar="ADDR", help=shown)
    parser.add_argument("--keys", type=Path, metavar="FILE", help="our .secret file, for addresses of other machines")
    parser.add_argument(
        "--peer", type=Path, action="append", default=[], metavar="FILE", help="a peer's .public file; may be repeated"
    )


def waiting_time(value: float, what: str) -> float:
    """Seconds of an option, if one can wait so long. Raises UserError naming it otherwise."""
    if positive(value, what) > LONGEST_S:
        raise UserError(f"{what} must be at most {LONGEST_S:g} seconds, got {value:g}")
    return value


def keys_of(args: argparse.Namespace) -> Keys | None:
    """The keys that the arguments name, or None. Raises BridgeError."""
    from render_bridge.errors import BridgeError
    from render_bridge.zmq.keys import read_keys

    if args.keys is None:
        if args.peer:
            raise BridgeError("--peer without --keys: give our own .secret file too")
        return None
    return read_keys(args.keys, args.peer)


@contextmanager
def mendable() -> Iterator[None]:
    """Mistakes on the bridge that a user can mend become the one-line error of the command line."""
    from render_bridge.errors import BridgeError
    from render_bridge.protocol.faults import LocalProtocolError

    try:
        yield
    except (BridgeError, LocalProtocolError) as error:
        raise UserError(str(error)) from None
