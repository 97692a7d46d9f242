"""Flicker: what changes from frame to frame that the engine's exact motion does not explain.

The frame before is carried along by the motion plane and compared; what is left is reflections, clouds, interpolation,
and whatever the renderer makes up anew. The teacher's own remainder is the unit of measure.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

_ROUNDING = 0.25
"""Grey levels (of 255) added to both sides of a ratio: 8-bit rounding alone changes about so much."""


class Steps(NamedTuple):
    """Mean |frame − frame before, moved| in grey levels 0–255 of each step, float32 ``[M]``."""

    output: Tensor
    teacher: Tensor

    def ratio(self, chosen: Tensor) -> float:
        """The output's mean over the teacher's, of the steps ``chosen`` (bool ``[M]``); NaN if there are none."""
        if not bool(chosen.any()):
            return float("nan")
        ours, theirs = (float(x[chosen].mean()) for x in self)
        return (ours + _ROUNDING) / (theirs + _ROUNDING)


def measure_steps(output: Tensor, teacher: Tensor, class_maps: Tensor, motion: Tensor | None) -> Steps:
    """The steps between consecutive frames.

    Args:
        output, teacher: uint8 ``[F, 3, H, W]``, F ≥ 2.
        class_maps: uint8 ``[F, H, W]``.
        motion: float32 ``[F, H, W, 2]``: pixels (x right, y down) from a pixel to the same surface point in the frame
            before; that of frame 0 is not read. None compares pixels in place, as a last resort.

    Returns:
        F − 1 steps. Pixels count whose point was in the picture before, on a pixel of the same class.
    """
    pairs = output[1:].float(), output[:-1].float(), teacher[1:].float(), teacher[:-1].float()
    now, before, teacher_now, teacher_before = pairs
    if motion is None:
        seen = torch.ones_like(class_maps[1:], dtype=torch.bool)
    else:
        seen = _seen_before(class_maps, motion[1:])
        before, teacher_before = move(before, motion[1:]), move(teacher_before, motion[1:])
    count = seen.sum((1, 2)).clamp(min=1)

    def mean(a: Tensor, b: Tensor) -> Tensor:
        return ((a - b).abs().mean(1) * seen).sum((1, 2)) / count

    return Steps(mean(now, before), mean(teacher_now, teacher_before))


def at_border(steps: int, first_frame: int, frames_per_unit: int) -> Tensor:
    """bool ``[steps]``: which steps cross from one unit into the next.

    Args:
        steps: their number; step k leads from frame ``first_frame + k`` to the next one.
        first_frame: number of the first frame in the stream.
        frames_per_unit: video frames of a latent frame.
    """
    return (first_frame + 1 + torch.arange(steps)) % frames_per_unit == 0


def move(pictures: Tensor, motion: Tensor) -> Tensor:
    """Read ``pictures`` ``[M, C, H, W]`` where ``motion`` ``[M, H, W, 2]`` points; bilinear, borders repeated."""
    return F.grid_sample(pictures, _grid(motion), "bilinear", "border", align_corners=False)


def _grid(motion: Tensor) -> Tensor:
    """Motion in pixels → places in [−1, 1] as ``grid_sample`` takes them."""
    _, height, width, _ = motion.shape
    col = torch.arange(width, device=motion.device) + 0.5
    row = torch.arange(height, device=motion.device) + 0.5
    place = torch.stack([col.expand(height, width), row[:, None].expand(height, width)], -1) + motion
    return 2.0 * place / place.new_tensor([width, height]) - 1.0


def _seen_before(class_maps: Tensor, motion: Tensor) -> Tensor:
    grid = _grid(motion)
    inside = (grid.abs() < 1.0).all(-1)
    before = F.grid_sample(class_maps[:-1, None].float(), grid, "nearest", "border", align_corners=False)[:, 0]
    return inside & (before == class_maps[1:])
