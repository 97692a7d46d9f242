"""One chunk in the middle of a stream, as every rung gets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map_only

from demos.benches.parts import Bench, PartsPlan, prefix_inputs, standing_guides
from diffusion_render.model.encoder import FRAMES
from diffusion_render.model.generator import Tokens
from diffusion_render.model.renderer import Renderer
from diffusion_render.stream.guides import GuideNoise, Guides, cameras_of
from diffusion_render.stream.window import WindowInputs
from kernels.anchored_noise.plain import anchored_noise, noise_volume


@dataclass(frozen=True)
class Plain:
    """The anchored noise of units by its plain twin, on the processor."""

    volume: Tensor

    def __call__(self, frames: Guides, dtype: torch.dtype) -> Tensor:
        return anchored_noise(frames.depth, cameras_of(frames.camera), self.volume).to(dtype)[None, None]


class Chunk:
    """Class maps, noise, history and look of one chunk. Two of one plan hold the same numbers.

    Args:
        plan: model, size, device.
    """

    def __init__(self, plan: PartsPlan) -> None:
        self.bench = bench = Bench(plan)
        model, schedule = bench.model, bench.schedule
        positions = torch.arange(1, schedule.history + schedule.chunk + 1, device=bench.device)
        structure_table = model.structure.table(bench.look_table)
        held = model.structure(bench.maps(schedule.history).unflatten(1, (-1, FRAMES)), structure_table)
        calm = torch.full((1, schedule.history), schedule.history_noise, device=bench.device)
        history = Tokens(bench.latents(schedule.history), held, calm, positions[: schedule.history])
        tables = model.autoencoder.look(bench.look_table)
        codes = model.autoencoder.codes(bench.maps(1))
        _, state = model.autoencoder.decode(bench.latents(1), codes, tables)
        maps, noise = bench.maps(schedule.chunk), bench.latents(schedule.chunk)
        after = positions[schedule.history :]
        self._inputs = WindowInputs(maps, noise, after, None, history, [], tables, structure_table, state)
        self._prefix = prefix_inputs(bench, model)
        self._guides = standing_guides(FRAMES, bench.height, bench.width)

    @property
    def steps(self) -> tuple[float, ...]:
        """Noise levels of the sampler."""
        return self.bench.schedule.steps

    def prefix(self, model: Renderer) -> Any:
        """What a model's generator keeps of prompt and reference, once a session."""
        return model.generator.prefix(*self._prefix)

    def inputs(self, prefix: Any) -> WindowInputs:
        """New copies of all that a stream has anew for every chunk; the prefix and the look stay the same tensors."""
        old = self._inputs
        anew = old.maps, old.noise, old.history, old.decoder
        maps, noise, history, state = tree_map_only(Tensor, torch.clone, anew)
        return old._replace(maps=maps, noise=noise, history=history, decoder=state, prefix=prefix)

    def noise_maker(self, model: Renderer, fused: bool) -> Callable[[], Iterator[Tensor | None]]:
        """Makes a model's anchored noise of all units, each when its turn comes; on the processor by either twin."""
        bench = self.bench
        if model.config.autoencoder.noise_octaves == 0:
            return lambda: iter([None] * bench.schedule.chunk)
        plain = not fused and bench.device.type == "cpu"
        make = Plain(torch.from_numpy(noise_volume())) if plain else GuideNoise(model.autoencoder, bench.device)
        return lambda: (make(self._guides, bench.dtype) for _ in range(bench.schedule.chunk))
