"""Barriers along the ribbon: rails on posts, concrete, tyres, fences."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from render_bridge import palette

from ...tracks import track as tracks
from ..materials import Material
from .parts import Finish, StaticPart, pack
from .ribbon import LEFT, Side
from .rings import LODS, Rings
from .solids import quads
from .strips import Edge

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Cross-sections as (metres behind the face, metres up), from the foot on the road's side over the top.
_PROFILES: dict[int, tuple[tuple[float, float], ...]] = {
    tracks.GUARD_RAIL: ((0.0, 0.36), (0.0, 0.90), (0.10, 0.90), (0.10, 0.36)),
    tracks.CONCRETE_WALL: ((0.0, 0.0), (0.12, 0.25), (0.18, 1.0), (0.38, 1.0), (0.44, 0.0)),
    tracks.TYRE_WALL: ((0.04, 0.0), (0.04, 0.94), (0.70, 0.94), (0.70, 0.0)),
    tracks.FENCE: ((0.0, 0.0), (0.0, 1.5), (0.06, 1.5), (0.06, 0.0)),
}
# Far away, walls are wedges and thin things have no top.
_FAR_PROFILES: dict[int, tuple[tuple[float, float], ...]] = {
    tracks.GUARD_RAIL: ((0.0, 0.36), (0.05, 0.90), (0.10, 0.36)),
    tracks.CONCRETE_WALL: ((0.0, 0.0), (0.28, 1.0), (0.44, 0.0)),
    tracks.FENCE: ((0.0, 0.0), (0.03, 1.5), (0.06, 0.0)),
}
# Near, a fence has a rail along its top, and a tyre wall's front is made of stacks: only its back is a strip.
_NEAR_PROFILES: dict[int, tuple[tuple[float, float], ...]] = {
    tracks.TYRE_WALL: ((0.70, 0.94), (0.70, 0.0)),
    tracks.FENCE: (
        (0.0, 0.0), (0.0, 1.42), (-0.03, 1.42), (-0.03, 1.5), (0.09, 1.5), (0.09, 1.42), (0.06, 1.42), (0.06, 0.0)
    ),
}  # fmt: skip
_MATERIAL = {
    tracks.GUARD_RAIL: Material.GUARD_RAIL,
    tracks.CONCRETE_WALL: Material.CONCRETE_WALL,
    tracks.TYRE_WALL: Material.TYRE_WALL,
    tracks.FENCE: Material.FENCE,
}
_POST = {  # style → (samples between posts, metres behind the face, half width, height)
    tracks.GUARD_RAIL: (2, 0.15, 0.06, 0.86),
    tracks.FENCE: (2, 0.03, 0.06, 1.49),
}


def barrier_parts(rings: Rings, sign: int) -> list[StaticPart]:
    """All barriers of one side, standing outside the face at ``barrier_left`` or ``barrier_right``."""
    side = Side(rings, sign)
    parts = []
    for style, profile in _PROFILES.items():
        keys = np.where(side.style == style, 0, -1)
        if (keys == 0).any():
            finish = Finish(palette.BARRIER, _MATERIAL[style])
            near = _NEAR_PROFILES.get(style, profile)
            parts += _walls(side, near, keys, finish, lods=(0,))
            parts += _walls(side, profile, keys, finish, lods=(1,))
            parts += _walls(side, _FAR_PROFILES.get(style, profile), keys, finish, lods=(2,))
            if style == tracks.TYRE_WALL:
                parts += _stacks(side, keys, finish)
            parts += _caps(side, _STACK_END if style == tracks.TYRE_WALL else profile, keys, finish)
            if style in _POST:
                parts += _posts(side, style)
    return parts


def _walls(
    side: Side, profile: tuple[tuple[float, float], ...], keys: Ints, finish: Finish, lods: tuple[int, ...]
) -> list[StaticPart]:
    edges = []
    for behind, up in profile:
        points = side.rings.at(side.sign * (side.barrier + behind), up)
        edges.append(Edge(points, up, 150 if up == 0.0 else 255, side.sign))
    parts = []
    for inner, outer in pairwise(edges):
        parts += side.strip(inner, outer, keys, (finish,), lods=lods)
    return parts


# Front of a stack of tyres in plan: (share of its width, metres behind the face).
_STACK = ((0.0, 0.17), (0.25, 0.0), (0.75, 0.0), (1.0, 0.17))
_STACK_END = ((0.17, 0.0), (0.17, 0.94), (0.70, 0.94), (0.70, 0.0))
_STACKS_PER_SPAN = 2
_TYRES_HIGH, _TYRES_BACK = 0.94, 0.70


def _stacks(side: Side, keys: Ints, finish: Finish) -> list[StaticPart]:
    """Near level of a tyre wall: two rounded stacks a span, front and lid; the plain back is a strip."""
    i = np.flatnonzero(keys == 0)
    rings = side.rings

    def place(share: float, behind: float, up: float) -> Floats:
        points = rings.at(side.sign * (side.barrier + behind), up)
        return points[i] * (1.0 - share) + points[i + 1] * share

    high = np.full(len(i), _TYRES_HIGH)
    zero = np.zeros(len(i))
    corners: list[tuple[Floats, ...]] = []
    uv = []
    for k in range(_STACKS_PER_SPAN):
        shares = [(k + u) / _STACKS_PER_SPAN for u, _ in _STACK]
        along = [side.sign * (rings.s[i] + f * rings.step) for f in shares]
        feet = [place(f, b, 0.0) for f, (_, b) in zip(shares, _STACK, strict=True)]
        tops = [place(f, b, _TYRES_HIGH) for f, (_, b) in zip(shares, _STACK, strict=True)]
        for m in range(3):
            corners.append((feet[m], feet[m + 1], tops[m + 1], tops[m]))
            s0, s1 = along[m], along[m + 1]
            uv.append([np.stack(v, -1) for v in ((s0, zero), (s1, zero), (s1, high), (s0, high))])
        rear = [place(shares[0], _TYRES_BACK, _TYRES_HIGH), place(shares[3], _TYRES_BACK, _TYRES_HIGH)]
        corners += [tuple(tops), (tops[0], tops[3], rear[1], rear[0])]
        s0, s3 = along[0], along[3]
        uv.append([np.stack((s, high), -1) for s in along])
        uv.append([np.stack(v, -1) for v in ((s0, high), (s3, high), (s3, high + 0.5), (s0, high + 0.5))])
    quad = np.array(corners).transpose(0, 2, 1, 3).reshape(-1, 4, 3)
    coordinates = np.array(uv).transpose(0, 2, 1, 3).reshape(-1, 4, 2)
    if side.sign != LEFT:
        quad, coordinates = quad[:, ::-1], coordinates[:, ::-1]
    part = quads(quad, finish, coordinates)
    cell = np.repeat(np.tile(rings.cell_of[i], len(corners)), 2)
    return [StaticPart(part.vertices, part.triangles, cell, np.zeros(len(cell), np.int64))]


def _caps(side: Side, profile: tuple[tuple[float, float], ...], keys: Ints, finish: Finish) -> list[StaticPart]:
    """Closed ends where a barrier begins and stops."""
    inside = keys == 0
    begins = np.flatnonzero(inside & ~np.roll(inside, 1))
    stops = np.flatnonzero(~inside & np.roll(inside, 1))
    rings = side.rings
    outline = np.stack([rings.at(side.sign * (side.barrier + b), u) for b, u in profile], 1)
    parts = []
    for samples, direction in ((begins, -1.0), (stops, 1.0)):
        if len(samples):
            parts.append(_fans(side, outline[samples], samples, direction, finish))
    return parts


def _fans(side: Side, outline: Floats, samples: Ints, direction: float, finish: Finish) -> StaticPart:
    """Polygons ``outline`` ``[k, corners, 3]`` facing along ``direction`` × tangent, in every level."""
    count, corners = outline.shape[:2]
    normal = np.repeat(direction * side.rings.tangent[samples], corners, axis=0)
    across = np.sqrt(((outline - outline[:, :1]) ** 2).sum(-1)).reshape(-1)
    uv = np.stack([across, outline[:, :, 2].reshape(-1) - np.repeat(outline[:, :, 2].min(1), corners)], -1)
    # From the outer foot: the profile of a concrete wall is concave at its inner one.
    fan = np.stack([np.full(corners - 2, corners - 1), np.arange(corners - 2), np.arange(1, corners - 1)], -1)
    if direction * side.sign > 0:
        fan = fan[:, ::-1]
    triangles = (fan[None] + corners * np.arange(count)[:, None, None]).reshape(-1, 3)
    cell = side.rings.cell_of[np.minimum(samples, side.rings.count - 1)]
    return every_lod(pack(outline, normal, uv, finish), triangles, np.repeat(cell, corners - 2))


def _posts(side: Side, style: int) -> list[StaticPart]:
    """Square posts: near level only, four faces, no top."""
    every, behind, half, height = _POST[style]
    rings = side.rings
    at = np.flatnonzero((side.style == style) & (np.arange(rings.count) % every == 0))
    if not len(at):
        return []
    tangent = rings.tangent[at] * np.array([1.0, 1.0, 0.0])
    outward = side.sign * rings.left[at]
    base = rings.at(side.sign * (side.barrier + behind))[at] - np.array([0.0, 0.0, 0.1])
    corners = [base + half * (a * tangent + b * outward) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    if side.sign != LEFT:
        corners.reverse()
    finish = Finish(palette.BARRIER, Material.GUARD_RAIL)
    rise = np.array([0.0, 0.0, height + 0.1])
    parts = []
    for k in range(4):
        a, b = corners[k], corners[(k + 1) % 4]
        quad = np.stack([a, b, b + rise, a + rise], 1)
        uv = np.tile([[0.0, 0.0], [2 * half, 0.0], [2 * half, height], [0.0, height]], (len(at), 1))
        vertices = pack(quad, np.repeat(np.cross(b - a, rise), 4, axis=0), uv, finish)
        triangles = (np.array([[0, 1, 2], [0, 2, 3]])[None] + 4 * np.arange(len(at))[:, None, None]).reshape(-1, 3)
        cell = np.repeat(rings.cell_of[at], 2)
        parts.append(StaticPart(vertices, triangles, cell, np.zeros(len(cell), np.int64)))
    return parts


def every_lod(vertices: NDArray[np.void], triangles: Ints, cell: Ints) -> StaticPart:
    """The same triangles in all levels of detail."""
    lod = np.repeat(np.arange(LODS), len(triangles))
    return StaticPart(vertices, np.tile(triangles, (LODS, 1)), np.tile(cell, LODS), lod)
