"""Clips as the generator's stages need them: latents, class shares, references and prompts, all on the device.

Made once from a clip bank with a frozen encoder. Each clip is encoded three times, under the look of its own first
frame, under that of its partner and under none, because class rows reach the encoder too.
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
from .transfer import send

OWN, AWAY, NONE = range(3)
"""Where a window's reference comes from: its own clip, its partner, nowhere."""


class WindowBatch(NamedTuple):
    """N windows of U units, and what fixes their looks.

    ``latents`` ``[N, U, C, h, w]``, ``shares`` uint8 ``[N, U, 4, classes, H/8, W/8]``; the ``reference``
    ``[N, 1, C, h, w]`` at ``reference_level`` ``[N, 1]`` (0, or 1 where it is missing), with
    ``reference_shares`` ``[N, 1, 4, classes, H/8, W/8]``; ``look_table`` ``[N, classes, LOOK_FEATURES]``; prompt tokens
    ``text`` ``[N, P, text]``.
    """

    latents: Tensor
    shares: Tensor
    reference: Tensor
    reference_level: Tensor
    reference_shares: Tensor
    look_table: Tensor
    text: Tensor


class LatentBank:
    """Latents of all clips of a bank.

    Args:
        bank: the clips.
        autoencoder: frozen; its encoder is run here and never again.
        prompts: prompt tokens of every clip ``[C, P, text]``.
        no_prompt: share of windows whose prompt is empty.
    """

    def __init__(self, bank: ClipBank, autoencoder: Autoencoder, prompts: Tensor, no_prompt: float = 0.15) -> None:
        if len(prompts) != len(bank):
            raise ValueError(f"{len(bank)} clips need as many prompts, got {len(prompts)}")
        self.bank, self.device, self.no_prompt = bank, bank.device, no_prompt
        self.prompts = prompts.to(self.device)
        classes = autoencoder.config.classes
        latents: list[list[Tensor]] = [[], [], []]
        stills, shares, still_shares = [], [], []
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            for start in tqdm(range(0, len(bank), 8), desc="latents", unit="batch"):
                part = slice(start, start + 8)
                maps, own = bank.class_maps[part], bank.tables[part]
                frames, codes = to_unit(bank.frames[part]), autoencoder.codes(maps)
                tables = {OWN: own, AWAY: bank.tables[bank.partners[part]], NONE: torch.zeros_like(own)}
                for kind, table in tables.items():
                    latents[kind].append(autoencoder.encode(frames, codes, autoencoder.look(table)).half())
                still = frames[:, :1].expand(-1, FRAMES, -1, -1, -1).contiguous()
                still_map = maps[:, :1].expand(-1, FRAMES, -1, -1)
                stills.append(autoencoder.encode(still, autoencoder.codes(still_map), autoencoder.look(own)).half())
                shares.append(class_shares(maps.unflatten(1, (-1, FRAMES)), classes))
                still_shares.append(class_shares(still_map[:, None], classes))
        self.latents = torch.stack([torch.cat(kind) for kind in latents])  # [3, clips, U, C, h, w]
        self.stills, self.shares = torch.cat(stills), torch.cat(shares)
        self.still_shares = torch.cat(still_shares)

    def sample(self, step: int, batch: int, units: int) -> WindowBatch:
        """Random windows of ``step``; their references and prompts are drawn as the configs say."""
        draw = torch.Generator().manual_seed(step)
        count = self.latents.shape[2]
        pick = torch.randint(len(self.bank), (batch,), generator=draw)
        start = torch.randint(count - units + 1, (batch,), generator=draw)
        config, chance = self.bank.config, torch.rand(batch, generator=draw)
        away = torch.rand(batch, generator=draw) < config.other_place
        kind = torch.where(chance < config.no_reference, NONE, torch.where(away, AWAY, OWN))
        prompted = torch.rand(batch, generator=draw) >= self.no_prompt
        return self.windows(pick, start, kind, units, prompted)

    def windows(
        self, pick: Tensor, start: Tensor, kind: Tensor, units: int, prompted: Tensor | None = None
    ) -> WindowBatch:
        """Windows of the picked clips from unit ``start`` on, under the references of ``kind``; ``[N]`` on the CPU."""
        pick, start, kind = (send(x, self.device) for x in (pick, start, kind))
        unit = start[:, None] + torch.arange(units, device=self.device)
        # Without a reference only the opening map is known; the window's own clip stands in for it.
        reference = torch.where(kind == AWAY, self.bank.partners[pick], pick)
        known = (kind != NONE).float()
        text = self.prompts[pick].float()
        if prompted is not None:
            text = text * send(prompted, self.device)[:, None, None]
        return WindowBatch(
            self.latents[kind[:, None], pick[:, None], unit].float(),
            self.shares[pick[:, None], unit],
            self.stills[reference].float() * known[:, None, None, None, None],
            1.0 - known[:, None],
            self.still_shares[reference],
            self.bank.tables[reference] * known[:, None, None],
            text,
        )
