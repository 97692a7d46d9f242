"""What wants to grow or lie where: candidates for trees, bushes and boulders, from noise and hashes. Exact kernels.

A candidate is a row (x, y, kind, width, height). Each lattice point asks once, with numbers hashed from its own
coordinates, so no candidate depends on another; ``planting.py`` then drops those that do not fit.
"""

from __future__ import annotations

import math

import numpy as np

from render_bridge.palette import ROCK, TERRAIN

from ...core.jit import kernel
from ..ground import ground_height
from ..noise import ease, fractal, lattice
from ..track import BOULDER, BUSH, TREE_BROADLEAF, TREE_CONIFER
from .distance import distance_at

NEAR, MIDDLE = 45.0, 150.0
"""Metres from the barrier by which density has come down to that of the next ring."""
LATTICES = ((4.0, 0.0, NEAR), (7.0, NEAR, MIDDLE), (15.0, MIDDLE, 1e9))
"""(spacing, from, to) metres of the three rings of candidates."""
# Hash channels.
_JITTER_X, _JITTER_Y, _GROW, _SIZE, _SHAPE, _SPECIES, _OTHER = range(7)


@kernel
def chance(ix, iy, seed, channel):
    """Number in [0, 1) of a lattice point."""
    return 0.5 + 0.5 * lattice(ix, iy, seed + 7919 * (channel + 1))


@kernel
def wood_at(x, y, seed, share, metres):
    """How deep inside a grove a place lies, 0 … 1: patches of about 170 m, more and smaller ones near the track."""
    big = fractal(x / 170.0, y / 170.0, seed, 3)
    share += 0.1 * (1.0 - ease(metres / 90.0)) * (1.0 - share)
    share *= 1.0 - 0.45 * ease((metres - 90.0) / 110.0)
    rest = 0.5 - share
    wood = ease((big - 0.84 * rest - 0.5 * rest * rest * rest) / 0.12 + 0.5)  # that quantile of ``fractal``
    if metres < 2.0 * NEAR:
        small = fractal(x / 34.0, y / 34.0, seed + 53, 2)
        clump = 0.8 * ease((small - 0.42 + 0.35 * share) / 0.15) * (1.0 - ease(metres / (2.0 * NEAR)))
        wood = max(wood, clump)
    return wood


@kernel
def slope_and_cover(z, cover, frame, x, y):
    """(slope, class) of the ground at a point."""
    e = 0.5 * frame[2]
    gx = ground_height(z, frame[0], frame[1], frame[2], x + e, y) - ground_height(
        z, frame[0], frame[1], frame[2], x - e, y
    )
    gy = ground_height(z, frame[0], frame[1], frame[2], x, y + e) - ground_height(
        z, frame[0], frame[1], frame[2], x, y - e
    )
    row = int(min(max((y - frame[1]) / frame[2] + 0.5, 0.0), z.shape[0] - 1.0))
    col = int(min(max((x - frame[0]) / frame[2] + 0.5, 0.0), z.shape[1] - 1.0))
    return math.sqrt(gx * gx + gy * gy) / frame[2], cover[row, col]


@kernel
def write_tree(out, k, x, y, ix, iy, seed, wood, rule):
    """Write a tree into row k: species by patches, height by depth in the grove. ``rule`` as in ``scatter``."""
    patch = 0.5 + 0.62 * fractal(x / 260.0, y / 260.0, seed + 31, 2)
    conifer = patch + 0.3 * (chance(ix, iy, seed, _SPECIES) - 0.5) < rule[4]
    scale = (0.62 + 0.55 * chance(ix, iy, seed, _SIZE)) * (0.72 + 0.38 * wood)
    shape = chance(ix, iy, seed, _SHAPE)
    height = rule[5] * scale * (1.35 if conifer else 1.0)
    out[k, 0], out[k, 1] = x, y
    out[k, 2] = TREE_CONIFER if conifer else TREE_BROADLEAF
    out[k, 3] = height * (0.3 + 0.12 * shape if conifer else 0.58 + 0.3 * shape)
    out[k, 4] = height


@kernel
def write_bush(out, k, x, y, ix, iy, seed):
    """Write a bush into row k."""
    width = 1.1 + 2.0 * chance(ix, iy, seed, _SIZE)
    out[k, 0], out[k, 1], out[k, 2] = x, y, BUSH
    out[k, 3], out[k, 4] = width, width * (0.55 + 0.35 * chance(ix, iy, seed, _SHAPE))


@kernel
def write_boulder(out, k, x, y, ix, iy, seed, largest):
    """Write a boulder into row k: many small ones, few large ones."""
    size = chance(ix, iy, seed, _SIZE)
    width = 0.8 + (largest - 0.8) * size * size * size
    out[k, 0], out[k, 1], out[k, 2] = x, y, BOULDER
    out[k, 3], out[k, 4] = width, width * (0.5 + 0.3 * chance(ix, iy, seed, _SHAPE))


@kernel
def tree_chance(metres, wood, slope, cover, rule):
    """Trees per hectare at a place."""
    near, far = 1.0 - ease((metres - 25.0) / 25.0), ease((metres - 80.0) / 70.0)
    density = rule[1] * near + rule[2] * (1.0 - near) * (1.0 - far) + rule[3] * far
    lone = 0.05 if metres < NEAR else 0.02
    density *= lone + (1.0 - lone) * wood
    density *= 1.0 - ease((slope - 0.5) / 0.6)
    if metres < 4.0:
        density *= 0.35
    if cover == ROCK:
        return 0.25 * density
    if cover == TERRAIN:
        return 0.8 * density
    return density


