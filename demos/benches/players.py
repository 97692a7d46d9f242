"""Figures of players at one renderer: a chunk from class maps in the host's memory to pictures there, and who waits.

Each player's chunk of class maps arrives when a player's would: once a chunk's time, each player at a moment of
its own. They are drawn as ``paintover serve`` does: the oldest first, one by one unless batches are asked for, and then
together with what has come by then. A chunk is late if its pictures are not there before the next one's class maps are.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demos.benches.parts import model_facts
from demos.benches.profiled import profile_chunks, report_profile
from demos.benches.spread import percentile, spread
from demos.renderer.factory import RendererPlan, StreamFactory
from demos.renderer.session import StreamRenderer
from demos.report import resident_mb
from diffusion_render.model.encoder import FRAMES
from diffusion_render.stream.schedule import Schedule
from render_bridge.protocol.events import FrameTaken

WARM_UP = 4
BLOCK = 16
MAPS = 5
"""Class maps that take turns: a chunk never sees the one before again."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class PlayersPlan:
    """What to measure.

    Args:
        renderer: the model.
        size: of the pictures, pixels.
        players: at once.
        seconds: that figures are made of.
        fps: video frames a second of each player.
        depth: players send depth and cameras too.
        profile: where to write a trace of chunks that are profiled afterwards, for a quarter of the seconds; or None.
    """

    renderer: RendererPlan
    size: tuple[int, int]
    players: int = 1
    seconds: float = 20.0
    fps: int = 24
    depth: bool = False
    profile: Path | None = None


@dataclass
class PlayersFigures:
    """Milliseconds of each chunk: its share of the drawing, and from the arrival of its class maps; how many came too
    late; and the sizes of the batches."""

    drawn: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    late: int = 0
    batches: list[int] = field(default_factory=list)


def frame_taken(class_map: NDArray[np.uint8], depth: NDArray[np.float16] | None) -> FrameTaken:
    """A frame as the bridge hands it over, seen from two metres above the origin."""
    height, width = class_map.shape
    looks_north = (1.0, 0, 0, 0, 0, 0, 1.0, -2.0, 0, -1.0, 0, 0, 0, 0, 0, 1.0)
    lens = (2.4 * height / width, 0, 0, 0, 0, 2.4, 0, 0, 0, 0, -1.001, -0.8, 0, 0, -1.0, 0)
    return FrameTaken(
        b"", 0, 0, 0, 0, class_map, {} if depth is None else {"depth": depth}, {}, 0, False, False, looks_north, lens
    )


