"""Figures of the bridge between two processes: one-way latency, age with a slow renderer, memory, many sessions.

Both processes read the same monotonic clock (Linux: CLOCK_MONOTONIC), so a frame's way is the difference of two stamps:
from ``drawn``, set when the engine offers the class map, to ``started``, when the renderer holds it as an array. That
includes compression, both sockets, decompression, the check of every pixel and the hand-overs between threads. Beside
it stands what bare sockets take for as many bytes (``floor``).
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from demos.benches.spread import percentile, spread
from demos.bridge.floor import bare_pair
from demos.bridge.limits import AGE_MS, FPS, SLOW_S, limits, line_of
from demos.report import machine_facts, resident_mb
from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.views.class_view import open_class_view
from engine_sim.views.scene import build_scene
from render_bridge.palette import RACING
from render_bridge.protocol.encodings import encode_plane
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.engine_greeting import Greeting
from render_bridge.protocol.events import PictureTaken
from render_bridge.zmq.engine_end import EngineEnd

MAPS = 12
"""Different class maps of one drive, sent in turn."""
SLOWER = 6
"""Times that the slow renderer is slower than the engine."""
WARM_UP = 8
"""Pictures of a session that no figure is made of."""
READY_S = 20.0
SETTLE_S = 2.0
"""Before memory is read for the first time."""
FEWEST = 3
"""Pictures that a figure needs."""

T = TypeVar("T")
Say = Callable[[str], None]


@dataclass(frozen=True)
class BridgePlan:
    """What to measure.

    Args:
        size: of the class maps.
        seconds: for each latency.
        slow_seconds: for ages and memory beside a renderer that is too slow; ``limits.SLOW_S`` are asked for.
        encodings: of the class maps; the first, which engines on this machine ask for, is the one that limits hold for.
        transports: of ``ipc`` and ``tcp``.
        sessions: engines at once on one renderer.
    """

    track: str
    size: tuple[int, int] = (1344, 768)
    seconds: float = 5.0
    slow_seconds: float = SLOW_S
    encodings: tuple[str, ...] = ("raw", "zstd", "rle")
    transports: tuple[str, ...] = ("ipc", "tcp")
    sessions: int = 8


class Trip:
    """Milliseconds of one frame's way to the renderer's start and of its picture back; the pixels are let go."""

    def __init__(self, picture: PictureTaken, read: int) -> None:
        self.way = (picture.renderer_stamps["started"] - picture.stamps["drawn"]) / 1e6
        self.back = (read - picture.renderer_stamps["sent"]) / 1e6


def bench_bridge(plan: BridgePlan, say: Say) -> dict[str, Any]:
    """All figures of ``paintover bench bridge``, told line by line as they come, and which limits they hold.

    Raises:
        UserError: unknown track, or so little time that too few pictures came.
    """
    maps = class_maps(plan)
    report: dict[str, Any] = {"bench": "bridge", "size": list(plan.size), "fps": FPS, **machine_facts()}
    with tempfile.TemporaryDirectory(prefix="bridge-") as folder:
        known = addresses(Path(folder))
        for name in plan.transports:
            report[f"one_way_ms_{name}"] = {e: one_way(known[name], plan, maps, e) for e in plan.encodings}
            for encoding, way in report[f"one_way_ms_{name}"].items():
                way["floor"] = floor(known[name], plan, maps, encoding)
                say(f"{name}, {encoding}: one way {way['median']} ms, p95 {way['p95']} ms; "
                    f"a bare socket takes {way['floor']} ms for so many bytes")  # fmt: skip
            ages = report[f"slow_renderer_{name}"] = slow(known[name], plan, maps)
            say(f"{name}, renderer {SLOWER} times too slow: age of the frame used {ages['age_ms']['median']} ms, "
                f"at most {ages['age_ms']['high']} ms (a frame lasts {1000 / FPS:.1f} ms)")  # fmt: skip
        report["sessions"] = many(known[plan.transports[0]], plan, maps)
    say(f"{plan.sessions} sessions at once: one way {report['sessions']['one_way_ms']['median']} ms, "
        f"pictures {report['sessions']['pictures']} of {report['sessions']['offered']} frames each")  # fmt: skip
    report["limits"] = limits(report, plan.transports, plan.encodings[0])
    report["holds"] = all(row["holds"] for row in report["limits"])
    for row in report["limits"]:
        say(line_of(row))
    return report


def class_maps(plan: BridgePlan) -> list[NDArray[np.uint8]]:
    """Class maps of a real drive, a second apart, uint8 [H, W]."""
    drive = Drive(RaceSetup(track=plan.track, player="ai"))
    with open_class_view(build_scene(drive.track), *plan.size) as view:
        maps = []
        for _ in range(MAPS):
            for _ in range(120):
                drive.step()
            maps.append(view.draw(drive.frame()).copy())
    return maps


def addresses(folder: Path) -> dict[str, str]:
    """One address of each transport."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return {"ipc": f"ipc://{folder}/bridge.sock", "tcp": f"tcp://127.0.0.1:{port}"}


