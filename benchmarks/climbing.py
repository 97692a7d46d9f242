"""How the ladder is measured: every rung in turn, chunk by chunk, so that a busy machine is unfair to none of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from benchmarks.chunk import Chunk
from benchmarks.rungs import LeftOut, Rung, card_rungs, laptop_rungs, renderer_for, set_as
from demos.benches.parts import PartsPlan, model_facts
from demos.benches.spread import spread
from demos.renderer.factory import RendererPlan
from diffusion_render.stream.recorded import CudaRecorder, RecordedWindows
from diffusion_render.stream.window import RenderWindow, WindowOutputs, render_window

WARM_UP, LEAST = 2, 5
"""Chunks before the first figure, and fewest that a figure is made of."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class LadderPlan:
    """What to measure.

    Args:
        renderer: model, device, number type.
        ladder: ``card`` or ``laptop``.
        size: of the pictures, pixels.
        seconds: of each rung.
        compile: climb the rung of compiled networks too.
        backend: of torch.compile.
    """

    renderer: RendererPlan
    ladder: str = "card"
    size: tuple[int, int] = (448, 256)
    seconds: float = 3.0
    compile: bool = False
    backend: str = "inductor"


class Climber:
    """One rung, ready to draw its chunk.

    Args:
        rung: how.
        chunk: what.
        backend: of torch.compile.
        say: takes lines for people.
    """

    def __init__(self, rung: Rung, chunk: Chunk, backend: str, say: Say) -> None:
        self.rung, self._chunk = rung, chunk
        self._renderer = renderer_for(rung, chunk.bench.model, backend)
        self._window: RenderWindow = RecordedWindows(CudaRecorder(), say) if rung.recorded else render_window
        self._noise = chunk.noise_maker(self._renderer, rung.fused)
        self.times: list[float] = []
        self.busy: list[float] = []  # of the processor, which what else it has to do does not lengthen
        with set_as(rung, self._renderer):
            self._prefix = chunk.prefix(self._renderer)
        for _ in range(WARM_UP):
            self.made = self.draw()

    def draw(self) -> WindowOutputs:
        """One chunk: class maps on the device in, bytes on the device out."""
        inputs, device = self._chunk.inputs(self._prefix), self._chunk.bench.device
        with set_as(self.rung, self._renderer):
            self._wait(device)
            began, began_busy = time.perf_counter(), time.process_time()
            made = self._window(self._renderer, self._chunk.steps, inputs, self._noise())
            self._wait(device)
            self.times.append(1000 * (time.perf_counter() - began))
            self.busy.append(1000 * (time.process_time() - began_busy))
        return made

    @staticmethod
    def _wait(device: torch.device) -> None:
        if device.type == "cuda":
            torch.cuda.synchronize(device)


def rungs_of(plan: LadderPlan) -> list[Rung | LeftOut]:
    """The rungs of a plan, those that it cannot climb among them."""
    if plan.ladder == "laptop":
        return laptop_rungs(plan.compile)
    return card_rungs(plan.compile, plan.renderer.device.startswith("cuda"))


@torch.inference_mode()
def measure(plan: LadderPlan, say: Say) -> dict[str, Any]:
    """All figures. UserError: no such device."""
    if plan.compile:
        torch._dynamo.reset()  # it counts the variants of earlier runs too
    rungs = rungs_of(plan)
    types = {r.number_type or plan.renderer.number_type: None for r in rungs if isinstance(r, Rung)}
    chunks = {
        kind: Chunk(PartsPlan(replace(plan.renderer, number_type=kind, compile=False), plan.size)) for kind in types
    }
    climbers: dict[str, Climber] = {}
    for rung in rungs:
        if isinstance(rung, Rung):
            chunk = chunks[rung.number_type or plan.renderer.number_type]
            climbers[rung.name] = Climber(rung, chunk, plan.backend, say)
    take_turns(list(climbers.values()), plan.seconds)
    facts = model_facts(plan.renderer, next(iter(chunks.values())).bench.model, plan.size)
    rows = list(_rows(rungs, climbers))
    for line in lines(rows):
        say(line)
    return {"bench": "ladder", "ladder": plan.ladder, **facts, "steps": len(plan.renderer.schedule.steps), "rows": rows}


def take_turns(climbers: Sequence[Climber], seconds: float) -> None:
    """Every rung draws a chunk, then every rung the next, for so many seconds each."""
    for climber in climbers:
        climber.times.clear()
        climber.busy.clear()
    end = time.monotonic() + seconds * len(climbers)
    rounds = 0
    while rounds < LEAST or time.monotonic() < end:
        for climber in climbers if rounds % 2 == 0 else reversed(climbers):
            climber.draw()
        rounds += 1


def _rows(rungs: Sequence[Rung | LeftOut], climbers: dict[str, Climber]) -> Sequence[dict[str, Any]]:
    first = before = next(iter(climbers.values()))
    rows: list[dict[str, Any]] = []
    for rung in rungs:
        if isinstance(rung, LeftOut):
            rows.append({"rung": rung.name, "left_out": rung.reason})
            continue
        climber = climbers[rung.name]
        ms = spread(climber.times)
        rows.append(
            {
                "rung": rung.name,
                "ms": ms,
                "cpu_ms": spread(climber.busy),
                "times_as_fast_as_the_first": ratio(first.times, climber.times),
                "times_as_fast_as_before": ratio(before.times, climber.times),
                "cpu_times_as_fast_as_before": ratio(before.busy, climber.busy),
                "greatest_difference": difference(climber.made, first.made),
            }
        )
        before = climber
    return rows


def ratio(slow: Sequence[float], fast: Sequence[float]) -> float:
    """Median of the ratios of chunks that were drawn in the same round."""
    return round(statistics.median(a / b for a, b in zip(slow, fast, strict=True)), 3)


def difference(made: WindowOutputs, first: WindowOutputs) -> dict[str, float]:
    """Greatest difference of latents (rms 1), and of pictures in levels of 255; and the mean one of pictures."""
    levels = (made.pictures.int() - first.pictures.int()).abs()
    latents = (made.latents.float() - first.latents.float()).abs().max()
    return {
        "latents": float(f"{float(latents):.3g}"),
        "levels": int(levels.max()),
        "mean_levels": round(float(levels.float().mean()), 4),
    }


def lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The table for people."""
    titles = "ms", "low", "p95", "cpu ms", "×before", "×first", "×cpu", "latents", "levels"
    made = [f"{'rung':<42} " + " ".join(f"{title:>8}" for title in titles)]
    for row in rows:
        if "left_out" in row:
            made.append(f"{row['rung']:<42} left out: {row['left_out']}")
            continue
        ms, differs = row["ms"], row["greatest_difference"]
        cells = [f"{value:.2f}" for value in (ms["median"], ms["low"], ms["p95"], row["cpu_ms"]["median"])]
        kinds = "times_as_fast_as_before", "times_as_fast_as_the_first", "cpu_times_as_fast_as_before"
        cells += [*(f"{row[kind]:.2f}" for kind in kinds), f"{differs['latents']:.2g}", str(differs["levels"])]
        made.append(f"{row['rung']:<42} " + " ".join(f"{cell:>8}" for cell in cells))
    return made
