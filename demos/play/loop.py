"""The heart of the game: wall time in, whole ticks and due video frames out. No window, no clock of its own.

Media time is the tick count: video frame k belongs to tick ``k * ticks_per_frame``, whenever it is shown. When the
machine is late, pictures are skipped, ticks are not; a gap longer than the cap is lost time and said so, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine_sim.core.ticks import NANOSECONDS, TICK_RATE, FixedStep, ticks_per_frame
from engine_sim.racing.controls import Controls


@dataclass(frozen=True)
class LoopConfig:
    """Pace of a session.

    Args:
        fps: video rate; must divide 120.
        max_catch_up: most ticks run in one turn. A quarter of a second: a slow picture or a busy system is caught up
            with unseen, a dragged window or a sleeping laptop is not.
    """

    fps: int = 24
    max_catch_up: int = 30


@dataclass(frozen=True)
class Turn:
    """What one turn of the loop did."""

    ticks: int
    frames: int  # video frames that became due
    lost_ticks: int  # ticks of wall time given up because of the cap


class PlayLoop:
    """Runs ticks at 120 Hz against a clock, and says when a video frame is due.

    Args:
        config: the pace.
        clock: monotonic nanoseconds, such as ``time.perf_counter_ns``.
        read: controls for the next tick; asked once a tick, so an edge (reset, shift) lasts exactly one.
        tick: runs one tick of the world.
        frame: called after each tick that ends a video frame, with (frame number, late); ``late`` says that a newer
            frame follows within the same turn, so drawing this one for the screen would be wasted.
    """

    def __init__(
        self,
        config: LoopConfig,
        clock: Callable[[], int],
        read: Callable[[], Controls],
        tick: Callable[[Controls], None],
        frame: Callable[[int, bool], None],
    ) -> None:
        self._period = ticks_per_frame(config.fps)
        self._clock, self._read, self._tick, self._frame = clock, read, tick, frame
        self._steps = FixedStep(max_catch_up=config.max_catch_up)
        self._last = clock()
        self.ticks = 0
        self.paused = False

    @property
    def lost_ticks(self) -> int:
        """Ticks of wall time given up so far."""
        return self._steps.lost_steps

    @property
    def media(self) -> float:
        """Media time of the last turn, in video frames: whole ticks and the share of the next one that has passed."""
        return (self.ticks + self._steps.fraction) / self._period

    def turn(self) -> Turn:
        """Run the ticks that the clock asks for. While paused, time passes and nothing else."""
        now = self._clock()
        elapsed, self._last = now - self._last, now
        if self.paused:
            return Turn(0, 0, 0)
        lost_before = self._steps.lost_steps
        ticks = self._steps.advance(elapsed)
        end = self.ticks + ticks
        newest = end // self._period
        first = self.ticks // self._period
        for _ in range(ticks):
            self._tick(self._read())
            self.ticks += 1
            number, rest = divmod(self.ticks, self._period)
            if rest == 0:
                self._frame(number, number < newest)
        return Turn(ticks, newest - first, self._steps.lost_steps - lost_before)

    def seconds_to_next_tick(self) -> float:
        """How long a caller may sleep without being late, 0 or more."""
        waited = (self._clock() - self._last) / NANOSECONDS
        return max(0.0, (1.0 - self._steps.fraction) / TICK_RATE - waited)
