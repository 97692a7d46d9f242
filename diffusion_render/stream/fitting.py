"""Any picture as a reference: cut and scaled to the size of a session. No torch, so that an engine can use it too."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

MOST_PIXELS = 64_000_000
SMALLEST_SIDE = 16


def fit_picture(rgb: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Any picture, uint8 ``[h, w, 3]``, cut at its middle to the wanted shape and scaled, uint8 ``[height, width, 3]``.

    Raises:
        ValueError: for another type or shape, or a picture too small or too large to be a reference.
    """
    if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3:
        raise ValueError(f"a reference is RGB, uint8 [height, width, 3]; got {rgb.dtype} {rgb.shape}")
    h, w, _ = rgb.shape
    if min(h, w) < SMALLEST_SIDE or h * w > MOST_PIXELS:
        raise ValueError(
            f"a reference needs sides of at least {SMALLEST_SIDE} and at most {MOST_PIXELS // 10**6} million pixels; "
            f"got {w}x{h}"
        )
    part = np.ascontiguousarray(rgb[middle_part(h, w, width, height)])
    shrinks = part.shape[1] > width
    scaled = cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    return np.asarray(scaled, np.uint8)


def middle_part(h: int, w: int, width: int, height: int) -> tuple[slice, slice]:
    """Rows and columns of the largest part in the middle of ``[h, w]`` that has the shape of ``[height, width]``."""
    cut_w, cut_h = min(w, max(1, round(h * width / height))), min(h, max(1, round(w * height / width)))
    top, left = (h - cut_h) // 2, (w - cut_w) // 2
    return slice(top, top + cut_h), slice(left, left + cut_w)
