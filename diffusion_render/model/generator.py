"""The generator: a diffusion transformer over one window of latent frames, text and reference.

It predicts the velocity noise − data of a rectified flow (Liu et al., 2022): at level t a token is
(1 − t) · data + t · noise. The level is per token: prefix and history are (nearly) clean while the chunk is noisy.

Tokens come in three runs: prefix (text, reference, sink), history, chunk. A run attends to itself and to those before
it. So the prefix's keys and values are computed once a session, and those of history once a window, not once a step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from kernels.dispatch import compiled_for_play

from .attention import HEAD, Attention, Before, KeyValue, Rotary, make_room, rotary_table
from .block import Block, Modulation
from .layers import rms_norm
from .light import LIGHT_VALUES, LightConfig, LightReader


@dataclass(frozen=True)
class GeneratorConfig:
    """Sizes of the generator.

    Args:
        width, layers: of the transformer; width is a multiple of 128.
        latent: channels of a latent pixel.
        structure: channels of structure features per token.
        text: channels of the prompt encoder's tokens.
        text_tokens: most prompt tokens; always padded to this, so that no shape ever changes.
        heading: tokens may be told how far the camera has turned from the reference's.
        light: and where the light stands from there, as it is read from the reference; needs ``heading``.
    """

    width: int = 256
    layers: int = 8
    latent: int = 64
    structure: int = 128
    text: int = 384
    text_tokens: int = 64
    heading: bool = False
    light: bool = False

    def __post_init__(self) -> None:
        if self.width % HEAD:
            raise ValueError(f"width {self.width} must be divisible by the head width {HEAD}")
        if self.light and not self.heading:
            raise ValueError("light is told by the camera's turn: a generator with light needs heading=True as well")

    @property
    def told(self) -> int:
        """Values that a unit's heading has."""
        return HEADING_VALUES + LIGHT_VALUES * self.light

    @property
    def hidden(self) -> int:
        """Width inside SwiGLU: 8/3 of the width, rounded up to 64."""
        return 64 * math.ceil(self.width * 8 / 3 / 64)


HEADING_VALUES = 3
"""Of a unit's heading: cosine and sine of the camera's turn from the reference's, and 1; all 0 where it is unknown. A
generator with light reads LIGHT_VALUES more, the light as the unit's camera sees it; all 0 where that is unknown."""

NANO = GeneratorConfig(heading=True)
BASE = GeneratorConfig(width=512, layers=12, latent=128, structure=192, heading=True)

MAY_BE_MISSING = (
    "heading.weight",
    "light.weight",
    *(f"reader.{layer}.{leaf}" for layer in ("look", "halve", "weigh", "say") for leaf in ("weight", "bias")),
)
"""Parameters that start at zero, or behind some that do, and change nothing there: a generator without them may go on
with them."""


class Tokens(NamedTuple):
    """One run of tokens that share a role: latent frames of the reference, sink, history or chunk.

    ``latents`` ``[N, U, C, h, w]`` at ``level`` ``[N, U]``; ``structure`` ``[N, U, S, h, w]``;
    ``positions`` ``[U]`` on the template's time axis; ``heading`` ``[N, U, config.told]``, None for zeros.
    """

    latents: Tensor
    structure: Tensor
    level: Tensor
    positions: Tensor
    heading: Tensor | None = None

    def split(self, count: int) -> tuple[Tokens | None, Tokens]:
        """The first ``count`` units, None for 0 of them, and the rest."""
        early, late = slice(count), slice(count, None)
        return self._part(early) if count else None, self._part(late)

    def _part(self, units: slice) -> Tokens:
        latents, structure, level, positions, heading = self
        turned = None if heading is None else heading[:, units]
        return Tokens(latents[:, units], structure[:, units], level[:, units], positions[units], turned)


class Embedded(NamedTuple):
    """Embedded tokens: ``x`` ``[N, U, P, D]``, ``modulation`` ``[N, U, 1, 6 · D]``, ``positions`` ``[U · P, 3]``."""

    x: Tensor
    modulation: Tensor
    positions: Tensor


