"""The renderer's networks together, with the presets ``nano`` (laptop), ``base`` and ``toy`` (tests)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from kernels.split_attention.split import why_not

from . import autoencoder, generator
from .autoencoder import Autoencoder, AutoencoderConfig
from .generator import Generator, GeneratorConfig
from .structure_encoder import StructureEncoder


@dataclass(frozen=True)
class RendererConfig:
    """Sizes of all networks.

    Args:
        preset: name of the preset.
        width, height: the picture size that the preset was made for, pixels.
        autoencoder, generator: their own configs; both must agree on latent channels.
    """

    preset: str = "nano"
    width: int = 448
    height: int = 256
    autoencoder: AutoencoderConfig = field(default_factory=AutoencoderConfig)
    generator: GeneratorConfig = field(default_factory=GeneratorConfig)

    def __post_init__(self) -> None:
        a, g = self.autoencoder.latent, self.generator.latent
        if a != g:
            raise ValueError(f"autoencoder makes {a} latent channels, generator takes {g}: they must be equal")

    @property
    def guided(self) -> bool:
        """Whether guides are of use: the decoder reads noise that they anchor, or the generator reads headings."""
        return self.autoencoder.noise_octaves > 0 or self.generator.heading


MOST_VARIANTS = 64
"""Compiled variants of a part of the networks: one for each shape. torch gives up at 8."""

TOY_AUTOENCODER = AutoencoderConfig(
    latent=8,
    structure=8,
    rows=8,
    encoder_widths=(8, 8, 16, 16),
    decoder_widths=(16, 16, 8, 8),
    decoder_blocks=(1, 1, 1, 1),
    head=8,
    noise_octaves=3,
)
TOY_GENERATOR = GeneratorConfig(width=128, layers=2, latent=8, structure=16)

PRESETS = {
    "nano": RendererConfig("nano", 448, 256, autoencoder.NANO, generator.NANO),
    "base": RendererConfig("base", 1344, 768, autoencoder.BASE, generator.BASE),
    "toy": RendererConfig("toy", 64, 64, TOY_AUTOENCODER, TOY_GENERATOR),
}


class Renderer(nn.Module):
    """Autoencoder, structure encoder and generator. Stateless: a stream's state lives in its session."""

    def __init__(self, config: RendererConfig) -> None:
        super().__init__()
        self.config = config
        a = config.autoencoder
        self.autoencoder = Autoencoder(a)
        self.structure = StructureEncoder(a.classes, a.rows, a.structure, config.generator.structure)
        self.generator = Generator(config.generator)

    def compile_for_play(self, backend: str = "inductor") -> None:
        """Compile what a window is made of, for the shapes that come. Takes a minute or more; pays on GPUs."""
        torch._dynamo.config.recompile_limit = max(torch._dynamo.config.recompile_limit, MOST_VARIANTS)
        self.generator.compile_for_play(backend, _processors(next(self.parameters())))
        self.structure.compile(dynamic=False, backend=backend)
        self.autoencoder.compile_for_play(backend)


def _processors(weight: Tensor) -> int:
    """Processors of the card that attention has to fill, 0 where it is not split: what splits it knows Hopper's kernels
    and those behind, for numbers of 16 bits."""
    if weight.device.type != "cuda" or weight.dtype not in (torch.bfloat16, torch.float16):
        return 0
    properties = torch.cuda.get_device_properties(weight.device)
    if properties.major < 9:
        return 0
    if reason := why_not(weight.device, weight.dtype):
        told = f"keys cannot be split on this card, so attention stays whole, which is slower: {reason}"
        warnings.warn(told, RuntimeWarning, stacklevel=3)
        return 0
    return properties.multi_processor_count
