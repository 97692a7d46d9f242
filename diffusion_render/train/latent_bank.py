"""Clips as the generator's stages need them: latents, class shares, references and prompts, all on the device.

Made once from a clip bank with a frozen encoder. Each clip is encoded three times, under the look of its own first
frame, under that of its partner and under none, because class rows reach the encoder too.

Behind each clip's units lies one more: its last frame, held. Clips never stand still, but cars do, so some windows are
made of this unit alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from ..model.autoencoder import Autoencoder
from ..model.encoder import FRAMES
from ..model.structure_encoder import class_shares
from ..model.transfer import send
from ..stream.heading import camera_headings, seen_from, turned
from .clip_bank import ClipBank, to_unit
from .shards import ShardError

OWN, AWAY, NONE = range(3)
"""Where a window's reference comes from: its own clip, its partner, nowhere."""


class Place(NamedTuple):
    """Where windows were cut: ``clip`` ``[N]``, ``unit`` ``[N, U]``; behind a clip's units: its last frame, held."""

    clip: Tensor
    unit: Tensor


class WindowBatch(NamedTuple):
    """N windows of U units, and what fixes their looks.

    ``latents`` ``[N, U, C, h, w]``, ``shares`` uint8 ``[N, U, 4, classes, H/8, W/8]``; the ``reference``
    ``[N, 1, C, h, w]`` at ``reference_level`` ``[N, 1]`` (0, or 1 where it is missing), with
    ``reference_shares`` ``[N, 1, 4, classes, H/8, W/8]``; ``look_table`` ``[N, classes, LOOK_FEATURES]``; prompt tokens
    ``text`` ``[N, P, text]``; ``heading`` ``[N, U, 3]`` and ``reference_heading`` ``[N, 1, 3]``, both relative to the
    reference's camera, see ``heading.turned``; ``light`` ``[N, 3]`` as the reference's camera sees it, NaN where it is
    unknown, and ``light_told`` bool ``[N]``, where the generator is told this one and not what it reads; ``mapped``
    ``[N, 1]`` is 1 where the generator is told the windows' own structure, 0 where it is not; ``place`` says where the
    windows were cut.
    """

    latents: Tensor
    shares: Tensor
    reference: Tensor
    reference_level: Tensor
    reference_shares: Tensor
    look_table: Tensor
    text: Tensor
    heading: Tensor
    reference_heading: Tensor
    light: Tensor
    light_told: Tensor
    mapped: Tensor
    place: Place

    def repeated(self, times: int) -> WindowBatch:
        """All windows ``times`` times, one round behind the other."""

        def again(x: Tensor) -> Tensor:
            return x.repeat(times, *[1] * (x.ndim - 1))

        tensors = {name: again(x) for name, x in self._asdict().items() if name != "place"}
        return WindowBatch(**tensors, place=Place(*map(again, self.place)))

    def units(self, part: slice) -> WindowBatch:
        """The windows cut to ``part`` of their units."""
        return self._replace(
            latents=self.latents[:, part],
            shares=self.shares[:, part],
            heading=self.heading[:, part],
            place=Place(self.place.clip, self.place.unit[:, part]),
        )


class Given(NamedTuple):
    """Whether windows have a ``prompt``, a ``heading`` of their units, a ``reference_heading``, whether they are
    ``standing``, and whether their true ``light`` is told: bool ``[N]`` on the CPU, each."""

    prompt: Tensor
    heading: Tensor
    reference_heading: Tensor
    standing: Tensor
    light: Tensor


class Pick(NamedTuple):
    """Which windows: ``clip``, first unit ``start``, and ``kind`` of the reference, ``[N]`` each on the CPU."""

    clip: Tensor
    start: Tensor
    kind: Tensor
    given: Given


@dataclass(frozen=True)
class WindowConfig:
    """How windows are drawn.

    Args:
        no_prompt: share of windows whose prompt is empty.
        no_heading: share of windows whose units have no heading; a stream without guides must play too. Half of them
            lack that of the reference as well.
        standing: share of windows in which everything stands still.
        light_true: share of windows in which the generator is told the true light, if it is known; in the others it is
            told what its own reader makes of the reference, as in play.
    """

    no_prompt: float = 0.15
    no_heading: float = 0.3
    standing: float = 0.06
    light_true: float = 0.3