@contextmanager
def server(address: str, slow_ms: float = 0.0, sessions: int = 1) -> Iterator[subprocess.Popen[bytes]]:
    """A palette renderer in a process of its own."""
    options = {"--renderer": "palette", "--address": address, "--slow": slow_ms, "--sessions": sessions}
    words = ["serve", "--overbook", *(str(word) for option in options.items() for word in option)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    process = subprocess.Popen([sys.executable, "-m", "demos.cli", *words], env=environment, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(10)


def connect(address: str, plan: BridgePlan, encoding: str) -> EngineEnd:
    """An engine that is being served."""
    greeting = Greeting("bench", os.urandom(8), *plan.size, RACING, rate=(FPS, 1), encodings=(encoding,))
    end = EngineEnd(address, greeting)
    end.wait_open(READY_S)
    return end


def drive_engines(ends: Sequence[EngineEnd], maps: Sequence[NDArray[np.uint8]], seconds: float) -> list[list[Trip]]:
    """Offer a frame to every engine at the video rate; what the stamps of each one's pictures say."""
    found: list[list[Trip]] = [[] for _ in ends]
    begin = time.monotonic()
    for number in range(round(seconds * FPS)):
        for end in ends:
            now = time.monotonic_ns()
            end.offer(Drawn(number * 5, maps[number % len(maps)], {"input": now, "drawn": now}))
        due = begin + (number + 1) / FPS
        while (left := due - time.monotonic()) > 0:
            for end, trips in zip(ends, found, strict=True):
                for event in end.events(left if len(ends) == 1 else 0.001):
                    if isinstance(event, PictureTaken):
                        trips.append(Trip(event, time.monotonic_ns()))
    return found


def one_way(address: str, plan: BridgePlan, maps: list[NDArray[np.uint8]], encoding: str) -> dict[str, Any]:
    """Latency of frames that find the renderer waiting."""
    with server(address), connect(address, plan, encoding) as end:
        (found,) = drive_engines([end], maps, plan.seconds)
    kept = enough(found[WARM_UP:], plan.seconds)
    back = statistics.median(trip.back for trip in kept)
    return {**spread([trip.way for trip in kept]), "picture_back": round(back, 3)}


def floor(address: str, plan: BridgePlan, maps: list[NDArray[np.uint8]], encoding: str) -> float:
    """Median milliseconds that bare sockets take for the bytes of such a frame."""
    sizes = [memoryview(encode_plane(class_map, encoding)).nbytes for class_map in maps]
    return round(statistics.median(bare_pair(address, int(statistics.median(sizes)), plan.seconds)), 3)


def slow(address: str, plan: BridgePlan, maps: list[NDArray[np.uint8]]) -> dict[str, Any]:
    """Age of the frame used, and memory of both ends, with a renderer that cannot keep up."""
    with server(address, slow_ms=SLOWER * 1000 / FPS) as process, connect(address, plan, plan.encodings[0]) as end:
        drive_engines([end], maps, min(SETTLE_S, plan.slow_seconds))
        before = (resident_mb(os.getpid()), resident_mb(process.pid))
        (found,) = drive_engines([end], maps, plan.slow_seconds)
        after = (resident_mb(os.getpid()), resident_mb(process.pid))
        counters = end.counters()
    ages = [trip.way for trip in enough(found, plan.slow_seconds)]
    return {
        "seconds": plan.slow_seconds,
        "age_ms": {**spread(ages), "p99": percentile(ages, 0.99)},
        "over_limit": sum(age > AGE_MS for age in ages),
        "skipped": counters["skipped"],
        "memory_growth_mb": [round(b - a, 1) for a, b in zip(before, after, strict=True)] if all(before) else None,
    }


def many(address: str, plan: BridgePlan, maps: list[NDArray[np.uint8]]) -> dict[str, Any]:
    """Latency and share of many engines on one renderer, all in one process here."""
    with ExitStack() as stack:
        stack.enter_context(server(address, sessions=plan.sessions))
        ends = [stack.enter_context(connect(address, plan, plan.encodings[0])) for _ in range(plan.sessions)]
        found = drive_engines(ends, maps, plan.seconds)
    ways = [trip.way for trips in found for trip in trips[WARM_UP:]]
    return {
        "sessions": plan.sessions,
        "offered": round(plan.seconds * FPS),
        "pictures": [len(trips) for trips in found],
        "one_way_ms": spread(enough(ways, plan.seconds)),
    }


def enough(found: list[T], seconds: float) -> list[T]:
    """The very list. UserError if too little came to make figures of."""
    if len(found) < FEWEST:
        raise UserError(f"only {len(found)} pictures to measure came in {seconds:g} s: give it more --seconds")
    return found
