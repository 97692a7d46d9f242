"""`paintover serve`: a renderer alone, at an address, for any engine."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext

from demos.bridge.options import add_address_arguments
from engine_sim.core.errors import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add_address_arguments(parser)
    parser.add_argument("--renderer", choices=("palette",), default="palette", help="palette: colours the classes")
    parser.add_argument("--chunk", type=int, default=1, metavar="N", help="frames of a chunk (1)")
    parser.add_argument("--first-chunk", type=int, metavar="N", help="frames of the first chunk (as --chunk)")
    parser.add_argument("--planes", default="", metavar="NAME,…", help="guide planes to ask for: depth, motion, object")
    parser.add_argument("--sessions", type=int, default=8, metavar="N", help="most engines at once (8)")
    parser.add_argument("--web", type=int, metavar="PORT", help="serve browsers too, at http://127.0.0.1:PORT/")
    parser.add_argument("--slow", type=float, default=0.0, metavar="MS", help="stand in for a model: time for a frame")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from demos.bridge.options import keys_of, mendable
    from render_bridge.protocol.offer import Offer
    from render_bridge.protocol.planes import PLANES
    from render_bridge.serving import serve
    from render_bridge.stand_in import PaletteFactory

    planes = tuple(name for name in args.planes.split(",") if name)
    if unknown := [name for name in planes if name not in PLANES]:
        raise UserError(f"unknown plane {unknown[0]!r}: there are {', '.join(PLANES)}")
    for name in ("chunk", "sessions"):
        if getattr(args, name) < 1:
            raise UserError(f"--{name} must be at least 1, got {getattr(args, name)}")
    first = args.first_chunk or args.chunk
    with mendable():
        offer = Offer(
            "palette stand-in",
            run=args.chunk,
            first_run=first,
            window=2 * max(args.chunk, first) + 2,
            planes=planes,
            max_sessions=args.sessions,
        )
        print(f"serving the palette stand-in (no model: it colours the classes) at {args.address}", flush=True)
        factory, keys = PaletteFactory(offer, max(0.0, args.slow) / 1000), keys_of(args)
        with web_gateway(args.web, args.address):
            serve(args.address, factory, keys, say=tell)
    return 0


def tell(line: str) -> None:
    """Print at once: somebody may wait for the line."""
    print(line, flush=True)


def web_gateway(port: int | None, address: str) -> AbstractContextManager[object]:
    """A gateway for browsers in front of the renderer, or nothing. Raises UserError and BridgeError."""
    if port is None:
        return nullcontext()
    try:
        from render_bridge.gateways.websocket import Gateway, GatewayPlan
    except ImportError:
        raise UserError("--web needs the package websockets: pip install websockets") from None
    gateway = Gateway(GatewayPlan(address, port=port), say=tell)
    tell(f"browsers: {gateway.url}")
    return gateway
