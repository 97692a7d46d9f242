"""One window of the stream as a function of tensors: class maps, noise and what is remembered go in, pictures come out.

No clock, no state, no random numbers: the session keeps all of that. So the same function runs eagerly, or is recorded
once and replayed (``recorded``).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import NamedTuple, Protocol, TypeAlias

import torch
from torch import Tensor

from ..model.attention import KeyValue
from ..model.autoencoder import LookTables
from ..model.decoder import DecoderState
from ..model.encoder import FRAMES, normalize_latent
from ..model.generator import Tokens
from ..model.renderer import Renderer
from .profile import span
from .schedule import Window


class WindowInputs(NamedTuple):
    """What windows of U units of N streams are made from; N is 1 unless streams are drawn together (``batch``).

    ``maps`` uint8 ``[N, 4·U, H, W]``; ``noise`` ``[N, U, C, h, w]`` that the chunk starts from; ``positions`` ``[U]``
    of the chunk and ``heading`` ``[N, U, told]``, see ``heading.tell``, or None; ``history``, already noised, or None;
    ``prefix``, its keys and values, one entry a layer; ``tables`` and ``structure_table`` of the look; the
    ``decoder``'s state, or None at the start.
    """

    maps: Tensor
    noise: Tensor
    positions: Tensor
    heading: Tensor | None
    history: Tokens | None
    prefix: list[KeyValue]
    tables: LookTables
    structure_table: Tensor
    decoder: DecoderState | None


class WindowOutputs(NamedTuple):
    """``pictures`` uint8 ``[N, 4·U, 3, H, W]``; what the next window needs: ``latents`` ``[N, U, C, h, w]``,
    ``structure`` ``[N, U, S, h, w]``, ``decoder``; and ``sums`` ``[N, 2]`` of each stream's latents and pixels, NaN or
    infinite if any of them is."""

    pictures: Tensor
    latents: Tensor
    structure: Tensor
    decoder: DecoderState
    sums: Tensor


class Draft(NamedTuple):
    """A window as its session has drafted it.

    ``steps`` and ``inputs`` as ``render_window`` takes them; ``noises``, each of which finishes a unit's anchored noise
    in a number type, or gives None where the unit is not ``guided``; and what the session remembers: its plan, the
    ``window``, and the units' ``headings``.
    """

    steps: tuple[float, ...]
    inputs: WindowInputs
    noises: Sequence[Callable[[torch.dtype], Tensor | None]]
    guided: tuple[bool, ...]
    window: Window
    headings: list[float]

    def anchored(self) -> Iterator[Tensor | None]:
        """The noise of each unit, when its turn comes."""
        for noise in self.noises:
            with span("anchored noise"):
                made = noise(self.inputs.noise.dtype)
            yield made


class RenderWindow(Protocol):
    """How a session has its windows made."""

    def __call__(
        self, renderer: Renderer, steps: tuple[float, ...], inputs: WindowInputs, anchored: Iterable[Tensor | None]
    ) -> WindowOutputs:
        """See ``render_window``."""


def finish_unit(frames: Tensor) -> tuple[Tensor, Tensor]:
    """A unit's frames ``[N, 4, 3, H, W]`` → their bytes, and each stream's sum, fp32 ``[N]``.

    On a GPU the bytes lie as the host wants them, pixel by pixel; a processor sorts them faster afterwards.
    """
    pictures = to_bytes(frames)
    if frames.device.type == "cuda":
        pictures = pictures.movedim(-3, -1).contiguous().movedim(-1, -3)
    # One pass; a sum of finite numbers of this size cannot overflow.
    return pictures, _sum_of_each(frames)


Finish: TypeAlias = Callable[[Tensor], tuple[Tensor, Tensor]]
"""``finish_unit``, or a compiled one."""


def render_window(
    renderer: Renderer,
    steps: tuple[float, ...],
    inputs: WindowInputs,
    anchored: Iterable[Tensor | None],
    finish: Finish = finish_unit,
) -> WindowOutputs:
    """Sample the chunk along ``steps`` and decode it, unit by unit, always in the same shape.

    Args:
        renderer: the networks.
        steps: noise levels that the sampler visits, from 1 down; the last step goes to 0.
        inputs: see there.
        anchored: noise that the decoder reads, for each unit ``[N, 1, 4, K, H/4, W/4]`` or None; asked for only when
            its turn comes.
        finish: makes the bytes.
    """
    with span("structure"):
        codes = renderer.autoencoder.codes(inputs.maps)
        structure = renderer.structure(inputs.maps.unflatten(1, (-1, FRAMES)), inputs.structure_table)
    latents = denoise(renderer, steps, inputs, structure)
    state, pictures, pixels = inputs.decoder, [], latents.new_zeros(len(latents), dtype=torch.float32)
    for k, noise in enumerate(anchored):
        part = slice(k, k + 1)
        with span("decode"):
            frames, state = renderer.autoencoder.decode(latents[:, part], codes[:, part], inputs.tables, state, noise)
        with span("to bytes"):
            made, total = finish(frames)
            pixels = pixels + total
            pictures.append(made)
    assert state is not None
    sums = torch.stack([_sum_of_each(latents), pixels], 1)
    return WindowOutputs(_one_after_the_other(pictures), latents, structure, state, sums)


def compiled_window(backend: str = "inductor") -> RenderWindow:
    """``render_window`` whose bytes are made in a pass or two: eagerly, each of its six steps goes through memory."""
    return functools.partial(render_window, finish=torch.compile(finish_unit, dynamic=False, backend=backend))


def _one_after_the_other(pictures: Sequence[Tensor]) -> Tensor:
    """Units' pictures ``[N, 4, 3, H, W]`` → ``[N, 4·U, 3, H, W]`` that lie in memory as theirs do."""
    if pictures[0].stride(-3) != 1:
        return torch.cat(list(pictures), 1)
    return torch.cat([unit.movedim(-3, -1) for unit in pictures], 1).movedim(-1, -3)


def _sum_of_each(streams: Tensor) -> Tensor:
    """``[N, …]`` → fp32 ``[N]``."""
    return streams.sum(tuple(range(1, streams.ndim)), dtype=torch.float32)


def denoise(renderer: Renderer, steps: tuple[float, ...], inputs: WindowInputs, structure: Tensor) -> Tensor:
    """Euler steps of the rectified flow along ``steps``: latents of the chunk, rms 1 a pixel."""
    prefix, history = inputs.prefix, inputs.history
    _, units, _, h, w = inputs.noise.shape
    with nullcontext() if history is None else span("history"):
        cache = prefix if history is None else renderer.generator.remember(prefix, history, room=units * h * w)
    x = inputs.noise
    for number, (level, after) in enumerate(itertools.pairwise((*steps, 0.0)), 1):
        with span(f"step {number}"):
            t = torch.full(x.shape[:2], level, device=x.device)
            velocity = renderer.generator.step(cache, Tokens(x, structure, t, inputs.positions, inputs.heading))
            x = x + (after - level) * velocity
    return normalize_latent(x, 2)


def to_bytes(frames: Tensor) -> Tensor:
    """RGB in [−1, 1] → uint8 0–255, rounded; values outside are clamped."""
    return frames.float().mul(127.5).add_(127.5).round_().clamp_(0, 255).to(torch.uint8)
