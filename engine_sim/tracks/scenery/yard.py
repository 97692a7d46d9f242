"""The ground as it fills up: takes proposals, keeps those that fit, remembers what stands where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.exact import atan2
from ...core.jit import kernel
from ...core.random import Stream
from ..ground import ground_height
from ..track import SCENERY_DTYPE, Ground, TrackArrays
from .footprints import meets_ribbon, rectangles_touch

GAP = 1.2
"""Metres between two solid objects, at least."""


class Proposal(NamedTuple):
    """A solid object that wants a place: middle, unit vector of own x, sizes, all in metres."""

    x: float
    y: float
    ux: float
    uy: float
    size_x: float
    size_y: float
    size_z: float


def facing(fx: float, fy: float) -> tuple[float, float]:
    """Own x of an object whose front looks along the unit vector (fx, fy)."""
    return -fy, fx


class Yard:
    """Solid objects on one ground, in the order in which they came.

    Args:
        arrays: the circuit; nothing stands on it.
        ground: carries the objects; none overhangs its border.
        seed: of the objects' variations.
    """

    def __init__(self, arrays: TrackArrays, ground: Ground, seed: int) -> None:
        self.arrays = arrays
        self.ground = ground
        self.frame = np.array([ground.x0, ground.y0, ground.cell])
        self.solids = np.zeros((0, 6))  # rows of footprints.py: objects, then places kept free
        self._stream = Stream(seed, "scenery variation")
        self._parts: list[NDArray[np.void]] = []

    def add(self, kind: int, proposals: Sequence[Proposal], max_drop: float = 2.0) -> list[bool]:
        """Place what fits, in order; True per proposal that found its place.

        Args:
            kind: ``track.HOUSE`` …
            proposals: what wants to stand.
            max_drop: metres that the ground may fall under a footprint.
        """
        if not proposals:
            return []
        wanted, known, fits, z = self._try(proposals, max_drop)
        chosen = wanted[fits]
        self.solids = known[: len(self.solids) + len(chosen)]
        self._parts.append(self._rows(kind, chosen, z[fits]))
        return [bool(f) for f in fits]

    def add_bridge(self, kind: int, whole: Proposal, feet: Sequence[Proposal]) -> bool:
        """Place something that spans the track on feet, if all the feet fit; True if they do."""
        _, known, fits, z = self._try(feet, 50.0)
        if not fits.all():
            return False
        self.solids = known
        self._parts.append(self._rows(kind, np.array([whole], np.float64), np.array([min(float(v) for v in z)])))
        return True

    def ground_at(self, x: float, y: float) -> float:
        """Height of the ground, metres."""
        return float(ground_height(self.ground.z, self.ground.x0, self.ground.y0, self.ground.cell, x, y))

    def _try(
        self, proposals: Sequence[Proposal], max_drop: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
        wanted = np.array(proposals, np.float64)
        known = np.concatenate([self.solids, np.zeros((len(wanted), 6))])
        fits, z = _admit(self.arrays, self.ground.z, self.frame, wanted, known, len(self.solids), max_drop)
        return wanted, known, fits, z

    def keep_free(self, places: Sequence[Proposal]) -> None:
        """Let nothing else stand on these rectangles (sizes as of objects): views, doorways, paddocks."""
        if places:
            rows = np.array(places, np.float64)[:, :6]
            rows[:, 4:] /= 2.0
            self.solids = np.concatenate([self.solids, rows])

    def add_rows(self, rows: NDArray[np.void]) -> None:
        """Take finished objects (plants) as they are."""
        self._parts.append(rows)

    def scenery(self) -> NDArray[np.void]:
        """Everything that stands, SCENERY_DTYPE."""
        return np.concatenate(self._parts) if self._parts else np.zeros(0, SCENERY_DTYPE)

    def _rows(self, kind: int, chosen: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.void]:
        rows = np.zeros(len(chosen), SCENERY_DTYPE)
        rows["kind"], rows["z"] = kind, z
        for column, name in ((0, "x"), (1, "y"), (4, "size_x"), (5, "size_y"), (6, "size_z")):
            rows[name] = chosen[:, column]
        for i in range(len(chosen)):
            rows["yaw"][i] = atan2(chosen[i, 3], chosen[i, 2])
            rows["seed"][i] = self._stream.u64() & 0xFFFFFFFF
        return rows


@kernel
def lowest_and_highest(z, frame, x, y, ux, uy, hx, hy):
    """Lowest and highest ground under the middle and the corners of a rectangle."""
    low = ground_height(z, frame[0], frame[1], frame[2], x, y)
    high = low
    for k in range(4):
        a = hx if k % 2 == 0 else -hx
        b = hy if k < 2 else -hy
        height = ground_height(z, frame[0], frame[1], frame[2], x + a * ux - b * uy, y + a * uy + b * ux)
        low, high = min(low, height), max(high, height)
    return low, high


@kernel
def inside_ground(z, frame, x, y, reach):
    """True if a circle lies on the height field."""
    return (
        x - reach >= frame[0]
        and y - reach >= frame[1]
        and x + reach <= frame[0] + (z.shape[1] - 1) * frame[2]
        and y + reach <= frame[1] + (z.shape[0] - 1) * frame[2]
    )


@kernel
def touches_any(known, count, x, y, ux, uy, hx, hy, gap):
    """True if a rectangle comes closer than ``gap`` to one of the first ``count`` known ones."""
    reach = hx + hy + gap
    for k in range(count):
        if abs(known[k, 0] - x) + abs(known[k, 1] - y) > 1.5 * (reach + known[k, 4] + known[k, 5]):
            continue
        if rectangles_touch(
            x, y, ux, uy, hx, hy, known[k, 0], known[k, 1], known[k, 2], known[k, 3], known[k, 4], known[k, 5], gap
        ):
            return True
    return False


@kernel
def _admit(arrays, z, frame, wanted, known, count, max_drop):
    """(fits bool ``[m]``, lowest ground ``[m]``); accepted solids are written into ``known`` after ``count``."""
    m = wanted.shape[0]
    fits = np.zeros(m, np.bool_)
    base = np.zeros(m)
    for k in range(m):
        x, y, ux, uy = wanted[k, 0], wanted[k, 1], wanted[k, 2], wanted[k, 3]
        hx, hy = wanted[k, 4] / 2.0, wanted[k, 5] / 2.0
        if not inside_ground(z, frame, x, y, hx + hy):
            continue
        low, high = lowest_and_highest(z, frame, x, y, ux, uy, hx, hy)
        base[k] = low
        if high - low > max_drop or meets_ribbon(arrays, x, y, ux, uy, hx, hy):
            continue
        if touches_any(known, count, x, y, ux, uy, hx, hy, GAP):
            continue
        fits[k] = True
        known[count, 0], known[count, 1], known[count, 2], known[count, 3] = x, y, ux, uy
        known[count, 4], known[count, 5] = hx, hy
        count += 1
    return fits, base
