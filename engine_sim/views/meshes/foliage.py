"""Foliage: lumps that together make a crown or a bush, in the units of their unit box.

Normals of the lumps lean towards those of one smooth sphere around the whole crown, which lights a tree as one soft
body; openness darkens what lies inside and below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ..materials import Material
from .parts import Finish, Part, pack, unit
from .solids import icosphere, smooth_normals

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Blob:
    """One lump of foliage: centre, radii, phase of its lumps, variation of its colour; ``fine`` ones are finer near."""

    center: tuple[float, float, float]
    radii: tuple[float, float, float]
    phase: float
    variation: int
    fine: bool = False


def foliage(blobs: list[Blob], lod: int, middle: float, crown: list[Blob]) -> list[Part]:
    """Blobs as meshes of 80 (fine ones at level 0, the first of a thinned crown at level 1) or 20 triangles.

    Args:
        lod: 0 near, 1 middle.
        middle: height of the crown's middle, from which its soft normals spread.
        crown: all blobs of the plant at its finest; they decide size and shade.
    """
    fit = _fit(crown)
    parts = []
    thinned = lod == 1 and len(blobs) < len(crown)
    for number, blob in enumerate(blobs):
        offset, triangles = _lump(blob, blob.fine and (lod == 0 or (thinned and number == 0)))
        if thinned:
            offset = offset * 1.16  # fewer lumps fill the same crown
        position = (np.array(blob.center) + offset) * fit
        parts.append(_leafy(position, triangles, _leaves(blob), crown, middle))
    return parts


def _fit(blobs: list[Blob]) -> Floats:
    """Factors that bring the finest level into the unit box, ``[3]``."""
    points = np.concatenate([np.array(b.center) + _lump(b, b.fine)[0] for b in blobs])
    wide = float(np.abs(points[:, :2]).max())
    return np.array([0.5 / wide, 0.5 / wide, 1.0 / float(points[:, 2].max())])


def _lump(blob: Blob, fine: bool) -> tuple[Floats, Ints]:
    """Points around the blob's centre, and triangles; a coarse lump is widened so that it keeps the silhouette."""
    sphere, triangles = icosphere(1 if fine else 0)
    sphere = _turned(sphere, blob.phase)
    swell = (1.0 if fine else 1.1) * _waves(sphere, blob.phase)
    return sphere * swell[:, None] * np.array(blob.radii), triangles


def _turned(sphere: Floats, phase: float) -> Floats:
    """An icosphere with a corner on top, not an edge, so that no crown ends flat; each lump turned its own way."""
    tilt = np.arctan(2.0 / (1.0 + 5.0**0.5))
    x, y, z = sphere.T
    y, z = y * np.cos(tilt) - z * np.sin(tilt), y * np.sin(tilt) + z * np.cos(tilt)
    return np.stack([x * np.cos(phase) - y * np.sin(phase), x * np.sin(phase) + y * np.cos(phase), z], -1)


def _leafy(position: Floats, triangles: Ints, finish: Finish, blobs: list[Blob], middle: float) -> Part:
    """Foliage with softened normals and baked openness."""
    whole = unit((position - np.array([0.0, 0.0, middle])) * np.array([1.0, 1.0, 0.8]))
    own = smooth_normals(position, triangles)
    # Where a lump looks into the crown, the crown's normal would turn it inside out: keep its own there.
    lean = 0.55 * np.clip(0.5 + (own * whole).sum(-1, keepdims=True), 0.0, 1.0)
    normal = unit((1.0 - lean) * own + lean * whole)
    vertices = pack(position, normal, position[:, [0, 2]], finish)
    vertices["surface"][:, 3] = _openness(position, blobs, middle)
    return Part(vertices, triangles)


# Rings of far crowns, from below: share of the half width, share of the half height.
_BARREL = ((0.58, -0.93), (1.04, -0.46), (1.07, 0.2), (0.7, 0.76))
_CUP = ((1.14, -0.42), (0.9, 0.42))
_EGG = ((0.74, -1.04), (1.06, -0.42), (1.02, 0.32))


def far_crown(blobs: list[Blob], middle: float, pointed: bool = False) -> Part:
    """All blobs as one closed, uneven body: a barrel of 46 triangles, or a cup of 16 that ends in a point below."""
    low, high = _bounds(blobs)
    low[2] = max(low[2], 0.0)
    position = _uneven(_CUP if pointed else _BARREL, 4 if pointed else 6, blobs[0].phase, low, high)
    if pointed:
        position[-1, 2] = 0.7 * low[2]
    triangles = _bands(2, 4, capped=False) if pointed else _bands(4, 6, capped=True)
    return _leafy(position, triangles, _leaves(blobs[0]), blobs, middle)


def far_tree(blobs: list[Blob], middle: float) -> Part:
    """A tree of which one sees no trunk any more: 20 triangles, open below.

    It stands on the ground: crowns on thin stalks along a far hill look like dots above it.
    """
    low, high = _bounds(blobs)
    low[2] = 0.0
    position = _uneven(_EGG, 4, blobs[0].phase, low, high)[:-1]
    bands = _bands(3, 4, capped=False)
    return _leafy(position, bands[(bands < len(position)).all(1)], _leaves(blobs[0]), blobs, middle)


def _leaves(blob: Blob) -> Finish:
    return Finish(palette.VEGETATION, Material.LEAVES, blob.variation)


def _bounds(blobs: list[Blob]) -> tuple[Floats, Floats]:
    """Lowest and highest corner of the box around all blobs, in the unit box of the plant."""
    low = np.min([np.array(b.center) - np.array(b.radii) for b in blobs], 0) * _fit(blobs)
    high = np.max([np.array(b.center) + np.array(b.radii) for b in blobs], 0) * _fit(blobs)
    return low, high


def _uneven(shape: tuple[tuple[float, float], ...], sides: int, phase: float, low: Floats, high: Floats) -> Floats:
    """Rings of ``sides`` points that fill a box, no two radii alike, then a point on top and one below."""
    angle = 2.0 * np.pi / sides * (np.arange(sides)[None] + 0.5 * (np.arange(len(shape)) % 2)[:, None])
    wide, z = (np.array(column)[:, None] for column in zip(*shape, strict=True))
    rings = np.stack([wide * np.cos(angle), wide * np.sin(angle), np.broadcast_to(z, angle.shape)], -1).reshape(-1, 3)
    rings[:, :2] *= 0.5 + 0.52 * _waves(unit(rings), phase)[:, None]
    ends = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    return 0.5 * (low + high) + np.concatenate([rings, ends]) * 0.5 * (high - low)


def _bands(rings: int, sides: int, capped: bool) -> Ints:
    """Rings of which every other one is turned by half a step, a point above; below a cap, or a point, too."""
    k, m = np.arange(sides), (np.arange(sides) + 1) % sides
    bands = []
    for row in range(rings - 1):
        below, above = row * sides, (row + 1) * sides
        if row % 2:
            bands += [(below + k, below + m, above + m), (below + k, above + m, above + k)]
        else:
            bands += [(below + k, below + m, above + k), (above + k, below + m, above + m)]
    top, last = rings * sides, (rings - 1) * sides
    bands.append((last + k, last + m, np.full(sides, top)))
    if capped:
        bands.append((np.zeros(sides - 2, int), k[2:], k[1:-1]))
    else:
        bands.append((np.full(sides, top + 1), m, k))
    return np.concatenate([np.stack(b, -1) for b in bands])


def _waves(direction: Floats, phase: float) -> Floats:
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
