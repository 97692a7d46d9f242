"""Places beside the track: plain-float geometry for the rules that line it with things."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corners import Bend, find_bends
from ..track import TrackArrays
from .footprints import BEHIND
from .yard import Proposal, facing


class Size(NamedTuple):
    """Of an object: along its front, from front to back, up; metres."""

    x: float
    y: float
    z: float


class Roadside:
    """A circuit seen from its verges.

    Args:
        arrays: the circuit.
    """

    def __init__(self, arrays: TrackArrays) -> None:
        self.arrays = arrays
        self.count = len(arrays.x)
        self.length, self.step = float(arrays.scalars[0]), float(arrays.scalars[1])
        self.bends: list[Bend] = find_bends(arrays.curvature, self.step)

    def index(self, s: float) -> int:
        """Sample at s, wrapped into the lap."""
        return int(s / self.step + self.count) % self.count

    def barrier(self, i: int, side: int) -> float:
        """Metres from the centreline to the barrier on a side (+1 left, -1 right)."""
        return float(self.arrays.barrier_left[i] if side > 0 else self.arrays.barrier_right[i])

    def tangent(self, i: int) -> tuple[float, float]:
        """Direction of travel at sample i."""
        return float(self.arrays.tangent_x[i]), float(self.arrays.tangent_y[i])

    def point(self, i: int, d: float) -> tuple[float, float]:
        """(x, y) at sample i, d metres to the left."""
        tx, ty = self.tangent(i)
        return float(self.arrays.x[i]) - d * ty, float(self.arrays.y[i]) + d * tx

    def beside(self, s: float, side: int, gap: float, size: Size, turn: float = 0.0) -> Proposal:
        """An object behind the barrier whose front looks at the track.

        Args:
            s: where along the lap.
            side: +1 left, -1 right.
            gap: metres from the back of the barrier to the nearest part of its footprint.
            size: of the object.
            turn: how far the front looks towards oncoming drivers: 0 straight across, 1 straight at them.
        """
        i = self.index(s)
        tx, ty = self.tangent(i)
        across = math.sqrt(1.0 - turn * turn)
        fx = -turn * tx + across * side * ty
        fy = -turn * ty - across * side * tx
        reach = (size.y * across + size.x * abs(turn)) / 2.0
        x, y = self.point(i, side * (self.barrier(i, side) + BEHIND + 0.05 + gap + reach))
        return Proposal(x, y, *facing(fx, fy), *size)

    def straight_around(self, s: float, limit: float) -> tuple[float, float]:
        """(metres back, metres ahead) of s, at most ``limit``, before a bend of less than 250 m radius begins."""
        return self._reach(s, -1, limit), self._reach(s, 1, limit)

    def _reach(self, s: float, way: int, limit: float) -> float:
        i, done = self.index(s), 0.0
        while done < limit and abs(float(self.arrays.curvature[i])) < 1.0 / 250.0:
            i = (i + way) % self.count
            done += self.step
        return min(done, limit)

    def braking_zones(self) -> list[tuple[float, float, float]]:
        """(start, end, loss of speed) of every place where the reference speed falls by 10 m/s or more."""
        speed = self.arrays.line_speed
        zones = []
        first = int(speed.argmin())  # never inside a braking zone
        k = 0
        while k < self.count:
            i = k
            while k < self.count and self._slows(speed, first + k):
                k += 1
            loss = float(speed[(first + i) % self.count] - speed[(first + k) % self.count])
            if k > i and loss >= 10.0:
                zones.append((((first + i) % self.count) * self.step, ((first + k) % self.count) * self.step, loss))
            k = max(k, i + 1)
        return zones

    def _slows(self, speed: NDArray[np.float64], i: int) -> bool:
        here, there = float(speed[i % self.count]), float(speed[(i + 1) % self.count])
        return (here * here - there * there) / (2.0 * self.step) > 3.0

    def bend_after(self, s: float) -> Bend | None:
        """The first bend that starts behind s, None on a circuit without bends."""
        if not self.bends:
            return None
        i = self.index(s)
        return min(self.bends, key=lambda b: (b.start - i) % self.count)
