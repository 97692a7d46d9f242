"""Windows that are recorded once for each shape and replayed: on a GPU, launching them costs more than their work.

What is replayed reads and writes memory that stays where it was. So inputs are copied into their places before, and
outputs out of theirs behind; an input that is the same tensor as last time, like the keys and values of the prefix, is
not copied again. Replayed equals eager: the same kernels run on the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.utils._pytree import TreeSpec, tree_flatten, tree_map, tree_unflatten

from ..model.renderer import Renderer
from .profile import span
from .window import WindowInputs, WindowOutputs, render_window

Replay = Callable[[], None]


class Recorder(Protocol):
    """Records work on fixed memory."""

    def __call__(self, work: Callable[[], Any]) -> tuple[Any, Replay]:
        """What ``work`` returned, in the memory that each replay fills anew, and the replay."""


class CudaRecorder:
    """CUDA graphs that share one pool of memory; they are replayed one after the other, never at once.

    Args:
        warm_up: calls before the recording, in which libraries choose their kernels and take their memory.
    """

    def __init__(self, warm_up: int = 3) -> None:
        self._warm_up, self._pool = warm_up, torch.cuda.graph_pool_handle()

    def __call__(self, work: Callable[[], Any]) -> tuple[Any, Replay]:
        """See ``Recorder``."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(self._warm_up):
                work()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            made = work()
        return made, graph.replay


@dataclass
class _Recording:
    places: list[Tensor]
    last: list[Tensor]
    outputs: WindowOutputs
    replay: Replay


class RecordedWindows:
    """``render_window`` by replay; sessions of one renderer may share it, in one thread.

    Args:
        record: how work is recorded.
        say: takes a line for people, if windows cannot be recorded here; they are made eagerly then.
        most: recordings that are kept. A stream has two shapes, its first window's and all others'; each further one is
            a change of size, schedule or guides, or another number of streams that are drawn together. Beyond that the
            one that was used longest ago makes room.
    """

    def __init__(self, record: Recorder, say: Callable[[str], None], most: int = 8) -> None:
        self._record, self._say, self._most = record, say, most
        self._kept: dict[Hashable, _Recording] = {}
        self._fails = False

    def __call__(
        self, renderer: Renderer, steps: tuple[float, ...], inputs: WindowInputs, anchored: Iterable[Tensor | None]
    ) -> WindowOutputs:
        """See ``window.render_window``. RuntimeError if windows of several streams at once cannot be recorded: there
        may be memory enough for one by one."""
        if self._fails:
            return render_window(renderer, steps, inputs, anchored)
        noises = list(anchored)
        leaves, tree = tree_flatten((inputs, noises))
        given = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        try:
            recording = self._recording(renderer, steps, leaves, tree)
        except RuntimeError as error:
            if len(inputs.maps) > 1:
                raise
            self._fails = True
            self._say(f"windows cannot be recorded on this device, so each is launched anew, which is slower: {error}")
            return render_window(renderer, steps, inputs, noises)
        with span("copies in"):
            for place, tensor, before in zip(recording.places, given, recording.last, strict=True):
                if tensor is not before:
                    place.copy_(tensor, non_blocking=True)
            recording.last = given
        with span("replay"):
            recording.replay()
        with span("copies out"):
            return tree_map(lambda t: t.clone(), recording.outputs)

    def _recording(self, renderer: Renderer, steps: tuple[float, ...], leaves: list[Any], tree: TreeSpec) -> _Recording:
        """The recording for inputs of these shapes, made if it is not there."""
        shapes = tuple((x.shape, x.dtype) if isinstance(x, Tensor) else x for x in leaves)
        key = id(renderer), steps, shapes
        if key not in self._kept:
            self._kept[key] = self._recorded(renderer, steps, leaves, tree)
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        self._kept[key] = self._kept.pop(key)  # the newest lies last
        return self._kept[key]

    def _recorded(self, renderer: Renderer, steps: tuple[float, ...], leaves: list[Any], tree: TreeSpec) -> _Recording:
        places = [leaf.clone() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        inputs, anchored = tree_unflatten(places, tree)
        outputs, replay = self._record(lambda: render_window(renderer, steps, inputs, anchored))
        held = [place for place in places if isinstance(place, Tensor)]
        return _Recording(held, list(held), outputs, replay)
