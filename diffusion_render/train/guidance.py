"""Guidance that is fitted into the network, so that one call gives what would take three.

Guidance goes along a chain of three predictions: ∅ (reference alone), T (with the prompt), TS (with the prompt and the
class maps). It stretches the step from u(∅) to u(T) by one scale and the step from u(T) to u(TS) by another. Fitting
runs the chain backwards (source text, section 3.1.2): the network's raw outputs f are taken for guided predictions,
each step is shrunk by its scale, and what comes out is trained on the data. Where a step starts, no gradient flows.
Once every u is the plain prediction, f(TS) is the guided one.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .latent_bank import WindowBatch
from .windows import Networks, velocity


class Scales(NamedTuple):
    """How far guidance stretches the steps to the prompt and to the class maps; 1 and 1 leave predictions plain."""

    prompt: float = 1.5
    structure: float = 3.0


class Branches(NamedTuple):
    """One value for each link of the chain: ``bare`` (∅), ``told`` (T) and ``mapped`` (TS)."""

    bare: Tensor
    told: Tensor
    mapped: Tensor


def plain_predictions(guided: Branches, scales: Scales) -> Branches:
    """Raw outputs f of the network → plain predictions u, of any shape.

    With the scales 1.5 and 3: u(T) = (2 f(T) + f(∅)) / 3, u(TS) = (f(TS) + f(T) + f(∅)) / 3, the later terms without
    gradient.
    """
    bare, told, mapped = guided
    from_bare, from_told = bare.detach(), told.detach()
    plain_told = from_bare + (told - from_bare) / scales.prompt
    plain_mapped = plain_told.detach() + (mapped - from_told) / scales.structure
    return Branches(bare, plain_told, plain_mapped)


def guided_prediction(plain: Branches, scales: Scales) -> Tensor:
    """Guidance along the chain: what f(TS) comes to once every plain prediction is right."""
    bare, told, mapped = plain
    return bare + scales.prompt * (told - bare) + scales.structure * (mapped - told)


def three_branches(batch: WindowBatch) -> WindowBatch:
    """Each window three times, ∅ first, then T, then TS: ``[3 · N, …]``; windows without a prompt have T = ∅.

    Headings belong to the engine's word: they come and go with the class maps.
    """
    thrice, n = batch.repeated(3), len(batch.latents)
    text, heading, mapped = (x.clone() for x in (thrice.text, thrice.heading, thrice.mapped))
    text[:n] = 0.0
    heading[: 2 * n] = mapped[: 2 * n] = 0.0
    return thrice._replace(text=text, heading=heading, mapped=mapped)


def split_branches(made: Tensor) -> Branches:
    """What was made of ``three_branches``, ``[3 · N, …]``, link by link."""
    return Branches(*made.chunk(3))


class Noised(NamedTuple):
    """Latents ``[N, U, C, h, w]`` at ``level`` ``[N, U]``, and the ``target`` velocities of the units that learn."""

    latents: Tensor
    level: Tensor
    target: Tensor


def ask_branches(networks: Networks, batch: WindowBatch, latents: Tensor, level: Tensor, history: int) -> Branches:
    """Raw outputs of all three branches in one call, fp32, each as ``windows.velocity`` gives it."""
    thrice = three_branches(batch)
    made = velocity(networks, thrice, latents.repeat(3, 1, 1, 1, 1), level.repeat(3, 1), history)
    return split_branches(made.float())


def fitting_loss(networks: Networks, batch: WindowBatch, noised: Noised, history: int, scales: Scales) -> Tensor:
    """Mean squared error of all three plain predictions of the units behind the history."""
    guided = ask_branches(networks, batch, noised.latents, noised.level, history)
    plain = plain_predictions(guided, scales)
    return torch.stack([(u - noised.target).square().mean() for u in plain]).mean()
