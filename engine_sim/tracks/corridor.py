"""Keeps barriers from crossing the inside of a bend or another stretch of road."""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import kernel


@kernel
def clear_barriers(x, y, z, tx, ty, curvature, step, width_left, width_right, kerb_left, kerb_right, left, right):
    """(barrier_left, barrier_right), each at most 0.85 of the radius of the bend on its inner side."""
    n = x.shape[0]
    out_left, out_right = left.copy(), right.copy()
    for i in range(n):
        if curvature[i] > 1e-6:
            out_left[i] = min(out_left[i], 0.85 / curvature[i])
        elif curvature[i] < -1e-6:
            out_right[i] = min(out_right[i], -0.85 / curvature[i])
        out_left[i] = max(out_left[i], width_left[i] + kerb_left[i] + 0.2)
        out_right[i] = max(out_right[i], width_right[i] + kerb_right[i] + 0.2)
    return out_left, out_right
