"""Trees, bushes and boulders in a unit box: x and y in −0.5 … 0.5, z in 0 … 1, scaled by their instances."""

from __future__ import annotations

import numpy as np

from render_bridge import palette

from ...core.random import Stream
from ..materials import Material
from .foliage import Blob, far_crown, far_tree, foliage
from .parts import Finish, Part, join, pack, unit
from .solids import creased, icosphere, lathe

BROADLEAF_FORMS, CONIFER_FORMS, BUSH_FORMS, BOULDER_FORMS = 4, 3, 2, 3
BARK = Finish(palette.VEGETATION, Material.BARK, 128, 150)
_CLUMPS = 8


def broadleaf(form: int, lod: int) -> Part:
    """A tree with a trunk, a few big lumps and small ones around them; forms 0 … 3: round, tall, wide, slender."""
    lumps, clumps = _crown(form)
    everything = lumps + clumps
    top = min(b.center[2] for b in lumps)
    if lod == 3:
        return far_tree(everything, 0.52)
    if lod == 2:
        trunk = lathe([(0.045, -0.03), (0.024, top)], 3, BARK)
        return join([trunk, far_crown(everything, 0.52)])
    trunk = lathe([(0.056, -0.03), (0.032, 0.12), (0.022, top)], (6, 4)[lod], BARK)
    shown = everything if lod == 0 else lumps[:3] + clumps[::3]
    return join([trunk, *foliage(shown, lod, 0.52, everything)])


def _crown(form: int) -> tuple[list[Blob], list[Blob]]:
    """Big lumps, the one on top first, and small clumps spread evenly over the crown they make."""
    stream = Stream(form, "broadleaf")
    count = (3, 2, 4, 2)[form]
    spread, low, high = ((0.16, 0.52, 0.72), (0.06, 0.48, 0.73), (0.20, 0.57, 0.70), (0.05, 0.44, 0.72))[form]
    start = stream.uniform(0.0, 6.28)
    lumps = [Blob((0.0, 0.0, high), (0.36, 0.36, 0.26), stream.uniform(0.0, 6.28), stream.integer(100, 160), True)]
    for k in range(count - 1):
        angle = start + 6.2832 * k / (count - 1)
        center = (spread * float(np.cos(angle)), spread * float(np.sin(angle)), low + stream.uniform(-0.02, 0.04))
        r, tall = 0.47 - spread, stream.uniform(0.23, 0.27)
        lumps.append(Blob(center, (r, r, tall), stream.uniform(0.0, 6.28), stream.integer(90, 170), k == 0))
    middle, half = 0.5 * (low + high), 0.5 * (high - low) + 0.24
    clumps = []
    for k in range(_CLUMPS):
        z = -0.45 + 1.35 * (k + 0.5) / _CLUMPS  # share of the half height
        angle = start + 2.39996 * k  # the golden angle never repeats a direction
        out = 0.36 * float(np.sqrt(max(0.0, 1.0 - z * z)))
        r = stream.uniform(0.15, 0.21)
        center = (out * float(np.cos(angle)), out * float(np.sin(angle)), middle + 0.86 * half * z)
        clumps.append(Blob(center, (r, r, 0.7 * r), stream.uniform(0.0, 6.28), stream.integer(80, 180)))
    return lumps, clumps


def bush(form: int, lod: int) -> Part:
    """Two or three low lumps."""
    stream = Stream(form, "bush")
    blobs = [Blob((0.0, 0.0, 0.42), (0.36, 0.36, 0.52), stream.uniform(0.0, 6.28), 120, True)]
    for k in range(1 + form):
        angle = stream.uniform(0.0, 6.28) + 3.0 * k
        center = (0.24 * float(np.cos(angle)), 0.24 * float(np.sin(angle)), 0.28)
        blobs.append(Blob(center, (0.26, 0.24, 0.38), stream.uniform(0.0, 6.28), stream.integer(90, 170)))
    if lod < 2:
        return join(foliage(blobs, lod, 0.3, blobs))
    return far_crown(blobs, 0.3, pointed=True)


