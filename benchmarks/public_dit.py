"""A diffusion transformer of the shape that public streaming video models have, with random weights.

It stands beside ours to say what such a shape costs; nobody's weights or code are in it. Where such models differ, the
cheaper way was taken: the prompt's keys and values are kept for the session, one noise level serves the whole chunk,
positions are turned by one table a pass, and the cache is written in place.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from diffusion_render.model.attention import HEAD, KeyValue, Rotary, attend, rotary_table, rotate


@dataclass(frozen=True)
class PublicDitConfig:
    """Sizes of the shape.

    Args:
        layers, width, hidden: of the transformer; ``hidden`` inside its plain GELU networks.
        rows, columns: tokens of a latent frame; 30 × 52 for 832×480 at 1/8 in patches of 2.
        frames: latent frames of a chunk, each of 4 video frames.
        history: latent frames behind the chunk whose keys and values are kept.
        text: prompt tokens.
        steps: of the sampler; a pass over the clean chunk follows, which fills the cache.
        patch: values of a token's patch.
        pixels: of a video frame.
    """

    layers: int = 30
    width: int = 1536
    hidden: int = 8960
    rows: int = 30
    columns: int = 52
    frames: int = 3
    history: int = 18
    text: int = 512
    steps: int = 4
    patch: int = 64
    pixels: int = 832 * 480

    def __post_init__(self) -> None:
        if self.width % HEAD:
            raise ValueError(f"width {self.width} must be divisible by the head width {HEAD}")

    @property
    def heads(self) -> int:
        """Heads of attention."""
        return self.width // HEAD

    @property
    def tokens(self) -> int:
        """Tokens of a chunk."""
        return self.frames * self.rows * self.columns

    @property
    def kept(self) -> int:
        """Tokens whose keys and values are kept."""
        return self.history * self.rows * self.columns


class PublicBlock(nn.Module):
    """Attention to window and prompt and a plain network, the first and the last shifted, scaled and gated."""

    def __init__(self, config: PublicDitConfig) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.query_norm, self.key_norm = nn.RMSNorm(width), nn.RMSNorm(width)
        self.norm = nn.LayerNorm(width)
        self.ask, self.answer = nn.Linear(width, width), nn.Linear(width, width)
        self.ask_norm = nn.RMSNorm(width)
        self.up, self.down = nn.Linear(width, config.hidden), nn.Linear(config.hidden, width)
        self.table = nn.Parameter(torch.randn(1, 6, width) / width**0.5)

    def forward(self, x: Tensor, level: Tensor, rotary: Rotary, window: KeyValue, prompt: KeyValue) -> Tensor:
        """Tokens ``[1, L, D]`` and the chunk's level ``[1, 6, D]`` → tokens.

        ``window`` ``[1, kept + L, heads, HEAD]`` holds the history, and at its end takes what this call makes.
        """
        shift1, scale1, gate1, shift2, scale2, gate2 = (self.table + level).chunk(6, 1)
        h = torch.addcmul(shift1, F.layer_norm(x, x.shape[-1:]), 1 + scale1)
        q, k, v = self.qkv(h).chunk(3, -1)
        q, k = (self._apart(y) for y in (self.query_norm(q), self.key_norm(k)))
        start = window.key.shape[1] - x.shape[1]
        window.key[:, start:] = rotate(k, rotary)
        window.value[:, start:] = self._apart(v)
        x = torch.addcmul(x, gate1, self.out(attend(rotate(q, rotary), *window)))
        asked = self._apart(self.ask_norm(self.ask(self.norm(x))))
        x = x + self.answer(attend(asked, *prompt))
        h = torch.addcmul(shift2, F.layer_norm(x, x.shape[-1:]), 1 + scale2)
        return torch.addcmul(x, gate2, self.down(F.gelu(self.up(h), approximate="tanh")))

    def _apart(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, HEAD))


class PublicDit(nn.Module):
    """The whole network with the state of a stream in full swing: history and prompt are there.

    Args:
        config: sizes.
    """

    def __init__(self, config: PublicDitConfig) -> None:
        super().__init__()
        self.config = c = config
        self.patch, self.unpatch = nn.Linear(c.patch, c.width), nn.Linear(c.width, c.patch)
        self.level_in, self.level_out = nn.Linear(256, c.width), nn.Linear(c.width, 6 * c.width)
        self.blocks = nn.ModuleList(PublicBlock(c) for _ in range(c.layers))

    def begin(self) -> tuple[list[KeyValue], list[KeyValue], Rotary]:
        """Random keys and values of history (with room for the chunk) and prompt; the chunk's rotary table."""
        c, like = self.config, self.patch.weight
        draw = torch.Generator(like.device).manual_seed(0)

        def some(tokens: int) -> Tensor:
            shape = 1, tokens, c.heads, HEAD
            return torch.randn(shape, generator=draw, device=like.device, dtype=like.dtype)

        window = [KeyValue(some(c.kept + c.tokens), some(c.kept + c.tokens)) for _ in range(c.layers)]
        prompt = [KeyValue(some(c.text), some(c.text)) for _ in range(c.layers)]
        grid = torch.cartesian_prod(*(torch.arange(n) for n in (c.frames, c.rows, c.columns)))
        places = grid + torch.tensor([c.history, 0, 0])
        return window, prompt, Rotary(*(part.to(like) for part in rotary_table(places)))

    def forward(
        self, x: Tensor, waves: Tensor, window: list[KeyValue], prompt: list[KeyValue], rotary: Rotary
    ) -> Tensor:
        """Patches ``[1, L, patch]`` at the level that ``waves`` ``[1, 256]`` spell → velocities of the same shape."""
        level = self.level_out(F.silu(self.level_in(waves))).unflatten(-1, (6, -1))
        x = self.patch(x)
        for block, seen, read in zip(self.blocks, window, prompt, strict=True):
            x = block(x, level, rotary, seen, read)
        return self.unpatch(F.layer_norm(x, x.shape[-1:]))

    def chunk(self, x: Tensor, window: list[KeyValue], prompt: list[KeyValue], rotary: Rotary) -> Tensor:
        """Noise of a chunk ``[1, L, patch]`` → its patches: all steps, then the pass that leaves their keys behind."""
        levels = torch.linspace(1, 0, self.config.steps + 1, device=x.device)
        rates = torch.arange(1, 129, device=x.device) / 128
        angles = levels[:, None] * 1000 * rates
        waves = torch.cat([angles.cos(), angles.sin()], -1).to(x.dtype)
        for k in range(self.config.steps):
            velocity = self(x, waves[k : k + 1], window, prompt, rotary)
            x = x - velocity / self.config.steps
        self(x, waves[-1:], window, prompt, rotary)
        return x
