"""Pictures that say a number in 16 bright or dark blocks, which survive any encoder: to see how old a picture is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 16
BRIGHT, DARK = (220, 190, 150), (20, 16, 10)


def numbered(number: int, width: int = 128, height: int = 64) -> NDArray[np.uint8]:
    """A picture that says its number, modulo 2 to the power of BITS: RGB ``[H, W, 3]``."""
    blocks = [BRIGHT if number >> bit & 1 else DARK for bit in range(BITS)]
    rows = np.array(blocks, np.uint8).reshape(2, BITS // 2, 3)
    return np.ascontiguousarray(rows.repeat(height // 2, 0).repeat(width // (BITS // 2), 1))


def number_of(rgb: NDArray[np.uint8]) -> int:
    """What a numbered picture says."""
    height, width = rgb.shape[:2]
    rows = height // 4 + height // 2 * np.arange(2)
    columns = width // BITS + width // (BITS // 2) * np.arange(BITS // 2)
    bright = rgb[np.ix_(rows, columns)].mean(-1).ravel() > 100
    return int(sum(1 << bit for bit in range(BITS) if bright[bit]))
