"""Figures of the model's parts alone: the decoder of one chunk, the generator's steps of one chunk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from demos.benches.spread import spread
from demos.renderer.factory import RendererPlan, open_model
from demos.renderer.process import device_name
from demos.report import machine_facts, package_version
from diffusion_render.model.encoder import FRAMES, normalize_latent
from diffusion_render.model.generator import Tokens
from diffusion_render.model.look_table import LOOK_FEATURES
from diffusion_render.model.renderer import Renderer
from diffusion_render.stream.guides import GuideNoise, Guides
from diffusion_render.stream.window import to_bytes

WARM_UP = 4
LEAST = 8
"""Fewest repeats of a figure, however slow the machine."""

Call = Callable[[], object]


@dataclass(frozen=True)
class PartsPlan:
    """What to measure: model, size in pixels (None: the preset's), seconds of each figure."""

    renderer: RendererPlan
    size: tuple[int, int] | None = None
    seconds: float = 3.0


def model_facts(plan: RendererPlan, model: Renderer, size: tuple[int, int]) -> dict[str, Any]:
    """What a model's figures depend on: the model, its size and number type, device and versions."""
    weight = next(model.parameters())
    return {
        "preset": plan.preset,
        "random_weights": plan.random_weights,
        "size": list(size),
        "frames": FRAMES * plan.schedule.chunk,
        "device": device_name(weight.device),
        "number_type": str(weight.dtype).removeprefix("torch."),
        "threads": torch.get_num_threads(),
        **machine_facts(),
        "torch": package_version("torch"),
    }


class Bench:
    """A model with one chunk's inputs: noise, blocks of classes, a camera ten metres from everything.

    Args:
        plan: what to measure.
    """

    def __init__(self, plan: PartsPlan) -> None:
        self.plan, self.schedule = plan, plan.renderer.schedule
        self.model = model = open_model(plan.renderer)
        weight = next(model.parameters())
        self.device, self.dtype = weight.device, weight.dtype
        self.width, self.height = plan.size or (model.config.width, model.config.height)
        self._draw = torch.Generator().manual_seed(0)
        table = torch.rand(1, model.config.autoencoder.classes, LOOK_FEATURES, generator=self._draw)
        self.look_table = table.to(self.device, self.dtype)

    def maps(self, units: int) -> Tensor:
        """uint8 class maps ``[1, 4 · units, H, W]`` on the device, in blocks of 16 × 16 pixels."""
        classes = self.model.config.autoencoder.classes
        shape = 1, FRAMES * units, self.height // 16, self.width // 16
        blocks = torch.randint(0, classes, shape, generator=self._draw, dtype=torch.uint8)
        return blocks.repeat_interleave(16, 2).repeat_interleave(16, 3).to(self.device)

    def latents(self, units: int) -> Tensor:
        """Latents ``[1, units, C, h, w]`` of rms 1."""
        shape = 1, units, self.model.config.autoencoder.latent, self.height // 32, self.width // 32
        return normalize_latent(torch.randn(shape, generator=self._draw), 2).to(self.device, self.dtype)

    def report(self, what: str, call: Call) -> dict[str, Any]:
        """Milliseconds of a call for one chunk, on what, with what."""
        wall, busy = self._measure(call)
        return {
            "bench": what,
            **model_facts(self.plan.renderer, self.model, (self.width, self.height)),
            "ms": spread(wall),
            "cpu_ms": spread(busy),
        }

    def _measure(self, call: Call) -> tuple[list[float], list[float]]:
        """Milliseconds of each call by the clock, and of processor time."""
        for _ in range(WARM_UP):
            call()
        wall: list[float] = []
        busy: list[float] = []
        end = time.monotonic() + self.plan.seconds
        while time.monotonic() < end or len(wall) < LEAST:
            began, began_busy = time.perf_counter(), time.process_time()
            call()
            if self.device.type == "cuda":
                torch.cuda.synchronize(self.device)
            wall.append(1000 * (time.perf_counter() - began))
            busy.append(1000 * (time.process_time() - began_busy))
        return wall, busy


@torch.inference_mode()
def bench_decoder(plan: PartsPlan) -> dict[str, Any]:
    """Class maps, guides and latents of one chunk in, bytes out, unit by unit as in play."""
    bench = Bench(plan)
    autoencoder = bench.model.autoencoder
    units = bench.schedule.chunk
    maps, latents, look = bench.maps(units), bench.latents(units), autoencoder.look(bench.look_table)
    guide_noise = GuideNoise(bench.model.autoencoder, bench.device)
    guides = standing_guides(FRAMES, bench.height, bench.width)
    _, state = autoencoder.decode(latents[:, :1], autoencoder.codes(maps[:, :FRAMES]), look)

    def call() -> None:
        nonlocal state
        codes = autoencoder.codes(maps)
        for k in range(units):
            noise = guide_noise(guides, bench.dtype)
            frames, state = autoencoder.decode(latents[:, k : k + 1], codes[:, k : k + 1], look, state, noise)
            to_bytes(frames)

    return bench.report("decoder", call)


@torch.inference_mode()
def bench_generator(plan: PartsPlan) -> dict[str, Any]:
    """Structure encoder, history and all steps of one chunk against a cached prefix, with a full history."""
    bench = Bench(plan)
    model, schedule = bench.model, bench.schedule
    cache = model.generator.prefix(*prefix_inputs(bench, model))
    table = model.structure.table(bench.look_table)
    maps = bench.maps(schedule.chunk).unflatten(1, (-1, FRAMES))
    positions = torch.arange(1, schedule.history + schedule.chunk + 1, device=bench.device)
    latents, old = bench.latents(schedule.chunk), bench.latents(schedule.history)
    held = model.structure(bench.maps(schedule.history).unflatten(1, (-1, FRAMES)), table)
    calm = torch.full((1, schedule.history), schedule.history_noise, device=bench.device)
    history = Tokens(old, held, calm, positions[: schedule.history])

    def call() -> None:
        structure = model.structure(maps, table)
        known = model.generator.remember(cache, history) if schedule.history else cache
        for level in schedule.steps:
            levels = torch.full((1, schedule.chunk), level, device=bench.device)
            model.generator.step(known, Tokens(latents, structure, levels, positions[schedule.history :]))

    return {**bench.report("generator", call), "steps": len(schedule.steps)}


def prefix_inputs(bench: Bench, model: Renderer) -> tuple[Tensor, Tokens, None]:
    """Prompt and reference of a stream."""
    config = model.config.generator
    text = torch.zeros(1, config.text_tokens, config.text, device=bench.device, dtype=bench.dtype)
    structure = model.structure(bench.maps(1).unflatten(1, (-1, FRAMES)), model.structure.table(bench.look_table))
    level, place = torch.zeros(1, 1, device=bench.device), torch.zeros(1, device=bench.device)
    return text, Tokens(bench.latents(1), structure, level, place), None


def standing_guides(frames: int, height: int, width: int) -> Guides:
    """Everything ten metres away, seen from two metres above the origin."""
    camera = [0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.4, 2500.0]
    return Guides(torch.full((frames, height, width), 10.0), torch.tensor([camera] * frames, dtype=torch.float64))
