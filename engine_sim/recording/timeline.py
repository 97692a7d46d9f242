"""The story of a drive: phases, laps, passes, bends, contacts, each with its time in seconds.

Events are what the world reports as they happen; a timeline joins those that have a beginning and an end into spans,
and
can be cut: a clip carries the part of the story that its frames show, on its own clock.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import UserError
from ..core.ticks import TICK_RATE
from .fields import Fields, parse_json
from .record_log import CUT

PHASES = ("grid", "countdown", "race", "finished")
MAX_LINE = 4096


class TimelineEvent(NamedTuple):
    """One event as the world reported it. ``other`` is −1 where no second car takes part."""

    tick: int
    kind: str
    car: int
    other: int
    value: float


def plain_event(event: Any) -> TimelineEvent:
    """The five fields of any event object that has them."""
    return TimelineEvent(int(event.tick), str(event.kind), int(event.car), int(event.other), float(event.value))


def event_line(event: TimelineEvent, owner: str = "") -> bytes:
    """One line of timeline.jsonl: the event's fields and the CRC-32 of session ``owner`` and the rest of the line."""
    body = json.dumps(event._asdict(), separators=(",", ":"), allow_nan=False)
    return f'{body[:-1]},"crc":"{_check(body.encode(), owner)}"}}\n'.encode()


def _check(body: bytes, owner: str) -> str:
    return f"{zlib.crc32(owner.encode() + body):08x}"


def read_events(path: Path, owner: str = "") -> tuple[tuple[TimelineEvent, ...], str]:
    """Events of a timeline.jsonl up to its last whole line, and a line on what is damaged, or an empty one.

    Raises:
        UserError: if the file cannot be read, or a line that passes its check is no event.
    """
    events: list[TimelineEvent] = []
    try:
        with open(path, "rb") as file:
            while line := file.readline(MAX_LINE):
                body = _checked_body(line, owner)
                if body is None:
                    how = "damaged, or of another session" if line.endswith(b"\n") else CUT
                    return tuple(events), f"{path.name}: line {len(events) + 1} is {how}; read up to there"
                events.append(_event(parse_json(body, str(path)), f"{path}: line {len(events) + 1}"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    return tuple(events), ""


def _checked_body(line: bytes, owner: str) -> bytes | None:
    body, mark, tail = line.rpartition(b',"crc":"')
    if not mark or len(tail) != 11 or tail[8:] != b'"}\n':
        return None
    body += b"}"
    return body if _check(body, owner).encode() == tail[:8] else None


def _event(value: Any, where: str) -> TimelineEvent:
    fields = Fields(value, where)
    return TimelineEvent(
        fields.integer("tick", 0, 1 << 40),
        fields.text("kind", longest=40),
        fields.integer("car", -1, 255),
        fields.integer("other", -1, 255),
        fields.number("value"),
    )


@dataclass(frozen=True)
class Entry:
    """One thing that happened. Times in seconds on the timeline's clock; ``end`` equals ``start`` for an instant."""

    kind: str
    start: float
    end: float
    car: int
    other: int
    value: float

    def text(self) -> str:
        """A line for people, such as ``at 3.2 s contact with car 5``."""
        who = "" if self.car <= 0 else f"car {self.car} "
        if self.end > self.start:
            return f"from {self.start:.1f} s to {self.end:.1f} s {who}{self._what()}"
        return f"at {self.start:.1f} s {who}{self._what()}"

    def _what(self) -> str:
        if self.kind == "phase":
            return _phase_name(self.value)
        if self.kind == "bend":
            return f"{'left' if self.value > 0 else 'right'}-hand bend of {abs(self.value):.0f} m radius"
        if self.kind == "lap":
            return f"lap of {self.value / TICK_RATE:.1f} s"
        words = _WORDS.get(self.kind, self.kind.replace("_", " "))
        return words.format(other=f"car {self.other}", value=f"{self.value:.0f}")


_WORDS = {
    "pass": "passes {other} for position {value}",
    "contact": "contact with {other}",
    "barrier": "hits the barrier at {value} m/s",
    "off_track": "off the track",
    "reset": "put back on the track",
    "finish": "finishes in position {value}",
    "gap": "stall of the loop, {value} ticks lost",
}
_ENDS = {"off_track": "on_track", "phase": "phase"}


@dataclass(frozen=True)
class Timeline:
    """The entries of a drive, by start, then by kind and car.

    Args:
        entries: what happened.
        length: seconds that the timeline covers.
    """

    entries: tuple[Entry, ...]
    length: float

    def spans(self, start: float, end: float) -> Timeline:
        """The part from ``start`` to ``end`` seconds on its own clock: entries that overlap it, cut to it.

        An instant belongs to the part if start ≤ time < end. ValueError unless start < end.
        """
        if not start < end:
            raise ValueError(f"a part of a timeline needs start < end, got {start:g} and {end:g}")
        kept = []
        for entry in self.entries:
            inside = start <= entry.start < end or (entry.start < start < entry.end)
            if inside:
                left, right = max(entry.start, start), min(entry.end, end)
                kept.append(replace(entry, start=left - start, end=right - start))
        return Timeline(tuple(kept), end - start)

    def about(self, car: int = 0) -> Timeline:
        """Only what concerns one car (as either party), and the phases of the race."""
        kept = tuple(e for e in self.entries if e.kind == "phase" or car in (e.car, e.other))
        return Timeline(kept, self.length)

    def text(self) -> str:
        """One line an entry."""
        return "\n".join(entry.text() for entry in self.entries)

    def to_json(self) -> list[dict[str, Any]]:
        """Entries as JSON values, times rounded to the microsecond."""
        return [
            {"kind": e.kind, "start": round(e.start, 6), "end": round(e.end, 6), "car": e.car, "other": e.other,
             "value": e.value, "text": e.text()}
            for e in self.entries
        ]  # fmt: skip


def build_timeline(events: Iterable[TimelineEvent], ticks: int) -> Timeline:
    """Join events into entries.

    A phase lasts until the next one, a trip off the track until the car is back, and either to the end if nothing
    ends it. A lap ends with its event and began as many ticks earlier as the event's value says.

    Args:
        events: in the order in which they happened.
        ticks: length of the drive in ticks.
    """
    entries: list[Entry] = []
    open_at: dict[tuple[str, int], int] = {}
    for event in events:
        time = event.tick / TICK_RATE
        for kind, closing in _ENDS.items():
            started = open_at.pop((kind, event.car), None) if event.kind == closing else None
            if started is not None:
                entries[started] = replace(entries[started], end=time)
        if event.kind in _ENDS:
            open_at[event.kind, event.car] = len(entries)
        if event.kind != "on_track":
            start = max(0.0, time - event.value / TICK_RATE) if event.kind == "lap" else time
            entries.append(Entry(event.kind, start, time, event.car, event.other, event.value))
    length = ticks / TICK_RATE
    for index in open_at.values():
        entries[index] = replace(entries[index], end=max(length, entries[index].start))
    return Timeline(tuple(sorted(entries, key=lambda e: (e.start, e.kind, e.car))), length)


def _phase_name(value: float) -> str:
    index = int(value)
    return PHASES[index] if 0 <= index < len(PHASES) else f"phase {value:g}"
