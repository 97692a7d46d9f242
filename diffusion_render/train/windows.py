"""Windows as play makes them, for training: velocities under the mask of play, sampling, resampled history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Protocol

import torch
from torch import Tensor

from ..model.encoder import normalize_latent
from ..model.generator import Generator, Tokens
from ..model.structure_encoder import StructureEncoder
from ..model.transfer import send
from ..stream.heading import with_light
from ..stream.schedule import Schedule
from .latent_bank import WindowBatch
from .light import told_light


class Networks(Protocol):
    """What makes velocities: a renderer, or a critic that is a copy of these two parts."""

    structure: StructureEncoder
    generator: Generator


def logit_normal(draw: torch.Generator, n: int, shift: float) -> Tensor:
    """Shifted logit-normal noise levels ``[n, 1]`` on the CPU (Esser et al., 2024)."""
    odds = torch.exp(torch.randn(n, 1, generator=draw)) * shift
    return odds / (1 + odds)


def velocity(renderer: Networks, batch: WindowBatch, noised: Tensor, level: Tensor, history: int) -> Tensor:
    """Velocities of the units behind the history, ``[N, U − history, C, h, w]``.

    Args:
        renderer: whose structure encoder and generator are asked.
        batch: what fixes the windows' looks and structure.
        noised: latents of all U units ``[N, U, C, h, w]`` at ``level`` ``[N, U]``.
        history: units at the front that the others stand upon.
    """
    device = noised.device
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        table = renderer.structure.table(batch.look_table)
        features = renderer.structure.from_shares(torch.cat([batch.reference_shares, batch.shares], 1), table)
        zero = torch.zeros(1, device=device)
        own, turns = _told(renderer.generator, batch, features[:, :1])
        reference = Tokens(batch.reference, features[:, :1], batch.reference_level, zero, own)
        positions = torch.arange(1, level.shape[1] + 1, device=device)
        mapped = batch.mapped[:, :, None, None, None].to(features.dtype)
        window = Tokens(noised, features[:, 1:] * mapped, level, positions, turns)
        past, chunk = window.split(history)
        return renderer.generator(batch.text, reference, None, past, chunk)


def _told(generator: Generator, batch: WindowBatch, structure: Tensor) -> tuple[Tensor, Tensor]:
    """What the generator reads of headings: the reference's own and those of the units."""
    light = told_light(generator, batch, structure)
    if light is None:
        return batch.reference_heading, batch.heading
    return with_light(batch.reference_heading, light[:, None]), with_light(batch.heading, light[:, None])


def sample(
    renderer: Networks,
    batch: WindowBatch,
    levels: Sequence[float],
    history: int,
    history_noise: float = 0.0,
    last_learns: bool = False,
) -> Tensor:
    """Chunks made by Euler steps from pure noise ``[N, U − history, C, h, w]``, rms 1 a pixel.

    Args:
        renderer: that makes them.
        batch: windows of history and chunk; of the chunk's latents the shape alone is read.
        levels: that the sampler visits, from 1 down to 0.
        history: units of history.
        history_noise: its level, as in play.
        last_learns: gradients flow through the last step, and through it alone; never into the history.
    """
    noise = torch.randn_like(batch.latents)
    past = batch.latents[:, :history].detach()
    held, x = past + history_noise * (noise[:, :history] - past), noise[:, history:]
    for k, (level, after) in enumerate(pairwise(levels)):
        t = torch.full(batch.latents.shape[:2], level, device=x.device)
        t[:, :history] = history_noise
        with torch.set_grad_enabled(last_learns and k == len(levels) - 2):
            x = x + (after - level) * velocity(renderer, batch, torch.cat([held, x], 1), t, history).float()
    return normalize_latent(x, 2)


def sample_as_played(
    renderer: Networks, batch: WindowBatch, schedule: Schedule, history: int, last_learns: bool = False
) -> Tensor:
    """``sample`` in the steps of play, on a history noised as in play."""
    return sample(renderer, batch, (*schedule.steps, 0.0), history, schedule.history_noise, last_learns)


def refuse_sink(schedule: Schedule) -> None:
    """ValueError for a schedule with a sink: training clips are too short to have one."""
    if schedule.sink:
        raise ValueError(f"short clips know no sink; got a schedule with {schedule.sink}")


@contextmanager
def repeatable() -> Iterator[None]:
    """Inside, torch's random numbers are those of seed 0; outside, they go on as if nothing had been drawn."""
    state = torch.get_rng_state()
    torch.manual_seed(0)
    try:
        yield
    finally:
        torch.set_rng_state(state)


@torch.no_grad()
def resample_history(
    renderer: Networks, batch: WindowBatch, draw: torch.Generator, history: int, shift: float
) -> WindowBatch:
    """Windows of 2·history + chunk units → the last history + chunk of them, that history made by the model.

    The units to be made lie in the middle: noised to one level a window, then two Euler steps down to 0, with the
    true units before them as history, as in play.
    """
    n, device = len(batch.latents), batch.latents.device
    middle, after = slice(history, 2 * history), slice(2 * history, None)
    level = send(logit_normal(draw, n, shift), device)
    true = batch.latents[:, middle]
    x = true + level[:, :, None, None, None] * (torch.randn_like(true) - true)
    held = batch.latents[:, :history]
    past, late = batch.units(slice(2 * history)), batch.units(slice(history, None))
    zero = torch.zeros(n, history, device=device)
    for share, rest in ((1.0, 0.5), (0.5, 0.0)):
        t = torch.cat([zero, (share * level).expand(n, history)], 1)
        v = velocity(renderer, past, torch.cat([held, x], 1), t, history).float()
        x = x + ((rest - share) * level)[:, :, None, None, None] * v
    made = normalize_latent(x, 2)
    return late._replace(latents=torch.cat([made, batch.latents[:, after]], 1))


def shift_history(batch: WindowBatch, draw: torch.Generator, history: int, most: float) -> WindowBatch:
    """Windows whose history has drifted: one random offset a window and channel, the same at every pixel.

    A stream feeds on its own pictures: a history that is a little too bright makes a chunk that is brighter still. From
    shifted histories and true chunks the generator learns to take its colours from the reference.

    Args:
        batch: windows, history first.
        draw: of the offsets.
        history: units that are shifted.
        most: largest standard deviation of an offset; a window's is ``most`` · u², u uniform. Latents have rms 1.
    """
    if not history or not most:
        return batch
    n, _, channels = batch.latents.shape[:3]
    spread = most * torch.rand(n, 1, generator=draw).square()
    offset = send(spread * torch.randn(n, channels, generator=draw), batch.latents.device)
    shifted = normalize_latent(batch.latents[:, :history] + offset[:, None, :, None, None], 2)
    return batch._replace(latents=torch.cat([shifted, batch.latents[:, history:]], 1))
