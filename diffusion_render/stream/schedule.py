"""The stream's plan as data: units of a window, their places on the position template, steps of the sampler.

A unit is one latent frame (4 video frames). Every window after the first sits on the same positions,
so a window late in the stream looks to the generator exactly like an early one (source text, section 3.1.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Window(NamedTuple):
    """One window of the stream, in units.

    ``sink``, ``history`` and ``chunk`` are unit indices of the stream; ``positions`` the place of each of them, in
    this order, on the time axis of the template (the reference sits at 0).
    """

    number: int
    sink: tuple[int, ...]
    history: tuple[int, ...]
    chunk: tuple[int, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Schedule:
    """How the stream is cut into windows.

    Args:
        first: units of the first window, made at once from the countdown before the start.
        chunk: units generated together afterwards.
        sink: first units of the stream, kept in every window; 0, since the reference says already what they would.
        history: units just before the chunk.
        steps: noise levels that the sampler visits, from 1 down; the last step goes to 0.
        history_noise: noise level given to history, in play as in training: a little of it damps drift.

    Raises:
        ValueError: if the first window cannot feed the second, or a count or level is out of range.
    """

    first: int = 7
    chunk: int = 2
    sink: int = 0
    history: int = 2
    steps: tuple[float, ...] = (1.0, 0.6)
    history_noise: float = 0.2

    def __post_init__(self) -> None:
        if min(self.first, self.chunk) < 1 or min(self.sink, self.history) < 0:
            raise ValueError(f"schedule needs first ≥ 1, chunk ≥ 1, sink ≥ 0, history ≥ 0; got {self}")
        if self.first < max(self.sink + self.history, self.sink + 1):
            raise ValueError(
                f"first window of {self.first} units cannot fill the second's sink {self.sink} + history {self.history}"
            )
        falling = all(a > b for a, b in zip(self.steps, self.steps[1:]))
        if not self.steps or self.steps[0] != 1.0 or not falling or self.steps[-1] <= 0.0:
            raise ValueError(f"steps must fall from 1 and stay above 0, got {self.steps}")
        if not 0.0 <= self.history_noise < 1.0:
            raise ValueError(f"history_noise must lie in [0, 1), got {self.history_noise}")

    def window(self, number: int) -> Window:
        """The ``number``-th window; window 0 has no sink and no history."""
        if number < 0:
            raise ValueError(f"window number must be ≥ 0, got {number}")
        if number == 0:
            units = tuple(range(self.first))
            return Window(0, (), (), units, tuple(1 + u for u in units))
        return self.window_from(number, self.first + (number - 1) * self.chunk)

    def window_from(self, number: int, start: int) -> Window:
        """A window after the first whose chunk begins with unit ``start``, however the units before it were cut."""
        sink = tuple(range(self.sink))
        history = tuple(range(start - self.history, start))
        chunk = tuple(range(start, start + self.chunk))
        return Window(number, sink, history, chunk, tuple(1 + k for k in range(self.sink + self.history + self.chunk)))

    def window_of_unit(self, unit: int) -> int:
        """Number of the window that generates ``unit``."""
        return 0 if unit < self.first else 1 + (unit - self.first) // self.chunk

    def units_after(self, windows: int) -> int:
        """Units that exist once ``windows`` windows are done."""
        return 0 if windows == 0 else self.first + (windows - 1) * self.chunk
