"""Class view on the CPU: a z-buffer in compiled kernels, the same bits on every machine.

It packs every mesh once: each cell and level of the static mesh becomes a small mesh of its own, so that all that a
frame draws is (mesh, matrix) pairs.
"""

from __future__ import annotations

from collections import deque
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import SKY

from .frame import Camera, projection_matrix, view_matrix
from .planes import Surfaces
from .raster import BLOCK, Items, PackedMeshes, Scratch, paint, place_instances
from .scene_data import INSTANCE_DTYPE, DrawList, Mesh, Scene

Packing: TypeAlias = tuple[PackedMeshes, NDArray[np.int64], list[int]]
_newest: deque[tuple[Scene, Packing]] = deque(maxlen=2)


class CpuPainter:
    """Paints draw lists of one scene at one size.

    Args:
        scene: meshes to draw.
        width, height: pixels.
    """

    name = "cpu"
    label = "CPU z-buffer"

    def __init__(self, scene: Scene, width: int, height: int) -> None:
        self._packed, self._range_starts, self._first_of_prototype = _packed(scene)
        most = int(self._packed.vertex_count.max(initial=1))
        cx, cy, cw, sx, sy, iw = (np.empty(most, np.float64) for _ in range(6))
        self._scratch = Scratch(cx, cy, cw, sx, sy, iw, np.empty(most, np.uint8), np.empty((2, 12, 3), np.float64))
        self._size = (width, height)
        self._payload_buffer = np.empty(height * width + BLOCK, np.uint16)
        self._depth_buffer = np.empty(height * width + BLOCK, np.float32)
        self._payload = self._payload_buffer[: height * width].reshape(height, width)
        self._depth = self._depth_buffer[: height * width].reshape(height, width)
        self._done: deque[NDArray[np.uint8]] = deque()
        self._surfaces_done: deque[Surfaces] = deque()
        self._painted: tuple[DrawList, Camera] | None = None

    def classes(self, draws: DrawList, camera: Camera) -> NDArray[np.uint8]:
        """Class map uint8 [H, W], a new array."""
        self._paint(draws, camera)
        return self._payload.astype(np.uint8)

    def surfaces(self, draws: DrawList, camera: Camera) -> Surfaces:
        """Class, object and distance of every pixel."""
        self._paint(draws, camera)
        object_plane = (self._payload >> 8).astype(np.uint8)
        class_plane = self._payload.astype(np.uint8)
        distance = np.float32(1.0) / self._depth
        distance[class_plane == SKY] = np.inf
        return Surfaces(class_plane, object_plane, distance)

    def begin(self, draws: DrawList, camera: Camera) -> None:
        """Paint a class map now, for ``end``: there is no device to wait for."""
        self._done.append(self.classes(draws, camera))

    def end(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Class map of the oldest ``begin`` not yet ended, in ``out`` if given."""
        classes = self._done.popleft()
        if out is None:
            return classes
        out[...] = classes
        return out

    def begin_surfaces(self, draws: DrawList, camera: Camera) -> None:
        """Paint surfaces now, for ``end_surfaces``."""
        self._surfaces_done.append(self.surfaces(draws, camera))

    def end_surfaces(self) -> Surfaces:
        """Class, object and distance of the oldest ``begin_surfaces`` not yet ended."""
        return self._surfaces_done.popleft()

    def close(self) -> None:
        """Nothing to release."""

    def _paint(self, draws: DrawList, camera: Camera) -> None:
        if self._painted is not None and self._painted[0] is draws and self._painted[1] == camera:
            return  # A class map and surfaces of one frame are one painting.
        self._painted = None
        self._payload_buffer.fill(SKY)
        self._depth_buffer.fill(1.0 / camera.far)
        items = self._items(draws, projection_matrix(camera, *self._size) @ view_matrix(camera))
        buffers = self._payload_buffer, self._depth_buffer
        paint(self._packed, items, self._scratch, camera.near, *buffers, *self._size)
        self._painted = draws, camera

    def _items(self, draws: DrawList, clip: NDArray[np.float64]) -> Items:
        """The static cells first, with the camera's own matrix, then all instances."""
        static = self._static_meshes(draws.ranges)
        batches = [batch.instances for batch in draws.batches]
        instances = np.concatenate([np.zeros(0, INSTANCE_DTYPE), *batches])
        numbers = [self._first_of_prototype[batch.prototype] + batch.lod for batch in draws.batches]
        placed = np.repeat(np.array(numbers, np.int64), [len(b) for b in batches])
        first, total = len(static), len(static) + len(instances)
        items = Items(
            np.concatenate([static, placed]), np.empty((total, 12)), np.full(total, -1), np.zeros(total, np.int64)
        )
        items.matrix[:first] = clip[[0, 1, 3]].reshape(12)
        items.class_id[first:] = instances["class_id"]
        items.object_id[first:] = instances["object"]
        place_instances(instances["rotation"], instances["scale"], instances["origin"], clip, items.matrix[first:])
        return items

    def _static_meshes(self, ranges: NDArray[np.int64]) -> NDArray[np.int64]:
        """Packed meshes of the draw list's index ranges, in order; a range may span several cells."""
        low = np.searchsorted(self._range_starts, ranges[:, 0])
        high = np.searchsorted(self._range_starts, ranges[:, 0] + ranges[:, 1])
        if (high - low == 1).all():
            return low.astype(np.int64)
        return np.concatenate([np.arange(a, b, dtype=np.int64) for a, b in zip(low, high, strict=True)])


def _packed(scene: Scene) -> Packing:
    """``_pack``, remembered of the newest scenes: views of one are opened again and again, and it takes a while."""
    for known, packing in tuple(_newest):
        if known is scene:
            return packing
    packing = _pack(scene)
    _newest.append((scene, packing))
    return packing


def _pack(scene: Scene) -> Packing:
    """Packed meshes; first indices of the static ranges, sorted; packed number of each prototype's first level."""
    static = scene.static
    filled = static.count.reshape(-1) > 0
    first, count = static.first.reshape(-1)[filled], static.count.reshape(-1)[filled]
    order = np.argsort(first, kind="stable")
    parts = [_compact(static.mesh, int(first[k]), int(count[k])) for k in order]
    first_of_prototype = []
    for prototype in scene.prototypes:
        first_of_prototype.append(len(parts))
        parts += [_compact(mesh, 0, len(mesh.indices)) for mesh in prototype.lods]
    position = np.concatenate([p[0] for p in parts]).astype(np.float32)
    vertex_count = np.array([len(p[0]) for p in parts], np.int64)
    triangle_count = np.array([len(p[1]) for p in parts], np.int64)
    packed = PackedMeshes(
        np.ascontiguousarray(position[:, 0]),
        np.ascontiguousarray(position[:, 1]),
        np.ascontiguousarray(position[:, 2]),
        np.concatenate([p[1] for p in parts]),
        np.concatenate([p[2] for p in parts]),
        np.cumsum(vertex_count) - vertex_count,
        vertex_count,
        np.cumsum(triangle_count) - triangle_count,
        triangle_count,
    )
    return packed, first[order], first_of_prototype


def _compact(mesh: Mesh, first: int, count: int) -> tuple[NDArray, NDArray[np.int32], NDArray[np.uint8]]:
    """Positions, corners and classes of one index range, with unused vertices left out and equal places merged."""
    used, corners = np.unique(mesh.indices[first : first + count], return_inverse=True)
    position = mesh.vertices["position"][used]
    class_id = mesh.vertices["surface"][used, 0][corners.reshape(-1, 3)[:, 0]]
    _, keep, merged = np.unique(position, axis=0, return_index=True, return_inverse=True)
    return position[keep], merged.reshape(-1)[corners].reshape(-1, 3).astype(np.int32), class_id
