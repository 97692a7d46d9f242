"""Pictures as the scores take them: RGB, row 0 at the top, uint8 or [−1, 1]."""

from __future__ import annotations

import torch
from torch import Tensor

LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in luma (ITU-R BT.601)."""


def luma(pictures: Tensor) -> Tensor:
    """``[..., 3, H, W]`` → float32 ``[..., H, W]``, on the scale of the input."""
    weights = torch.tensor(LUMA, device=pictures.device)
    return (pictures.float() * weights[:, None, None]).sum(-3)


def from_bytes(pictures: Tensor) -> Tensor:
    """uint8 → float32 in [−1, 1]."""
    return pictures.float() / 127.5 - 1.0


def check_pair(output: Tensor, teacher: Tensor, class_maps: Tensor) -> None:
    """Refuse what cannot be compared.

    Floats are refused because their range cannot be told: the same picture in [0, 1] and in [−1, 1] would score
    differently, and nothing would look wrong.

    Raises:
        ValueError: unless both are uint8 ``[F, 3, H, W]`` of one shape, with uint8 class maps ``[F, H, W]``, F ≥ 1.
    """
    frames, *_ = output.shape
    maps = (frames, *output.shape[2:])
    if output.ndim != 4 or output.shape[1] != 3 or not frames or teacher.shape != output.shape:
        raise ValueError(
            f"expected output and teacher [F, 3, H, W] of one shape, got {tuple(output.shape)} and "
            f"{tuple(teacher.shape)}"
        )
    if tuple(class_maps.shape) != maps:
        raise ValueError(f"expected class maps {maps}, got {tuple(class_maps.shape)}")
    for name, value in (("output", output), ("teacher", teacher), ("class maps", class_maps)):
        if value.dtype != torch.uint8:
            raise ValueError(f"{name} must be uint8 0–255, got {value.dtype}")
