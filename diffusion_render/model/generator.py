"""The generator: a diffusion transformer over one window of latent frames, text and reference.

It predicts the velocity noise − data of a rectified flow (Liu et al., 2022): at level t a token is
(1 − t) · data + t · noise. The level is per token: prefix and history are (nearly) clean while the chunk is noisy,
so the prefix's keys and values do not depend on the step and are computed once a session.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import HEAD, Attention, KeyValue, rotary_table


@dataclass(frozen=True)
class GeneratorConfig:
    """Sizes of the generator.

    Args:
        width, layers: of the transformer; width is a multiple of 128.
        latent: channels of a latent pixel.
        structure: channels of structure features per token.
        text: channels of the prompt encoder's tokens.
        text_tokens: most prompt tokens; always padded to this, so that no shape ever changes.
    """

    width: int = 256
    layers: int = 8
    latent: int = 64
    structure: int = 128
    text: int = 384
    text_tokens: int = 64

    def __post_init__(self) -> None:
        if self.width % HEAD:
            raise ValueError(f"width {self.width} must be divisible by the head width {HEAD}")

    @property
    def hidden(self) -> int:
        """Width inside SwiGLU: 8/3 of the width, rounded up to 64."""
        return 64 * math.ceil(self.width * 8 / 3 / 64)


NANO = GeneratorConfig()
BASE = GeneratorConfig(width=512, layers=12, latent=128, structure=192)


class Tokens(NamedTuple):
    """One run of tokens that share a role: latent frames of the reference, sink, history or chunk.

    ``latents`` ``[N, U, C, h, w]`` at ``level`` ``[N, U]``; ``structure`` ``[N, U, S, h, w]``;
    ``positions`` ``[U]`` on the template's time axis.
    """

    latents: Tensor
    structure: Tensor
    level: Tensor
    positions: Tensor


class Modulation(nn.Module):
    """Shift, scale and gate of each layer from the noise level: one network and a table per layer (PixArt-α)."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.waves, self.out = nn.Linear(256, width), nn.Linear(width, 6 * width)
        self.table = nn.Parameter(torch.randn(layers, 6 * width) / width**0.5)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, level: Tensor) -> Tensor:
        """Levels in [0, 1] ``[N, U]`` → shared projections ``[N, U, 6 · width]``; layer k adds ``table[k]``."""
        rates = torch.exp(-math.log(1e4) * torch.arange(128, device=level.device) / 128)
        angle = 1000.0 * level.float()[..., None] * rates
        waves = torch.cat([torch.cos(angle), torch.sin(angle)], -1)
        return self.out(F.silu(self.waves(waves.to(self.waves.weight.dtype))))


