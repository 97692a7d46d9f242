"""Windows that are recorded once for each shape and replayed: on a GPU, launching them costs more than their work.

What is replayed reads and writes memory that stays where it was. So inputs are copied into their places before, and
outputs out of theirs behind; an input that is the same tensor as last time, like the keys and values of the prefix, is
not copied again. Replayed equals eager: the same kernels run on the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import torch
from torch import Tensor
from torch.utils._pytree import tree_map, tree_map_only

from ..model.renderer import Renderer
from .profile import span
from .window import RenderWindow, WindowInputs, WindowOutputs, render_window

Replay = Callable[[], None]
Pairs: TypeAlias = list[tuple[Tensor, Tensor]]
"""Places, and what is to be copied there."""
Work: TypeAlias = tuple[Renderer, tuple[float, ...], tuple[WindowInputs, list[Tensor | None]]]
"""Arguments of ``render_window``."""


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
    """``places`` in which a replay finds its inputs, and ``last``, what was copied there, leaf by leaf, tensors and
    others; ``what`` is computed there, besides the shapes."""

    what: Hashable
    places: list[Any]
    last: list[Any]
    outputs: WindowOutputs
    replay: Replay

    def changed(self, leaves: list[Any]) -> Pairs | None:
        """Places and what has to be copied there; None if these are leaves of other shapes."""
        if len(leaves) != len(self.places):
            return None
        pairs: Pairs = []
        for place, before, leaf in zip(self.places, self.last, leaves):
            if leaf is before:
                continue
            if _kind(leaf) != _kind(place):
                return None
            if isinstance(leaf, Tensor):
                pairs.append((place, leaf))
        return pairs


def leaves_of(tree: Any) -> list[Any]:
    """All that is in nested tuples and lists, in order."""
    if not isinstance(tree, (tuple, list)):
        return [tree]
    return [leaf for branch in tree for leaf in leaves_of(branch)]


def copy_all(pairs: Pairs) -> None:
    """Copies, as few launches as can be: on a GPU one for all places of a number type."""
    groups: dict[torch.dtype, Pairs] = {}
    for pair in pairs:
        groups.setdefault(pair[0].dtype, []).append(pair)
    for group in groups.values():
        places, values = zip(*group, strict=True)
        torch._foreach_copy_(list(places), list(values), non_blocking=True)


def _kind(leaf: Any) -> Hashable:
    return (leaf.shape, leaf.dtype) if isinstance(leaf, Tensor) else leaf


class RecordedWindows:
    """``render_window`` by replay; sessions of one renderer may share it, in one thread.

    Args:
        record: how work is recorded.
        say: takes a line for people, if windows cannot be recorded here; they are made eagerly then.
        most: recordings that are kept. A stream has two shapes, its first window's and all others'; each further one is
            a change of size, schedule or guides, or another number of streams that are drawn together. Beyond that the
            one that was used longest ago makes room.
        render: what is recorded.
    """

    def __init__(
        self, record: Recorder, say: Callable[[str], None], most: int = 8, render: RenderWindow = render_window
    ) -> None:
        self._record, self._say, self._most, self._render = record, say, most, render
        self._kept: dict[Hashable, _Recording] = {}
        self._newest: _Recording | None = None
        self._fails = False

    def __call__(
        self, renderer: Renderer, steps: tuple[float, ...], inputs: WindowInputs, anchored: Iterable[Tensor | None]
    ) -> WindowOutputs:
        """See ``window.render_window``. RuntimeError if windows of several streams at once cannot be recorded: there
        may be memory enough for one by one."""
        if self._fails:
            return self._render(renderer, steps, inputs, anchored)
        noises = list(anchored)
        leaves = leaves_of((inputs, noises))
        try:
            recording, changed = self._recording((id(renderer), steps), leaves, (renderer, steps, (inputs, noises)))
        except RuntimeError as error:
            if len(inputs.maps) > 1:
                raise
            self._fails = True
            self._say(f"windows cannot be recorded on this device, so each is launched anew, which is slower: {error}")
            return self._render(renderer, steps, inputs, noises)
        with span("copies in"):
            copy_all(changed)
            recording.last = leaves
        with span("replay"):
            recording.replay()
        with span("copies out"):
            return tree_map(lambda t: t.clone(), recording.outputs)

    def _recording(self, what: Hashable, leaves: list[Any], work: Work) -> tuple[_Recording, Pairs]:
        """The recording of ``what`` for inputs of these shapes, made if it is not there, and what is to be copied."""
        newest = self._newest
        if newest is not None and newest.what == what:
            # Nearly always the same one again, and most leaves are the very tensors of last time: no key is needed.
            changed = newest.changed(leaves)
            if changed is not None:
                return newest, changed
        key = what, tuple(map(_kind, leaves))
        recording = self._kept.pop(key, None) or self._recorded(what, leaves, work)
        self._kept[key] = self._newest = recording  # the newest lies last
        while len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        pairs = recording.changed(leaves)
        assert pairs is not None  # the key says that they fit
        return recording, pairs

    def _recorded(self, what: Hashable, leaves: list[Any], work: Work) -> _Recording:
        renderer, steps, given = work
        inputs, anchored = tree_map_only(Tensor, torch.clone, given)
        outputs, replay = self._record(lambda: self._render(renderer, steps, inputs, anchored))
        return _Recording(what, leaves_of((inputs, anchored)), list(leaves), outputs, replay)
