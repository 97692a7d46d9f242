"""Kerbs and barriers beside the road, within bounds that a race can live with.

TORCS lets a verge jump from 3 to 20 m where two segments meet, and makes some 100 m wide. Here
a barrier never comes closer by more than BARRIER_SLOPE metres per metre of road, so it is a wall to slide along and not
one to run into; narrow places stay as narrow as the file says, wide ones open gradually.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.jit import kernel

from .layout import Side

MAX_KERB = 2.0
MAX_VERGE = 30.0
MIN_CLEARANCE = 0.6
"""Metres between the end of the kerb and the barrier, at least."""
BARRIER_SLOPE = 0.25

Floats = NDArray[np.float64]


def verges(sides: list[Side], segment: NDArray[np.int64], part: Floats, step: float) -> tuple[Floats, Floats]:
    """(kerb width, distance from road edge to barrier) per sample.

    Args:
        sides: one side of every segment.
        segment: int64 ``[n]``, which segment a sample lies in.
        part: ``float64 [n]``, share of the segment behind it.
        step: metres between samples.
    """
    start, end = np.array([s.start_width for s in sides]), np.array([s.end_width for s in sides])
    border = np.array([s.border_width for s in sides])
    open_ = np.array([0.0 if s.walled else 1.0 for s in sides])
    has_kerb = np.array([1.0 if s.kerb and not s.walled else 0.0 for s in sides])
    kerb = np.minimum(border * has_kerb, MAX_KERB)[segment]
    strip = start[segment] + (end - start)[segment] * part
    verge = np.minimum((border[segment] + strip) * open_[segment], MAX_VERGE)
    least = kerb + MIN_CLEARANCE
    return kerb, limit_slope(np.maximum(verge, least), least, BARRIER_SLOPE * step)


@kernel
def limit_slope(field, least, change):
    """The largest closed field below ``field`` that changes by at most ``change`` a sample; never below ``least``."""
    n = field.shape[0]
    out = field.copy()
    for k in range(2 * n):
        i = k % n
        out[i] = max(least[i], min(out[i], out[i - 1] + change))
    for k in range(2 * n - 1, -1, -1):
        i = k % n
        out[i] = max(least[i], min(out[i], out[(i + 1) % n] + change))
    return out