class Block(nn.Module):
    """Attention and SwiGLU, each behind an RMS norm that the noise level shifts, scales and gates."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.attention = Attention(width)
        self.up = nn.Linear(width, 2 * hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(
        self, x: Tensor, modulation: Tensor, rotary: Tensor, prefix: int, cached: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        """x ``[N, L, D]``, modulation ``[N, L, 6 · D]`` → (x, prefix keys and values)."""
        shift1, scale1, gate1, shift2, scale2, gate2 = modulation.chunk(6, -1)
        h = F.rms_norm(x, x.shape[-1:]) * (1 + scale1) + shift1
        h, kept = self.attention(h, rotary, prefix, cached)
        x = x + gate1 * h
        h = F.rms_norm(x, x.shape[-1:]) * (1 + scale2) + shift2
        a, b = self.up(h).chunk(2, -1)
        return x + gate2 * self.down(F.silu(a) * b), kept


class Generator(nn.Module):
    """Velocity of the moving part of one window."""

    def __init__(self, config: GeneratorConfig = NANO) -> None:
        super().__init__()
        self.config = c = config
        self.latent = nn.Linear(c.latent, c.width)
        self.structure = nn.Linear(c.structure, c.width)
        self.text = nn.Linear(c.text, c.width)
        self.role = nn.Parameter(0.02 * torch.randn(4, c.width))
        self.modulation = Modulation(c.width, c.layers)
        self.blocks = nn.ModuleList(Block(c.width, c.hidden) for _ in range(c.layers))
        self.out = nn.Linear(c.width, c.latent)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def _embed(self, run: Tokens, role: int) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens ``[N, U·h·w, D]``, modulation of their level, positions ``[U·h·w, 3]``."""
        _, u, _, h, w = run.latents.shape
        x = self.latent(run.latents.permute(0, 1, 3, 4, 2)) + self.structure(run.structure.permute(0, 1, 3, 4, 2))
        modulation = self.modulation(run.level)[:, :, None].expand(-1, -1, h * w, -1)
        grid = torch.meshgrid(
            run.positions.float(),
            torch.arange(h, device=x.device, dtype=torch.float32),
            torch.arange(w, device=x.device, dtype=torch.float32),
            indexing="ij",
        )
        positions = torch.stack(grid, -1).view(u * h * w, 3)
        return x.flatten(1, 3) + self.role[role], modulation.flatten(1, 2), positions

    def _embed_text(self, text: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = self.text(text) + self.role[3]
        clean = self.modulation(torch.zeros(text.shape[:2], device=text.device))
        return x, clean, torch.zeros(text.shape[1], 3, device=text.device)

    def _embed_prefix(
        self, text: Tensor, reference: Tokens, sink: Tokens | None
    ) -> list[tuple[Tensor, Tensor, Tensor]]:
        parts = [self._embed_text(text), self._embed(reference, 0)]
        return parts if sink is None else [*parts, self._embed(sink, 1)]

    def forward(self, text: Tensor, reference: Tokens, sink: Tokens | None, moving: Tokens) -> Tensor:
        """Velocities of the moving part ``[N, U, C, h, w]``, everything computed afresh (the plain twin).

        Args:
            text: prompt tokens ``[N, P, text]``, zero rows as padding.
            reference: the reference's latent frame, at its level (0 in play).
            sink: first units of the stream, or None in the first window.
            moving: history and chunk, each unit at its own level.
        """
        parts = self._embed_prefix(text, reference, sink)
        prefix = sum(p[0].shape[1] for p in parts)
        parts.append(self._embed(moving, 2))
        x, modulation = (torch.cat([p[k] for p in parts], 1) for k in (0, 1))
        rotary = rotary_table(torch.cat([p[2] for p in parts]))
        for k, block in enumerate(self.blocks):
            x, _ = block(x, modulation + self.modulation.table[k], rotary, prefix, None)
        return self._velocity(x[:, prefix:], moving)

    def prefix(self, text: Tensor, reference: Tokens, sink: Tokens | None) -> list[KeyValue]:
        """Keys and values of the prefix, one entry a layer: once a session, and after a change of look."""
        parts = self._embed_prefix(text, reference, sink)
        x, modulation = (torch.cat([p[k] for p in parts], 1) for k in (0, 1))
        rotary = rotary_table(torch.cat([p[2] for p in parts]))
        cache = []
        for k, block in enumerate(self.blocks):
            x, kept = block(x, modulation + self.modulation.table[k], rotary, x.shape[1], None)
            cache.append(kept)
        return cache

    def step(self, cache: list[KeyValue], moving: Tokens) -> Tensor:
        """Velocities of the moving part ``[N, U, C, h, w]`` against a cached prefix."""
        x, modulation, positions = self._embed(moving, 2)
        rotary = rotary_table(positions)
        for k, block in enumerate(self.blocks):
            x, _ = block(x, modulation + self.modulation.table[k], rotary, 0, cache[k])
        return self._velocity(x, moving)

    def _velocity(self, x: Tensor, moving: Tokens) -> Tensor:
        n, u, _, h, w = moving.latents.shape
        v = self.out(F.rms_norm(x, x.shape[-1:]))
        return v.view(n, u, h, w, -1).permute(0, 1, 4, 2, 3)
