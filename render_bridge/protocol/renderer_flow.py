"""The renderer's account of one stream: grants, sequence, generation, controls (PROTOCOL.md sections 6, 7 and 9)."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

from .faults import Fault, RemoteProtocolError
from .generations import is_current
from .messages import Control, Frame


@dataclass
class Grant:
    """One run that was granted."""

    number: int
    frames: int
    taken: int = 0
    complete: bool = False
    last_seq: int = -1


MAX_UNSETTLED = 16
"""Controls that may wait for a chunk border; a peer that sends more is refused, or it could fill our memory."""


class StreamAccount:
    """Everything that decides whether a frame may be taken and a grant may be given.

    Args:
        keep_all: record mode.
        generation, next_seq: from HELLO.
        window: most frames granted and not settled (R-26).
    """

    def __init__(self, keep_all: bool, generation: int, next_seq: int, window: int) -> None:
        self.keep_all = keep_all
        self.generation = generation
        self.window = window
        self.last_seq: int | None = None
        self.last_tick: int | None = None
        self.last_picture: int | None = None
        self.skipped = 0
        self.counters: Counter[str] = Counter()
        self._expected: int | None = next_seq if keep_all else None
        self._grants: deque[Grant] = deque()
        self._given_up: deque[int] = deque(maxlen=256)
        self._wanted: deque[tuple[int, int]] = deque()  # frames, not before
        self._next_grant = 0
        self._last_control = -1
        self._unsettled: set[int] = set()
        self.fresh = True
        """No frame of this generation has come yet."""

    def begin_connection(self, generation: int, next_seq: int) -> bool:
        """A new WELCOME: grants begin again. Returns True if the stream is flushed."""
        self._grants.clear()
        self._given_up.clear()
        self._wanted.clear()
        self._next_grant = 0
        self._last_control = -1
        self._unsettled.clear()
        flushed = generation != self.generation
        self.fresh = self.fresh or flushed
        if self.keep_all:
            self._expected = next_seq
            self.last_seq = next_seq - 1 if next_seq else None
            self.last_picture = None
        self.generation = generation
        return flushed

    @property
    def outstanding(self) -> int:
        """Frames granted and not settled."""
        return sum(g.taken if g.complete else g.frames for g in self._grants)

    @property
    def running(self) -> int:
        """Runs that are wanted or still wait for frames."""
        return len(self._wanted) + sum(not g.complete for g in self._grants)

    def ask(self, frames: int, not_before: int = 0) -> None:
        """Want one more run; ``next_grant`` gives it out when its time has come and the window has room."""
        self._wanted.append((frames, not_before))

    def hurry(self) -> None:
        """The time of every wanted run has come."""
        self._wanted = deque((frames, 0) for frames, _ in self._wanted)

    def next_grant(self, now: int) -> Grant | None:
        """The next wanted run whose time has come and that fits the window, or None."""
        if not self._wanted:
            return None
        frames, not_before = self._wanted[0]
        if not_before > now or self.outstanding + frames > self.window:
            return None
        self._wanted.popleft()
        grant = Grant(self._next_grant, frames)
        self._next_grant += 1
        self._grants.append(grant)
        return grant

    def take(self, frame: Frame) -> Grant | None:
        """Book a frame; None means: drop it silently. RemoteProtocolError refuses it."""
        if not self.is_current(frame.generation):
            return None
        if frame.grant in self._given_up:
            self.counters["given_up"] += 1
            return None
        grant = next((g for g in self._grants if not g.complete), None)
        if grant is None or grant.number != frame.grant:
            due = "no grant is open" if grant is None else f"grant {grant.number} is open"
            raise RemoteProtocolError(Fault.NO_CREDIT, f"frame {frame.seq} under grant {frame.grant}, but {due}")
        self._check_sequence(frame.seq, grant)
        self.last_seq, self.last_tick, self.skipped = frame.seq, frame.tick, frame.skipped
        self._expected = frame.seq + 1 if self.keep_all else None
        self.fresh = False
        grant.taken += 1
        grant.last_seq = frame.seq
        grant.complete = frame.last or grant.taken == grant.frames
        return grant

    def _check_sequence(self, seq: int, grant: Grant) -> None:
        if self.last_seq is not None and seq <= self.last_seq:
            text = f"frame {seq} after frame {self.last_seq}: seq must rise"
            raise RemoteProtocolError(Fault.BAD_SEQUENCE, text, {"kind": "repeat", "got": seq})
        expected = grant.last_seq + 1 if grant.taken else self._expected
        if expected is not None and seq != expected:
            text = f"frame {seq} where {expected} was due: a run has no gaps"
            raise RemoteProtocolError(Fault.BAD_SEQUENCE, text, {"kind": "gap", "expected": expected, "got": seq})

    def give_up(self, number: int | None = None) -> int | None:
        """Give up a grant, by default the oldest that waits for frames; returns its number."""
        open_grants = [g for g in self._grants if (number is None and not g.complete) or g.number == number]
        if not open_grants:
            return None
        self._grants.remove(open_grants[0])
        self._given_up.append(open_grants[0].number)
        return open_grants[0].number

    def acknowledge(self, seq: int) -> None:
        """R-26: settle the grants whose last frame is answered and read."""
        while self._grants and self._grants[0].complete and self._grants[0].last_seq <= seq:
            self._grants.popleft()

    def take_control(self, control: Control) -> bool:
        """Book a control, and begin the generation of a reset; False: drop it silently (R-28).

        RemoteProtocolError refuses it, and then nothing has changed: the next generation must be the very next (R-29),
        ids rise, and no more than MAX_UNSETTLED wait for a chunk border (R-34).
        """
        if control.kind == "reset" and control.generation != self.generation + 1:
            text = f"a reset to generation {control.generation}; the next one is {self.generation + 1}"
            raise RemoteProtocolError(Fault.UNKNOWN_GENERATION, text, {"id": control.id})
        if control.kind != "reset" and not self.is_current(control.generation):
            return False
        if control.id <= self._last_control:
            text = f"control {control.id} after control {self._last_control}: ids must rise"
            raise RemoteProtocolError(Fault.BAD_CONTROL, text, {"id": control.id})
        if len(self._unsettled) >= MAX_UNSETTLED:
            text = f"{MAX_UNSETTLED} controls already wait for a chunk border"
            raise RemoteProtocolError(Fault.BAD_CONTROL, text, {"id": control.id})
        self._last_control = control.id
        self._unsettled.add(control.id)
        if control.kind == "reset":
            self._flush(control.generation)
        return True

    def _flush(self, generation: int) -> None:
        self.generation, self.fresh = generation, True
        self._given_up.extend(g.number for g in self._grants)
        self._grants.clear()
        self._wanted.clear()
        self._expected = None

    def settle_control(self, number: int) -> bool:
        """True the first time for a control of this connection."""
        known = number in self._unsettled
        self._unsettled.discard(number)
        return known

    def is_current(self, generation: int) -> bool:
        """See ``generations.is_current``."""
        return is_current(generation, self.generation, self.counters)

    def may_answer(self, generation: int, seq: int) -> bool:
        """R-28, R-30: a picture of this generation whose number rises."""
        if generation != self.generation or (self.last_picture is not None and seq <= self.last_picture):
            return False
        self.last_picture = seq
        return True