def blocks_of_classes(size: tuple[int, int], count: int, classes: int, depth: bool) -> list[list[FrameTaken]]:
    """Chunks of so many frames whose class maps are blocks of 16 × 16 pixels; with ``depth``, ten metres everywhere."""
    draw, (width, height) = np.random.default_rng(0), size
    plane = np.full((height, width), 10.0, np.float16) if depth else None
    chunks = []
    for _ in range(MAPS):
        small = draw.integers(0, classes, (count, -(-height // BLOCK), -(-width // BLOCK)), dtype=np.uint8)
        maps = small.repeat(BLOCK, 1).repeat(BLOCK, 2)[:, :height, :width]
        chunks.append([frame_taken(np.ascontiguousarray(m), plane) for m in maps])
    return chunks


def opening(chunk: Sequence[FrameTaken], schedule: Schedule) -> list[FrameTaken]:
    """Frames of a stream's first window: those of a chunk, again and again."""
    return (list(chunk) * -(-schedule.first // schedule.chunk))[: FRAMES * schedule.first]


class Players:
    """So many streams on one model.

    Args:
        plan: what to measure.
        factory: opens them.
    """

    def __init__(self, plan: PlayersPlan, factory: StreamFactory) -> None:
        self.plan, self._factory = plan, factory
        self._sizes = factory.sizes if plan.renderer.batch else (1,)
        schedule, classes = plan.renderer.schedule, factory.model.config.autoencoder.classes
        self._chunks = blocks_of_classes(plan.size, FRAMES * schedule.chunk, classes, plan.depth)
        self.streams = [factory.renderer(plan.size) for _ in range(plan.players)]
        self._drawn = 0
        first = opening(self._chunks[0], schedule)
        for stream in self.streams:
            stream.render(first)
            for _ in range(WARM_UP):
                self._draw(stream)
        for size in self._sizes[1:]:
            for _ in range(WARM_UP if size <= len(self.streams) else 0):
                self._draw(*self.streams[:size])

    def draw_next(self) -> None:
        """A chunk of the player whose turn it is."""
        self._draw(self.streams[self._drawn % len(self.streams)])

    def _draw(self, *streams: StreamRenderer) -> None:
        """A chunk of each of these; several as one batch."""
        runs = [(stream, self._chunks[(self._drawn + k) % MAPS]) for k, stream in enumerate(streams)]
        self._drawn += len(runs)
        if len(runs) == 1:
            streams[0].render(runs[0][1])
            return
        for drawn in self._factory.render_many(runs):
            if isinstance(drawn, Exception):
                raise drawn

    def _fit(self, count: int) -> int:
        """The largest batch that so many chunks fill."""
        return max(size for size in self._sizes if size <= count)

    def run(self, seconds: float) -> PlayersFigures:
        """Play for so long."""
        figures = PlayersFigures()
        every = FRAMES * self.plan.renderer.schedule.chunk / self.plan.fps
        begun = time.monotonic()
        due = [begun + every * (1 + k / len(self.streams)) for k in range(len(self.streams))]
        while min(due) < begun + seconds:
            time.sleep(max(0.0, min(due) - time.monotonic()))
            before = max(time.monotonic(), min(due))
            here = sorted((k for k in range(len(due)) if due[k] <= before), key=due.__getitem__)
            batch = here[: self._fit(len(here))]
            self._draw(*(self.streams[k] for k in batch))
            after = time.monotonic()
            figures.batches.append(len(batch))
            for k in batch:
                figures.drawn.append(1000 * (after - before) / len(batch))
                figures.waited.append(1000 * (after - due[k]))
                figures.late += after - due[k] > every
                due[k] += every
        return figures

    def run_on(self, seconds: float) -> list[float]:
        """Milliseconds of chunks that are drawn one right after the other, in the largest batches that there are."""
        drawn: list[float] = []
        size = self._fit(len(self.streams))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = time.perf_counter()
            first = self._drawn
            self._draw(*(self.streams[(first + k) % len(self.streams)] for k in range(size)))
            drawn += [1000 * (time.perf_counter() - before) / size] * size
        return drawn


def bench_players(plan: PlayersPlan, say: Say) -> dict[str, Any]:
    """All figures. UserError: no weights, no such device."""
    began = time.monotonic()
    factory = StreamFactory(plan.renderer, say)
    players = Players(plan, factory)
    ready = time.monotonic() - began
    say(f"{plan.players} streams are ready after {ready:.1f} s")
    on = players.run_on(plan.seconds / 4)
    before, recompiled = resident_mb(os.getpid()), compiles()
    figures = players.run(plan.seconds)
    ms, waited = spread(figures.drawn), spread(figures.waited)
    slowest = percentile(figures.drawn, 0.99)
    say(
        f"{factory.what}: {plan.players} players, a chunk {ms['median']:.2f} ms host to host, p99 {slowest:.2f}; "
        f"one right after the other {spread(on)['median']:.2f}; {figures.late} of {len(figures.drawn)} late, "
        f"{len(figures.drawn) / len(figures.batches):.2f} drawn at once"
    )
    grown, anew = resident_mb(os.getpid()) - before, compiles() - recompiled
    profile = {} if plan.profile is None else {"profile": profiled(players, factory, plan.profile, say)}
    return {
        "bench": "players",
        **model_facts(plan.renderer, factory.model, plan.size),
        "players": plan.players,
        "steps": len(plan.renderer.schedule.steps),
        "video_fps": plan.fps,
        "depth": plan.depth,
        "compiled": plan.renderer.compile,
        "recorded": factory.records,
        "ready_s": round(ready, 1),
        "ms": {**ms, "p99": slowest},
        "ms_one_after_the_other": spread(on),
        "arrival_to_pictures_ms": {**waited, "p99": percentile(figures.waited, 0.99)},
        "chunks": len(figures.drawn),
        "late": figures.late,
        "batch": plan.renderer.batch or 1,
        "drawn_at_once": round(len(figures.drawn) / len(figures.batches), 2),
        "recompiles": anew,
        "memory_growth_mb": round(grown, 1),
        **profile,
    }


def profiled(players: Players, factory: StreamFactory, path: Path, say: Say) -> dict[str, Any]:
    """Figures of profiled chunks, and a trace of them."""
    device, seconds = next(factory.model.parameters()).device, players.plan.seconds / 4
    before = compiles()
    trees, figures = profile_chunks(players.draw_next, len(players.streams), seconds, device)
    return {**report_profile(trees, figures, path, say), "recompiles": compiles() - before}


def compiles() -> int:
    """Times that torch has compiled something in this process."""
    from torch._dynamo.utils import counters

    return int(counters["stats"]["unique_graphs"])
