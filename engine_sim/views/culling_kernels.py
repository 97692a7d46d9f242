"""The loops behind the draw list: which parts the frustum touches, in which level, and their records side by side.

Instance records go through here as nine 8-byte words each, so that copying one knows nothing of its fields. ``slots``
are batches to be: a number per prototype and level, in the order of the list.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.jit import kernel

WORDS = 9
"""8-byte words of an INSTANCE_DTYPE record; its fields are twice as many numbers of 4 bytes."""
ORIGIN = 9
"""The first 4-byte number of a record's origin."""


@kernel
def nearest_in_view(view, x, y, z, radius):
    """Distance in metres to the nearest point of a sphere, or −1 if the frustum does not touch it."""
    dx = x - view[0]
    dy = y - view[1]
    dz = z - view[2]
    depth = dx * view[9] + dy * view[10] + dz * view[11]
    if depth < -radius or depth > view[16] + radius:
        return -1.0
    across = abs(dx * view[3] + dy * view[4] + dz * view[5])
    if across * view[12] - depth * view[13] > radius:
        return -1.0
    up = abs(dx * view[6] + dy * view[7] + dz * view[8])
    if up * view[14] - depth * view[15] > radius:
        return -1.0
    return max(0.0, math.sqrt(dx * dx + dy * dy + dz * dz) - radius)


@kernel
def visible_cells(view, center, radius, first, counts, lod_distance):
    """Index ranges ``[r, 2]`` of the cells in sight, by level, neighbours joined."""
    cells, lods = first.shape
    level = np.empty(cells, np.int64)
    for c in range(cells):
        level[c] = -1
        nearest = nearest_in_view(view, center[c, 0], center[c, 1], center[c, 2], radius[c])
        if nearest >= 0.0:
            for k in range(lods):
                if nearest < lod_distance[k]:
                    level[c] = k
                    break
    ranges = np.empty((cells, 2), np.int64)
    n = 0
    for k in range(lods):
        for c in range(cells):
            if level[c] == k and counts[c, k] > 0:
                if n > 0 and ranges[n - 1, 0] + ranges[n - 1, 1] == first[c, k]:
                    ranges[n - 1, 1] += counts[c, k]
                else:
                    ranges[n, 0] = first[c, k]
                    ranges[n, 1] = counts[c, k]
                    n += 1
    return ranges[:n]


@kernel
def slot_in_view(view, x, y, z, radius, levels, prototype, at):
    """Slot of one sphere, or −1 unseen: ``at`` · number of levels + its level by the row of its prototype."""
    nearest = nearest_in_view(view, x, y, z, radius)
    if nearest >= 0.0:
        for k in range(levels.shape[1]):
            if nearest < levels[prototype, k]:
                return at * levels.shape[1] + k
    return -1


@kernel
def no_slots(n):
    """−1, int64 ``[n]``."""
    slot = np.empty(n, np.int64)
    for i in range(n):
        slot[i] = -1
    return slot


@kernel
def slot_ranges(slot, slots):
    """How many records each slot has, as the places they take when they stand slot by slot.

    Args:
        slot: of every record, −1 for those left out.
        slots: how many there are.

    Returns:
        First place of each slot and the total, int64 ``[slots + 1]``; used slots int64 ``[b, 3]``: slot, first, end.
    """
    start = np.zeros(slots + 1, np.int64)
    for i in range(slot.shape[0]):
        if slot[i] >= 0:
            start[slot[i] + 1] += 1
    used = 0
    for k in range(slots):
        used += start[k + 1] > 0
        start[k + 1] += start[k]
    parts = np.empty((used, 3), np.int64)
    used = 0
    for k in range(slots):
        if start[k + 1] > start[k]:
            parts[used, 0] = k
            parts[used, 1] = start[k]
            parts[used, 2] = start[k + 1]
            used += 1
    return start, parts


@kernel
def place_records(records, slot, end, start, chosen):
    """Copy records ``[n, WORDS]`` whose slots end at ``slot[end]`` to their places; ``start`` moves on."""
    for i in range(records.shape[0]):
        k = slot[end - records.shape[0] + i]
        if k >= 0:
            row = start[k]
            start[k] = row + 1
            for w in range(WORDS):
                chosen[row, w] = records[i, w]


