"""Plants and stones take their places: away from the track, from buildings and from each other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.exact import TWO_PI, sincos
from ...core.jit import kernel
from ...core.random import Stream, mix64
from ..track import BOULDER, BUSH, SCENERY_DTYPE, TREE_BROADLEAF
from .distance import DistanceField, distance_at
from .footprints import meets_ribbon, rectangles_touch
from .growth import LATTICES, hedgerows, scatter
from .roadside import Roadside
from .surroundings import Surroundings
from .yard import Yard, inside_ground, lowest_and_highest

Floats = NDArray[np.float64]

SOLID_SHARE = 0.2
"""Solid part of a tree's crown: its trunk and what lies under it. Crowns of neighbours may mingle, trunks may not."""
CROWN_GAP = 0.34
"""Least distance of two plants, as a share of the sum of their widths."""
_BIN = 12.0  # metres, at least the widest distance that two plants may ask of each other
_SOLID_BIN = 32.0
_SALT = np.uint64(0x9E3779B97F4A7C15)


class Solids(NamedTuple):
    """Solid objects (rows of ``footprints.py``) and, per square bin of the ground, which of them touch it."""

    boxes: Floats
    start: NDArray[np.int64]
    items: NDArray[np.int64]
    size: float
    rows: int
    cols: int


def plant(yard: Yard, road: Roadside, away: DistanceField, land: Surroundings, seed: int) -> None:
    """Trees, bushes and boulders, into what the buildings left free."""
    stream = Stream(seed, "scenery plants")
    salt = stream.integer(0, 1 << 40)
    rule = np.array([
        land.wood, land.near, land.middle, land.far, land.conifer, land.tree_height, land.bushes, land.boulders,
        land.boulder_size,
    ])  # fmt: skip
    wishes = [_avenues(road, land, stream)]
    if land.hedges > 0.0:
        sine, cosine = sincos(stream.uniform(0.0, TWO_PI))
        wishes.append(hedgerows(yard.ground.z, yard.frame, *away, rule, salt, land.hedges, cosine, sine))
    fields = (yard.ground.z, yard.ground.cover, yard.frame, *away, rule)
    for which in (0, 1):
        for ring, (spacing, nearest, farthest) in enumerate(LATTICES):
            wishes.append(scatter(*fields, salt + 101 * ring + 17 * which, spacing, nearest, farthest, which))
    wanted = np.concatenate(wishes)
    shape = _bin_shape(yard, _SOLID_BIN)
    start, items = _solid_bins(yard.solids, yard.frame, *shape)
    solids = Solids(yard.solids, start, items, *shape)
    keep, z = _settle(yard.arrays, yard.ground.z, yard.frame, *away, wanted, solids, *_bin_shape(yard, _BIN))
    yard.add_rows(_rows(wanted[keep], z[keep], stream.u64()))


def _avenues(road: Roadside, land: Surroundings, stream: Stream) -> Floats:
    """Rows of equal trees behind the barrier of some straights."""
    rows = []
    for k, bend in enumerate(road.bends):
        before = road.bends[k - 1]
        straight = ((bend.start - before.end) % road.count) * road.step
        wanted, side = stream.chance(land.avenue), (1 if stream.chance(0.5) else -1)
        pitch, gap = stream.uniform(9.0, 14.0), stream.uniform(4.5, 8.0)
        height = land.tree_height * stream.uniform(0.8, 1.15)
        if not wanted or straight < 70.0:
            continue
        for m in range(int(straight / pitch)):
            i = road.index(before.end * road.step + (m + 0.5) * pitch)
            x, y = road.point(i, side * (road.barrier(i, side) + gap))
            size = height * stream.uniform(0.9, 1.1)
            rows.append((x, y, float(TREE_BROADLEAF), 0.5 * size, size))
    return np.array(rows, np.float64).reshape(-1, 5)


def _bin_shape(yard: Yard, size: float) -> tuple[float, int, int]:
    """(size, rows, cols) of square bins over the ground."""
    rows, cols = yard.ground.z.shape
    return size, int(rows * yard.ground.cell / size) + 1, int(cols * yard.ground.cell / size) + 1


def _rows(wanted: Floats, z: Floats, salt: int) -> NDArray[np.void]:
    rows = np.zeros(len(wanted), SCENERY_DTYPE)
    rows["x"], rows["y"], rows["z"] = wanted[:, 0], wanted[:, 1], z
    rows["kind"] = wanted[:, 2].astype(np.int32)
    rows["size_x"] = rows["size_y"] = wanted[:, 3]
    rows["size_z"] = wanted[:, 4]
    word = _hashes(len(wanted), np.uint64(salt))
    rows["seed"] = (word >> np.uint64(32)).astype(np.uint32)
    rows["yaw"] = (word & np.uint64(0xFFFF)).astype(np.float64) * (TWO_PI / 65536.0)
    return rows


