"""Figures of players at one renderer: a chunk from class maps in the host's memory to pictures there, and who waits.

Each player's chunk of class maps arrives when a player's would: once a chunk's time, each player at a moment of
its own. They are drawn one after the other, as ``paintover serve`` does. A chunk is late if its pictures are not
there before the next one's class maps are.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demos.benches.parts import model_facts
from demos.benches.spread import percentile, spread
from demos.renderer.factory import RendererPlan, StreamFactory
from demos.renderer.session import StreamRenderer
from demos.report import resident_mb
from diffusion_render.model.encoder import FRAMES
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
    """

    renderer: RendererPlan
    size: tuple[int, int]
    players: int = 1
    seconds: float = 20.0
    fps: int = 24
    depth: bool = False


@dataclass
class PlayersFigures:
    """Milliseconds of each chunk: drawn alone, and from the arrival of its class maps; how many came too late."""

    drawn: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    late: int = 0


def frame_taken(class_map: NDArray[np.uint8], depth: NDArray[np.float32] | None) -> FrameTaken:
    """A frame as the bridge hands it over, seen from two metres above the origin."""
    height, width = class_map.shape
    looks_north = (1.0, 0, 0, 0, 0, 0, 1.0, -2.0, 0, -1.0, 0, 0, 0, 0, 0, 1.0)
    lens = (2.4 * height / width, 0, 0, 0, 0, 2.4, 0, 0, 0, 0, -1.001, -0.8, 0, 0, -1.0, 0)
    return FrameTaken(
        b"", 0, 0, 0, 0, class_map, {} if depth is None else {"depth": depth}, {}, 0, False, False, looks_north, lens
    )


def blocks_of_classes(plan: PlayersPlan, classes: int) -> list[list[FrameTaken]]:
    """Chunks of frames whose class maps are blocks of 16 × 16 pixels."""
    draw, (width, height) = np.random.default_rng(0), plan.size
    depth = np.full((height, width), 10.0, np.float32) if plan.depth else None
    chunks = []
    for _ in range(MAPS):
        shape = FRAMES * plan.renderer.schedule.chunk, -(-height // BLOCK), -(-width // BLOCK)
        small = draw.integers(0, classes, shape, dtype=np.uint8)
        maps = small.repeat(BLOCK, 1).repeat(BLOCK, 2)[:, :height, :width]
        chunks.append([frame_taken(np.ascontiguousarray(m), depth) for m in maps])
    return chunks


class Players:
    """So many streams on one model.

    Args:
        plan: what to measure.
        factory: opens them.
    """

    def __init__(self, plan: PlayersPlan, factory: StreamFactory) -> None:
        self.plan = plan
        self._chunks = blocks_of_classes(plan, factory.model.config.autoencoder.classes)
        self._streams = [factory.renderer(plan.size) for _ in range(plan.players)]
        self._drawn = 0
        first = self._chunks[0] * (-(-plan.renderer.schedule.first // plan.renderer.schedule.chunk))
        for stream in self._streams:
            stream.render(first[: FRAMES * plan.renderer.schedule.first])
            for _ in range(WARM_UP):
                self._draw(stream)

    def _draw(self, stream: StreamRenderer) -> None:
        stream.render(self._chunks[self._drawn % MAPS])
        self._drawn += 1

    def run(self, seconds: float) -> PlayersFigures:
        """Play for so long."""
        figures = PlayersFigures()
        every = FRAMES * self.plan.renderer.schedule.chunk / self.plan.fps
        begun = time.monotonic()
        due = [begun + every * (1 + k / len(self._streams)) for k in range(len(self._streams))]
        while min(due) < begun + seconds:
            k = due.index(min(due))
            time.sleep(max(0.0, due[k] - time.monotonic()))
            before = time.monotonic()
            self._draw(self._streams[k])
            after = time.monotonic()
            figures.drawn.append(1000 * (after - before))
            figures.waited.append(1000 * (after - due[k]))
            figures.late += after - due[k] > every
            due[k] += every
        return figures

    def run_on(self, seconds: float) -> list[float]:
        """Milliseconds of chunks that are drawn one right after the other."""
        drawn: list[float] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = time.perf_counter()
            self._draw(self._streams[len(drawn) % len(self._streams)])
            drawn.append(1000 * (time.perf_counter() - before))
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
        f"one right after the other {spread(on)['median']:.2f}; {figures.late} of {len(figures.drawn)} late"
    )
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
        "recompiles": compiles() - recompiled,
        "memory_growth_mb": round(resident_mb(os.getpid()) - before, 1),
    }


def compiles() -> int:
    """Times that torch has compiled something in this process."""
    from torch._dynamo.utils import counters

    return int(counters["stats"]["unique_graphs"])
