"""Words of the command line for streams."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from demos.ends import complain
from demos.web.options import DOOR, add_door_arguments, door_of, need_packages
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from .stream import StreamPlan
    from .streams import LiveStreams

HOME = "127.0.0.1"


def add_stream_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of every command that can stream."""
    parser.add_argument("--rtmp", metavar="URL", help="stream the picture as H.264 to rtmp://HOST/APPLICATION/KEY")
    parser.add_argument(
        "--silent-audio", action="store_true", help="--rtmp: with a silent track; some services want one"
    )
    parser.add_argument(
        "--webrtc", metavar="[HOST:]PORT", help="let browsers watch at http://127.0.0.1:PORT/ (0: any free port)"
    )
    add_door_arguments(parser, "--webrtc: ")


def streams_asked_for(args: argparse.Namespace) -> bool:
    """True if the options name a stream."""
    return args.rtmp is not None or args.webrtc is not None


def stream_plans(args: argparse.Namespace, fps: int) -> tuple[StreamPlan, ...]:
    """The streams that are asked for. UserError: no such address, no encoder for it, a door that cannot be opened."""
    if args.silent_audio and args.rtmp is None:
        raise UserError("--silent-audio is for a stream: name its address with --rtmp URL, or leave it out")
    idle = [name for name, nothing in DOOR.items() if getattr(args, name) != nothing]
    if idle and args.webrtc is None:
        raise UserError(f"--{idle[0].replace('_', '-')} is for a page on which browsers watch: add --webrtc PORT")
    if not streams_asked_for(args):
        return ()
    from engine_sim.recording.video import encoder_works

    if not encoder_works("libx264"):
        raise UserError("a stream needs H.264, which this build of PyAV lacks; install a wheel of 'av' with libx264")
    return (
        *(() if args.rtmp is None else (rtmp_plan(args, fps),)),
        *(() if args.webrtc is None else (webrtc_plan(args, fps),)),
    )


def rtmp_plan(args: argparse.Namespace, fps: int) -> StreamPlan:
    """The stream to a server. UserError: no such address."""
    from .address import parse_address
    from .output import OutputConfig
    from .stream import StreamPlan

    return StreamPlan(parse_address(args.rtmp), OutputConfig(fps=fps, sound=args.silent_audio))


def webrtc_plan(args: argparse.Namespace, fps: int) -> StreamPlan:
    """The page on which browsers watch. UserError: it cannot be there, or what other machines need is missing."""
    need_packages()
    from demos.web.gate import Gate
    from demos.web.plan import tls_of

    from .address import StreamAddress
    from .output import OutputConfig
    from .stream import StreamPlan

    host, port = parse_place(args.webrtc)
    door = door_of(args, host, port, "--webrtc")
    tls_of(door)
    door = replace(door, port=free_port(host, port))
    link = Gate(door, door.port).main + "/" + (f"#token={door.token}" if door.token else "")
    return StreamPlan(StreamAddress(link, link), OutputConfig(fps=fps), door=door)


def parse_place(text: str) -> tuple[str, int]:
    """``"8081"`` or ``"HOST:8081"`` → host and port. Raises UserError."""
    host, colon, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) < 6 and int(port) < 65536) or (colon and not host):
        raise UserError(
            f"--webrtc takes a port such as 8081, or HOST:PORT for a page that other machines can open; got {text!r}"
        )
    return host.strip("[]") or HOME, int(port)


def free_port(host: str, port: int) -> int:
    """The port, or a free one for 0. UserError if the place cannot be listened at, before anything is started."""
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            return int(probe.getsockname()[1])
    except OSError as error:
        raise UserError(
            f"--webrtc cannot listen at {host}:{port}: {error.strerror or error}; name another port"
        ) from None


@contextmanager
def live_streams(plans: Sequence[StreamPlan], say: Callable[[str], None]) -> Iterator[LiveStreams | None]:
    """Streams for as long as the block lasts, or None without any. stderr hears of those that were never live."""
    if not plans:
        yield None
        return
    from .streams import LiveStreams

    streams = LiveStreams(plans, say)
    try:
        yield streams
    finally:
        for line in streams.close():
            complain(line)
