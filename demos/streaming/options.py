"""Words of the command line for streams."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from .stream import LiveStream, StreamPlan


def add_stream_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of every command that can stream."""
    parser.add_argument("--rtmp", metavar="URL", help="stream the picture as H.264 to rtmp://HOST/APPLICATION/KEY")
    parser.add_argument(
        "--silent-audio", action="store_true", help="--rtmp: with a silent track; some services want one"
    )


def stream_plan(args: argparse.Namespace, fps: int) -> StreamPlan | None:
    """The stream that is asked for, or None. Raises UserError: no such address, or no encoder for it."""
    if args.rtmp is None:
        if args.silent_audio:
            raise UserError("--silent-audio is for a stream: name its address with --rtmp URL, or leave it out")
        return None
    from engine_sim.recording.video import encoder_works

    from .address import parse_address
    from .output import OutputConfig
    from .stream import StreamPlan

    address = parse_address(args.rtmp)
    if not encoder_works("libx264"):
        raise UserError("--rtmp needs H.264, which this build of PyAV lacks; install a wheel of 'av' with libx264")
    return StreamPlan(address, OutputConfig(fps=fps, sound=args.silent_audio))


@contextmanager
def live_stream(plan: StreamPlan | None, say: Callable[[str], None]) -> Iterator[LiveStream | None]:
    """A stream for as long as the block lasts, or None."""
    if plan is None:
        yield None
        return
    from .stream import LiveStream

    stream = LiveStream(plan, say)
    try:
        yield stream
    finally:
        stream.close()
