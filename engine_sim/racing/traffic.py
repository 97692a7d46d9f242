"""The other cars as a driver sees them: who is ahead, who is alongside, and which side is free for a pass."""

from __future__ import annotations

import math

from ..core.exact import clamp
from ..core.jit import kernel
from .car import LENGTH, WIDTH
from .plan import BOLDNESS, SKILL
from .state import ASIDE, HELD_BY, HELD_TICKS, PASS_LANE, SIDE, SIDE_TICKS, TARGET, D, S, U

_SIGHT = 130.0  # metres ahead that a driver watches
_TOW = 45.0  # metres behind a car in which its wake is felt
_ALONGSIDE = 5.4  # metres between centres within which cars are side by side


@kernel
def gap_along(from_s, to_s, length):
    """Signed distance along the lap from one car to another, in [-length/2, length/2)."""
    ds = to_s - from_s
    return ds - length * math.floor(ds / length + 0.5)


@kernel
def room_beside(bold):
    """Metres between the centres of two cars that a driver wants when side by side."""
    return WIDTH + 0.6 - 0.25 * bold


@kernel
def follow_speed(own, other, gap, bold, hold):
    """Fastest speed behind a car: it can still be matched before the gap has closed to a keeping distance.

    Args:
        own, other: speeds, m/s.
        gap: free metres.
        bold: boldness.
        hold: m/s² that braking is reckoned with.
    """
    keep = 0.8 + (0.06 - 0.04 * bold) * max(own, 0.0)
    spare = gap - keep
    other = max(other, 0.0)
    if spare <= 0.0:
        return max(other + 1.2 * spare, 0.0)
    return math.sqrt(other * other + 2.0 * hold * spare)


@kernel
def in_the_way(cars, i, j, ds, aim):
    """True if car j, ``ds`` metres ahead, runs where car i runs or aims to run (``aim``, beside the racing line)."""
    if ds < LENGTH + 1.0:
        return abs(cars[j, D] - cars[i, D]) < WIDTH + 0.1  # alongside it is not ahead
    near = WIDTH + 0.08 + clamp(0.03 * (cars[i, U] - cars[j, U]), 0.0, 0.7)  # the faster, the wider the berth
    return abs(cars[j, ASIDE] - cars[i, ASIDE]) < near or abs(cars[j, ASIDE] - aim) < near


@kernel
def car_ahead(cars, i, aim, bold, hold, length):
    """(car, gap, speed): the car in the way that slows this driver most, -1 if none.

    Args:
        aim: metres beside the racing line that driver i steers for.
        bold, hold: see ``follow_speed``.

    Returns:
        The car, the free metres between the bumpers, and the fastest speed behind it.
    """
    best, best_gap, best_speed = -1, _SIGHT, 1e300
    for j in range(cars.shape[0]):
        ds = gap_along(cars[i, S], cars[j, S], length)
        if j == i or ds <= 0.3 * LENGTH or ds > _SIGHT or not in_the_way(cars, i, j, ds, aim):
            continue
        speed = follow_speed(cars[i, U], cars[j, U], ds - LENGTH, bold, hold)
        if speed < best_speed:
            best, best_gap, best_speed = j, ds - LENGTH, speed
    return best, best_gap, best_speed


@kernel
def free_strip(cars, i, low, high, room, length):
    """(low, high): the strip of d left by the cars alongside."""
    for j in range(cars.shape[0]):
        if j == i:
            continue
        ds = gap_along(cars[i, S], cars[j, S], length)
        reach = _ALONGSIDE + 0.25 * abs(cars[i, U] - cars[j, U])
        if abs(ds) > reach:
            continue
        beside = cars[j, D] - cars[i, D]
        if abs(ds) > LENGTH and abs(beside) < WIDTH:
            continue  # in line, not alongside
        if beside > 0.0:
            high = min(high, cars[j, D] - room)
        else:
            low = max(low, cars[j, D] + room)
    return low, high


@kernel
def _taken(cars, i, target, side, aim, length):
    """True if another car already runs on that side of the target, or would soon be met on that lane."""
    for j in range(cars.shape[0]):
        if j in (i, target):
            continue
        ds = gap_along(cars[target, S], cars[j, S], length)
        beside = (cars[j, ASIDE] - cars[target, ASIDE]) * side
        if -9.0 < ds < 7.0 and 0.8 < beside < 2.0 * WIDTH + 0.6:
            return True
        ahead = gap_along(cars[i, S], cars[j, S], length)
        closing = max(cars[i, U] - cars[j, U], 0.0)
        if 0.0 < ahead < 10.0 + 4.0 * closing and abs(cars[j, ASIDE] - aim) < WIDTH + 0.3:
            return True
    return False


