"""Cross-section of a circuit along its outline: widths, kerbs, run-off, barriers and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.jit import kernel
from ...core.random import Stream
from ..build import CrossSection
from ..corners import Bend
from ..noise import around
from ..ribbon import smooth_closed
from ..settings import Roadside, named_setting
from ..track import (
    ASPHALT,
    CONCRETE,
    CONCRETE_WALL,
    DIRT,
    FENCE,
    GRASS_SURFACE,
    GUARD_RAIL,
    TYRE_WALL,
    PitStraight,
)
from .parameters import CircuitPlan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def raise_to(field, spacing, start, end, ramp, value):
    """field = max(field, value) from s = start to end (closed lap), falling to nothing over ``ramp`` metres outside."""
    n = field.shape[0]
    length = n * spacing
    width = (end - start) % length
    for i in range(n):
        offset = (i * spacing - start) % length
        if offset <= width:
            share = 1.0
        else:
            away = min(offset - width, length - offset)
            share = 1.0 - away / ramp if away < ramp else 0.0
        field[i] = max(field[i], value * share)


@kernel
def assign(field, spacing, start, end, value):
    """Integer field = value from s = start to end (closed lap)."""
    n = field.shape[0]
    length = n * spacing
    width = (end - start) % length
    for i in range(n):
        if (i * spacing - start) % length <= width:
            field[i] = value


@kernel
def varied(count, spacing, low, high, wavelength, seed):
    """Field between low and high that varies over ``wavelength`` metres around the lap."""
    out = np.zeros(count)
    knots = max(3, int(count * spacing / wavelength))
    for i in range(count):
        out[i] = low + (high - low) * (0.5 + 0.5 * around(i / count, knots, seed))
    return out


@dataclass
class _Side:
    """Fields of one side of the road while they are being made."""

    kerb: Floats
    verge: Floats
    surface: Ints
    style: Ints


def side_rules(plan: CircuitPlan) -> Roadside:
    """Rules of the setting, changed by kind: dirt tracks have no kerbs, ovals a wall close to the road."""
    side = named_setting(plan.setting).side
    changes: dict[str, object] = {}
    if plan.kind == "dirt":
        changes = {"kerb": 0.0, "runoff_surface": side.verge_surface, "outer": TYRE_WALL, "runoff": side.runoff * 0.7}
        if side.verge_surface == CONCRETE:
            changes |= {"verge_surface": DIRT, "runoff_surface": DIRT}
    if plan.verge is not None:
        changes["verge_surface"] = plan.verge
    if plan.runoff is not None:
        changes["runoff_surface"] = plan.runoff
    return Roadside(**{**vars(side), **changes})


def make_section(
    plan: CircuitPlan, bends: list[Bend], spacing: float, count: int, turn_side: int
) -> tuple[CrossSection, PitStraight | None]:
    """Cross-section per point of the outline, and the pit straight.

    Args:
        plan: parameters.
        bends: of the outline, in points.
        spacing: metres between points.
        count: number of points.
        turn_side: +1 if the lap turns left on the whole.
    """
    stream = Stream(plan.seed, "roadside")
    seeds = [stream.integer(0, 1 << 30) for _ in range(4)]
    half_width = smooth_closed(varied(count, spacing, *plan.width, 420.0, seeds[0]) * 0.5, int(30.0 / spacing), 2)
    rules = side_rules(plan)
    if plan.kind == "oval":
        left, right = _oval_sides(plan, count, spacing, turn_side, seeds)
    else:
        left, right = (_road_side(rules, count, spacing, seed) for seed in seeds[1:3])
        _dress_bends(plan, rules, bends, spacing, left, right, stream)
        _vary_rails(rules, bends, spacing, left, right, stream)
    pit = _pit_straight(plan, bends, spacing, count, left, right)
    road = np.full(count, plan.surface, np.int64)
    for surface, first, last in plan.patches:
        assign(road, spacing, first * count * spacing, last * count * spacing, surface)
        if surface != ASPHALT:
            for side in (left, right):
                side.kerb = np.where(road == surface, 0.0, side.kerb)
    for side in (left, right):
        kerb = smooth_closed(side.kerb, int(2.0 / spacing), 1)
        side.kerb = np.where(kerb < 0.08, 0.0, kerb)
        side.verge = smooth_closed(side.verge, int(9.0 / spacing), 2)
    barriers = [half_width + side.kerb + np.maximum(side.verge - side.kerb, 0.5) for side in (left, right)]
    section = CrossSection(
        half_width, half_width.copy(), left.kerb, right.kerb, barriers[0], barriers[1], road,
        left.surface, right.surface, left.style, right.style,
    )  # fmt: skip
    return section, pit


def _road_side(rules: Roadside, count: int, spacing: float, seed: int) -> _Side:
    return _Side(
        kerb=np.zeros(count),
        verge=varied(count, spacing, *rules.verge, 180.0, seed),
        surface=np.full(count, rules.verge_surface, np.int64),
        style=np.full(count, rules.rail, np.int64),
    )


def _oval_sides(plan: CircuitPlan, count: int, spacing: float, turn_side: int, seeds: list[int]) -> tuple[_Side, _Side]:
    """Concrete wall close outside; apron, grass and a rail inside."""
    soft = plan.verge if plan.verge is not None else GRASS_SURFACE if plan.surface == ASPHALT else DIRT
    hard = ASPHALT if plan.surface == ASPHALT else DIRT
    outer = _Side(
        np.zeros(count), varied(count, spacing, 0.8, 1.2, 300.0, seeds[1]), np.full(count, hard, np.int64),
        np.full(count, CONCRETE_WALL, np.int64),
    )  # fmt: skip
    inner = _Side(
        np.zeros(count), varied(count, spacing, 5.0, 8.0, 300.0, seeds[2]), np.full(count, soft, np.int64),
        np.full(count, GUARD_RAIL, np.int64),
    )  # fmt: skip
    return (inner, outer) if turn_side > 0 else (outer, inner)


def _dress_bends(
    plan: CircuitPlan, rules: Roadside, bends: list[Bend], spacing: float, left: _Side, right: _Side, stream: Stream
) -> None:
    """Kerbs at entry, apex and exit; run-off and tyre walls outside, deeper after long straights."""
    count = len(left.kerb)
    length = count * spacing
    for k, bend in enumerate(bends):
        inside, outside = (left, right) if bend.side > 0 else (right, left)
        start, end = bend.start * spacing, bend.end * spacing
        span = (end - start) % length
        straight = (bend.start - bends[k - 1].end) % count * spacing
        severity = min(max(bend.angle / 1.1, 0.35), 1.2) * min(max(straight / 160.0, 0.5), 1.6)
        if rules.kerb > 0.0 and bend.angle > 0.25:
            kerb = rules.kerb * stream.uniform(0.85, 1.2)
            raise_to(inside.kerb, spacing, start + 0.12 * span, end - 0.08 * span, 6.0, kerb)
            raise_to(outside.kerb, spacing, end - 0.18 * span, end + min(30.0, 0.4 * span + 12.0), 8.0, kerb)
            raise_to(outside.kerb, spacing, start - min(26.0, 0.4 * span + 10.0), start + 0.12 * span, 8.0, 0.8 * kerb)
        reach = min(45.0, 20.0 + 0.3 * span)
        depth = max(rules.verge) + rules.runoff * severity
        raise_to(outside.verge, spacing, start + 0.1 * span, end + reach, 55.0, depth)
        if severity > 0.45:
            assign(outside.surface, spacing, start - 4.0, end + reach, rules.runoff_surface)
            assign(outside.style, spacing, start - 4.0, end + reach, rules.outer)
        assign(inside.style, spacing, start, end, rules.inner)


def _vary_rails(rules: Roadside, bends: list[Bend], spacing: float, left: _Side, right: _Side, stream: Stream) -> None:
    """On long straights some stretches get another barrier than the setting's usual one."""
    count = len(left.kerb)
    others = [style for style in (GUARD_RAIL, CONCRETE_WALL, FENCE) if style != rules.rail]
    for k, bend in enumerate(bends):
        straight = (bend.start - bends[k - 1].end) % count * spacing
        for side in (left, right):
            if straight > 110.0 and stream.chance(0.3):
                middle = bends[k - 1].end * spacing + 0.5 * straight
                half = stream.uniform(0.2, 0.4) * straight
                assign(side.style, spacing, middle - half, middle + half, stream.choice(others))


def _pit_straight(
    plan: CircuitPlan, bends: list[Bend], spacing: float, count: int, left: _Side, right: _Side
) -> PitStraight | None:
    """Concrete apron and wall beside the start line, within its straight."""
    if plan.pit == "none" or not bends:
        return None
    length = count * spacing
    before = min(170.0, (length - bends[-1].end * spacing) - 15.0)
    after = min(130.0, bends[0].start * spacing - 15.0)
    if bends[-1].end < bends[-1].start or before + after < 70.0 or after < 10.0:
        return None
    start, end = length - before, after
    side = left if plan.pit == "left" else right
    city = plan.setting == "city"
    raise_to(side.verge, spacing, start, end, 40.0, 9.0 if city else 13.0)
    surface = CONCRETE if plan.surface in (ASPHALT, CONCRETE) else plan.surface
    assign(side.surface, spacing, start - 20.0, end + 20.0, surface)
    assign(side.style, spacing, start - 20.0, end + 20.0, CONCRETE_WALL)
    return PitStraight(start=start, end=end, side=1 if plan.pit == "left" else -1)
