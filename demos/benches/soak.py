"""A stream of many minutes, drawn as fast as it goes: what changes in it must cost neither compiling nor memory.

The look changes after a tenth of the time, the prompt after three tenths, and half-way the stream begins anew. Where
windows are replayed from recordings, a twin whose windows are launched one by one draws the same frames beside it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from demos.benches.parts import model_facts
from demos.benches.players import blocks_of_classes, compiles, opening
from demos.benches.spread import percentile, spread
from demos.renderer.factory import RendererPlan, StreamFactory
from demos.renderer.session import StreamRenderer
from demos.report import resident_mb
from diffusion_render.model.encoder import FRAMES
from render_bridge.protocol.events import FrameTaken
from render_bridge.protocol.messages import Control

PARTS = 10
"""The stream is reported in so many parts, of a minute each if it is ten minutes long."""
LOOK, PROMPT, RESET = 1, 3, 5
"""Parts after which something changes."""

Say = Callable[[str], None]
Pictures = Sequence[NDArray[np.uint8]]


@dataclass(frozen=True)
class SoakPlan:
    """What to draw.

    Args:
        renderer: the model.
        size: of the pictures, pixels.
        seconds: of media time.
        fps: video frames a second.
        depth: depth and cameras come with the class maps.
    """

    renderer: RendererPlan
    size: tuple[int, int]
    seconds: float = 600.0
    fps: int = 24
    depth: bool = False


@dataclass
class Differences:
    """Of two streams that should be equal: chunks compared, chunks that differ, the largest difference of 255."""

    chunks: int = 0
    unequal: int = 0
    largest: int = 0

    def add(self, ours: Pictures, theirs: Pictures) -> None:
        """Compare a chunk."""
        pairs = zip(ours, theirs, strict=True)
        largest = max(int(np.abs(a.astype(np.int16) - b).max()) for a, b in pairs)
        self.chunks += 1
        self.unequal += largest > 0
        self.largest = max(self.largest, largest)


@dataclass
class Soak:
    """One stream, its twin if it has one, and what they draw.

    Args:
        plan: what to draw.
        streams: that are given the same frames; the first one is measured.
        chunks: frames that take turns.
    """

    plan: SoakPlan
    streams: Sequence[StreamRenderer]
    chunks: Sequence[Sequence[FrameTaken]]
    differences: Differences = field(default_factory=Differences)
    drawn: int = 0

    def begin(self) -> None:
        """Draw the first window, and give the streams a second one to fill their memory."""
        self._draw(opening(self.chunks[0], self.plan.renderer.schedule))
        self._draw(self.chunks[1])

    def run(self, chunks: int) -> list[float]:
        """Draw so many chunks; milliseconds of each."""
        return [self._draw(self.chunks[(self.drawn + k) % len(self.chunks)]) for k in range(chunks)]

    def change(self, part: int) -> str:
        """What a part of the stream begins with; its name, or nothing."""
        if part == RESET:
            for stream in self.streams:
                stream.reset(None)
            self.begin()
            return "reset"
        control = {LOOK: another_look(self.plan.size), PROMPT: another_prompt()}.get(part)
        if control is None:
            return ""
        for stream in self.streams:
            stream.apply(control)
        return control.kind

    def _draw(self, frames: Sequence[FrameTaken]) -> float:
        before = time.perf_counter()
        pictures = self.streams[0].render(frames)
        milliseconds = 1000 * (time.perf_counter() - before)
        for twin in self.streams[1:]:
            self.differences.add(pictures, twin.render(frames))
        self.drawn += 1
        return milliseconds


def another_look(size: tuple[int, int]) -> Control:
    """A reference of coloured blocks, one class for each."""
    width, height = size
    rows, columns = np.indices((height, width)) // 32
    ids = ((rows + columns) % 13).astype(np.uint8)
    picture = np.stack([ids * 19, 255 - ids * 19, rows * 7 % 256], -1).astype(np.uint8)
    buffers = picture.tobytes(), ids.tobytes()
    return Control(id=1, generation=0, kind="look", width=width, height=height, buffers=buffers)


def another_prompt() -> Control:
    """A few words."""
    return Control(id=2, generation=0, kind="prompt", text="rain at night, wet asphalt")


def bench_soak(plan: SoakPlan, say: Say) -> dict[str, Any]:
    """All figures. UserError: no weights, no such device."""
    factory = StreamFactory(plan.renderer, say)
    factory.warm_up()
    streams = [factory.renderer(plan.size)] + [factory.renderer(plan.size, recorded=False)] * factory.records
    frames, classes = FRAMES * plan.renderer.schedule.chunk, factory.model.config.autoencoder.classes
    soak = Soak(plan, streams, blocks_of_classes(plan.size, frames, classes, plan.depth))
    soak.begin()
    before, count = compiles(), max(PARTS, round(plan.seconds * plan.fps / frames))
    times: list[float] = []
    parts: list[dict[str, Any]] = []
    for part in range(PARTS):
        compiled = compiles()
        event = soak.change(part)
        drawn = soak.run(count * (part + 1) // PARTS - count * part // PARTS)
        times += drawn
        parts.append(
            {"begins_with": event, "ms": spread(drawn), "recompiles": compiles() - compiled, **memory_mb(factory)}
        )
        say(f"{part + 1} of {PARTS} parts: {parts[-1]['ms']['median']:.2f} ms a chunk {event and '(' + event + ')'}")
    differences = soak.differences
    return {
        "bench": "soak",
        **model_facts(plan.renderer, factory.model, plan.size),
        "depth": plan.depth,
        "compiled": plan.renderer.compile,
        "recorded": factory.records,
        "media_s": round(count * frames / plan.fps, 1),
        "ms": {**spread(times), "p99": percentile(times, 0.99)},
        "recompiles": compiles() - before,
        "memory_growth_mb": {name: round(mb - parts[0][name], 1) for name, mb in memory_mb(factory).items()},
        "launched_anew": {
            "chunks": differences.chunks, "unequal": differences.unequal, "largest_of_255": differences.largest
        },
        "parts": parts,
    }  # fmt: skip


def memory_mb(factory: StreamFactory) -> dict[str, float]:
    """Megabytes in the process, and in tensors and in torch's hands on the card, if there is one."""
    found = {"process_mb": round(resident_mb(os.getpid()), 1)}
    device = next(factory.model.parameters()).device
    if device.type == "cuda":
        found["tensors_mb"] = round(torch.cuda.memory_allocated(device) / 2**20, 1)
        found["reserved_mb"] = round(torch.cuda.memory_reserved(device) / 2**20, 1)
    return found