@kernel
def choose_side(cars, i, target, low, high, room, bend, length):
    """Side of the target with room for a pass (+1 left, -1 right, 0 none); prefers the inside of the next bend.

    ``bend`` is the mean curvature of the road ahead times 100, clipped to ±1; ``low``, ``high`` bound the usable road,
    in metres beside the racing line.
    """
    best, best_score = 0, -1e300
    for k in range(2):
        side = 1 if k == 0 else -1
        aim = cars[target, ASIDE] + side * room
        spare = high - aim if side > 0 else aim - low
        if side * bend < -0.35 and spare < 2.5:
            continue  # round the outside of a bend only with room to spare
        if spare < 0.0 or _taken(cars, i, target, side, aim, length):
            continue
        score = min(spare, 3.0) + 1.2 * side * bend + 0.5 * side * (cars[i, ASIDE] - cars[target, ASIDE])
        if score > best_score:
            best, best_score = side, score
    return best


@kernel
def plan_pass(cars, minds, traits, i, target, gap, held_up, low, high, bend, length):
    """Commit to a pass, carry it on or give it up; afterwards ``mind[SIDE]`` holds the side.

    A driver stays in the slipstream until he is close, then pulls out.

    Args:
        target, gap: from ``car_ahead``.
        held_up: m/s by which the car ahead is slower than this driver would like to go.
        low, high, bend: see ``choose_side``.
    """
    mind = minds[i]
    if mind[SIDE] != 0.0:
        other = int(mind[TARGET])
        ds = gap_along(cars[i, S], cars[other, S], length)
        if cars[i, U] < cars[other, U] + 0.3:
            mind[SIDE_TICKS] -= 1.0  # patience runs out only while nothing is won
        squeezed = ds > LENGTH and (mind[PASS_LANE] > high + 0.6 or mind[PASS_LANE] < low - 0.6)
        if ds < -LENGTH - 1.5 or ds > 30.0 or mind[SIDE_TICKS] <= 0.0 or squeezed:
            mind[SIDE], mind[TARGET] = 0.0, -1.0
            mind[SIDE_TICKS] = -90.0 if ds > 0.0 else -20.0
        elif ds < LENGTH:
            mind[SIDE_TICKS] = max(mind[SIDE_TICKS], 60.0)  # alongside nobody gives up
        return
    if mind[SIDE_TICKS] < 0.0:
        mind[SIDE_TICKS] += 1.0
        return
    if target < 0 or held_up < 0.4 or minds[target, SIDE] != 0.0:
        return  # nobody to pass, or he is busy passing himself
    closing = max(cars[i, U] - cars[target, U], 0.0)
    if gap > 5.0 + 0.09 * cars[i, U] + (0.8 + 0.6 * traits[BOLDNESS] + 0.03 * closing) * closing:
        return
    room = room_beside(traits[BOLDNESS]) + clamp(0.03 * closing, 0.0, 0.7)
    side = choose_side(cars, i, target, low, high, room, bend, length)
    if side != 0:
        mind[SIDE], mind[TARGET] = side, target
        mind[PASS_LANE] = cars[target, ASIDE] + side * room
        mind[SIDE_TICKS] = 240.0 + 240.0 * traits[BOLDNESS]


@kernel
def note_held_up(cars, mind, i, length):
    """Count the ticks for which one and the same car has been close ahead, on whatever lane."""
    nearest, best = -1, 22.0
    for j in range(cars.shape[0]):
        ds = gap_along(cars[i, S], cars[j, S], length)
        if j != i and 0.0 < ds < best:
            nearest, best = j, ds
    if nearest >= 0 and mind[HELD_BY] == nearest:
        mind[HELD_TICKS] += 1.0
    else:
        mind[HELD_BY], mind[HELD_TICKS] = nearest, 0.0


@kernel
def yields(cars, minds, traits, i, length):
    """Factor on the speed of driver i, who gives way to others.

    To a car beside him on its way past: the timid sooner; and in the end to a clearly better driver whom he has held up
    for long. ``traits`` is the whole table.
    """
    factor = 1.0
    bold = traits[i, BOLDNESS]
    for j in range(cars.shape[0]):
        ds = gap_along(cars[j, S], cars[i, S], length)
        if j == i or abs(ds) > 22.0:
            continue
        beside = abs(ds) < LENGTH and abs(cars[j, D] - cars[i, D]) > 0.8 * WIDTH
        if beside and minds[j, SIDE] != 0.0 and int(minds[j, TARGET]) == i:
            factor = min(factor, 0.95 + 0.035 * bold)
        held = ds > 0.0 and int(minds[j, HELD_BY]) == i and minds[j, HELD_TICKS] > 700.0 + 900.0 * bold
        if held and traits[j, SKILL] > traits[i, SKILL] + 0.1:
            factor = min(factor, 0.88)
    return factor


@kernel
def slipstream(cars, i, length):
    """Share of the air resistance left for car i behind others: down to 0.5 close to a bumper, 1 in the open."""
    best = 1.0
    for j in range(cars.shape[0]):
        if j == i or cars[j, U] < 15.0:
            continue
        ds = gap_along(cars[i, S], cars[j, S], length) - LENGTH
        if -0.5 < ds < _TOW and abs(cars[j, D] - cars[i, D]) < 2.8:
            best = min(best, 0.5 + 0.5 * max(ds, 0.0) / _TOW)
    return best