@kernel
def _hashes(count, salt):
    out = np.zeros(count, np.uint64)
    for i in range(count):
        out[i] = mix64(salt + np.uint64(i) * _SALT)
    return out


@kernel
def _solid_bins(solids, frame, size, rows, cols):
    """(start, items): which solids touch which bin, as compressed rows."""
    start = np.zeros(rows * cols + 1, np.int64)
    items = np.zeros(0, np.int64)
    for turn in range(2):
        fill = start[:-1].copy()
        for k in range(solids.shape[0]):
            reach = math.sqrt(solids[k, 4] * solids[k, 4] + solids[k, 5] * solids[k, 5])
            row0 = max(0, int((solids[k, 1] - reach - frame[1]) / size))
            row1 = min(rows - 1, int((solids[k, 1] + reach - frame[1]) / size))
            col0 = max(0, int((solids[k, 0] - reach - frame[0]) / size))
            col1 = min(cols - 1, int((solids[k, 0] + reach - frame[0]) / size))
            for row in range(row0, row1 + 1):
                for col in range(col0, col1 + 1):
                    at = row * cols + col
                    if turn == 0:
                        start[at + 1] += 1
                    else:
                        items[fill[at]] = k
                        fill[at] += 1
        if turn == 0:
            for at in range(rows * cols):
                start[at + 1] += start[at]
            items = np.zeros(start[-1], np.int64)
    return start, items


@kernel
def _meets_solid(solids, frame, x, y, half):
    """True if a square around (x, y) touches a building or a place kept free."""
    row0 = max(0, int((y - half - frame[1]) / solids.size))
    row1 = min(solids.rows - 1, int((y + half - frame[1]) / solids.size))
    col0 = max(0, int((x - half - frame[0]) / solids.size))
    col1 = min(solids.cols - 1, int((x + half - frame[0]) / solids.size))
    for row in range(row0, row1 + 1):
        for col in range(col0, col1 + 1):
            at = row * solids.cols + col
            for item in range(solids.start[at], solids.start[at + 1]):
                box = solids.boxes[solids.items[item]]
                if rectangles_touch(x, y, 1.0, 0.0, half, half, box[0], box[1], box[2], box[3], box[4], box[5], 0.3):
                    return True
    return False


@kernel
def _crowded(wanted, head, following, size, rows, cols, frame, x, y, width):
    """True if a plant that already stands is too close."""
    row, col = int((y - frame[1]) / size), int((x - frame[0]) / size)
    for r in range(max(0, row - 1), min(rows, row + 2)):
        for c in range(max(0, col - 1), min(cols, col + 2)):
            k = head[r * cols + c]
            while k >= 0:
                least = CROWN_GAP * (width + wanted[k, 3])
                dx, dy = wanted[k, 0] - x, wanted[k, 1] - y
                if dx * dx + dy * dy < least * least:
                    return True
                k = following[k]
    return False


@kernel
def _settle(arrays, z, frame, metres, away, wanted, solids, bin_size, rows, cols):
    """(keep bool ``[m]``, height ``[m]``): the first of any two candidates that are in each other's way stays."""
    m = wanted.shape[0]
    keep, base = np.zeros(m, np.bool_), np.zeros(m)
    head, following = np.full(rows * cols, -1), np.full(m, -1)
    for k in range(m):
        x, y, kind, width = wanted[k, 0], wanted[k, 1], wanted[k, 2], wanted[k, 3]
        half = 0.5 * width
        if not inside_ground(z, frame, x, y, half + 1.0):
            continue
        if _crowded(wanted, head, following, bin_size, rows, cols, frame, x, y, width):
            continue
        if distance_at(metres, away, x, y) < half + 16.0 and meets_ribbon(arrays, x, y, 1.0, 0.0, half, half):
            continue
        if _meets_solid(solids, frame, x, y, 0.7 * half):
            continue
        foot = SOLID_SHARE * half if kind < BUSH else 0.5 * half  # the trunk, or what lies on the ground of the rest
        low, high = lowest_and_highest(z, frame, x, y, 1.0, 0.0, foot, foot)
        if kind == BOULDER and high - low > wanted[k, 4]:
            continue  # it would sink out of sight
        keep[k], base[k] = True, low
        at = int((y - frame[1]) / bin_size) * cols + int((x - frame[0]) / bin_size)
        following[k] = head[at]
        head[at] = k
    return keep, base