@kernel
def visible_scenery(view, places, prototype_of, levels, members, group_end, group_sphere, slot):
    """Set the slots of scenery in sight, group by group; the others keep theirs. Places lie in the order of members."""
    start = 0
    for g in range(group_end.shape[0]):
        x, y, z, radius = group_sphere[g, 0], group_sphere[g, 1], group_sphere[g, 2], group_sphere[g, 3]
        nearest = nearest_in_view(view, x, y, z, radius)
        if nearest >= 0.0 and nearest < group_sphere[g, 4]:
            for m in range(start, group_end[g]):
                p = prototype_of[m]
                slot[members[m]] = slot_in_view(
                    view, places[m, 0], places[m, 1], places[m, 2], places[m, 3], levels, p, p
                )
        start = group_end[g]


@kernel
def everything_in_view(
    view, center, radius, first, counts, lod_distance,
    places, prototype_of, levels, members, group_end, group_sphere, records, car_prototypes, car_radius,
    car_numbers, car_records, unseen_cars,
):  # fmt: skip
    """Static ranges, records and slots in sight; arguments in the order of ``culling_tables.SceneTables``.

    Args:
        car_numbers, car_records: the same five records a car as float32 ``[n, 2 · WORDS]`` and uint64 ``[n, WORDS]``.
        unseen_cars: how many of the first cars are left out.

    Returns:
        Ranges of ``visible_cells``; records uint64 ``[seen, WORDS]``, slot by slot and in their old order within one;
        used slots of ``slot_ranges``, of which the last 2 · levels are car bodies and wheels.
    """
    objects, car_parts, kinds = places.shape[0], car_numbers.shape[0], levels.shape[0]
    slot = no_slots(objects + car_parts)
    visible_scenery(view, places, prototype_of, levels, members, group_end, group_sphere, slot)
    for i in range(5 * unseen_cars, car_parts):
        x, y, z = car_numbers[i, ORIGIN], car_numbers[i, ORIGIN + 1], car_numbers[i, ORIGIN + 2]
        part = min(i % 5, 1)
        slot[objects + i] = slot_in_view(
            view, np.float64(x), np.float64(y), np.float64(z), car_radius[part], levels, car_prototypes[part],
            kinds + part,
        )  # fmt: skip
    start, parts = slot_ranges(slot, (kinds + 2) * levels.shape[1])
    chosen = np.empty((start[-1], WORDS), np.uint64)
    place_records(records, slot, objects, start, chosen)
    place_records(car_records, slot, objects + car_parts, start, chosen)
    return visible_cells(view, center, radius, first, counts, lod_distance), chosen, parts


@kernel
def casters_in_box(across, depth, radius, prototype_of, casts, records, center, half, reach, fine):
    """Scenery whose spheres touch a box along the sun; see ``teacher_shadows``.

    Args:
        across: places along the box's axes ``[n, 3]``; ``center`` is the box's, ``half`` and ``reach`` its halves
            across and along the sun.
        depth: places along the sun ``[n]``; those within ``fine`` of the centre are drawn in a finer level.
        casts: whether a prototype casts at all ``[prototypes]``.

    Returns:
        Records uint64 ``[k, WORDS]`` and used slots of ``slot_ranges``: 2 · prototype, + 1 for those drawn coarsely.
    """
    slot = no_slots(records.shape[0])
    for i in range(records.shape[0]):
        x, y = abs(across[i, 0] - center[0]), abs(across[i, 1] - center[1])
        near = max(x, y) < half + radius[i] and abs(across[i, 2] - center[2]) < reach + radius[i]
        if near and casts[prototype_of[i]]:
            slot[i] = 2 * prototype_of[i] + (0 if abs(depth[i] - center[2]) < fine + radius[i] else 1)
    start, parts = slot_ranges(slot, 2 * casts.shape[0])
    chosen = np.empty((start[-1], WORDS), np.uint64)
    place_records(records, slot, records.shape[0], start, chosen)
    return chosen, parts
