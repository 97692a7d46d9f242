"""Windows of several sessions as one: the same work for a graphics card, but launched once.

Every stream keeps its own place on the batch axis from the first layer to the last, so nothing of one reaches another:
not its look, not its past, and no NaN. Together equals alone but for rounding: libraries choose other kernels for
other batches. In fp32 pixels differ by one level of 255 at most, and latents by 5e-5 of their rms.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from ..model.attention import KeyValue
from ..model.autoencoder import LookTables
from ..model.renderer import Renderer
from .profile import spanned
from .window import Draft, RenderWindow, WindowInputs, WindowOutputs, render_window


def kind_of(draft: Draft) -> Hashable:
    """Equal for drafts that can be made together: same steps, same places on the template, same shapes."""
    leaves = tree_leaves(draft.inputs)
    shapes = tuple((x.shape, x.dtype) if isinstance(x, Tensor) else x for x in leaves)
    window = draft.window
    return draft.steps, draft.guided, window.positions, len(window.sink), len(window.history), shapes


class StackedLooks:
    """What looks give to a batch, stacked: prefix and tables. While the same sessions are drawn under the same looks it
    stays the same tensors, so that recorded windows have nothing of it to copy. The newest of each size is kept."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[list[Any], Any]] = {}

    def __call__(self, members: Sequence[WindowInputs]) -> tuple[list[KeyValue], LookTables, Tensor]:
        """Prefix, tables and structure table of the members, one behind the other on the batch axis."""
        each = [(m.prefix, m.tables, m.structure_table) for m in members]
        parts = [part for of_one in each for part in of_one]
        known = self._kept.get(len(members))
        if known is None or any(a is not b for a, b in zip(known[0], parts, strict=True)):
            known = self._kept[len(members)] = parts, tree_map(lambda *of_each: torch.cat(of_each), *each)
        stacked: tuple[list[KeyValue], LookTables, Tensor] = known[1]
        return stacked


@torch.inference_mode()
@spanned("window")
def make_together(
    renderer: Renderer,
    drafts: Sequence[Draft],
    render: RenderWindow = render_window,
    looks: StackedLooks | None = None,
) -> list[WindowOutputs]:
    """Make the windows of several sessions at once.

    Args:
        renderer: the networks that all the sessions share.
        drafts: at least one, all of one kind (``kind_of``), each of another session.
        render: how windows are made: eagerly, or from recordings, of which every number of drafts needs its own.
        looks: stacks the looks, and keeps that for the next batch; None to do it anew.

    Returns:
        for each draft what its session's ``make`` would have made.

    Raises:
        ValueError: drafts of several kinds.
    """
    kinds = {kind_of(draft) for draft in drafts}
    if len(kinds) != 1:
        raise ValueError(f"drafts that are made together must be of one kind, got {len(kinds)} among {len(drafts)}")
    inputs = _stack([draft.inputs for draft in drafts], looks or StackedLooks())
    made = render(renderer, drafts[0].steps, inputs, _anchored(drafts))
    return [tree_map(lambda tensor, k=k: tensor[k : k + 1], made) for k in range(len(drafts))]


def _stack(members: Sequence[WindowInputs], looks: StackedLooks) -> WindowInputs:
    """One behind the other on the batch axis; places on the template are the same for all and have no such axis."""
    first = members[0]
    own = [(m.maps, m.noise, m.heading, m.history, m.decoder) for m in members]
    maps, noise, heading, history, decoder = tree_map(lambda *of_each: _cat(of_each), *own)
    if history is not None and first.history is not None:
        history = history._replace(positions=first.history.positions)
    return WindowInputs(maps, noise, first.positions, heading, history, *looks(members), decoder)


def _anchored(drafts: Sequence[Draft]) -> Iterator[Tensor | None]:
    """The noise of each unit for all of them, when its turn comes."""
    return (_cat(of_each) for of_each in zip(*(draft.anchored() for draft in drafts), strict=True))


def _cat(of_each: Sequence[Tensor | None]) -> Tensor | None:
    known = [tensor for tensor in of_each if tensor is not None]
    return torch.cat(known) if known else None
