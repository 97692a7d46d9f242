"""What a renderer would do without its savings: the plain ways, each exact, that the ladder climbs away from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from diffusion_render.model import attention, decoder, layers
from diffusion_render.model import generator as generators
from diffusion_render.model.attention import KeyValue, Rotary, rotary_table
from diffusion_render.model.generator import Embedded, Generator, Tokens
from kernels.split_attention.plain import attention as in_three_operations


class TokenLevels(Generator):
    """Reads the noise level of every token, though all tokens of a unit share one."""

    def _embed(self, run: Tokens, role: int) -> Embedded:
        embedded = super()._embed(run, role)
        units, places = embedded.x.shape[1:3]
        levels = run.level[:, :, None].expand(-1, -1, places).flatten(1)
        return embedded._replace(modulation=self.modulation(levels).unflatten(1, (units, places)))


class Forgetful(nn.Module):
    """Stands in for a generator that keeps more.

    Args:
        generator: whose work it is.
    """

    def __init__(self, generator: Generator) -> None:
        super().__init__()
        self.generator = generator


class PrefixKept(Forgetful):
    """Keys and values of the prefix are kept for the session, those of the history made anew in every step."""

    def prefix(self, text: Tensor, reference: Tokens, sink: Tokens | None) -> list[KeyValue]:
        """As ``Generator.prefix``."""
        return self.generator.prefix(text, reference, sink)

    def remember(self, cache: list[KeyValue], history: Tokens, room: int = 0) -> tuple[list[KeyValue], Tokens]:
        """Put off until each step."""
        return cache, history

    def step(self, known: tuple[list[KeyValue], Tokens], chunk: Tokens) -> Tensor:
        """As ``Generator.step``."""
        return self.generator.step(self.generator.remember(*known), chunk)


class NothingKept(Forgetful):
    """The whole window goes through the network in every step."""

    def prefix(self, *inputs: Any) -> tuple[Any, ...]:
        """Put off until each step."""
        return inputs

    def remember(self, inputs: tuple[Any, ...], history: Tokens, room: int = 0) -> tuple[Any, ...]:
        """Put off until each step."""
        return *inputs, history

    def step(self, inputs: tuple[Any, ...], chunk: Tokens) -> Tensor:
        """As ``Generator.step``."""
        return self.generator(*inputs, chunk)


def with_token_levels(generator: Generator) -> TokenLevels:
    """A generator of the same weights, device and number type that reads every token's level."""
    weight = next(generator.parameters())
    made = TokenLevels(generator.config).to(weight.device, weight.dtype).eval().requires_grad_(False)
    made.load_state_dict(generator.state_dict())
    return made


def plain_attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """``attention.attend`` as three operations: the scores lie in memory in full."""
    return in_three_operations(query, key, value).flatten(2)


def fused_attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """``attention.attend`` as torch does it unasked."""
    q, k, v = (x.transpose(1, 2) for x in (query, key, value))
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)


@contextmanager
def replaced(place: Any, name: str, value: object) -> Iterator[None]:
    """A module's name stands for something else meanwhile. AttributeError if the module has none such."""
    before = getattr(place, name)
    setattr(place, name, value)
    try:
        yield
    finally:
        setattr(place, name, before)


@contextmanager
def attending(attend: Any) -> Iterator[None]:
    """All attention goes through this function meanwhile."""
    with replaced(attention, "attend", attend):
        yield


@contextmanager
def without_fused_kernels() -> Iterator[None]:
    """Plain torch everywhere instead of the fused kernels of the processor."""

    def never(*tensors: Tensor | None) -> bool:
        return False

    with ExitStack() as stack:
        for module, name in ((layers, "can_fuse"), (decoder, "can_fuse"), (decoder, "on_processor")):
            stack.enter_context(replaced(module, name, never))
        yield


@contextmanager
def tables_in_every_layer(blocks: Sequence[nn.Module]) -> Iterator[None]:
    """Every layer makes its rotary table anew from the positions, instead of taking the one of the pass."""
    positions: list[Tensor] = []

    def table(given: Tensor, *more: Any) -> Rotary:
        positions[:] = [given]
        return rotary_table(given, *more)

    def renew(block: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        x, modulation, rotary, *rest = inputs
        made = Rotary(*(part.to(rotary.cos.dtype) for part in rotary_table(positions[0])))
        return x, modulation, made, *rest

    hooks: list[RemovableHandle] = [block.register_forward_pre_hook(renew) for block in blocks]
    try:
        with replaced(generators, "rotary_table", table):
            yield
    finally:
        for hook in hooks:
            hook.remove()
