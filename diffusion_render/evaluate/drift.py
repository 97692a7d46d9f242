"""Video Drift Error: how far a stream leaves what it was in its first second.

Every part is measured against the teacher view of the same second, so that a scene which itself gets busier or darker
is no drift. Of each part the *relative change against the first second* counts, up or down; the error of a second
is the root mean square of its parts, so that one bad part cannot hide behind four good ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from render_bridge.palette import PLAYER_CAR

from .pictures import luma

PARTS = ("clarity", "motion", "background", "subject", "look")
_ROUNDING = 1e-4
"""Energy of 8-bit rounding in a Laplacian of luma in [−1, 1], added to both sides of a ratio."""
_STANDSTILL = 1e-4
"""Energy of coarse frame differences, added likewise: a twentieth of a drive's. Without it a slight flicker before a
standing car would be many times the teacher's motion, and every start of a race would be drift."""
_ROWS = 16
"""Rows of blocks over which motion is averaged. Of single pixels, a soft picture shows less motion the faster things
go: the same blur all along would look like drift (measured: a change of 0.43, and of 0.04 with blocks)."""
_LEAST_SIMILARITY = 0.05
"""Below this the pictures have nothing in common, and a relative change would only be noise."""
_LOOK_SCALE = 10.0
"""ΔE₀₀ at which agreement of the look has fallen to a half."""
_LEAST_PIXELS = 64


class Drift(NamedTuple):
    """What the seconds of a stream say together.

    ``curve``: the error of each second, 0 for the first. ``parts``: mean relative change of each part over the
    seconds after the first, NaN where it could not be measured. ``total``: mean of the curve after its first second,
    NaN if there is only one.
    """

    curve: list[float]
    parts: dict[str, float]
    total: float


def clarity(output: Tensor, teacher: Tensor) -> float:
    """Energy of the Laplacian of luma over the teacher's; pictures ``[M, 3, H, W]`` in [−1, 1]."""
    return _ratio(_laplacian(luma(output)), _laplacian(luma(teacher)), _ROUNDING)


def motion(output: Tensor, teacher: Tensor) -> float:
    """Energy of frame differences of luma over the teacher's, both averaged over square blocks of H/16 pixels.

    Args:
        output, teacher: consecutive pictures ``[F, 3, H, W]`` in [−1, 1]; of a single one the answer is NaN.
    """
    block = max(1, output.shape[-2] // _ROWS)
    ours, theirs = (F.avg_pool2d(luma(x)[:, None], block).diff(dim=0) for x in (output, teacher))
    return _ratio(ours, theirs, _STANDSTILL)


def background_and_subject(similarity: Tensor, class_maps: Tensor) -> tuple[float, float]:
    """Mean structural similarity to the teacher outside the player's car, and on it; NaN below 64 pixels.

    Args:
        similarity: ``fidelity.ssim_map`` ``[M, H, W]``.
        class_maps: uint8 ``[M, H, W]``.
    """
    subject = class_maps == PLAYER_CAR
    return _similarity(similarity[~subject]), _similarity(similarity[subject])


def look_agreement(distance: float) -> float:
    """1 for the teacher's own colours, ½ at ΔE₀₀ 10, towards 0 as the mean ``distance`` of class regions grows."""
    return 1.0 / (1.0 + distance / _LOOK_SCALE)


def video_drift(parts: Mapping[str, Sequence[float]]) -> Drift:
    """The Video Drift Error of a stream.

    Args:
        parts: for each of PARTS its positive value in every second; NaN where it could not be measured. A part that
            is NaN in the first second is left out altogether.

    Raises:
        ValueError: if a part is missing or unknown, or they differ in length.
    """
    lengths = {len(values) for values in parts.values()}
    if set(parts) != set(PARTS) or len(lengths) != 1:
        raise ValueError(f"expected {', '.join(PARTS)} of one length, got { {k: len(v) for k, v in parts.items()} }")
    values = torch.tensor([list(parts[name]) for name in PARTS], dtype=torch.float64)  # [parts, seconds]
    change = (values / values[:, :1] - 1.0).abs()
    curve = change.square().nanmean(0).sqrt()
    later = change[:, 1:]
    total = float(curve[1:].nanmean()) if later.shape[1] else math.nan
    return Drift(curve.tolist(), dict(zip(PARTS, later.nanmean(1).tolist(), strict=True)), total)


def _ratio(output: Tensor, teacher: Tensor, floor: float) -> float:
    """Mean square of one over that of the other."""
    if not output.numel():
        return math.nan
    ours, theirs = (float(x.square().mean()) for x in (output, teacher))
    return (ours + floor) / (theirs + floor)


def _similarity(values: Tensor) -> float:
    return max(float(values.mean()), _LEAST_SIMILARITY) if values.numel() >= _LEAST_PIXELS else math.nan


def _laplacian(x: Tensor) -> Tensor:
    kernel = torch.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]], device=x.device)
    return F.conv2d(x[:, None], kernel[None, None])
