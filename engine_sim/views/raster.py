"""Kernels of the CPU class view: transform, clip and fill triangles into a payload and a depth buffer.

Sampling follows OpenGL, so that both class views agree: corners snapped to 1/256 pixel, a pixel belongs to a triangle
when its centre lies inside, and on shared edges the top-left rule gives it to exactly one of the two. Edge functions
are whole numbers held in float64: below 2^53, hence exact. Depth is 1/w (w: metres along the viewing axis), linear on
the screen; greater is nearer, the first of two equals stays. Row 0 of the buffers is the top of the picture. No face
is culled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.jit import kernel

SUBPIXELS = 256.0
GUARD = 8192.0  # triangles that reach farther off the picture, in pixels, are clipped there
BLOCK = 16  # pixels of a narrow row tested together; the buffers are that much longer than the picture
_BEHIND, _LEFT, _RIGHT, _UP, _DOWN, _FAR_OFF = 1, 2, 4, 8, 16, 32


class PackedMeshes(NamedTuple):
    """All meshes of a scene end to end: mesh k owns ``*_count[k]`` vertices and triangles from ``*_first[k]`` on."""

    x: NDArray[np.float32]  # local coordinates, metres, one array an axis so that the transform runs in vectors
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    corners: NDArray[np.int32]  # [triangles, 3], counted from the mesh's first vertex
    class_id: NDArray[np.uint8]  # [triangles]
    vertex_first: NDArray[np.int64]
    vertex_count: NDArray[np.int64]
    triangle_first: NDArray[np.int64]
    triangle_count: NDArray[np.int64]


class Items(NamedTuple):
    """What to paint, in order."""

    mesh: NDArray[np.int64]  # [n]
    matrix: NDArray[np.float64]  # [n, 12] rows x, y, w of clip space from local coordinates
    class_id: NDArray[np.int64]  # [n], −1: the triangle's own
    object_id: NDArray[np.int64]  # [n]


class Scratch(NamedTuple):
    """Vertices of the item at hand, float64 [most vertices of a mesh] each."""

    clip_x: NDArray[np.float64]
    clip_y: NDArray[np.float64]
    clip_w: NDArray[np.float64]
    screen_x: NDArray[np.float64]  # 1/256 pixels from the centre of pixel 0, whole numbers
    screen_y: NDArray[np.float64]
    inverse_w: NDArray[np.float64]
    flags: NDArray[np.uint8]
    polygon: NDArray[np.float64]  # [2, 12, 3] for clipping


@kernel
def place_instances(rotation, scale, origin, clip, matrix):
    """Rows x, y and w of clip space from local coordinates, [n, 12], for instances of INSTANCE_DTYPE."""
    for k in range(len(rotation)):
        for i in range(3):
            p = i if i < 2 else 3
            shift = clip[p, 3]
            for j in range(3):
                total = 0.0
                for axis in range(3):
                    total += clip[p, axis] * np.float64(rotation[k, axis, j])
                matrix[k, 4 * i + j] = total * np.float64(scale[k, j])
                shift += clip[p, j] * np.float64(origin[k, j])
            matrix[k, 4 * i + 3] = shift


@kernel
def paint(meshes, items, scratch, near, payload, depth, width, height):
    """Paint every item.

    Args:
        meshes, items, scratch: what, where, and room to work.
        near: metres to the near plane.
        payload: uint16 [H · W + BLOCK], row after row; gets class + 256 · object.
        depth: float32 [H · W + BLOCK], holds 1/w.
    """
    for k in range(len(items.mesh)):
        mesh = items.mesh[k]
        count = meshes.vertex_count[mesh]
        outside = _transform(meshes, meshes.vertex_first[mesh], count, items.matrix[k], scratch, near, width, height)
        if outside == 0:
            _paint_mesh(
                meshes, mesh, items.class_id[k], items.object_id[k], scratch, near,
                payload, depth, width, height,
            )  # fmt: skip


@kernel
def _transform(meshes, first, count, m, scratch, near, width, height):
    """Fill the scratch for one mesh. Returns the flags that all its vertices share: not 0 means out of sight."""
    half_w, half_h = 0.5 * width, 0.5 * height
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 = (
        m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11],
    )  # fmt: skip
    shared = np.uint8(31)
    xs, ys, zs = meshes.x[first : first + count], meshes.y[first : first + count], meshes.z[first : first + count]
    for i in range(np.uint64(count)):
        x, y, z = np.float64(xs[i]), np.float64(ys[i]), np.float64(zs[i])
        cx = m0 * x + m1 * y + m2 * z + m3
        cy = m4 * x + m5 * y + m6 * z + m7
        cw = m8 * x + m9 * y + m10 * z + m11
        iw = 1.0 / max(cw, near)
        px = cx * iw * half_w
        py = -cy * iw * half_h
        flag = (
            (_BEHIND if cw < near else 0)
            | (_LEFT if cx < -cw else 0)
            | (_RIGHT if cx > cw else 0)
            | (_UP if cy > cw else 0)
            | (_DOWN if cy < -cw else 0)
            | (_FAR_OFF if max(abs(px), abs(py)) > GUARD else 0)
        )
        scratch.clip_x[i] = cx
        scratch.clip_y[i] = cy
        scratch.clip_w[i] = cw
        scratch.screen_x[i] = np.rint((px + half_w - 0.5) * SUBPIXELS)
        scratch.screen_y[i] = np.rint((py + half_h - 0.5) * SUBPIXELS)
        scratch.inverse_w[i] = iw
        scratch.flags[i] = np.uint8(flag)
        shared &= np.uint8(flag)
    return shared


@kernel
def _paint_mesh(meshes, mesh, class_override, object_id, scratch, near, payload, depth, width, height):
    first = meshes.triangle_first[mesh]
    sx, sy, iw, flags = scratch.screen_x, scratch.screen_y, scratch.inverse_w, scratch.flags
    for t in range(np.uint64(first), np.uint64(first + meshes.triangle_count[mesh])):
        a, b, c = np.uint64(meshes.corners[t, 0]), np.uint64(meshes.corners[t, 1]), np.uint64(meshes.corners[t, 2])
        fa, fb, fc = flags[a], flags[b], flags[c]
        if fa & fb & fc & 31:
            continue
        class_id = class_override if class_override >= 0 else np.int64(meshes.class_id[t])
        value = np.uint16(class_id + 256 * object_id)
        if (fa | fb | fc) & (_BEHIND | _FAR_OFF):
            _paint_clipped(scratch, a, b, c, near, value, payload, depth, width, height)
        else:
            _fill(sx[a], sy[a], iw[a], sx[b], sy[b], iw[b], sx[c], sy[c], iw[c], value, payload, depth, width, height)


@kernel
def _fill(x0, y0, w0, x1, y1, w1, x2, y2, w2, value, payload, depth, width, height):
    """One triangle: corners in whole 1/256 pixels, w0 … w2 their 1/w."""
    left = max(0, math.ceil(min(x0, min(x1, x2)) / SUBPIXELS))
    right = min(width - 1, math.floor(max(x0, max(x1, x2)) / SUBPIXELS))
    top = max(0, math.ceil(min(y0, min(y1, y2)) / SUBPIXELS))
    bottom = min(height - 1, math.floor(max(y0, max(y1, y2)) / SUBPIXELS))
    if left > right or top > bottom:
        return
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if area == 0.0:
        return
    if area < 0.0:
        area = -area
        x1, y1, w1, x2, y2, w2 = x2, y2, w2, x1, y1, w1
    # Edge k runs from corner k to k + 1; inside is where slope · x + rise · y + level ≥ 0 for all three.
    edges = (_edge(x0, y0, x1, y1), _edge(x1, y1, x2, y2), _edge(x2, y2, x0, y0))
    du1, du2 = (w1 - w0) / area, (w2 - w0) / area
    dx = (du1 * (y2 - y0) - du2 * (y1 - y0)) * SUBPIXELS
    dy = (du2 * (x1 - x0) - du1 * (x2 - x0)) * SUBPIXELS
    plane = (w0 - (dx * x0 + dy * y0) / SUBPIXELS, dx, dy)
    if right - left < BLOCK:
        _fill_narrow(left, right, top, bottom, edges, plane, value, payload, depth, width)
    else:
        _fill_wide(left, right, top, bottom, edges, plane, value, payload, depth, width)


@kernel
def _fill_narrow(left, right, top, bottom, edges, plane, value, payload, depth, width):
    """Rows of a triangle at most BLOCK pixels wide.

    All BLOCK pixels are tested, a constant count that compiles to vectors; those outside are written back as they were.
    """
    (sl0, ri0, le0), (sl1, ri1, le1), (sl2, ri2, le2) = edges
    base, dx, dy = plane
    x, last = left * SUBPIXELS, right - left
    step = np.float32(dx)
    for row in range(top, bottom + 1):
        y = row * SUBPIXELS
        in0, in1, in2 = sl0 * x + ri0 * y + le0, sl1 * x + ri1 * y + le1, sl2 * x + ri2 * y + le2
        start = np.float32(base + dy * row + dx * left)
        begin = np.uint64(row * width + left)
        for n in range(BLOCK):
            along = n * SUBPIXELS
            inside = min(in0 + sl0 * along, min(in1 + sl1 * along, in2 + sl2 * along)) >= 0.0
            here = start + step * np.float32(n)
            k = begin + np.uint64(n)
            taken = inside & (n <= last) & (here > depth[k])
            depth[k] = here if taken else depth[k]
            payload[k] = value if taken else payload[k]


@kernel
def _fill_wide(left, right, top, bottom, edges, plane, value, payload, depth, width):
    """Rows of a wide triangle: find where each begins and ends, then fill."""
    (sl0, ri0, le0), (sl1, ri1, le1), (sl2, ri2, le2) = edges
    base, dx, dy = plane
    step = np.float32(dx)
    for row in range(top, bottom + 1):
        y = row * SUBPIXELS
        low, high = _narrow(np.float64(left), np.float64(right), sl0, ri0 * y + le0)
        low, high = _narrow(low, high, sl1, ri1 * y + le1)
        low, high = _narrow(low, high, sl2, ri2 * y + le2)
        if low > high:
            continue
        start = np.float32(base + dy * row + dx * low)
        begin = np.uint64(row * width + np.int64(low))
        for n in range(np.uint64(high - low + 1.0)):
            here = start + step * np.float32(np.int32(n))
            k = begin + n
            nearer = here > depth[k]
            depth[k] = here if nearer else depth[k]
            payload[k] = value if nearer else payload[k]


@kernel
def _edge(x0, y0, x1, y1):
    """Edge function of the edge 0 → 1, one lower where the rule leaves points on the edge to the neighbour."""
    slope, rise = y0 - y1, x1 - x0
    level = -(slope * x0 + rise * y0)
    owns = slope > 0.0 or (slope == 0.0 and rise > 0.0)
    return slope, rise, level if owns else level - 1.0


@kernel
def _narrow(low, high, slope, level):
    """Cut [low, high] (pixel columns) to where slope · 256 · column + level ≥ 0.

    The quotient of whole numbers this small rounds to a whole number only if it is one, so ceil and floor are exact.
    """
    if slope > 0.0:
        low = max(low, np.ceil(-level / (slope * SUBPIXELS)))
    elif slope < 0.0:
        high = min(high, np.floor(level / (-slope * SUBPIXELS)))
    elif level < 0.0:
        high = low - 1.0
    return low, high


@kernel
def _paint_clipped(scratch, a, b, c, near, value, payload, depth, width, height):
    """A triangle that reaches behind the near plane or far off the picture: clip (Sutherland–Hodgman), then a fan."""
    half_w, half_h = 0.5 * width, 0.5 * height
    polygon = scratch.polygon
    for i, v in enumerate((a, b, c)):
        polygon[0, i, 0], polygon[0, i, 1], polygon[0, i, 2] = scratch.clip_x[v], scratch.clip_y[v], scratch.clip_w[v]
    count, source = 3, 0
    for plane in range(5):
        count = _clip(polygon[source], polygon[1 - source], count, plane, near, GUARD / half_w, GUARD / half_h)
        source = 1 - source
    points = polygon[source]
    for i in range(count):
        inverse = 1.0 / points[i, 2]
        points[i, 0] = np.rint((points[i, 0] * inverse * half_w + half_w - 0.5) * SUBPIXELS)
        points[i, 1] = np.rint((half_h - points[i, 1] * inverse * half_h - 0.5) * SUBPIXELS)
        points[i, 2] = inverse
    for i in range(1, count - 1):
        _fill(
            points[0, 0], points[0, 1], points[0, 2], points[i, 0], points[i, 1], points[i, 2],
            points[i + 1, 0], points[i + 1, 1], points[i + 1, 2], value, payload, depth, width, height,
        )  # fmt: skip


@kernel
def _clip(source, target, count, plane, near, guard_x, guard_y):
    """Keep the part of a polygon of (x, y, w) on the inner side of one plane; returns its number of corners."""
    kept = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        here = _inside(source[i], plane, near, guard_x, guard_y)
        there = _inside(source[j], plane, near, guard_x, guard_y)
        if here >= 0.0:
            for axis in range(3):
                target[kept, axis] = source[i, axis]
            kept += 1
        if (here >= 0.0) != (there >= 0.0):
            # From the inner to the outer end, so that both triangles of an edge cut it at the same bits.
            share = here / (here - there) if here >= 0.0 else there / (there - here)
            p, q = (i, j) if here >= 0.0 else (j, i)
            for axis in range(3):
                target[kept, axis] = source[p, axis] + share * (source[q, axis] - source[p, axis])
            kept += 1
    return kept


@kernel
def _inside(point, plane, near, guard_x, guard_y):
    """Signed distance, in units of w, from a clipping plane; negative outside."""
    x, y, w = point[0], point[1], point[2]
    if plane == 0:
        return w - near
    if plane == 1:
        return guard_x * w - x
    if plane == 2:
        return guard_x * w + x
    if plane == 3:
        return guard_y * w - y
    return guard_y * w + y
