"""Speed of the teacher view drawn by several processes at once, as the workers of a clip folder draw it.

Every process warms up by itself; a barrier then starts them all at the same moment, once for each size.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from threading import BrokenBarrierError
from typing import Any

from demos.engine_bench import BenchPlan, Say, measure, stream, video_frames
from demos.report import machine_facts, summary, usable_cores
from engine_sim.core.errors import UserError
from engine_sim.tracks.catalogue import load_track
from engine_sim.views.frame import FrameState
from engine_sim.views.look import named_look
from engine_sim.views.scene import build_scene
from engine_sim.views.teacher_view import IN_FLIGHT, open_teacher_view

Drawn = tuple[str, list[list[float]]]
"""Of one process: its renderer, and for each size the frames a second of its portions of time."""
MOST = 256
PATIENCE_S = 300.0
"""How long a process that is ready waits for the others: scenes are built and shaders compiled meanwhile."""
_here: dict[str, Any] = {}
"""Of a worker process: the barrier."""


def bench_teacher_processes(plan: BenchPlan, processes: int, say: Say) -> dict[str, Any]:
    """Frames a second by size, of all processes together and of each, told line by line as they come.

    Args:
        plan: what to draw; each process draws the same frames, from a place of its own in the drive.
        processes: how many draw at once, 1 to MOST.

    Returns:
        ``processes``, ``teacher_view_fps`` (by size ``"WxH"``: median of the sum), ``teacher_view`` (by size: median,
        low and high of the sum over portions of time, ``each`` process's own summary, ``renderer``, …).
    Raises:
        UserError: unknown track, no OpenGL, a count out of range, or a process that died.
    """
    if not 1 <= processes <= MOST:
        raise UserError(f"processes that draw at once: expected 1 to {MOST}, got {processes}")
    report: dict[str, Any] = {"bench": "engine", "track": plan.track, **machine_facts(), "processes": processes}
    frames = video_frames(plan.track)
    report["teacher_view_fps"], report["teacher_view"] = {}, {}
    drawn = draw_at_once(plan, frames, processes)
    for index, (width, height) in enumerate(plan.sizes):
        size, rates = f"{width}x{height}", [rates[index] for _, rates in drawn]
        figure = summary([sum(portion) for portion in zip(*rates, strict=True)])
        each = [summary(one) for one in rates]
        report["teacher_view_fps"][size] = round(figure["median"], 1)
        report["teacher_view"][size] = {
            **figure,
            "each": each,
            "renderer": drawn[0][0],
            "cores": usable_cores(),
            "in_flight": IN_FLIGHT,
        }
        medians = ", ".join(f"{one['median']:.1f}" for one in each)
        say(f"teacher view {size}, {processes} processes at once: {figure['median']:.1f} fps ({medians})")
    return report


def draw_at_once(
    plan: BenchPlan, frames: Sequence[FrameState], processes: int, draw: Callable[..., Drawn] | None = None
) -> list[Drawn]:
    """What every process has measured; ``draw`` (plan, frames) is what it runs, by default the teacher view."""
    draw = draw or draw_here
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes)
    with ProcessPoolExecutor(processes, context, _start, (barrier,)) as pool:
        step = max(1, len(frames) // processes)
        turns = [[*frames[k * step :], *frames[: k * step]] for k in range(processes)]
        drawing = [pool.submit(draw, plan, turn) for turn in turns]
        try:
            wait(drawing)
        except BaseException:
            barrier.abort()
            raise
    return _results(drawing)


def _results(drawing: Sequence[Future[Drawn]]) -> list[Drawn]:
    """What the processes returned. The first failure that is not the echo of another one's is raised."""
    failures = [error for future in drawing if (error := future.exception()) is not None]
    for error in failures:
        if isinstance(error, BrokenProcessPool):
            raise UserError("a drawing process died (out of memory?); try again with fewer processes") from error
        if not isinstance(error, BrokenBarrierError):
            raise error
    if failures:
        raise UserError(f"the drawing processes were not ready within {PATIENCE_S:.0f} s; try fewer") from failures[0]
    return [future.result() for future in drawing]


def _start(barrier: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides.
    _here["barrier"] = barrier


def wait_for_all() -> None:
    """In a process of the bench: until every other one has come as far."""
    _here["barrier"].wait(PATIENCE_S)


def draw_here(plan: BenchPlan, frames: list[FrameState]) -> Drawn:
    """In a process of the bench: draw each size for as long as the plan says, from the moment when all are ready."""
    try:
        scene, label, rates = build_scene(load_track(plan.track)), "", []
        for width, height in plan.sizes:
            view = open_teacher_view(scene, width, height, named_look("golden-hour"))
            label = view.label
            rates.append(measure(stream(view, frames), plan.seconds, wait_for_all))
            view.close()
        return label, rates
    except BaseException:
        _here["barrier"].abort()
        raise
