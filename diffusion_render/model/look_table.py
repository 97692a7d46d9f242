"""The look of a reference picture as one row of numbers per class.

Measured once per reference, free per frame. Rows: mean colour of the class region's darker half, mean colour of
its brighter half, share of the picture, fine contrast, and a flag that says whether the class occurs
at all (rows of absent classes are zero but for the flag; they must come from the prompt).
"""

from __future__ import annotations

import torch
from torch import Tensor

LOOK_FEATURES = 9
"""dark RGB, bright RGB, share, contrast, presence."""


def measure_look(picture: Tensor, class_map: Tensor, classes: int) -> Tensor:
    """Look tables of reference pictures.

    Args:
        picture: ``[N, 3, H, W]`` RGB in [−1, 1].
        class_map: uint8 ``[N, H, W]``, the class map of the picture itself.
        classes: number of classes.

    Returns:
        float32 ``[N, classes, LOOK_FEATURES]``.
    """
    n, _, height, width = picture.shape
    pixels = picture.float().flatten(2).transpose(1, 2)  # [N, P, 3]
    luma = pixels @ pixels.new_tensor([0.299, 0.587, 0.114])
    fine = (luma.view(n, 1, height, width) - _box_mean(luma.view(n, 1, height, width))).abs().flatten(1)
    key = class_map.flatten(1).long()
    count = _sum_by_class(torch.ones_like(luma)[..., None], key, classes)
    safe = count.clamp(min=1.0)
    middle = (_sum_by_class(luma[..., None], key, classes) / safe).gather(1, key[..., None])[..., 0]
    bright = (luma >= middle).float()
    halves = []
    for half in (1.0 - bright, bright):
        weight = _sum_by_class(half[..., None], key, classes)
        halves.append(_sum_by_class(pixels * half[..., None], key, classes) / weight.clamp(min=1.0))
    contrast = _sum_by_class(fine[..., None], key, classes) / safe
    present = (count > 0).float()
    share = torch.sqrt(count / (height * width))
    return torch.cat([*halves, share, 8.0 * contrast, present], -1)


def _sum_by_class(values: Tensor, key: Tensor, classes: int) -> Tensor:
    """values ``[N, P, C]`` summed by ``key`` ``[N, P]`` → ``[N, classes, C]``."""
    out = values.new_zeros(values.shape[0], classes, values.shape[2])
    return out.scatter_add_(1, key[..., None].expand(-1, -1, values.shape[2]), values)


def _box_mean(x: Tensor) -> Tensor:
    return torch.nn.functional.avg_pool2d(x, 5, 1, 2, count_include_pad=False)