@kernel
def stone_chance(metres, wood, slope, cover, patch, rule):
    """Boulders per hectare at a place: in fields of stones, below and on rock."""
    density = rule[7] * (1.0 if metres < NEAR else (0.4 if metres < MIDDLE else 0.03))
    if cover == ROCK:
        density = 5.0 * density + (14.0 if metres < MIDDLE else 0.35)
    elif cover == TERRAIN:
        density *= 1.5
    return density * 2.6 * ease((patch - 0.05) / 0.3) * (1.0 + slope) * (1.0 - 0.6 * wood)


@kernel
def bush_chance(metres, wood, slope, patch, rule):
    """Bushes per hectare at a place: in patches, and along the rims of groves."""
    density = rule[6] * (1.0 if metres < NEAR else (0.35 if metres < MIDDLE else 0.02))
    rim = 4.0 * wood * (1.0 - wood)
    return density * (0.15 + 1.9 * ease((patch - 0.05) / 0.25) + 2.0 * rim) * (1.0 - ease((slope - 0.8) / 0.5))


@kernel
def with_room(rows, count):
    """The same rows with room for one more behind the first ``count``."""
    if count < rows.shape[0]:
        return rows
    larger = np.empty((2 * rows.shape[0], rows.shape[1]))
    larger[:count] = rows[:count]
    return larger


@kernel
def scatter(z, cover, frame, metres, away, rule, seed, spacing, nearest, farthest, which):
    """Candidates of one ring, ``float64 [k, 5]``.

    Args:
        z, cover, frame: the ground's fields and [x0, y0, cell].
        metres, away: the distance field and its frame.
        rule: [wood, near, middle, far, conifer, tree height, bushes, boulders, boulder size].
        spacing: metres between lattice points; nearest, farthest: bounds of the ring, metres from the ribbon.
        which: 0 trees and boulders, 1 bushes.
    """
    width, height = (z.shape[1] - 1) * frame[2], (z.shape[0] - 1) * frame[2]
    cols, rows = int(width / spacing), int(height / spacing)
    out = np.empty((1024, 5))
    count = 0
    hectares = spacing * spacing / 10_000.0
    for row in range(rows):
        for col in range(cols):
            x = frame[0] + (col + 0.5) * spacing
            y = frame[1] + (row + 0.5) * spacing
            distance = distance_at(metres, away, x, y)
            if distance < nearest or distance >= farthest or distance == 0.0:
                continue
            x += 0.72 * spacing * (chance(col, row, seed, _JITTER_X) - 0.5)
            y += 0.72 * spacing * (chance(col, row, seed, _JITTER_Y) - 0.5)
            wood = wood_at(x, y, seed % 65536, rule[0], distance)
            slope, ground = slope_and_cover(z, cover, frame, x, y)
            grow, other = chance(col, row, seed, _GROW), chance(col, row, seed, _OTHER)
            out = with_room(out, count)
            patch = fractal(x / 55.0, y / 55.0, seed % 65536 + 71, 2)
            if which == 1:
                if grow < bush_chance(distance, wood, slope, patch, rule) * hectares:
                    write_bush(out, count, x, y, col, row, seed)
                    count += 1
            elif grow < tree_chance(distance, wood, slope, ground, rule) * hectares:
                write_tree(out, count, x, y, col, row, seed, wood, rule)
                count += 1
            elif other < stone_chance(distance, wood, slope, ground, -patch, rule) * hectares:
                write_boulder(out, count, x, y, col, row, seed, rule[8])
                count += 1
    return out[:count].copy()


@kernel
def hedgerows(z, frame, metres, away, rule, seed, pitch, cosine, sine):
    """Candidates along the borders of fields: bent lines ``pitch`` metres apart, both ways, near the track."""
    half = 0.5 * frame[2] * max(z.shape[0], z.shape[1])
    mid_x, mid_y = frame[0] + 0.5 * frame[2] * z.shape[1], frame[1] + 0.5 * frame[2] * z.shape[0]
    lines, steps = int(1.5 * half / pitch), int(1.5 * half / 3.0)
    out = np.empty((256, 5))
    count = 0
    for way in range(2):
        for line in range(-lines, lines + 1):
            shift = pitch * (line + 0.35 * lattice(line, way, seed))
            for step in range(-steps, steps + 1):
                along = 3.0 * step
                across = shift + 14.0 * fractal(along / 130.0, 10.0 * line + way, seed + 3, 2)
                a, b = (along, across) if way == 0 else (across, along)
                x, y = mid_x + a * cosine - b * sine, mid_y + a * sine + b * cosine
                distance = distance_at(metres, away, x, y)
                if distance == 0.0 or distance > 75.0:
                    continue
                if fractal(along / 60.0, 3.0 * line + 0.5 * way, seed + 5, 2) < -0.05:
                    continue
                out = with_room(out, count)
                key = 2 * line + way
                if chance(step, key, seed, _GROW) < 0.1:
                    write_tree(out, count, x, y, step, key, seed, 0.6, rule)
                else:
                    write_bush(out, count, x, y, step, key, seed)
                count += 1
    return out[:count].copy()
