"""Runs of several sessions drawn as one batch: a graphics card is then launched once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from demos.renderer.prompts import Say
from demos.renderer.session import PreparedRun, StreamRenderer
from diffusion_render.model.renderer import Renderer
from diffusion_render.stream.batch import StackedLooks, kind_of, make_together
from diffusion_render.stream.profile import count, spanned
from diffusion_render.stream.transport import Fetch
from diffusion_render.stream.window import RenderWindow, WindowOutputs
from render_bridge.protocol.events import FrameTaken

T = TypeVar("T")
U = TypeVar("U")
Run: TypeAlias = tuple[StreamRenderer, Sequence[FrameTaken]]
Drawn: TypeAlias = list[NDArray[np.uint8]] | Exception
Launched: TypeAlias = tuple[WindowOutputs, Fetch] | Exception
"""A window on its way through the device's queue with its pictures behind it, or why there is none."""


def sizes_up_to(most: int) -> tuple[int, ...]:
    """The powers of two up to ``most``: each size is recorded, and compiled, by itself, so there are to be few.

    Raises:
        ValueError: less than 1.
    """
    if most < 1:
        raise ValueError(f"a batch has at least 1 run, got {most}")
    return tuple(1 << k for k in range(most.bit_length()))


class Batches:
    """Draws runs together where that can be.

    Args:
        model: the networks of all sessions.
        windows: how windows are made.
        most: runs of a batch.
        say: takes a line for people, should the device have too little memory for a batch.
    """

    def __init__(self, model: Renderer, windows: RenderWindow, most: int, say: Say) -> None:
        self._model, self._windows, self._say = model, windows, say
        self._looks = StackedLooks()
        self.sizes = sizes_up_to(most)

    @spanned("batch")
    def draw(self, runs: Sequence[Run]) -> list[Drawn]:
        """What ``render`` would give for each run, or raise; what one run raises is its own affair."""
        count("chunks", len(runs))
        drawn: dict[int, Drawn] = {}
        prepared: dict[int, PreparedRun] = {}
        for k, (renderer, frames) in enumerate(runs):
            try:
                prepared[k] = renderer.prepare(frames)
            except Exception as error:
                drawn[k] = renderer.failed(error)
        for group in self._groups(prepared):
            launched: dict[int, Launched] = {}
            for k, made in zip(group, self._make([prepared[k] for k in group]), strict=True):
                launched[k] = _unless_failed(made, _sent_out, runs[k][0], prepared[k])
            for k in group:  # all pictures are on their way by now: here is time, until they come
                launched[k] = _unless_failed(launched[k], _with_next_prepared, prepared[k])
            for k in group:
                drawn[k] = _completed(runs[k][0], prepared[k], launched[k])
        return [drawn[k] for k in range(len(runs))]

    def give_up(self, size: int, error: Exception) -> None:
        """Draw fewer together from now on: so many could not be."""
        self.sizes = tuple(smaller for smaller in self.sizes if smaller < size)
        reason = str(error).splitlines()[0][:200]
        self._say(f"{size} chunks cannot be drawn at once, at most {self.sizes[-1]} from now on: {reason}")

    def _groups(self, prepared: dict[int, PreparedRun]) -> Iterator[list[int]]:
        """Runs of one kind, in numbers of ``sizes``, in their order."""
        kinds: dict[Hashable, list[int]] = {}
        for k, run in prepared.items():
            kinds.setdefault(kind_of(run.draft) if len(prepared) > 1 else None, []).append(k)
        for alike in kinds.values():
            while alike:
                size = max(size for size in self.sizes if size <= len(alike))
                yield alike[:size]
                alike = alike[size:]

    def _make(self, group: Sequence[PreparedRun]) -> list[WindowOutputs | Exception]:
        """The window of each run, or why there is none."""
        if len(group) > 1:
            try:
                return list(make_together(self._model, [run.draft for run in group], self._windows, self._looks))
            except RuntimeError as error:  # too little memory for all at once, for example: one by one it may do
                self.give_up(len(group), error)
        return [_unless_failed(run, _made_alone) for run in group]


def _unless_failed(before: T | Exception, act: Callable[..., U], *given: Any) -> U | Exception:
    """What ``act`` makes of what was there before; or the error that was there, or is raised now."""
    if isinstance(before, Exception):
        return before
    try:
        return act(before, *given)
    except Exception as error:
        return error


def _made_alone(run: PreparedRun) -> WindowOutputs:
    return run.stream.make(run.draft)


def _sent_out(made: WindowOutputs, renderer: StreamRenderer, run: PreparedRun) -> tuple[WindowOutputs, Fetch]:
    return made, renderer.fetch(run, made)


def _with_next_prepared(launched: tuple[WindowOutputs, Fetch], run: PreparedRun) -> tuple[WindowOutputs, Fetch]:
    run.stream.draw_ahead(run.draft, launched[0])
    return launched


def _completed(renderer: StreamRenderer, run: PreparedRun, launched: Launched) -> Drawn:
    try:
        if isinstance(launched, Exception):
            raise launched
        return renderer.complete(run, *launched)
    except Exception as error:
        return renderer.failed(error)
