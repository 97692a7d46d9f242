"""The plain twin, in torch: what block picture *is*. Runs on any device, with gradients, and compiles."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from ..class_select.plain import BLOCK, COLORS, PLACES, check_shapes, class_select


def block_picture(values: Tensor, base: Tensor, codes: Tensor | None, corrections: Tensor | None) -> Tensor:
    """Pictures whose pixels are the sum of what their block says of their place and of their class.

    Args:
        values: ``[M, 48, h, w]``, colour · 16 + place, places in reading order of the block.
        base: as ``values``; added to them.
        codes: int32 ``[M, h, w, 16]``, place · classes + class; read only with ``corrections``.
        corrections: ``[M, classes · 3, h, w]``, see ``class_select``; None for none.

    Returns:
        ``[M, 3, 4h, 4w]``.

    Raises:
        ValueError: if the shapes do not fit one another.
    """
    check_blocks(values, base, codes, corrections)
    picture = F.pixel_shuffle(values + base, BLOCK)
    if codes is None or corrections is None:
        return picture
    return picture + class_select(codes, corrections)


def check_blocks(values: Tensor, base: Tensor, codes: Tensor | None, corrections: Tensor | None) -> None:
    """Raises ValueError as above."""
    m, channels, h, w = values.shape
    if channels != COLORS * PLACES or base.shape != values.shape:
        got = f"{tuple(values.shape)} and {tuple(base.shape)}"
        raise ValueError(f"values and base must both be [M, {COLORS * PLACES}, h, w], got {got}")
    if corrections is not None:
        if codes is None:
            raise ValueError("corrections of classes need the codes of the class maps, got None")
        if check_shapes(codes, corrections)[:3] != (m, h, w):
            raise ValueError(f"corrections must be [{m}, classes · 3, {h}, {w}], got {tuple(corrections.shape)}")
