"""Edges: whether contours are where the teacher has them, whatever their colours."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from .pictures import luma

_SOBEL = ((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0), (-1.0, 0.0, 1.0))
STRONG = 2.0
"""An edge is a gradient above this many times the teacher's mean one, so a dark look has as many as a bright one."""


def edge_f1(output: Tensor, teacher: Tensor) -> Tensor:
    """F1 of the output's edge pixels against the teacher's, 1 pixel of tolerance each way.

    Args:
        output, teacher: ``[M, 3, H, W]`` in any one scale, the same for both.

    Returns:
        float32 ``[M]``, 0 … 1; 1 where neither picture has an edge.
    """
    ours, theirs = (_gradient(luma(x)[:, None]) for x in (output, teacher))
    limit = STRONG * theirs.mean((1, 2, 3), keepdim=True)
    ours, theirs = (ours > limit).float(), (theirs > limit).float()
    precision = _share(ours, _wider(theirs))
    recall = _share(theirs, _wider(ours))
    return 2 * precision * recall / (precision + recall).clamp(min=1e-9)


def _gradient(x: Tensor) -> Tensor:
    kernel = torch.tensor(_SOBEL, device=x.device)
    both = torch.stack([kernel, kernel.T])[:, None]
    dx, dy = F.conv2d(F.pad(x, (1, 1, 1, 1), mode="replicate"), both).split(1, 1)
    return torch.hypot(dx, dy)


def _wider(edges: Tensor) -> Tensor:
    return F.max_pool2d(edges, 3, 1, 1)


def _share(edges: Tensor, near: Tensor) -> Tensor:
    """Share of ``edges`` that lie in ``near``; 1 where there are none."""
    count = edges.sum((1, 2, 3))
    return torch.where(count > 0, (edges * near).sum((1, 2, 3)) / count.clamp(min=1), 1.0)
