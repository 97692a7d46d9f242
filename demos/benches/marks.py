"""Input to photon, found in the pixels: an input turns the whole class map into another class, and the picture follows.

No stamp is believed: what counts is when the mean colour of the shown picture has gone half of the way from the colour
that the one class ends up with to that of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LEAST_STEP = 4.0
"""Of 255: colours closer than this are no mark that anybody would see."""


@dataclass
class Marks:
    """Marked inputs and what was shown since; times in monotonic seconds.

    Args:
        classes: of the marks, in turn.
        every: seconds from mark to mark; longer than any picture takes.
    """

    classes: tuple[int, int]
    every: float
    pressed: list[float] = field(default_factory=list)
    shown: list[tuple[float, NDArray[np.float64]]] = field(default_factory=list)

    def class_at(self, now: float) -> int:
        """The class of the frame that is drawn now; the first frame of a mark is its input."""
        if not self.pressed or now - self.pressed[-1] >= self.every:
            self.pressed.append(now)
        return self.classes[len(self.pressed) % 2]

    def show(self, now: float, picture: NDArray[np.uint8]) -> None:
        """A picture uint8 ``[H, W, 3]`` is on the screen from now on."""
        self.shown.append((now, picture[::8, ::8].mean((0, 1), dtype=np.float64)))

    def latencies(self) -> list[float]:
        """Seconds from each input to the first picture that shows it; nothing if nobody would see a difference.

        The first two marks begin from whatever was there before, and the last one may not have been answered.
        """
        spans = list(zip(self.pressed[2:-1], self.pressed[3:], strict=True))
        settled: list[list[NDArray[np.float64]]] = [[], []]
        for k, (begin, end) in enumerate(spans):
            settled[k % 2] += [color for at, color in self.shown if end - (end - begin) / 4 < at <= end]
        if not all(settled):
            return []
        colors = [np.median(seen, axis=0) for seen in settled]
        found = (self._arrival(begin, end, colors[1 - k % 2], colors[k % 2]) for k, (begin, end) in enumerate(spans))
        return [at - begin for at, (begin, _) in zip(found, spans, strict=True) if at is not None]

    def _arrival(
        self, begin: float, end: float, origin: NDArray[np.float64], goal: NDArray[np.float64]
    ) -> float | None:
        """When the picture went over to the goal's side; None if it was there before the input, or never came."""
        way = goal - origin
        if way @ way < LEAST_STEP**2:
            return None
        near = [(at, (color - origin) @ way >= 0.5 * (way @ way)) for at, color in self.shown if at <= end]
        before = [there for at, there in near if at <= begin]
        if not before or before[-1]:
            return None
        return next((at for at, there in near if at > begin and there), None)
