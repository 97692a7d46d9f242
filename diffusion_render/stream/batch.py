"""Windows of several sessions as one: the same work for a graphics card, but launched once.

Every stream keeps its own place on the batch axis from the first layer to the last, so nothing of one reaches another:
not its look, not its past, and no NaN. Together equals alone but for rounding: libraries choose other kernels for
other batches. In fp32 pixels differ by one level of 255 at most, and latents by 5e-5 of their rms.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from ..model.renderer import Renderer
from .window import Draft, RenderWindow, WindowInputs, WindowOutputs, render_window


def kind_of(draft: Draft) -> Hashable:
    """Equal for drafts that can be made together: same steps, same places on the template, same shapes."""
    leaves = tree_leaves(draft.inputs)
    shapes = tuple((x.shape, x.dtype) if isinstance(x, Tensor) else x for x in leaves)
    window = draft.window
    return draft.steps, draft.guided, window.positions, len(window.sink), len(window.history), shapes


@torch.inference_mode()
def make_together(
    renderer: Renderer, drafts: Sequence[Draft], render: RenderWindow = render_window
) -> list[WindowOutputs]:
    """Make the windows of several sessions at once.

    Args:
        renderer: the networks that all the sessions share.
        drafts: at least one, all of one kind (``kind_of``), each of another session.
        render: how windows are made: eagerly, or from recordings, of which every number of drafts needs its own.

    Returns:
        for each draft what its session's ``make`` would have made.

    Raises:
        ValueError: drafts of several kinds.
    """
    kinds = {kind_of(draft) for draft in drafts}
    if len(kinds) != 1:
        raise ValueError(f"drafts that are made together must be of one kind, got {len(kinds)} among {len(drafts)}")
    made = render(renderer, drafts[0].steps, _stack([draft.inputs for draft in drafts]), _anchored(drafts))
    return [tree_map(lambda tensor, k=k: tensor[k : k + 1], made) for k in range(len(drafts))]


def _stack(members: Sequence[WindowInputs]) -> WindowInputs:
    """One behind the other on the batch axis; places on the template are the same for all and have no such axis."""
    first = members[0]
    stacked: WindowInputs = tree_map(lambda *of_each: _cat(of_each), *members)
    history = stacked.history
    if history is not None and first.history is not None:
        history = history._replace(positions=first.history.positions)
    return stacked._replace(positions=first.positions, history=history)


def _anchored(drafts: Sequence[Draft]) -> Iterator[Tensor | None]:
    """The noise of each unit for all of them, when its turn comes."""
    return (_cat(of_each) for of_each in zip(*(draft.anchored() for draft in drafts), strict=True))


def _cat(of_each: Sequence[Tensor | None]) -> Tensor | None:
    known = [tensor for tensor in of_each if tensor is not None]
    return torch.cat(known) if known else None
