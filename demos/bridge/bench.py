"""Figures of the bridge between two processes: one-way latency, age with a slow renderer, memory, many sessions.

Both processes read the same monotonic clock (Linux: CLOCK_MONOTONIC), so a frame's way is the difference of two stamps:
from ``drawn``, set when the engine offers the class map, to ``started``, when the renderer holds it as an array. That
includes compression, both sockets, decompression, the check of every pixel and two hand-overs between threads.
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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demos.report import machine_facts, summary
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.views.class_view import open_class_view
from engine_sim.views.scene import build_scene
from render_bridge.palette import RACING
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.engine_side import Greeting
from render_bridge.protocol.events import PictureTaken
from render_bridge.zmq.engine_end import EngineEnd

MAPS = 12
"""Different class maps of one drive, sent in turn."""
FPS = 24
SLOWER = 6
"""Times that the slow renderer is slower than the engine."""
SESSIONS = 8
WARM_UP = 8
"""Pictures that no figure is made of."""
READY_S = 20.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class BridgePlan:
    """What to measure: size of the class maps, seconds for each figure, encodings."""

    track: str
    size: tuple[int, int] = (1344, 768)
    seconds: float = 5.0
    encodings: tuple[str, ...] = ("zstd", "rle", "raw")


class Trip:
    """Milliseconds of one frame's way to the renderer's start and of its picture back; the pixels are let go."""

    def __init__(self, picture: PictureTaken, read: int) -> None:
        self.way = (picture.renderer_stamps["started"] - picture.stamps["drawn"]) / 1e6
        self.back = (read - picture.renderer_stamps["sent"]) / 1e6


def bench_bridge(plan: BridgePlan, say: Say) -> dict[str, Any]:
    """All figures of ``paintover bench bridge``, told line by line as they come. UserError if the track is unknown."""
    maps = class_maps(plan)
    report: dict[str, Any] = {"bench": "bridge", "size": list(plan.size), "fps": FPS, **machine_facts()}
    for name, address in addresses():
        ways = {}
        for encoding in plan.encodings:
            with server(address):
                ways[encoding] = one_way(address, plan, maps, encoding)
            say(f"{name}, {encoding}: one way {ways[encoding]['median']} ms, p95 {ways[encoding]['p95']} ms")
        report[f"one_way_ms_{name}"] = ways
        with server(address, slow_ms=SLOWER * 1000 / FPS) as process:
            report[f"slow_renderer_{name}"] = slow(address, plan, maps, process)
        ages = report[f"slow_renderer_{name}"]
        say(f"{name}, renderer {SLOWER} times too slow: age of the frame used {ages['age_ms']['median']} ms, "
            f"at most {ages['age_ms']['high']} ms (a frame lasts {1000 / FPS:.1f} ms)")  # fmt: skip
    with server(address):
        report["sessions"] = many(address, plan, maps)
    say(f"{SESSIONS} sessions at once: one way {report['sessions']['one_way_ms']['median']} ms")
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


def addresses() -> Iterator[tuple[str, str]]:
    """One address of each transport."""
    folder = tempfile.mkdtemp(prefix="bridge-")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    yield "ipc", f"ipc://{folder}/bridge.sock"
    yield "tcp", f"tcp://127.0.0.1:{port}"


@contextmanager
def server(address: str, slow_ms: float = 0.0) -> Iterator[subprocess.Popen[bytes]]:
    """A palette renderer in a process of its own."""
    words = [sys.executable, "-m", "demos.cli", "serve", "--address", address, "--slow", str(slow_ms)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(10)


def connect(address: str, plan: BridgePlan, encoding: str = "zstd") -> EngineEnd:
    """An engine that is being served."""
    greeting = Greeting("bench", os.urandom(8), *plan.size, RACING, rate=(FPS, 1), encodings=(encoding,))
    end = EngineEnd(address, greeting)
    end.wait_open(READY_S)
    return end


def drive_engines(ends: Sequence[EngineEnd], maps: Sequence[NDArray[np.uint8]], seconds: float) -> list[Trip]:
    """Offer a frame to every engine at the video rate; what the stamps of the pictures say."""
    found: list[Trip] = []
    begin = time.monotonic()
    for number in range(round(seconds * FPS)):
        for end in ends:
            now = time.monotonic_ns()
            end.offer(Drawn(number * 5, maps[number % len(maps)], {"input": now, "drawn": now}))
        due = begin + (number + 1) / FPS
        while (left := due - time.monotonic()) > 0:
            for end in ends:
                wait = left / len(ends) if len(ends) == 1 else 0.001
                for event in end.events(wait):
                    if isinstance(event, PictureTaken):
                        found.append(Trip(event, time.monotonic_ns()))
    return found


def one_way(address: str, plan: BridgePlan, maps: list[NDArray[np.uint8]], encoding: str) -> dict[str, Any]:
    """Latency of frames that find the renderer waiting."""
    with connect(address, plan, encoding) as end:
        found = drive_engines([end], maps, plan.seconds)
    ways = [trip.way for trip in found[WARM_UP:]]
    back = [trip.back for trip in found[WARM_UP:]]
    return {**summary(ways), "p95": share(ways, 0.95), "picture_back": round(statistics.median(back), 3)}


def slow(
    address: str, plan: BridgePlan, maps: list[NDArray[np.uint8]], process: subprocess.Popen[bytes]
) -> dict[str, Any]:
    """Age of the frame used, and memory of both ends, with a renderer that cannot keep up."""
    with connect(address, plan) as end:
        drive_engines([end], maps, 2 * SLOWER / FPS)
        before = (resident_mb(os.getpid()), resident_mb(process.pid))
        found = drive_engines([end], maps, max(plan.seconds, 4 * SLOWER / FPS))
        after = (resident_mb(os.getpid()), resident_mb(process.pid))
        counters = end.counters()
    ages = [trip.way for trip in found[1:]]
    limit = 1000 / FPS + 5
    return {
        "age_ms": {**summary(ages), "p95": share(ages, 0.95), "p99": share(ages, 0.99)},
        "limit_ms": round(limit, 3),
        "over_limit": sum(age > limit for age in ages),
        "skipped": counters["skipped"],
        "memory_growth_mb": [round(b - a, 1) for a, b in zip(before, after, strict=True)],
    }


def many(address: str, plan: BridgePlan, maps: list[NDArray[np.uint8]]) -> dict[str, Any]:
    """Latency with many engines on one renderer, all in one process here."""
    with ExitStack() as stack:
        ends = [stack.enter_context(connect(address, plan)) for _ in range(SESSIONS)]
        found = drive_engines(ends, maps, plan.seconds)
    ways = [trip.way for trip in found[WARM_UP * SESSIONS :]]
    return {"sessions": SESSIONS, "pictures": len(found), "one_way_ms": {**summary(ways), "p95": share(ways, 0.95)}}


def share(values: Sequence[float], part: float) -> float:
    """The value below which a part of them lies."""
    return round(sorted(values)[int(part * (len(values) - 1))], 3)


def resident_mb(pid: int) -> float:
    """Resident memory of a process in MB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
