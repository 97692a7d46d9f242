"""Detail: fine contrast inside a class, against the teacher's, and whether it is the same contrast.

Detail of a picture is its luma minus the mean of the 5 × 5 pixels around, taken only where all 25 pixels are of one
class, so that class edges do not count. The *ratio* compares energies (1: as much grain as the teacher), the
*correlation* places (1: the same grain). Full-frame PSNR hardly tells clay from texture; these two do. The *grid*
tells grain from blocks: a decoder that paints 4 × 4 pixels at once can have all its contrast where blocks meet.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from .pictures import luma

BLOCK = 4
"""Pixels of the side of a block that a decoder paints at once."""


def measure_grid(output: Tensor, teacher: Tensor) -> float:
    """How far a picture shows the blocks that it was painted in: 1 for as little as the teacher.

    The mean step of luma from pixel to pixel is taken for each place in a block, along rows and along columns; the
    largest over the smallest is the picture's grid, and that over the teacher's is the score.

    Args:
        output, teacher: RGB ``[M, 3, H, W]`` in any one linear scale; width and height divisible by 4.
    """
    return _grid(output) / _grid(teacher)


def _grid(pictures: Tensor) -> float:
    shown = luma(pictures)
    means = []
    for steps in (shown.diff(dim=-1), shown.diff(dim=-2).transpose(-1, -2)):
        means.append(torch.stack([steps[..., place::BLOCK].abs().mean() for place in range(BLOCK)]))
    return float(torch.stack([m.max() / m.min().clamp(min=1e-9) for m in means]).mean())


class DetailSums(NamedTuple):
    """Per class, ``[classes]``: Σ output², Σ teacher², Σ output · teacher, pixels. Sums of parts add up."""

    output: Tensor
    teacher: Tensor
    product: Tensor
    pixels: Tensor

    def __add__(self, other: tuple) -> DetailSums:
        return DetailSums(*(a + b for a, b in zip(self, other, strict=True)))

    def ratio(self) -> float:
        """Root mean square of the output's detail over the teacher's, all classes together."""
        return float((self.output.sum() / self.teacher.sum().clamp(min=1e-12)).sqrt())

    def correlation(self) -> float:
        """Correlation of the output's detail with the teacher's."""
        return float(self.product.sum() / (self.output.sum() * self.teacher.sum()).clamp(min=1e-24).sqrt())

    def ratio_by_class(self) -> Tensor:
        """The ratio of each class, NaN for absent ones."""
        return (self.output / torch.where(self.pixels > 0, self.teacher, torch.nan)).sqrt()


def measure_detail(output: Tensor, teacher: Tensor, class_maps: Tensor, classes: int) -> DetailSums:
    """Sums over pictures.

    Args:
        output, teacher: RGB ``[M, 3, H, W]`` in any one linear scale, the same for both.
        class_maps: uint8 ``[M, H, W]``.
        classes: size of the class table.
    """
    maps = class_maps[:, None].float()
    inside = (F.max_pool2d(maps, 5, 1, 2) == -F.max_pool2d(-maps, 5, 1, 2))[:, 0]
    fine_output, fine_teacher = _fine(output), _fine(teacher)
    key = class_maps[inside].long()

    def by_class(values: Tensor) -> Tensor:
        return torch.zeros(classes, dtype=torch.float64, device=values.device).index_add_(
            0, key, values[inside].double()
        )

    return DetailSums(
        by_class(fine_output.square()),
        by_class(fine_teacher.square()),
        by_class(fine_output * fine_teacher),
        by_class(torch.ones_like(fine_output)),
    )


def _fine(picture: Tensor) -> Tensor:
    light = luma(picture)[:, None]
    return (light - F.avg_pool2d(light, 5, 1, 2, count_include_pad=False))[:, 0]
