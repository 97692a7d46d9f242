"""Time as integers: 120 ticks a second, and a fixed-step accumulator without a clock.

Video rates divide 120, so a frame is always a whole number of ticks.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import UserError

TICK_RATE = 120
TICK_SECONDS = 1.0 / TICK_RATE
FRAME_RATES = (24, 30, 40, 60)
NANOSECONDS = 1_000_000_000


def ticks_per_frame(fps: int) -> int:
    """Ticks of one video frame. Raises UserError unless ``fps`` is one of FRAME_RATES."""
    if fps not in FRAME_RATES:
        raise UserError(f"frame rate {fps} is not one of {FRAME_RATES}: a frame must be a whole number of 120 Hz ticks")
    return TICK_RATE // fps


@dataclass
class FixedStep:
    """Turns elapsed wall time into whole steps and keeps the rest.

    All time is integer nanoseconds scaled by the rate, so sixty seconds are exactly
    ``60 * rate`` steps, whatever the sizes of the gaps between calls.

    Args:
        rate: steps per second.
        max_catch_up: most steps one call may return. 15 ticks are an eighth of a second: a longer
            stall (a dragged window, a sleeping laptop) is lost time, reported once, not a spiral.
    """

    rate: int = TICK_RATE
    max_catch_up: int = 15
    lost_steps: int = 0
    _remainder: int = 0

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.max_catch_up <= 0:
            raise ValueError(f"rate and max_catch_up must be positive, got {self.rate} and {self.max_catch_up}")

    def advance(self, elapsed_ns: int) -> int:
        """Steps to run for ``elapsed_ns`` more nanoseconds; negative gaps count as none."""
        self._remainder += max(0, elapsed_ns) * self.rate
        steps, self._remainder = divmod(self._remainder, NANOSECONDS)
        run = min(steps, self.max_catch_up)
        self.lost_steps += steps - run
        return run

    @property
    def fraction(self) -> float:
        """Share of the next step that has already passed, in [0, 1)."""
        return self._remainder / NANOSECONDS
