"""What happened, as a list that a replay repeats exactly.

Kernels write rows (kind, car, other, value) into the state in the tick in which it happens; ``World`` turns them into
``Event`` objects.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.jit import kernel
from .state import EVENT_COUNT, EVENT_ROOM

PHASE_EVENT, LAP, PASS, CONTACT, BARRIER_HIT, LEFT_TRACK, BACK_ON_TRACK, RESET, FINISH, BEND_EVENT = range(10)
EVENT_KINDS = ("phase", "lap", "pass", "contact", "barrier", "off_track", "on_track", "reset", "finish", "bend")


@dataclass(frozen=True)
class Event:
    """One thing that happened.

    Args:
        tick: of the state that shows it first.
        kind: one of EVENT_KINDS.
        car: who; -1 for ``phase``.
        other: the other car of ``pass`` and ``contact``, -1 if none.
        value: ``phase``: number of the new phase; ``lap``: its ticks; ``pass``: new position, 1 = leader;
            ``contact`` and ``barrier``: speed of the knock, m/s; ``off_track`` and ``on_track``: s, metres;
            ``reset``: s; ``finish``: position; ``bend``: radius in metres, positive to the left.
    """

    tick: int
    kind: str
    car: int
    other: int
    value: float


@kernel
def report(clock, events, kind, car, other, value):
    """Add an event to this tick's; more than EVENT_ROOM in one tick are dropped, alike in every replay."""
    count = clock[EVENT_COUNT]
    if count >= EVENT_ROOM:
        return
    events[count, 0], events[count, 1], events[count, 2], events[count, 3] = kind, car, other, value
    clock[EVENT_COUNT] = count + 1