def conifer(form: int, lod: int) -> Part:
    """A trunk with tiers of drooping branches, narrower upwards."""
    stream = Stream(form, "conifer")
    if lod == 3:
        return _tier(0.04, 1.0, 0.42, 5, 0.3, lod)
    tiers = ((7, 4, 2), (6, 4, 2), (8, 5, 2))[form][lod]
    slim = (0.5, 0.5, 0.46)[form]
    spikes = (12, 8, 6)[lod]
    bottom = (0.12, 0.20, 0.10)[form]
    parts = [lathe([(0.042, -0.03), (0.028, bottom + 0.12)], (6, 4, 3)[lod], BARK)]
    for k in range(tiers):
        t = k / tiers
        edge = bottom + (0.97 - bottom) * t
        apex = min(1.0, edge + (0.97 - bottom) * (1.75 / tiers)) if k < tiers - 1 else 1.0
        radius = slim * (1.0 - t) ** 0.85 * (1.0, 1.04, 0.94)[lod]
        parts.append(_tier(edge, apex, radius, spikes, stream.uniform(0.0, 6.28), lod))
    return join(parts)


def _tier(edge: float, apex: float, radius: float, spikes: int, turn: float, lod: int) -> Part:
    """One skirt of branches: a jagged rim, an apex above, a raised middle below."""
    angle = turn + 2.0 * np.pi * np.arange(spikes) / spikes
    jag = np.where(np.arange(spikes) % 2 == 0, 1.0, 0.72 if lod < 2 else 0.9)
    droop = np.where(np.arange(spikes) % 2 == 0, 0.0, 0.03 if lod < 2 else 0.0)
    x, y = radius * jag * np.cos(angle), radius * jag * np.sin(angle)
    rim = np.stack([x, y, edge + droop], -1)
    k = np.arange(spikes)
    following = (k + 1) % spikes
    position = np.concatenate([rim, rim, [[0.0, 0.0, apex]], [[0.0, 0.0, edge + 0.35 * (apex - edge)]]])
    upper = np.stack([k, following, np.full(spikes, 2 * spikes)], -1)
    lower = np.stack([spikes + following, spikes + k, np.full(spikes, 2 * spikes + 1)], -1)
    outward = np.stack([np.cos(angle), np.sin(angle), np.full(spikes, 0.55)], -1)
    under = outward * np.array([0.5, 0.5, -1.0])
    normal = np.concatenate([outward, under, [[0.0, 0.0, 1.0]], [[0.0, 0.0, -1.0]]])
    variation = 110 + int(40 * (0.5 + 0.5 * np.sin(turn * 7.0)))
    vertices = pack(position, normal, position[:, [0, 2]], Finish(palette.VEGETATION, Material.NEEDLES, variation))
    open_sky = np.concatenate([np.full(spikes, 255), np.full(spikes, 120), [150], [60]])
    vertices["surface"][:, 3] = open_sky
    return Part(vertices, np.concatenate([upper, lower]))


def boulder(form: int, lod: int) -> Part:
    """A sphere cut by planes, sunk a little into the ground."""
    stream = Stream(form, "boulder")
    planes = unit(np.array([[stream.uniform(-1, 1), stream.uniform(-1, 1), stream.uniform(-0.4, 1)] for _ in range(9)]))
    depth = np.array([stream.uniform(0.62, 0.95) for _ in range(9)])
    sphere, triangles = (icosphere(2), icosphere(1), icosphere(0))[lod]
    along = sphere @ planes.T
    reach = np.where(along > 0.05, depth / np.maximum(along, 0.05), 1.0).min(1)
    position = sphere * np.minimum(reach, 1.0)[:, None]
    position = position / np.abs(position).max(0)
    position = position * np.array([0.5, 0.5, 0.6]) + np.array([0.0, 0.0, 0.4])
    position[:, 2] /= position[:, 2].max()
    finish = Finish(palette.ROCK, Material.ROCK, 100 + 20 * form)
    part = creased(position, triangles, np.zeros(len(triangles), np.int64), (finish,), position[:, [0, 2]], 32.0)
    height = part.vertices["position"][:, 2]
    part.vertices["surface"][:, 3] = np.clip(120.0 + 180.0 * height, 110.0, 255.0).astype(np.uint8)
    return part
