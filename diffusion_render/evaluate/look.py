"""Look: how far the colours of the class regions are from the teacher's, in CIEDE2000.

A region's colour is its mean in linear light, which is what an eye far away would see; so grain does not count here
(``detail`` counts it), and a picture is not fined for a shadow that lies a little elsewhere in the same region.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .color import ciede2000, lab_of, linear_light

LEAST_SHARE = 0.004
"""A region below this share of the picture has no colour to speak of (459 pixels at 448 × 256)."""


def class_colors(pictures: Tensor, class_maps: Tensor, classes: int) -> Tensor:
    """Mean colour of each class region.

    Args:
        pictures: uint8 ``[M, 3, H, W]``.
        class_maps: uint8 ``[M, H, W]``.
        classes: size of the class table.

    Returns:
        L*a*b* float64 ``[M, classes, 3]``, NaN where a region is below LEAST_SHARE of the picture.
    """
    m, _, height, width = pictures.shape
    light = linear_light(pictures).permute(0, 2, 3, 1).reshape(-1, 3).double()
    key = class_maps.long() + classes * torch.arange(m, device=pictures.device)[:, None, None]
    total = light.new_zeros(m * classes, 3).index_add_(0, key.flatten(), light)
    pixels = torch.bincount(key.flatten(), minlength=m * classes).double()
    pixels = torch.where(pixels >= LEAST_SHARE * height * width, pixels, torch.nan)
    return lab_of(total / pixels[:, None]).unflatten(0, (m, classes))


def look_distance(output: Tensor, teacher: Tensor, class_maps: Tensor, classes: int) -> Tensor:
    """ΔE₀₀ of each class region, float64 ``[M, classes]``, NaN for absent ones; arguments as in ``class_colors``."""
    return ciede2000(class_colors(output, class_maps, classes), class_colors(teacher, class_maps, classes))
