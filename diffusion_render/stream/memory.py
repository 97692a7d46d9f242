"""What a stream remembers of the windows that it has made, and so what the next one is; all of it is O(window).

A memory is a value: what comes after is another one, so a stream that is kept can be taken up again where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..model.decoder import DecoderState
from .noise import UnitNoise
from .past import Ahead, Past, Unit, make_past, newest, units_of
from .schedule import Schedule, Window
from .window import Draft, WindowOutputs


@dataclass(frozen=True)
class Memory:
    """How many ``windows`` and ``units`` there were; sink, history and the decoder's state; and the past of the window
    behind one that was launched, if it is prepared. The lists are never changed: who asks whether the sink is another
    one may ask whether it is another list."""

    windows: int = 0
    units: int = 0
    sink: list[Unit] = field(default_factory=list)
    history: list[Unit] = field(default_factory=list)
    decoder: DecoderState | None = None
    ahead: Ahead | None = None

    def window(self, schedule: Schedule) -> Window:
        """The next window."""
        return schedule.window_from(self.windows, self.units) if self.windows else schedule.window(0)

    def past(self, seed: int, schedule: Schedule, noise: UnitNoise) -> Past:
        """The next window's past: as it was prepared, if that came true."""
        window, past = self.window(schedule), self.ahead and self.ahead.past
        if past is None or not past.fits(seed, schedule, window.chunk[0], self.history):
            past = make_past(seed, schedule, window, self.history, noise)
        return past

    def looking_ahead(
        self, seed: int, schedule: Schedule, draft: Draft, made: WindowOutputs, noise: UnitNoise
    ) -> Memory:
        """The same, with the past prepared of the window behind one that was launched."""
        window = draft.window
        units = units_of(window, made, draft.headings)
        history = newest(self.history, units, schedule)
        behind = schedule.window_from(window.number + 1, window.chunk[-1] + 1)
        return replace(self, ahead=Ahead(made.latents, units, make_past(seed, schedule, behind, history, noise)))

    def after(self, schedule: Schedule, draft: Draft, made: WindowOutputs) -> Memory:
        """The memory once a window that was made is remembered."""
        ahead = self.ahead
        if ahead is None or ahead.latents is not made.latents:
            ahead, units = None, units_of(draft.window, made, draft.headings)
            history = newest(self.history, units, schedule)
        else:
            units, history = ahead.units, ahead.past.history
        missing = schedule.sink - len(self.sink)
        sink = [*self.sink, *units[:missing]] if missing > 0 else self.sink
        return Memory(self.windows + 1, self.units + len(units), sink, history, made.decoder, ahead)

    def cut(self, schedule: Schedule) -> Memory:
        """What another plan remembers of it; a longer history or sink fills up with the windows to come."""
        sink = self.sink[: schedule.sink] if len(self.sink) > schedule.sink else self.sink
        return replace(self, sink=sink, history=newest(self.history, (), schedule))
