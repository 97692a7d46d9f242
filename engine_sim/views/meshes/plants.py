"""Trees, bushes and boulders in a unit box: x and y in −0.5 … 0.5, z in 0 … 1, scaled by their instances.

Crowns are lumpy spheres. Their normals lean towards those of one smooth sphere around the whole crown, which lights a
tree as one soft body; openness darkens what lies inside and below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ...core.random import Stream
from ..materials import Material
from .parts import Finish, Part, join, pack, unit
from .solids import creased, icosphere, lathe, smooth_normals

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BROADLEAF_FORMS, CONIFER_FORMS, BUSH_FORMS, BOULDER_FORMS = 4, 3, 2, 3
BARK = Finish(palette.VEGETATION, Material.BARK, 128, 150)


@dataclass(frozen=True)
class Blob:
    """One lump of foliage: centre, radii, phase of its lumps, variation of its colour."""

    center: tuple[float, float, float]
    radii: tuple[float, float, float]
    phase: float
    variation: int


def broadleaf(form: int, lod: int) -> Part:
    """A tree with a trunk and three to four crowns; forms 0 … 3 from round to tall."""
    blobs = _crown(form)
    sides = (6, 4, 3, 0)[lod]
    top = min(b.center[2] for b in blobs)
    trunk = lathe([(0.056, -0.03), (0.032, 0.12), (0.022, top)], sides, BARK)
    if lod == 3:
        stalk = lathe([(0.045, 0.0), (0.0, 0.5)], 3, BARK)
        return join([stalk, _far_crown(blobs, 0.52, pointed=True)])
    if lod == 2:
        trunk = lathe([(0.045, -0.03), (0.024, top)], sides, BARK)
        return join([trunk, _far_crown(blobs, 0.52)])
    return join([trunk, *_foliage(blobs, [lod] * len(blobs), 0.52)])


def _crown(form: int) -> list[Blob]:
    """Crowns that fill the unit box: one in the middle, others around it and on top."""
    stream = Stream(form, "broadleaf")
    count = (4, 3, 4, 3)[form]
    spread, low, high = ((0.20, 0.52, 0.76), (0.10, 0.50, 0.78), (0.22, 0.58, 0.74), (0.14, 0.42, 0.74))[form]
    start = stream.uniform(0.0, 6.28)
    blobs = []
    for k in range(count):
        angle = start + 6.2832 * k / (count - 1)
        last = k == count - 1
        out = 0.04 if last else spread
        z = high if last else low + stream.uniform(-0.03, 0.05)
        r = 0.5 - spread - 0.02 + (0.05 if last else 0.0)
        tall = min(0.97 - z, 0.30) if last else stream.uniform(0.22, 0.27)
        blobs.append(
            Blob(
                (out * float(np.cos(angle)), out * float(np.sin(angle)), z),
                (r, r, tall), stream.uniform(0.0, 6.28), stream.integer(90, 170),
            )
        )  # fmt: skip
    return blobs


def bush(form: int, lod: int) -> Part:
    """Two or three low lumps."""
    stream = Stream(form, "bush")
    blobs = [Blob((0.0, 0.0, 0.42), (0.36, 0.36, 0.52), stream.uniform(0.0, 6.28), 120)]
    for k in range(1 + form):
        angle = stream.uniform(0.0, 6.28) + 3.0 * k
        center = (0.24 * float(np.cos(angle)), 0.24 * float(np.sin(angle)), 0.28)
        blobs.append(Blob(center, (0.26, 0.24, 0.38), stream.uniform(0.0, 6.28), stream.integer(90, 170)))
    if lod < 2:
        return join(_foliage(blobs, [lod] + [1] * (len(blobs) - 1), 0.3))
    return _far_crown(blobs, 0.3, pointed=True)


def _foliage(blobs: list[Blob], lods: list[int], middle: float) -> list[Part]:
    """Blobs as meshes of 80 (level 0) or 20 triangles (1), the coarse ones widened so that they keep the silhouette."""
    fit = _fit(blobs)
    parts = []
    for blob, lod in zip(blobs, lods, strict=True):
        sphere, triangles = icosphere(1 - lod)
        swell = (1.0, 1.1)[lod] * _lumps(sphere, blob.phase)
        position = np.array(blob.center) + sphere * swell[:, None] * np.array(blob.radii)
        position *= fit
        finish = Finish(palette.VEGETATION, Material.LEAVES, blob.variation)
        parts.append(_leafy(position, triangles, finish, blobs, middle))
    return parts


def _fit(blobs: list[Blob]) -> Floats:
    """Factors that bring the finest level into the unit box, ``[3]``."""
    sphere, _ = icosphere(1)
    points = np.concatenate(
        [np.array(b.center) + sphere * _lumps(sphere, b.phase)[:, None] * np.array(b.radii) for b in blobs]
    )
    wide = float(np.abs(points[:, :2]).max())
    return np.array([0.5 / wide, 0.5 / wide, 1.0 / float(points[:, 2].max())])


def _leafy(position: Floats, triangles: Ints, finish: Finish, blobs: list[Blob], middle: float) -> Part:
    """Foliage with softened normals and baked openness."""
    whole = unit((position - np.array([0.0, 0.0, middle])) * np.array([1.0, 1.0, 0.8]))
    normal = unit(0.45 * smooth_normals(position, triangles) + 0.55 * whole)
    vertices = pack(position, normal, position[:, [0, 2]], finish)
    vertices["surface"][:, 3] = _openness(position, blobs, middle)
    return Part(vertices, triangles)


# Rings of far crowns: share of the half width, share of the half height, whether turned by half a step.
_BARREL = ((0.62, -0.94, False), (1.06, -0.08, True), (0.48, 0.97, False))
_CUP = ((1.22, -0.42, True), (0.72, 0.94, False))


def _far_crown(blobs: list[Blob], middle: float, pointed: bool = False) -> Part:
    """All blobs as one closed body: a barrel of 26 triangles, or a cup of 14 that ends in a point below."""
    low = np.min([np.array(b.center) - np.array(b.radii) for b in blobs], 0) * _fit(blobs)
    high = np.max([np.array(b.center) + np.array(b.radii) for b in blobs], 0) * _fit(blobs)
    low[2] = max(low[2], 0.0)
    shape, sides = (_CUP, 4) if pointed else (_BARREL, 5)
    step = 2.0 * np.pi / sides
    rings = []
    for wide, z, turned in shape:
        angle = step * (np.arange(sides) + 0.5 * turned)
        rings.append(np.stack([wide * np.cos(angle), wide * np.sin(angle), np.full(sides, z)], -1))
    position = 0.5 * (low + high) + np.concatenate(rings) * 0.5 * (high - low)
    triangles = _zigzags(tuple(turned for _, _, turned in shape), sides)
    k = np.arange(sides)
    if pointed:
        position = np.concatenate([position, [[0.0, 0.0, 0.7 * low[2]]]])
        bottom = np.stack([np.full(sides, len(position) - 1), (k + 1) % sides, k], -1)
    else:
        bottom = np.stack([np.zeros(sides - 2, int), k[2:], k[1:-1]], -1)
    top = sides * (len(shape) - 1) + np.stack([np.zeros(sides - 2, int), k[1:-1], k[2:]], -1)
    triangles = np.concatenate([triangles, bottom, top])
    return _leafy(position, triangles, Finish(palette.VEGETATION, Material.LEAVES, blobs[0].variation), blobs, middle)


def _zigzags(turned: tuple[bool, ...], sides: int) -> Ints:
    """Bands between rings of which every other one is turned by half a step."""
    k, m = np.arange(sides), (np.arange(sides) + 1) % sides
    bands = []
    for row, ahead in enumerate(turned[:-1]):
        below, above = row * sides, (row + 1) * sides
        if ahead:
            bands += [(below + k, below + m, above + m), (below + k, above + m, above + k)]
        else:
            bands += [(below + k, below + m, above + k), (above + k, below + m, above + m)]
    return np.concatenate([np.stack(b, -1) for b in bands])


def _lumps(direction: Floats, phase: float) -> Floats:
    """Radius factor per direction: a few waves that do not repeat, 0.8 … 1.12."""
    x, y, z = direction.T
    wave = np.sin(3.1 * x + 4.3 * y + phase) + np.sin(4.7 * z - 3.7 * x + 1.9 * phase) + np.sin(5.9 * y + 5.1 * z + 0.7)
    return 0.96 + 0.055 * wave


def _openness(position: Floats, blobs: list[Blob], middle: float) -> NDArray[np.uint8]:
    """Open sky on top and outside, dark below the crown and inside its lumps."""
    buried = np.ones(len(position))
    for blob in blobs:
        inside = ((position - np.array(blob.center)) / np.array(blob.radii) / 1.05) ** 2
        buried = np.minimum(buried, np.clip(inside.sum(-1), 0.4, 1.0))
    height = np.clip((position[:, 2] - (middle - 0.3)) / 0.6, 0.0, 1.0)
    return np.clip(255.0 * (0.5 + 0.5 * height) * buried, 60.0, 255.0).astype(np.uint8)


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
