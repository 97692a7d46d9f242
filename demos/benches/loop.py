"""Figures of the whole loop: engine, class view, bridge, model in a process of its own, and pictures shown when due.

As in play, without a window: the engine runs in real time, a frame is drawn at each of its due times, and ``Pacing``
says when its picture would be shown. Input to photon is the time from the input that a frame shows to that moment: by
the stamps that travel with the frame, and, in a run of its own, found in the pixels.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from demos.benches.marks import Marks
from demos.benches.spread import spread
from demos.bridge.drawn import OFFERED_PLANES, drawn_frame
from demos.play.pacing import Arrived, Pacing, PacingConfig
from demos.play.renderer_process import RendererProcess
from demos.report import machine_facts, package_version, resident_mb
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE, ticks_per_frame
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.views.class_view import open_class_view
from engine_sim.views.scene import build_scene
from render_bridge.palette import GRASS, RACING, SKY
from render_bridge.protocol.engine_greeting import Greeting
from render_bridge.protocol.events import Closed, EngineEvent, PictureTaken, Refused
from render_bridge.zmq.engine_end import EngineEnd

SETTLE_S = 3.0
"""After the first picture, or half of the measured time: the buffer finds its size, nothing is counted."""
WAIT_S = 60.0
COMPILE_S = 600.0
"""A model that is compiled at the start takes minutes."""
LEAST_MARK_S = 0.25
POLL_S = 0.002

Say = Callable[[str], None]


@dataclass(frozen=True)
class LoopPlan:
    """What to run.

    Args:
        words: of ``paintover serve``, without the address.
        seconds: that figures are made of.
        rivals: cars besides the player's.
        views: back end of the class view.
        wait: seconds that the renderer may take to start.
    """

    track: str
    words: Sequence[str]
    size: tuple[int, int] = (448, 256)
    seconds: float = 20.0
    fps: int = 24
    rivals: int = 15
    views: str = "auto"
    wait: float = WAIT_S


@dataclass
class LoopFigures:
    """Everything that happened in the measured time."""

    chunks: dict[int, float] = field(default_factory=dict)
    photons: list[float] = field(default_factory=list)
    drawing: list[float] = field(default_factory=list)
    frames: int = 0
    repeated: int = 0
    failed: int = 0


class Loop:
    """The engine's process of the loop.

    Args:
        plan: what to run.
        painter: the renderer's process.
    """

    def __init__(self, plan: LoopPlan, painter: RendererProcess) -> None:
        self.plan, self.painter = plan, painter
        self._step = ticks_per_frame(plan.fps)
        self._drive = Drive(RaceSetup(track=plan.track, rivals=plan.rivals, player="ai"))
        self.view = open_class_view(build_scene(self._drive.track), *plan.size, backend=plan.views)
        greeting = Greeting(
            "paintover bench", os.urandom(8), *plan.size, RACING,
            rate=(plan.fps, 1), tick_rate=TICK_RATE, planes=OFFERED_PLANES,
        )  # fmt: skip
        self.view.planes(self._drive.frame(), None, ("class", *OFFERED_PLANES))  # a spare one takes the compiler's time
        self.end = EngineEnd(painter.address, greeting)
        self.pacing: Pacing[PictureTaken] = Pacing(1, 1)
        self.figures = LoopFigures()
        self.marks: Marks | None = None
        self._begun = 0.0
        self._chosen: tuple[str, ...] = ()
        self._fresh = False
        self.first_at: float | None = None

    def wait_for_picture(self) -> float:
        """Run until the first picture is shown; when that was, monotonic seconds. UserError if none comes."""
        give_up = time.monotonic() + WAIT_S
        while self.first_at is None:
            self._turn()
            self.painter.check()
            if time.monotonic() > give_up:
                raise UserError(f"the renderer painted nothing in {WAIT_S:g} s; it said: {self.painter.said}")
        return self.first_at

    def run(self, seconds: float) -> None:
        """Run for so long. UserError if the renderer ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._turn()
            self.painter.check()

    def begin(self) -> None:
        """Wait for the renderer's greeting; media time begins."""
        give_up = time.monotonic() + self.plan.wait
        while not self.end.is_open:
            self.painter.check()
            if time.monotonic() > give_up:
                raise UserError(f"no renderer after {self.plan.wait:g} s; it said: {self.painter.said}")
            for event in self.end.events(0.02):
                self._take(event)
        welcome = self.end.welcome
        assert welcome is not None
        self.pacing = Pacing(welcome.run, welcome.first_run, PacingConfig(most=float(self.plan.fps)))
        self._chosen = welcome.planes
        self._begun = time.monotonic() - self._drive.tick / TICK_RATE

    def close(self) -> None:
        """Say BYE and let the view go."""
        self.end.close()
        self.view.close()

    @property
    def media(self) -> float:
        """Media time in video frames."""
        return (time.monotonic() - self._begun) * self.plan.fps

    def _turn(self) -> None:
        """One video frame: drawn if it is not late already, then pictures are taken and shown until the next is due."""
        number = self._drive.tick // self._step + 1
        began = time.perf_counter()
        pressed = time.monotonic_ns()
        mark = self.marks.class_at(pressed / 1e9) if self.marks else None
        for _ in range(self._step):
            self._drive.step()
        if self.media < number + 1:
            frame = self._drive.frame()
            planes = self.view.planes(frame, None, ("class", *self._chosen))
            class_map = planes.pop("class").astype(np.uint8, copy=False)
            if mark is not None:
                class_map = np.full_like(class_map, mark)
            self.figures.drawing.append(1000 * (time.perf_counter() - began))
            self.end.offer(drawn_frame(frame, class_map, planes, pressed))
        self._fresh = False
        while True:
            self._show()
            if self.media >= number + 1:
                break
            for event in self.end.events(POLL_S):
                self._take(event)
        self.figures.frames += 1
        self.figures.repeated += not self._fresh

    def _show(self) -> None:
        picture = self.pacing.take(self.media)
        if picture is None:
            return
        self._fresh = True
        if self.first_at is None:
            self.first_at = time.monotonic()
        now = time.monotonic_ns()
        self.figures.photons.append((now - picture.stamps["input"]) / 1e6)
        if self.marks is not None:
            self.marks.show(now / 1e9, picture.pixels)

    def _take(self, event: EngineEvent) -> None:
        if isinstance(event, PictureTaken):
            milliseconds = (event.renderer_stamps["rendered"] - event.renderer_stamps["started"]) / 1e6
            self.figures.chunks[event.chunk] = milliseconds
            render = milliseconds / 1000 * self.plan.fps
            self.pacing.put(Arrived(event.tick // self._step, event.chunk, render, event), self.media)
        elif isinstance(event, Refused):
            self.figures.failed += 1
        elif isinstance(event, Closed):
            raise UserError(f"the renderer ended the session: {event.reason}")


def bench_loop(plan: LoopPlan, say: Say) -> dict[str, Any]:
    """All figures of ``paintover bench loop``. UserError: the renderer does not start, or paints nothing."""
    started = time.monotonic()
    painter = RendererProcess(plan.words, time.monotonic)
    try:
        loop = Loop(plan, painter)
        try:
            loop.begin()
            first = loop.wait_for_picture() - started
            say(f"first rendered frame after {first:.1f} s")
            loop.run(min(SETTLE_S, plan.seconds / 2))
            report = {"first_frame_s": round(first, 3), **measure(loop, plan)}
            report["marked_input_to_photon_ms"] = marked(loop, plan, report["input_to_photon_ms"]["median"])
        finally:
            loop.close()
    finally:
        painter.close()
    told = report["chunk_ms"]["median"], report["chunk_ms"]["p95"], report["input_to_photon_ms"]["median"]
    say("{:.1f} fps, chunk {:.0f} ms (p95 {:.0f}), input to photon {:.0f} ms".format(report["fps"], *told))
    found = report["marked_input_to_photon_ms"]
    say(
        "no marked input was found in the pixels" if found is None else f"found in the pixels: {found['median']:.0f} ms"
    )
    return report


def marked(loop: Loop, plan: LoopPlan, expected: float) -> dict[str, float] | None:
    """Milliseconds from marked inputs to the pixels that show them, over the plan's time; None if none was found.

    Args:
        expected: milliseconds that stamps say; marks come three times as slowly.
    """
    loop.marks = Marks((SKY, GRASS), max(LEAST_MARK_S, 3 * expected / 1000))
    loop.run(plan.seconds)
    found = [1000 * seconds for seconds in loop.marks.latencies()]
    loop.marks = None
    return spread(found) if found else None


def measure(loop: Loop, plan: LoopPlan) -> dict[str, Any]:
    """Run for the plan's time. Memory is watched over the second half: caches fill in the first."""
    loop.figures = LoopFigures()
    late, busy = loop.pacing.late, processor_seconds(loop.painter.pid)
    loop.run(plan.seconds / 2)
    before = resident(loop.painter)
    loop.run(plan.seconds / 2)
    grown = {name: now - before[name] for name, now in resident(loop.painter).items()}
    busy = processor_seconds(loop.painter.pid) - busy
    return {
        **figures(loop, plan),
        "late": loop.pacing.late - late,
        "renderer_cpu_ms": round(1000 * busy / len(loop.figures.chunks), 1),
        "memory_growth_mb_per_minute": {name: round(120 * mb / plan.seconds, 2) for name, mb in grown.items()},
    }


def figures(loop: Loop, plan: LoopPlan) -> dict[str, Any]:
    """What was counted. UserError if no chunk came."""
    f = loop.figures
    if not f.chunks or not f.photons:
        raise UserError(f"no picture was shown in {plan.seconds:g} s; the renderer said: {loop.painter.said}")
    return {
        "bench": "loop",
        "fps": round(len(f.photons) / plan.seconds, 2),
        "chunk_ms": spread(list(f.chunks.values())),
        "input_to_photon_ms": spread(f.photons),
        "engine_ms": spread(f.drawing),
        "frames": f.frames,
        "repeated": f.repeated,
        "failed": f.failed,
        "buffer_frames": round(loop.pacing.buffer, 2),
        "size": list(plan.size),
        "video_fps": plan.fps,
        "cars": plan.rivals + 1,
        "renderer": loop.end.welcome.notes[0] if loop.end.welcome and loop.end.welcome.notes else "",
        "class_view": loop.view.label,
        "load": round(os.getloadavg()[0], 2),
        **machine_facts(),
        "torch": package_version("torch"),
    }


def resident(painter: RendererProcess) -> dict[str, float]:
    """Megabytes of both processes."""
    return {"engine": resident_mb(os.getpid()), "renderer": resident_mb(painter.pid)}


def processor_seconds(pid: int) -> float:
    """Processor time of a process and all of its threads; 0 where the system does not tell."""
    try:
        parts = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
