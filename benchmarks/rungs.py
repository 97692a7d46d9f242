"""The rungs of the ladder: settings of one renderer, of which each differs from the one before in one thing."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch

from benchmarks import naive
from diffusion_render.model.attention import attend
from diffusion_render.model.renderer import Renderer

KEPT = ("nothing", "prefix", "prefix and history")
ATTEND = {"plain": naive.plain_attend, "torch's own": naive.fused_attend, "ours": attend}


@dataclass(frozen=True)
class Rung:
    """How a chunk is made.

    Args:
        name: of the rung.
        kept: keys and values that no step makes again, one of KEPT.
        unit_levels: the noise level goes through its network once a unit, not once a token.
        attention: one of ATTEND.
        shared_tables: a pass makes its rotary table once, not in every layer.
        channels_last: weights of convolutions lie as these read them.
        fused: the fused kernels of ``kernels/`` (processors only).
        threads: of torch; None leaves them.
        number_type: of weights and activations; None for what the run was told.
        compiled: the networks are compiled.
        recorded: the window is a CUDA graph.
    """

    name: str
    kept: str = "nothing"
    unit_levels: bool = False
    attention: str = "plain"
    shared_tables: bool = False
    channels_last: bool = False
    fused: bool = True
    threads: int | None = None
    number_type: str | None = None
    compiled: bool = False
    recorded: bool = False


@dataclass(frozen=True)
class LeftOut:
    """A rung that cannot be measured, and why."""

    name: str
    reason: str


def climb(start: Rung, *changes: dict[str, Any]) -> list[Rung]:
    """A rung for each change, all changes before it included."""
    rungs = [start]
    for change in changes:
        rungs.append(replace(rungs[-1], **change))
    return rungs


def card_rungs(compiled: bool, recorded: bool) -> list[Rung | LeftOut]:
    """From a window that is computed afresh in every step to what play does on a graphics card."""
    rungs: list[Rung | LeftOut] = [
        *climb(
            Rung("eager, nothing kept"),
            {"name": "+ keys of the prefix kept", "kept": "prefix"},
            {"name": "+ keys of the history kept", "kept": "prefix and history"},
            {"name": "+ AdaLN a unit, not a token", "unit_levels": True},
            {"name": "+ attention: torch's own", "attention": "torch's own"},
            {"name": "+ attention: our choice", "attention": "ours"},
            {"name": "+ rotary tables a pass, not a layer", "shared_tables": True},
        ),
        LeftOut(
            "+ positions and tables kept for the session",
            "the model makes them anew in every pass; of masks there are none, since runs of tokens are cut instead",
        ),
        LeftOut("+ AdaLN kept for each level", "the model makes it anew in every pass, once a unit"),
    ]
    top = next(rung for rung in reversed(rungs) if isinstance(rung, Rung))
    layout, *later = climb(
        replace(top, name="+ layout: channels last", channels_last=True),
        {"name": "+ compile", "compiled": True},
        {"name": "+ graphs", "recorded": True},
    )
    rungs.append(layout)
    rungs.append(later[0] if compiled else LeftOut("+ compile", "not asked for: --compile"))
    graphs = later[1] if compiled else replace(layout, name="+ graphs", recorded=True)
    rungs.append(graphs if recorded else LeftOut("+ graphs", "CUDA graphs need --device cuda"))
    return rungs


def laptop_rungs(compiled: bool) -> list[Rung | LeftOut]:
    """What a processor gains from layout, fused kernels, a second thread and bfloat16."""
    saving: dict[str, Any] = {"kept": KEPT[-1], "unit_levels": True, "attention": "ours", "shared_tables": True}
    slow: dict[str, Any] = {"fused": False, "threads": 1, "number_type": "float32"}
    rungs: list[Rung | LeftOut] = [
        *climb(
            replace(Rung("fp32, 1 thread, contiguous, plain kernels", **slow), **saving),
            {"name": "+ layout: channels last", "channels_last": True},
            {"name": "+ fused kernels", "fused": True},
            {"name": "+ 2 threads", "threads": 2},
            {"name": "+ bfloat16", "number_type": "bfloat16"},
        )
    ]
    top = rungs[-1]
    assert isinstance(top, Rung)
    compiled_rung = replace(top, name="+ compile", compiled=True)
    rungs.append(compiled_rung if compiled else LeftOut("+ compile", "not asked for: --compile"))
    return rungs


def renderer_for(rung: Rung, model: Renderer, backend: str) -> Renderer:
    """A renderer of the model's weights that works as the rung says; ``model`` is laid out channels-last."""
    made = copy.deepcopy(model)
    for parameter in made.parameters():
        if parameter.dim() == 4 and not rung.channels_last:
            # By way of a copy: a weight with sides of length 1 counts as contiguous in both layouts.
            parameter.data = torch.empty(parameter.shape).to(parameter).copy_(parameter)
    generator = made.generator if rung.unit_levels else naive.with_token_levels(made.generator)
    if rung.kept == KEPT[2]:
        made.generator = generator
    else:
        keeper = naive.PrefixKept if rung.kept == KEPT[1] else naive.NothingKept
        made.generator = keeper(generator)  # type: ignore[assignment]
    if rung.compiled:
        made.compile_for_play(backend)
    return made


@contextmanager
def set_as(rung: Rung, made: Renderer) -> Iterator[None]:
    """Settings of the process that a rung needs while it works."""
    threads = torch.get_num_threads()
    with ExitStack() as stack:
        if rung.attention != "ours":
            stack.enter_context(naive.attending(ATTEND[rung.attention]))
        if not rung.shared_tables:
            generator = getattr(made.generator, "generator", made.generator)
            stack.enter_context(naive.tables_in_every_layer(list(generator.blocks)))
        if not rung.fused:
            stack.enter_context(naive.without_fused_kernels())
        if rung.threads is not None:
            torch.set_num_threads(rung.threads)
            stack.callback(torch.set_num_threads, threads)
        yield