def join(parts: list[Embedded]) -> tuple[Tensor, Tensor, Rotary]:
    """One sequence of runs: tokens ``[N, L, D]``, their modulation ``[N, L, 6 · D]``, rotations of L tokens."""
    x = torch.cat([p.x.flatten(1, 2) for p in parts], 1)
    wide = [p.modulation.expand(-1, -1, p.x.shape[2], -1).flatten(1, 2) for p in parts]
    rotary = rotary_table(torch.cat([p.positions for p in parts]))
    return x, torch.cat(wide, 1), Rotary(*(part.to(x.dtype) for part in rotary))


def _of_few(layer: nn.Linear, x: Tensor) -> Tensor:
    """A layer without bias that reads few values: compiled, it is a part of whatever comes behind it."""
    return (x[..., None, :] * layer.weight).sum(-1) if compiled_for_play() else layer(x)


class Generator(nn.Module):
    """Velocity of the chunk of one window."""

    def __init__(self, config: GeneratorConfig = NANO) -> None:
        super().__init__()
        self.config = c = config
        self.latent = nn.Linear(c.latent, c.width)
        self.structure = nn.Linear(c.structure, c.width)
        self.text = nn.Linear(c.text, c.width)
        self.heading = nn.Linear(HEADING_VALUES, c.width, bias=False) if c.heading else None
        self.light = nn.Linear(LIGHT_VALUES, c.width, bias=False) if c.light else None
        self.reader = LightReader(LightConfig(c.latent, c.structure)) if c.light else None
        self.role = nn.Parameter(0.02 * torch.randn(4, c.width))
        self.modulation = Modulation(c.width, c.layers)
        self.blocks = nn.ModuleList(Block(c.width, c.hidden) for _ in range(c.layers))
        self.out = nn.Linear(c.width, c.latent)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)
        for layer in (self.heading, self.light):
            if layer is not None:
                nn.init.zeros_(layer.weight)

    def _told(self, heading: Tensor) -> Tensor:
        """Headings ``[N, U, config.told]`` → what is added to each of a unit's tokens ``[N, U, 1, 1, D]``."""
        assert self.heading is not None
        if heading.shape[-1] != self.config.told:
            raise ValueError(
                f"this generator reads {self.config.told} values of a unit's heading, got {heading.shape[-1]}: "
                "was the light told to one that does not read it, or left out for one that does?"
            )
        heading = heading.to(self.heading.weight.dtype)
        told = _of_few(self.heading, heading[..., :HEADING_VALUES])
        if self.light is not None:
            told = told + _of_few(self.light, heading[..., HEADING_VALUES:])
        return told[:, :, None, None]

    def _embed(self, run: Tokens, role: int) -> Embedded:
        _, u, _, h, w = run.latents.shape
        x = self.latent(run.latents.permute(0, 1, 3, 4, 2)) + self.structure(run.structure.permute(0, 1, 3, 4, 2))
        if self.heading is not None and run.heading is not None:
            x = x + self._told(run.heading)
        grid = torch.meshgrid(
            run.positions.float(),
            torch.arange(h, device=x.device, dtype=torch.float32),
            torch.arange(w, device=x.device, dtype=torch.float32),
            indexing="ij",
        )
        positions = torch.stack(grid, -1).view(u * h * w, 3)
        return Embedded(x.flatten(2, 3) + self.role[role], self.modulation(run.level)[:, :, None], positions)

    def _embed_text(self, text: Tensor) -> Embedded:
        x = self.text(text) + self.role[3]
        clean = self.modulation(torch.zeros(text.shape[:2], device=text.device))
        return Embedded(x[:, :, None], clean[:, :, None], torch.zeros(text.shape[1], 3, device=text.device))

    def _embed_prefix(self, text: Tensor, reference: Tokens, sink: Tokens | None) -> list[Embedded]:
        parts = [self._embed_text(text), self._embed(reference, 0)]
        return parts if sink is None else [*parts, self._embed(sink, 1)]

    def forward(
        self, text: Tensor, reference: Tokens, sink: Tokens | None, history: Tokens | None, chunk: Tokens
    ) -> Tensor:
        """Velocities of the chunk ``[N, U, C, h, w]``, everything computed afresh (the plain twin).

        Args:
            text: prompt tokens ``[N, P, text]``, zero rows as padding.
            reference: the reference's latent frame, at its level (0 in play).
            sink: first units of the stream, or None in the first window.
            history: units before the chunk at their own level, or None in the first window.
            chunk: units that are being made, each at its own level.
        """
        runs = [self._embed_prefix(text, reference, sink)]
        runs += [] if history is None else [[self._embed(history, 2)]]
        runs += [[self._embed(chunk, 2)]]
        lengths = [sum(len(part.positions) for part in run) for run in runs]
        x, modulation, rotary = join([part for run in runs for part in run])
        for k, block in enumerate(self.blocks):
            x, _ = block(x, modulation, rotary, lengths, None, self.modulation.table[k])
        return self._velocity(x[:, -lengths[-1] :], chunk)

    def prefix(self, text: Tensor, reference: Tokens, sink: Tokens | None) -> list[KeyValue]:
        """Keys and values of the prefix, one entry a layer: once a session, and after a change of look."""
        return cast("list[KeyValue]", self._keys(*join(self._embed_prefix(text, reference, sink)), None))

    def compile_blocks(self, backend: str = "inductor") -> None:
        """Compile every block for the shapes that come; pays after about a minute."""
        for block in self.blocks:
            block.compile(dynamic=False, backend=backend)

    def compile_for_play(self, backend: str = "inductor", processors: int = 0) -> None:
        """Compile the blocks and what lies between them and the stream; attention is to fill so many ``processors``."""
        self.compile_blocks(backend)
        for part in self.modules():
            if isinstance(part, Attention):
                part.processors = processors
        last = self.blocks[-1]
        for owner, name in ((self, "_begin"), (self, "_velocity"), (last, "keys")):
            setattr(owner, name, torch.compile(getattr(owner, name), dynamic=False, backend=backend))

    def remember(self, cache: Sequence[KeyValue], history: Tokens, room: int = 0) -> Sequence[Before]:
        """Keys and values of the prefix and the history behind it: once a window. ``cache`` stays as it is.

        With ``room`` for the tokens of the chunk, every step writes its keys and values there, in place of those of the
        step before; without, it makes a longer copy of everything.
        """
        start = self._begin(history)
        return self._keys(*start, make_room(cache, len(start[2].cos) + room) if room else cache)

    def step(self, cache: Sequence[Before], chunk: Tokens) -> Tensor:
        """Velocities of the chunk ``[N, U, C, h, w]`` against everything that is cached before it."""
        x, modulation, rotary = self._begin(chunk)
        for k, block in enumerate(self.blocks):
            x, _ = block(x, modulation, rotary, [len(rotary.cos)], cache[k], self.modulation.table[k])
        return self._velocity(x, chunk)

    def _begin(self, run: Tokens) -> tuple[Tensor, Tensor, Rotary]:
        """History or a chunk by itself, as ``join`` makes it, but for a modulation that is not spread over its tokens:
        x ``[N, U, P, D]``, modulation ``[N, U, 1, 6 · D]``."""
        x, modulation, positions = self._embed(run, 2)
        return x, modulation, Rotary(*(part.to(x.dtype) for part in rotary_table(positions)))

    def _keys(self, x: Tensor, modulation: Tensor, rotary: Rotary, cache: Sequence[Before] | None) -> list[Before]:
        kept: list[Before] = []
        last = len(self.blocks) - 1
        for k, block in enumerate(self.blocks):
            own, before = self.modulation.table[k], None if cache is None else cache[k]
            assert isinstance(block, Block)
            if k == last:
                kept.append(block.keys(x, modulation, rotary, before, own))
            else:
                x, so_far = block(x, modulation, rotary, [len(rotary.cos)], before, own)
                kept.append(so_far)
        return kept

    def _velocity(self, x: Tensor, chunk: Tokens) -> Tensor:
        n, u, _, h, w = chunk.latents.shape
        v = self.out(rms_norm(x))
        return v.view(n, u, h, w, -1).permute(0, 1, 4, 2, 3)
