"""Small random renderers for tests: every path of the real ones, in milliseconds."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from diffusion_render.model.autoencoder import AutoencoderConfig
from diffusion_render.model.generator import GeneratorConfig
from diffusion_render.model.renderer import Renderer, RendererConfig
from diffusion_render.train.adversary import AdversaryConfig
from diffusion_render.train.discriminator import DiscriminatorConfig

HEIGHT, WIDTH = 64, 96

TOY_AUTOENCODER = AutoencoderConfig(
    latent=8,
    structure=8,
    rows=8,
    encoder_widths=(8, 8, 16, 16),
    encoder_blocks=(1, 1, 1, 1),
    decoder_widths=(16, 16, 8, 8),
    decoder_blocks=(1, 1, 1, 1),
    head=8,
)


def waken(module: nn.Module) -> None:
    """Give parameters that start at zero some noise: a gate at zero would hide every fault behind it."""
    for parameter in module.parameters():
        if not parameter.detach().any():
            nn.init.normal_(parameter, std=0.05)


TOY_GENERATOR = GeneratorConfig(width=128, layers=2, latent=8, structure=16, text=12, text_tokens=4)


def toy_renderer() -> Renderer:
    """A renderer of the smallest sizes, fp32, evaluation mode, always the same weights."""
    torch.manual_seed(0)
    renderer = Renderer(RendererConfig("toy", WIDTH, HEIGHT, TOY_AUTOENCODER, TOY_GENERATOR))
    waken(renderer)
    return renderer.eval()


def heading_renderer(light: bool = False) -> Renderer:
    """The same weights, and a generator that reads headings, and the light if asked to."""
    generator = replace(TOY_GENERATOR, heading=True, light=light)
    renderer = Renderer(RendererConfig("toy", WIDTH, HEIGHT, TOY_AUTOENCODER, generator))
    torch.manual_seed(1)
    waken(renderer)
    renderer.load_state_dict(toy_renderer().state_dict(), strict=False)
    return renderer.eval()


def some_maps(frames: int, seed: int = 1) -> Tensor:
    """uint8 class maps ``[frames, HEIGHT, WIDTH]`` of random 8 × 8 blocks."""
    generator = torch.Generator().manual_seed(seed)
    blocks = torch.randint(0, 13, (frames, HEIGHT // 8, WIDTH // 8), generator=generator, dtype=torch.uint8)
    return blocks.repeat_interleave(8, 1).repeat_interleave(8, 2)


def some_picture(seed: int = 2) -> Tensor:
    """A picture ``[3, HEIGHT, WIDTH]`` in [−1, 1]."""
    return torch.rand(3, HEIGHT, WIDTH, generator=torch.Generator().manual_seed(seed)) * 2 - 1


TOY_ADVERSARY = AdversaryConfig(discriminator=DiscriminatorConfig(widths=(8, 8), embedding=2))
"""For training tests: the real discriminator takes longer on a CPU than everything else of a toy run."""


def same_tensors(first, second) -> bool:
    """Whether two runs of tensors are equal bit for bit."""
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
