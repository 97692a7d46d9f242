"""Files of a run: the parts that stages hand to one another, and where each stage keeps its own."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from diffusion_render.model.bundle import open_renderer
from diffusion_render.model.generator import MAY_BE_MISSING
from diffusion_render.model.places import weights_path
from diffusion_render.model.renderer import Renderer
from diffusion_render.model.weights import WeightsHeader, load_weights, read_header, save_weights
from engine_sim.core.errors import UserError
from render_bridge.palette import RACING

SHIPPED = "shipped"
"""``--start-from`` this word: from the weights that come with the program."""


@dataclass(frozen=True)
class Parts:
    """Trained parts of a renderer as plain files in half precision, ``<part>.safetensors``.

    Args:
        folder: where parts are written, and read from first.
        start: where parts of an earlier run lie, or None.
        preset: that they belong to.
    """

    folder: Path
    start: Path | None
    preset: str

    def load(self, part: str, module: nn.Module, may_be_missing: Collection[str] = ()) -> bool:
        """Fill ``module``; False if there is no such part yet. WeightsError if it does not fit.

        Tensors named in ``may_be_missing`` stay as they are if the part is older than they.
        """
        for folder in (self.folder, self.start):
            if folder is not None and (path := folder / f"{part}.safetensors").exists():
                expected = {"part": part, "preset": self.preset, "class_table": RACING.hash}
                header = load_weights(path, module, may_be_missing, **expected)
                print(f"{part}: from {path} ({header.stage})")
                return True
        return False

    def need(self, part: str, module: nn.Module, stage: str, may_be_missing: Collection[str] = ()) -> None:
        """Fill ``module`` or raise UserError naming the stage that makes the part."""
        if not self.load(part, module, may_be_missing):
            raise UserError(f"{self.folder} has no {part}.safetensors: run the stage {stage!r} first")

    def save(self, part: str, module: nn.Module, stage: str, sampler: str, config: Any, data: str) -> None:
        """Write a part as it is now."""
        self.folder.mkdir(parents=True, exist_ok=True)
        header = WeightsHeader(part, self.preset, stage, sampler, RACING.hash, dataclasses.asdict(config), data)
        path = self.folder / f"{part}.safetensors"
        size = save_weights(path, module, header, torch.float16)
        print(f"wrote {path}, {size / 2**20:.2f} MiB")


GENERATOR_MAY_LACK = tuple(f"generator.{name}" for name in MAY_BE_MISSING)
"""Parameters that a generator's part may be older than."""


def generator_part(renderer: Renderer) -> nn.ModuleDict:
    """What the generator's stages train: structure encoder and generator, one part."""
    return nn.ModuleDict({"structure": renderer.structure, "generator": renderer.generator})


def unpack_shipped(preset: str, folder: Path) -> None:
    """The shipped weights of a preset as parts of a run in ``folder``. WeightsError: none are there."""
    if (folder / "generator.safetensors").exists():
        return
    renderer, header = open_renderer(preset, dtype=torch.float32), read_header(weights_path(preset))
    parts, config, data = Parts(folder, None, preset), renderer.config, f"shipped {preset}: {header.data}"
    parts.save("autoencoder", renderer.autoencoder, header.stage, "none", config.autoencoder, data)
    parts.save("generator", generator_part(renderer), header.stage, header.sampler, config.generator, data)


@torch.no_grad()
def blend_parts(renderer: Renderer, folder: Path, preset: str, share: float) -> None:
    """Blend a renderer with parts of the run that it went on from.

    Weights on one path of training may be averaged, and the average is often better than both ends (Izmailov et al.,
    2018; Wortsman et al., 2022, "model soups"). Parameters that the older parts lack stay as they are.

    Args:
        renderer: blended in place.
        folder: of the older parts, such as ``RUN/shipped``.
        preset: of both.
        share: of the renderer in the blend; the rest is the older parts'.

    Raises:
        UserError, WeightsError: parts that are not there, or do not fit.
    """
    older = copy.deepcopy(renderer)
    parts = Parts(folder, None, preset)
    parts.need("autoencoder", older.autoencoder, "autoencoder")
    parts.need("generator", generator_part(older), "teacher-forcing", GENERATOR_MAY_LACK)
    for mine, theirs in zip(renderer.parameters(), older.parameters(), strict=True):
        mine.lerp_(theirs, 1.0 - share)
