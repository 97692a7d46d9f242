"""What the Python examples share: a loop that draws, offers and reads, on top of the library's engine end."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demos.bridge.options import DEFAULT_ADDRESS
from demos.ends import INTERRUPTED, stoppable
from render_bridge.errors import BridgeClosed, BridgeError
from render_bridge.palette import ClassTable, SceneClass
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.engine_side import Greeting
from render_bridge.protocol.events import PictureTaken
from render_bridge.zmq.engine_end import EngineEnd

Draw = Callable[[int], NDArray[np.uint8]]
"""Frame number → class map uint8 [H, W] in the engine's own ids."""


def table_of(name: str, classes: Sequence[str]) -> ClassTable:
    """A class table of these names, in grey steps: the colours of an engine that sends ids matter to people only."""
    shade = 255 // len(classes)
    return ClassTable(name, tuple(SceneClass(k, c, (shade * k,) * 3) for k, c in enumerate(classes)))


def options(description: str, argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Address and seconds."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("address", nargs="?", default=DEFAULT_ADDRESS, help=f"default {DEFAULT_ADDRESS}")
    parser.add_argument("--seconds", type=float, default=10.0, help="default 10")
    return parser.parse_args(argv)


def play(args: argparse.Namespace, draw: Draw, **greeting: Any) -> int:
    """Draw at the greeted rate for ``args.seconds``; prints what came back. Returns an exit code."""
    greeting = {"instance": os.urandom(8), "rate": (24, 1), "tick_rate": 24, **greeting}
    period = greeting["rate"][1] / greeting["rate"][0]
    pictures = 0
    try:
        with stoppable(), EngineEnd(args.address, Greeting(**greeting)) as end:
            begin = time.monotonic()
            for number in range(round(args.seconds / period)):
                class_map = draw(number)
                now = time.monotonic_ns()
                end.offer(Drawn(number, class_map, {"input": now, "drawn": now}))
                pause = max(0.0, begin + (number + 1) * period - time.monotonic())
                pictures += sum(isinstance(event, PictureTaken) for event in end.events())
                time.sleep(pause)
            pictures += sum(isinstance(event, PictureTaken) for event in end.events(1.0))
            print(f"{end.counters()['offered']} frames, {pictures} pictures")
    except BridgeClosed as closed:
        print(closed)
        return 1
    except BridgeError as error:
        print(error)
        return 2
    except KeyboardInterrupt:
        print("stopped")
        return INTERRUPTED
    return 0 if pictures else 1
