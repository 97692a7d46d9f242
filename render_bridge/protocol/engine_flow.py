"""The engine's frames between drawing and sending (PROTOCOL.md section 6): numbers, credit, newest-wins or wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .faults import Fault, RemoteProtocolError

LARGEST_WINDOW = 65_535


@dataclass(frozen=True)
class Drawn:
    """One drawn frame. The bridge keeps the arrays: whoever offers it must not write to them afterwards.

    Args:
        tick: simulation tick.
        class_map: uint8 ``[H, W]`` ids, or uint8 ``[H, W, 3]`` colours of the engine's own table.
        stamps: nanoseconds of the engine's clock; ``drawn`` must be there.
        planes: guide planes by name; those that the renderer did not choose are left behind.
        view, projection: row-major 4 × 4, see PROTOCOL.md section 12.
        last: no frame follows in this generation.
    """

    tick: int
    class_map: NDArray[np.uint8]
    stamps: Mapping[str, int]
    planes: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)
    view: tuple[float, ...] | None = None
    projection: tuple[float, ...] | None = None
    last: bool = False


class Due(NamedTuple):
    """A frame that may go out now."""

    seq: int
    grant: int
    drawn: Drawn


class FrameFlow:
    """Held frames, grants, and the numbers that tell of both.

    Args:
        keep_all: record mode: nothing is skipped, and frames stay until their picture has come.
        next_seq: number of the first frame.
    """

    def __init__(self, keep_all: bool, next_seq: int = 0) -> None:
        self.keep_all = keep_all
        self.next_seq = next_seq
        self.skipped = 0
        self.last_sent: int | None = None
        """Highest number of this stream that a renderer has been sent, by an earlier process of ours too."""
        self.frozen = False
        """A reset is on its way: nothing goes out, and credit is kept, until it is known whether it was taken."""
        self._void_below = 0
        self._last_grant = -1
        self._held: deque[tuple[int, Drawn]] = deque()
        self._unanswered: deque[tuple[int, Drawn]] = deque()
        self._grants: deque[tuple[int, int]] = deque()
        self._run: tuple[int, int] = (0, 0)  # grant, frames left

    @property
    def held(self) -> int:
        """Frames drawn and not sent."""
        return len(self._held)

    @property
    def unanswered(self) -> int:
        """Record mode: frames sent whose picture has not come."""
        return len(self._unanswered)

    @property
    def between_runs(self) -> bool:
        """True if the frames offered so far fill whole runs, so that the next one begins another."""
        return not self._held and self._run[1] == 0

    @property
    def first_open_seq(self) -> int:
        """Number of the first frame that a new connection will be sent."""
        if self.keep_all and self._unanswered:
            return self._unanswered[0][0]
        return self._held[0][0] if self._held else self.next_seq

    def offer(self, drawn: Drawn) -> int:
        """Take a new frame; in play it replaces one that would begin a run but has no credit (R-24)."""
        seq, self.next_seq = self.next_seq, self.next_seq + 1
        if not self.keep_all and len(self._held) > self._run[1]:
            self._held.pop()
            self.skipped += 1
        self._held.append((seq, drawn))
        return seq

    def grant(self, number: int, frames: int, window: int = LARGEST_WINDOW) -> None:
        """Credit for one run. RemoteProtocolError: its number does not rise (R-22), or it exceeds the window (R-26)."""
        if number <= self._last_grant:
            text = f"grant {number} after grant {self._last_grant}: grants rise by 1 from 0 after each WELCOME"
            raise RemoteProtocolError(Fault.OUT_OF_RANGE, text)
        unused = self._run[1] + sum(left for _, left in self._grants)
        if unused + frames > window:
            text = f"a grant of {frames} frames beside {unused} that are granted and not sent; the window is {window}"
            raise RemoteProtocolError(Fault.OUT_OF_RANGE, text)
        self._last_grant = number
        self._grants.append((number, frames))

    def give_up(self, number: int) -> None:
        """The renderer gave up a grant (R-27)."""
        self._grants = deque(g for g in self._grants if g[0] != number)
        if self._run[0] == number:
            self._run = (number, 0)
            self._keep_newest()

    def void_grants(self) -> None:
        """The connection is new: no credit, and in record everything unanswered goes out again (R-25)."""
        self._grants.clear()
        self._last_grant = -1
        self._run = (0, 0)
        if self.keep_all:
            self._unanswered.extend(self._held)
            self._held, self._unanswered = self._unanswered, deque()
        else:
            self._keep_newest()

    def mark(self) -> None:
        """A reset is asked for: what was drawn up to here will be void when it is taken."""
        self._void_below = self.next_seq

    def flush(self) -> None:
        """A reset is taken: nothing drawn before it was asked for goes out, nothing sent before comes back (R-29)."""
        fresh = deque(item for item in self._held if item[0] >= self._void_below)
        self.skipped += len(self._held) - len(fresh)
        self._held = fresh
        self._unanswered.clear()
        self._grants.clear()
        self._run = (0, 0)
        self._keep_newest()

    def go_on_after(self, seq: int) -> None:
        """Play: an earlier process of ours has used the numbers up to this one; held frames get later ones."""
        self.last_sent = seq if self.last_sent is None else max(self.last_sent, seq)
        behind = seq + 1 - self.first_open_seq
        if self.keep_all or behind <= 0:
            return
        self._held = deque((number + behind, drawn) for number, drawn in self._held)
        self.next_seq += behind

    def leave_out(self, unfit: Callable[[Drawn], bool]) -> None:
        """Play: skip held frames that the renderer could not use, since they lack planes that it chose."""
        if self.keep_all:
            return
        fit = deque(item for item in self._held if not unfit(item[1]))
        self.skipped += len(self._held) - len(fit)
        self._held = fit

    def next_due(self) -> Due | None:
        """The next frame that credit allows, or None."""
        if not self._held or self.frozen:
            return None
        if self._run[1] == 0:
            if not self._grants:
                return None
            self._run = self._grants.popleft()
        seq, drawn = self._held.popleft()
        number, left = self._run
        self._run = (number, 0 if drawn.last else left - 1)
        self.last_sent = seq if self.last_sent is None else max(self.last_sent, seq)
        if self.keep_all:
            self._unanswered.append((seq, drawn))
        return Due(seq, number, drawn)

    def answered(self, seq: int) -> None:
        """The picture of ``seq`` has come."""
        while self._unanswered and self._unanswered[0][0] <= seq:
            self._unanswered.popleft()

    def _keep_newest(self) -> None:
        while not self.keep_all and len(self._held) > 1:
            self._held.popleft()
            self.skipped += 1
