"""Speed of the racing world and of its views, measured on one scripted drive.

Rules and class views are measured on one core, as the budgets state them; a software rasteriser opened there keeps its
threads on that core. The teacher view may use all cores. A figure is the median of several equal portions.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from demos.report import machine_facts, summary, usable_cores
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE, ticks_per_frame
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import IDLE, Drive
from engine_sim.tracks.catalogue import load_track
from engine_sim.views.bench import bench_class_view
from engine_sim.views.frame import FrameState
from engine_sim.views.look import named_look
from engine_sim.views.scene import build_scene
from engine_sim.views.teacher_view import IN_FLIGHT, TeacherView, open_teacher_view

CARS = 16
PORTIONS = 7
DRIVE_SECONDS = 30
TIMED_FRAMES = 48
VIDEO_FROM, VIDEO_SECONDS, VIDEO_FPS = 20, 20, 24
BACKENDS = ("gl", "cpu")
Say = Callable[[str], None]


@dataclass(frozen=True)
class BenchPlan:
    """What to measure.

    Args:
        track: circuit of the drive.
        sizes: (width, height) of the views.
        seconds: time spent on each figure.
    """

    track: str
    sizes: tuple[tuple[int, int], ...]
    seconds: float = 3.0


def bench_engine(plan: BenchPlan, say: Say) -> dict[str, Any]:
    """All figures of ``paintover bench engine``, told line by line as they come.

    Raises:
        UserError: if the track is unknown.
    """
    report: dict[str, Any] = {"bench": "engine", "track": plan.track, **machine_facts()}
    with one_core():
        report["realtime_factor_16_cars"], report["realtime_factor_spread"] = bench_rules(plan)
        say(f"rules, {CARS} cars, one core: {report['realtime_factor_16_cars']:.1f} times real time")
        frames = drive_frames(plan.track)
        report["class_view_fps"], report["class_view"] = bench_class_views(plan, frames, say)
    video = video_frames(plan.track)
    report["teacher_view_fps"], report["teacher_view"] = bench_teacher_view(plan, video, say)
    return report


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and every thread that it starts inside, on one core (where the system can)."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def bench_rules(plan: BenchPlan) -> tuple[float, dict[str, float]]:
    """Simulated seconds per second of a race of CARS cars, past its countdown: (median, spread)."""
    world = scripted_drive(plan.track).world
    for _ in range(TICK_RATE * 6):
        world.step(IDLE)

    def portion() -> int:
        for _ in range(TICK_RATE):
            world.step(IDLE)
        return TICK_RATE

    rates = [rate / TICK_RATE for rate in measure(portion, plan.seconds)]
    return round(summary(rates)["median"], 1), summary(rates)


def bench_class_views(
    plan: BenchPlan, frames: list[FrameState], say: Say
) -> tuple[dict[str, float], dict[str, dict[str, Any]]]:
    """Frames a second by size, of the better back end; and the whole figures of each back end."""
    scene = build_scene(load_track(plan.track))
    best: dict[str, float] = {}
    detail: dict[str, dict[str, Any]] = {}
    for backend in BACKENDS:
        try:
            figures = bench_class_view(scene, frames, plan.sizes, backend)
        except UserError as error:
            say(f"class view, {backend}: not here ({error})")
            continue
        detail[backend] = {**figures, "cores": 1}
        for size, fps in figures["fps"].items():
            best[size] = max(best.get(size, 0.0), fps)
            say(f"class view {size}, {backend}, one core: {fps:.0f} fps")
    return best, detail


def bench_teacher_view(
    plan: BenchPlan, frames: list[FrameState], say: Say
) -> tuple[dict[str, float], dict[str, dict[str, Any]]]:
    """Frames a second by size, as clips are drawn: consecutive video frames, a few begun before one is fetched.

    Its shadow maps live for as long as the camera stays near, so frames far apart would measure another thing.
    Empty where there is no GL.
    """
    scene = build_scene(load_track(plan.track))
    fps: dict[str, float] = {}
    detail: dict[str, dict[str, Any]] = {}
    for width, height in plan.sizes:
        size = f"{width}x{height}"
        try:
            view = open_teacher_view(scene, width, height, named_look("golden-hour"))
        except UserError as error:
            say(f"teacher view: not here ({error})")
            return {}, {}
        figure = summary(measure(stream(view, frames), plan.seconds))
        detail[size] = {**figure, "renderer": view.label, "cores": usable_cores(), "in_flight": IN_FLIGHT}
        detail[size]["pass_ms"] = bench_passes(view, frames)
        view.close()
        fps[size] = round(figure["median"], 1)
        passes = ", ".join(f"{name} {one['median']:.2f}" for name, one in detail[size]["pass_ms"].items())
        say(f"teacher view {size}: {figure['median']:.1f} fps; its card's clock, ms a frame: {passes}")
    return fps, detail


def bench_passes(view: TeacherView, frames: list[FrameState]) -> dict[str, dict[str, float]]:
    """Milliseconds of each pass by the card's own clock, one frame at a time; nothing else is in flight.

    Shadow maps are drawn anew every few frames only: the median is that of a frame which keeps them. Read the mean.
    """
    for _ in range(IN_FLIGHT - 1):
        view.end()  # begun by ``stream``
    timer = view.time_passes()
    for frame in frames[:TIMED_FRAMES]:
        view.draw(frame)
    return {name: {**summary(ms), "mean": round(fmean(ms), 4)} for name, ms in timer.milliseconds.items()}


def scripted_drive(track: str) -> Drive:
    """A race of CARS scripted cars that outlasts any bench, behind its chase camera."""
    return Drive(RaceSetup(track=track, rivals=CARS - 1, laps=50, player="ai"))


def drive_frames(track: str) -> list[FrameState]:
    """Frame states of DRIVE_SECONDS of a scripted race, two a second, in order."""
    drive = scripted_drive(track)
    frames = []
    for tick in range(1, DRIVE_SECONDS * TICK_RATE + 1):
        drive.step()
        if tick % (TICK_RATE // 2) == 0:
            frames.append(drive.frame())
    return frames


def video_frames(track: str) -> list[FrameState]:
    """Consecutive frame states of VIDEO_SECONDS at VIDEO_FPS, from the middle of the drive's first lap on."""
    drive = scripted_drive(track)
    for _ in range(VIDEO_FROM * TICK_RATE):
        drive.step()
    frames = []
    for tick in range(VIDEO_SECONDS * TICK_RATE):
        if tick % ticks_per_frame(VIDEO_FPS) == 0:
            frames.append(drive.frame())
        drive.step()
    return frames


def stream(view: TeacherView, frames: list[FrameState]) -> Callable[[], int]:
    """One portion: begin the next frame of the drive, round and round, fetch the oldest; returns how many are done."""
    drive = itertools.cycle(frames)
    for _ in range(IN_FLIGHT - 1):
        view.begin(next(drive))

    def portion() -> int:
        view.begin(next(drive))
        view.end()
        return 1

    return portion


def measure(portion: Callable[[], int], seconds: float, ready: Callable[[], object] = lambda: None) -> list[float]:
    """Rates of PORTIONS equal stretches of time, after a warm-up of two calls (compilers, caches).

    ``ready`` is called between the warm-up and the first stretch; it may wait for others.
    """
    portion(), portion()
    ready()
    rates = []
    for _ in range(PORTIONS):
        start, count = time.perf_counter(), 0
        while (passed := time.perf_counter() - start) < seconds / PORTIONS or not count:
            count += portion()
        rates.append(count / passed)
    return rates
