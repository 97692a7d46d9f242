"""The autoencoder: 4 frames ↔ 1 latent frame at 1/32, under class maps and a look table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from kernels.anchored_noise.plain import Cameras, anchored_noise

from .decoder import PIXELS, Decoder, DecoderState
from .encoder import FRAMES, Encoder
from .structure import BlockTable, ClassRows, block_codes, reads_by_comparison


@dataclass(frozen=True)
class AutoencoderConfig:
    """Sizes of the autoencoder.

    Args:
        classes: size of the class table.
        latent: channels of a latent pixel; 32 gave clay, 128 gained 0.8 dB.
        structure: channels of one frame's structure features at 1/4.
        rows: channels of a class row.
        encoder_widths, encoder_blocks: at 1/4, 1/8, 1/16, 1/32.
        decoder_widths, decoder_blocks: at 1/32, 1/16, 1/8, 1/4.
        head: channels of the per-frame head.
        noise_octaves: octaves of anchored noise that the head can read; 0 for none.
        selected: the head also gives colour corrections per class, of which each pixel takes its own.
    """

    classes: int = 13
    latent: int = 64
    structure: int = 32
    rows: int = 64
    encoder_widths: tuple[int, ...] = (48, 96, 192, 192)
    encoder_blocks: tuple[int, ...] = (1, 1, 1, 1)
    decoder_widths: tuple[int, ...] = (192, 96, 48, 48)
    decoder_blocks: tuple[int, ...] = (2, 1, 1, 1)
    head: int = 48
    noise_octaves: int = 0
    selected: bool = False

    def __post_init__(self) -> None:
        for name in ("encoder_widths", "encoder_blocks", "decoder_widths", "decoder_blocks"):
            if len(getattr(self, name)) != 4:
                raise ValueError(f"{name} needs one entry for each of the 4 scales, got {getattr(self, name)}")


NANO = AutoencoderConfig(noise_octaves=3, selected=True)
BASE = AutoencoderConfig(
    latent=128,
    structure=48,
    encoder_widths=(96, 128, 256, 256),
    decoder_widths=(256, 256, 128, 64),
    decoder_blocks=(2, 2, 2, 2),
    head=64,
    noise_octaves=3,
    selected=True,
)

MAY_BE_MISSING = ("decoder.head.select.weight", "decoder.head.select.bias")
"""Parameters that training may find missing in a start without them: at the zero they begin with they do nothing."""


class LookTables(NamedTuple):
    """Everything that a look fixes for the decoder and encoder, computed once a session."""

    encoder: Tensor  # [N, 16 · classes, structure]
    decoder: Tensor
    base: Tensor  # [N, 16 · classes, 48]


class Autoencoder(nn.Module):
    """Encoder, decoder and the tables through which both read class maps."""

    def __init__(self, config: AutoencoderConfig = NANO) -> None:
        super().__init__()
        self.config = c = config
        self.rows = ClassRows(c.classes, c.rows)
        self.encoder_table = BlockTable(c.rows, c.structure)
        self.decoder_table = BlockTable(c.rows, c.structure)
        self.base_table = BlockTable(c.rows, PIXELS)
        self.encoder = Encoder(c.encoder_widths, c.encoder_blocks, c.latent, c.structure)
        noise, selected = 16 * c.noise_octaves, c.classes if c.selected else 0
        self.decoder = Decoder(c.decoder_widths, c.decoder_blocks, c.latent, c.structure, c.head, noise, selected)

    def look(self, look_table: Tensor) -> LookTables:
        """Look table ``[N, classes, LOOK_FEATURES]`` → the session's block tables."""
        rows = self.rows(look_table)
        tables = self.encoder_table, self.decoder_table, self.base_table
        return LookTables(*(t.table(rows) for t in tables))

    def codes(self, class_maps: Tensor) -> Tensor:
        """uint8 class maps ``[N, 4·T, H, W]`` → int32 ``[N, T, 4, H/4, W/4, 16]``."""
        return block_codes(class_maps.unflatten(1, (-1, FRAMES)), self.config.classes)

    def encode(self, frames: Tensor, codes: Tensor, look: LookTables) -> Tensor:
        """frames ``[N, 4·T, 3, H, W]`` in [−1, 1] → latents ``[N, T, C, H/32, W/32]``."""
        latents, _ = self.encoder(frames, self.encoder_table(codes, look.encoder))
        return latents

    def decode(
        self,
        latents: Tensor,
        codes: Tensor,
        look: LookTables,
        state: DecoderState | None = None,
        noise: Tensor | None = None,
    ) -> tuple[Tensor, DecoderState]:
        """latents ``[N, T, C, H/32, W/32]`` and their frames' codes → frames ``[N, 4·T, 3, H, W]``, next state."""
        structure, base = self._read(codes, look)
        return self.decoder(latents, structure, base, codes, state, noise)

    def _read(self, codes: Tensor, look: LookTables) -> tuple[Tensor, Tensor]:
        """Structure features ``[N, T, 4, S, H/4, W/4]`` and base colours ``[N, T, 4, 48, H/4, W/4]`` of class maps."""
        if not reads_by_comparison(look.decoder):
            return self.decoder_table(codes, look.decoder), self.base_table(codes, look.base)
        # What both are read with is larger than all that is read, so it is made once.
        both = self.decoder_table(codes, torch.cat([look.decoder, look.base], -1))
        structure, base = both.split([look.decoder.shape[-1], PIXELS], 3)
        return structure, base

    def anchor(self, depth: Tensor, cameras: Cameras, volume: Tensor) -> Tensor:
        """The noise that ``decode`` can read, of F frames of one stream; see ``anchored_noise``."""
        return anchored_noise(depth, cameras, volume)

    def compile_for_play(self, backend: str = "inductor") -> None:
        """Compile ``codes``, ``decode`` and ``anchor``, for the shapes that come."""
        for name in ("codes", "decode", "anchor"):
            setattr(self, name, torch.compile(getattr(self, name), dynamic=False, backend=backend))