class LatentBank:
    """Latents of all clips of a bank.

    Args:
        bank: the clips.
        autoencoder: frozen; its encoder is run here and never again.
        prompts: prompt tokens of every clip ``[C, P, text]``.
        config: how windows are drawn.
    """

    def __init__(
        self, bank: ClipBank, autoencoder: Autoencoder, prompts: Tensor, config: WindowConfig | None = None
    ) -> None:
        if len(prompts) != len(bank):
            raise ValueError(f"{len(bank)} clips need as many prompts, got {len(prompts)}")
        self.bank, self.device, self.config = bank, bank.device, config or WindowConfig()
        self.prompts = prompts.to(self.device)
        self.units = bank.class_maps.shape[1] // FRAMES
        self._encode(autoencoder)
        headings = camera_headings(bank.camera)  # [C, T]
        self._reference_headings = headings[:, :1]
        self._light = seen_from(bank.light, headings[:, 0]).float()  # [C, 3]
        self.knows_light = bool(self._light.isfinite().any())
        # The held frame is the last one, so its heading is that of the last unit.
        self._headings = torch.cat([headings[:, FRAMES - 1 :: FRAMES], headings[:, -1:]], 1)  # [C, U + 1]

    @torch.no_grad()
    def _encode(self, autoencoder: Autoencoder) -> None:
        """Latents and shares of all clips and stills; the held frame is the last of U + 1 units."""
        classes, bank = autoencoder.config.classes, self.bank
        latents: list[list[Tensor]] = [[], [], []]
        stills, shares, still_shares = [], [], []
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            for start in tqdm(range(0, len(bank), 8), desc="latents", unit="batch"):
                part = slice(start, start + 8)
                maps, own = bank.class_maps[part], bank.tables[part]
                frames, codes = to_unit(bank.frames[part]), autoencoder.codes(maps)
                still, still_map = _held(frames[:, :1]), _held(maps[:, :1])
                last, last_map = _held(frames[:, -1:]), _held(maps[:, -1:])
                still_codes, last_codes = autoencoder.codes(still_map), autoencoder.codes(last_map)
                tables = {OWN: own, AWAY: bank.tables[bank.partners[part]], NONE: torch.zeros_like(own)}
                for kind, table in tables.items():
                    look = autoencoder.look(table)
                    moving = autoencoder.encode(frames, codes, look)
                    standing = autoencoder.encode(last, last_codes, look)
                    latents[kind].append(torch.cat([moving, standing], 1).half())
                stills.append(autoencoder.encode(still, still_codes, autoencoder.look(own)).half())
                shares.append(class_shares(torch.cat([maps, last_map], 1).unflatten(1, (-1, FRAMES)), classes))
                still_shares.append(class_shares(still_map[:, None], classes))
        self.latents = torch.stack([torch.cat(kind) for kind in latents])  # [3, clips, U + 1, C, h, w]
        self.stills, self.shares = torch.cat(stills), torch.cat(shares)
        self.still_shares = torch.cat(still_shares)

    def sample(self, step: int, batch: int, units: int) -> WindowBatch:
        """Random windows of ``step``; what is told of them is drawn as the configs say."""
        return self.at(self.draw(torch.Generator().manual_seed(step), batch, units), units)

    def draw(self, draw: torch.Generator, batch: int, units: int) -> Pick:
        """Random windows of ``units`` units, and what is given to them. ShardError: no clip is that long."""
        self._check(units)
        clip = torch.randint(len(self.bank), (batch,), generator=draw)
        start = torch.randint(self.units - units + 1, (batch,), generator=draw)
        config, chance = self.bank.config, torch.rand(batch, generator=draw)
        away = torch.rand(batch, generator=draw) < config.other_place
        kind = torch.where(chance < config.no_reference, NONE, torch.where(away, AWAY, OWN))
        prompted = torch.rand(batch, generator=draw) >= self.config.no_prompt
        unturned = torch.rand(batch, generator=draw)
        standing = torch.rand(batch, generator=draw) < self.config.standing
        lit = torch.rand(batch, generator=draw) < self.config.light_true
        least = self.config.no_heading
        return Pick(clip, start, kind, Given(prompted, unturned >= least, unturned >= least / 2, standing, lit))

    def at(self, pick: Pick, units: int) -> WindowBatch:
        """The windows that ``pick`` names."""
        return self.windows(pick.clip, pick.start, pick.kind, units, pick.given)

    def openings(self, units: int, most: int = 32) -> WindowBatch:
        """The first ``units`` units of the first clips, references from their partners: what scores are taken on.

        ShardError: no clip is that long.
        """
        self._check(units)
        pick = torch.arange(min(most, len(self.bank)))
        return self.windows(pick, torch.zeros_like(pick), torch.full_like(pick, AWAY), units)

    def _check(self, units: int) -> None:
        """Refuse windows that are longer than the clips."""
        if units > self.units:
            frames = self.bank.frames.shape[1]
            raise ShardError(
                f"{self.bank.folder}: this stage takes {FRAMES * units} frames at a time, its clips have {frames}"
            )

    def windows(self, pick: Tensor, start: Tensor, kind: Tensor, units: int, given: Given | None = None) -> WindowBatch:
        """Windows of the picked clips from unit ``start`` on, under the references of ``kind``; ``[N]`` on the CPU."""
        pick, start, kind = (send(x, self.device) for x in (pick, start, kind))
        unit = start[:, None] + torch.arange(units, device=self.device)
        # Without a reference only the opening map is known; the window's own clip stands in for it.
        reference = torch.where(kind == AWAY, self.bank.partners[pick], pick)
        known = (kind != NONE).float()
        text = self.prompts[pick].float()
        anchor = self._reference_headings[reference]
        reference_heading = turned(anchor, anchor)
        if given is not None:
            unit = torch.where(send(given.standing, self.device)[:, None], self.units, unit)
        heading = turned(self._headings[pick[:, None], unit], anchor)
        light, told_light = self._light[reference], torch.zeros_like(pick, dtype=torch.bool)
        if given is not None:
            prompted, told, reference_told = (
                send(x, self.device)[:, None, None] for x in (given.prompt, given.heading, given.reference_heading)
            )
            text, heading, reference_heading = text * prompted, heading * told, reference_heading * reference_told
            told_light = send(given.light, self.device) & light.isfinite().all(1)
        return WindowBatch(
            self.latents[kind[:, None], pick[:, None], unit].float(),
            self.shares[pick[:, None], unit],
            self.stills[reference].float() * known[:, None, None, None, None],
            1.0 - known[:, None],
            self.still_shares[reference],
            self.bank.tables[reference] * known[:, None, None],
            text,
            heading,
            reference_heading,
            light,
            told_light,
            known.new_ones(len(pick), 1),
            Place(pick, unit.expand(len(pick), units)),
        )


def _held(frame: Tensor) -> Tensor:
    """One frame ``[N, 1, …]`` four times: a unit that stands still."""
    return frame.expand(-1, FRAMES, *frame.shape[2:]).contiguous()
