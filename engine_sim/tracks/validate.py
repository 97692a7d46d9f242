"""What every circuit must keep: closed, drivable, no stretch across another, ground below the road."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..core.jit import kernel
from .corridor import LEVEL
from .footing import highest_in_cell
from .generator.outline import crossings
from .query import ahead_of, beyond_barriers, blend, locate, on_step, point_at
from .track import GANTRY, Track, TrackArrays


@dataclass(frozen=True)
class TrackLimits:
    """Bounds that ``check_track`` holds a circuit to; the defaults are those of the built-in ones.

    Args:
        inner_radius: least radius of the road's inner edge, metres.
        grade: steepest dz/ds.
        bank: steepest dz/dd.
        bridge: least height between the levels of a crossing, metres.
        clearance: least depth of the ground below the ribbon, metres.
    """

    inner_radius: float = 9.0
    grade: float = 0.13
    bank: float = 0.46
    bridge: float = 6.0
    clearance: float = 0.3


def check_track(track: Track, limits: TrackLimits = TrackLimits()) -> list[str]:
    """Every rule that a circuit breaks, one line each; empty for a good circuit."""
    problems = _check_arrays(track)
    if problems:  # the other checks would only trip over these
        return problems
    problems += _check_closure(track.arrays)
    problems += _check_section(track.arrays, limits)
    problems += _check_levels(track.arrays, limits)
    problems += _check_positions(track)
    problems += _check_ground(track, limits)
    return problems + _check_extras(track)


def _check_arrays(track: Track) -> list[str]:
    a, n = track.arrays, track.samples
    problems = []
    for name in a._fields[: a._fields.index("scalars")]:
        field = getattr(a, name)
        if field.shape != (n,):
            problems.append(f"{name}: shape {field.shape}, expected ({n},)")
        elif not np.all(np.isfinite(field)):
            problems.append(f"{name}: not finite at sample {int(np.flatnonzero(~np.isfinite(field))[0])}")
    if not np.all(np.isfinite(track.ground.z)):
        problems.append("ground: height is not finite")
    if not 0.5 < track.step < 4.0:
        problems.append(f"step {track.step:g} m is not near 2 m")
    return problems


def _check_closure(a: TrackArrays) -> list[str]:
    problems = []
    step = float(a.scalars[1])
    size = np.sqrt((np.roll(a.x, -1) - a.x) ** 2 + (np.roll(a.y, -1) - a.y) ** 2)
    worst = int(np.argmax(np.abs(size - step)))
    if abs(size[worst] - step) > 0.06 * step:
        problems.append(f"samples {worst} and {worst + 1} lie {size[worst]:.3f} m apart, expected {step:.3f}")
    turns = float(np.sum(a.curvature)) * step / (2.0 * math.pi)
    if abs(turns - round(turns)) > 0.02:
        problems.append(f"headings turn {turns:.3f} times round the lap, expected a whole number")
    if np.max(np.abs(a.tangent_x**2 + a.tangent_y**2 - 1.0)) > 1e-9:
        problems.append("tangents are not unit vectors")
    return problems


def _worst(a: TrackArrays, bad: np.ndarray, text: str) -> list[str]:
    if not np.any(bad):
        return []
    first = int(np.flatnonzero(bad)[0])
    return [f"{text} at s = {first * float(a.scalars[1]):.0f} m ({int(np.sum(bad))} samples)"]


def _check_section(a: TrackArrays, limits: TrackLimits) -> list[str]:
    inner = np.where(a.curvature > 0.0, a.width_left, a.width_right)
    wall = np.where(a.curvature > 0.0, a.barrier_left, a.barrier_right)
    radius = 1.0 / np.maximum(np.abs(a.curvature), 1e-9)
    half = 0.5 * a.width_left
    return [
        *_worst(a, (a.width_left <= 0.5) | (a.width_right <= 0.5), "road has no width"),
        *_worst(a, (a.kerb_left < 0.0) | (a.kerb_right < 0.0), "kerb of negative width"),
        *_worst(a, a.barrier_left <= a.width_left + a.kerb_left, "left barrier stands on road or kerb"),
        *_worst(a, a.barrier_right <= a.width_right + a.kerb_right, "right barrier stands on road or kerb"),
        *_worst(a, radius - inner < limits.inner_radius, f"inner edge tighter than {limits.inner_radius:g} m"),
        *_worst(a, wall > np.maximum(0.97 * radius, inner + 1.6), "barrier beyond the centre of its bend"),
        *_worst(a, np.abs(a.grade) > limits.grade, f"steeper than {limits.grade:g}"),
        *_worst(a, np.abs(a.bank) > limits.bank, f"banked more than {limits.bank:g}"),
        *_worst(a, (a.line_d > a.width_left) | (-a.line_d > a.width_right), "racing line leaves the road"),
        *_worst(a, (a.line_speed < 3.0) | (a.line_speed > 120.0) | (half <= 0.0), "speed of the line out of range"),
    ]


@kernel
def _overlaps(arrays, level):
    """int64 ``[k, 2]``: samples whose barrier stands inside another stretch on the same level, and that stretch."""
    n = arrays.x.shape[0]
    rows, cols = arrays.grid_shape[0], arrays.grid_shape[1]
    step, cell = arrays.scalars[1], arrays.scalars[4]
    found = np.zeros((256, 2), np.int64)
    count = 0
    for i in range(n):
        for side in range(2):
            d = arrays.barrier_left[i] if side == 0 else -arrays.barrier_right[i]
            x, y = arrays.x[i] - d * arrays.tangent_y[i], arrays.y[i] + d * arrays.tangent_x[i]
            row = math.floor((y - arrays.scalars[3]) / cell)
            col = math.floor((x - arrays.scalars[2]) / cell)
            if row < 0 or col < 0 or row >= rows or col >= cols:
                continue
            k = row * cols + col
            for item in range(arrays.cell_start[k], arrays.cell_start[k + 1]):
                j = arrays.cell_items[item]
                way = abs(i - j) * step
                way = min(way, n * step - way)
                if way < 3.0 * abs(d) or way < 12.0:
                    continue
                if ahead_of(arrays, j, x, y) < 0.0 or ahead_of(arrays, (j + 1) % n, x, y) >= 0.0:
                    continue
                u, other = on_step(arrays, j, x, y)
                gap = abs(arrays.z[i] + arrays.bank[i] * d - blend(arrays.z, j, u) - other * blend(arrays.bank, j, u))
                if beyond_barriers(arrays, j, u, other) == 0.0 and gap < level and count < found.shape[0]:
                    found[count, 0], found[count, 1] = i, j
                    count += 1
    return found[:count].copy()


def _check_levels(a: TrackArrays, limits: TrackLimits) -> list[str]:
    step = float(a.scalars[1])
    problems = []
    overlaps = _overlaps(a, LEVEL)
    if len(overlaps):
        i, j = overlaps[0] * step
        problems.append(f"verges of s = {i:.0f} m reach into s = {j:.0f} m ({len(overlaps)} places)")
    for pair in crossings(a.x, a.y, 1):
        gap = abs(float(a.z[pair[0]] - a.z[pair[1]]))
        if gap < limits.bridge:
            i, j = pair * step
            problems.append(f"road crosses itself at s = {i:.0f} and {j:.0f} m with {gap:.1f} m between the levels")
    return problems


@kernel
def _round_trip(arrays, places):
    """Largest error of locate after point_at, metres, over ``places`` stretches and three lanes."""
    worst = 0.0
    length = arrays.scalars[0]
    n = arrays.x.shape[0]
    for k in range(places):
        s = length * k / places
        i = int(s / arrays.scalars[1]) % n
        for lane in range(-1, 2):
            d = lane * 0.9 * min(arrays.width_left[i], arrays.width_right[i])
            x, y, _ = point_at(arrays, s, d)
            _, s_again, d_again = locate(arrays, x, y, i)
            off = abs(s_again - s)
            worst = max(worst, min(off, length - off), abs(d_again - d))
    return worst


def _check_positions(track: Track) -> list[str]:
    error = _round_trip(track.arrays, 997)
    return [f"locate differs from point_at by {error:.3g} m"] if error > 1e-6 else []


@kernel
def _least_clearance(z, x0, y0, cell, arrays):
    """(metres, sample): least depth of the ground below the ribbon at its samples; 1e9 without any ground there."""
    n = arrays.x.shape[0]
    rows, cols = z.shape
    least, where = 1e9, 0
    for i in range(n):
        left, right = arrays.barrier_left[i], arrays.barrier_right[i]
        for k in range(9):
            d = -right + (left + right) * k / 8.0
            fx = (arrays.x[i] - d * arrays.tangent_y[i] - x0) / cell
            fy = (arrays.y[i] + d * arrays.tangent_x[i] - y0) / cell
            col, row = math.floor(fx), math.floor(fy)
            if row < 0 or col < 0 or row + 1 >= rows or col + 1 >= cols:
                return -1e9, i
            depth = arrays.z[i] + arrays.bank[i] * d - highest_in_cell(z, row, col, fy - row, fx - col)
            if depth < least:
                least, where = depth, i
    return least, where


def _check_ground(track: Track, limits: TrackLimits) -> list[str]:
    g = track.ground
    depth, sample = _least_clearance(g.z, g.x0, g.y0, g.cell, track.arrays)
    if depth < limits.clearance - 0.05:
        return [f"ground lies only {depth:.2f} m below the ribbon at s = {sample * track.step:.0f} m"]
    return []


def _check_extras(track: Track) -> list[str]:
    problems = []
    pit = track.pit
    if pit is not None and not (0.0 <= pit.start <= track.length and 0.0 <= pit.end <= track.length):
        problems.append(f"pit straight {pit.start:.0f}–{pit.end:.0f} m lies outside the lap")
    things = track.scenery[track.scenery["kind"] != GANTRY]
    on_road = _on_road(track.arrays, *(np.ascontiguousarray(things[axis]) for axis in ("x", "y", "z")))
    if on_road:
        problems.append(f"{on_road} objects of the scenery stand on the road")
    return problems


@kernel
def _on_road(arrays, x, y, z):
    """Number of points that lie on the road, on its level."""
    count = 0
    for k in range(x.shape[0]):
        index, _, d = locate(arrays, x[k], y[k], -1)
        width = arrays.width_left[index] if d >= 0.0 else arrays.width_right[index]
        if abs(d) < width and abs(z[k] - arrays.z[index]) < LEVEL:
            count += 1
    return count
