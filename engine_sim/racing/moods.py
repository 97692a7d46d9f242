"""What makes a driver human: a line and a pace that wander, and now and then a mistake before a bend.

Every draw comes from the driver's own stream, so one driver's luck never moves another's.
"""

from __future__ import annotations

from ..core.jit import kernel
from ..core.random import next_float
from .plan import BOLDNESS, SKILL, STEADINESS
from .road import BEND_HERE
from .state import (
    INDEX,
    NEXT_BEND,
    PACE,
    PACE_GOAL,
    PACE_TICKS,
    SLIP_LINE,
    SLIP_PACE,
    SLIP_TICKS,
    WANDER,
    WANDER_GOAL,
    WANDER_TICKS,
    U,
)

_LOOK = 2.2  # seconds ahead of a bend at which the driver may misjudge it


@kernel
def draw_around(streams, i, centre, spread):
    """A float64 in [centre - spread, centre + spread)."""
    return centre + spread * (2.0 * next_float(streams, i) - 1.0)


@kernel
def wander(mind, traits, streams, i):
    """Let line and pace drift towards goals that are drawn anew every few seconds."""
    loose = 1.0 - traits[STEADINESS]
    mind[WANDER_TICKS] -= 1.0
    if mind[WANDER_TICKS] <= 0.0:
        mind[WANDER_GOAL] = draw_around(streams, i, 0.0, 0.15 + 0.45 * loose)
        mind[WANDER_TICKS] = draw_around(streams, i, 420.0, 240.0)
    mind[PACE_TICKS] -= 1.0
    if mind[PACE_TICKS] <= 0.0:
        mind[PACE_GOAL] = draw_around(streams, i, 1.0, 0.006 + 0.018 * loose)
        mind[PACE_TICKS] = draw_around(streams, i, 600.0, 300.0)
    mind[WANDER] += (mind[WANDER_GOAL] - mind[WANDER]) * 0.008
    mind[PACE] += (mind[PACE_GOAL] - mind[PACE]) * 0.006


@kernel
def misjudge(mind, marks, car, traits, streams, i, kinds, step):
    """Once per bend, before it begins: perhaps brake too late or run wide for a second or two."""
    if mind[SLIP_TICKS] > 0.0:
        mind[SLIP_TICKS] -= 1.0
        return
    ahead = (marks[INDEX] + int(car[U] * _LOOK / step)) % kinds.shape[0]
    bend = float(kinds[ahead, BEND_HERE])
    if car[U] < 12.0 or bend == 0.0 or bend == mind[NEXT_BEND]:
        return
    mind[NEXT_BEND] = bend
    risk = 0.012 + 0.06 * (1.0 - traits[STEADINESS]) + 0.02 * traits[BOLDNESS] * (1.0 - traits[SKILL])
    if next_float(streams, i) < risk:
        mind[SLIP_TICKS] = draw_around(streams, i, 260.0, 100.0)
        mind[SLIP_PACE] = draw_around(streams, i, 1.14, 0.06)
        mind[SLIP_LINE] = draw_around(streams, i, 0.0, 1.2)


@kernel
def mood_pace(mind, traits):
    """Factor on the speed of a perfect driver."""
    slip = mind[SLIP_PACE] if mind[SLIP_TICKS] > 0.0 else 1.0
    return (0.85 + 0.145 * traits[SKILL]) * mind[PACE] * slip


@kernel
def mood_line(mind, bias):
    """Metres beside the racing line that the driver would choose on an empty road."""
    slip = mind[SLIP_LINE] if mind[SLIP_TICKS] > 0.0 else 0.0
    return bias + mind[WANDER] + slip
