"""Structure: whether the classes that a frozen segmenter reads from a picture are those of the class map."""

from __future__ import annotations

import torch
from torch import Tensor

LEAST_SHARE = 0.001
"""Classes below this share of all pixels do not count: a handful of pixels says nothing about a renderer."""


def confusion(class_maps: Tensor, read: Tensor, classes: int) -> Tensor:
    """Pixels by (class of the map, class read), int64 ``[classes, classes]``. Sums of parts add up.

    Args:
        class_maps, read: integer ids of one shape, each in 0 … classes − 1.
        classes: size of the class table.
    """
    key = class_maps.long() * classes + read.long()
    return torch.bincount(key.flatten(), minlength=classes * classes).view(classes, classes)


def iou_by_class(counts: Tensor) -> Tensor:
    """Intersection over union of each class, float64 ``[classes]``; NaN for classes below LEAST_SHARE of the maps."""
    counts = counts.double()
    truth = counts.sum(1)
    union = truth + counts.sum(0) - counts.diagonal()
    enough = truth >= LEAST_SHARE * counts.sum().clamp(min=1)
    return torch.where(enough & (truth > 0), counts.diagonal() / union.clamp(min=1), torch.nan)


def mean_iou(counts: Tensor) -> float:
    """Mean of ``iou_by_class``, classes weigh the same; NaN if there are none."""
    return float(iou_by_class(counts).nanmean())
