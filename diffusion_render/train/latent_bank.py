"""Clips as the generator's stages need them: latents, class shares and references, all on the device.

Made once from a clip bank with a frozen encoder. Each clip is encoded twice, under the look of its own first frame
and under that of its partner, because class rows reach the encoder too.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from ..model.autoencoder import Autoencoder
from ..model.encoder import FRAMES
from ..model.structure_encoder import class_shares
from .clip_bank import ClipBank, to_unit


class WindowBatch(NamedTuple):
    """N windows of U units, and their references.

    ``latents`` ``[N, U, C, h, w]``, ``shares`` uint8 ``[N, U, 4, classes, H/8, W/8]``,
    ``reference`` ``[N, 1, C, h, w]``,
    ``reference_shares`` ``[N, 1, 4, classes, H/8, W/8]``, ``look_table`` ``[N, classes, LOOK_FEATURES]``.
    """

    latents: Tensor
    shares: Tensor
    reference: Tensor
    reference_shares: Tensor
    look_table: Tensor


class LatentBank:
    """Latents of all clips of a bank.

    Args:
        bank: the clips.
        autoencoder: frozen; its encoder is run here and never again.
    """

    def __init__(self, bank: ClipBank, autoencoder: Autoencoder) -> None:
        self.bank, self.device = bank, bank.device
        classes = autoencoder.config.classes
        latents: list[list[Tensor]] = [[], []]
        stills, shares, still_shares = [], [], []
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            for start in tqdm(range(0, len(bank), 8), desc="latents", unit="batch"):
                part = slice(start, start + 8)
                maps, tables = bank.class_maps[part], bank.tables[part]
                frames = to_unit(bank.frames[part])
                codes = autoencoder.codes(maps)
                for which, table in enumerate((tables, bank.tables[bank.partners[part]])):
                    latents[which].append(autoencoder.encode(frames, codes, autoencoder.look(table)).half())
                still = frames[:, :1].expand(-1, FRAMES, -1, -1, -1).contiguous()
                still_map = maps[:, :1].expand(-1, FRAMES, -1, -1)
                look = autoencoder.look(tables)
                stills.append(autoencoder.encode(still, autoencoder.codes(still_map), look).half())
                shares.append(class_shares(maps.unflatten(1, (-1, FRAMES)), classes))
                still_shares.append(class_shares(still_map[:, None], classes))
        self.latents = torch.stack([torch.cat(kind) for kind in latents])  # [2, clips, U, C, h, w]
        self.stills, self.shares = torch.cat(stills), torch.cat(shares)
        self.still_shares = torch.cat(still_shares)

    def sample(self, step: int, batch: int, units: int) -> WindowBatch:
        """Random windows of ``step``; half of the references come from the partner place."""
        draw = torch.Generator().manual_seed(step)
        count = self.latents.shape[2]
        pick = torch.randint(len(self.bank), (batch,), generator=draw)
        start = torch.randint(count - units + 1, (batch,), generator=draw)
        away = torch.rand(batch, generator=draw) < self.bank.config.other_place
        return self.windows(pick, start, away, units)

    def windows(self, pick: Tensor, start: Tensor, away: Tensor, units: int) -> WindowBatch:
        """Windows of the picked clips from unit ``start`` on; all int64 or bool ``[N]`` on the CPU."""
        pick, start, away = (x.to(self.device) for x in (pick, start, away))
        unit = start[:, None] + torch.arange(units, device=self.device)
        reference = torch.where(away, self.bank.partners[pick], pick)
        return WindowBatch(
            self.latents[away.long()[:, None], pick[:, None], unit].float(),
            self.shares[pick[:, None], unit],
            self.stills[reference].float(),
            self.still_shares[reference],
            self.bank.tables[reference],
        )
