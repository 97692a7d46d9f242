"""Two shadow maps along the sun: one near the camera, one wide. Both stand still in the world between redraws.

The centre of a map moves in whole steps, which are whole texels, so the border of a shadow falls on the same texels
before and after: nothing crawls. Between two steps the maps are not drawn at all. Cars cast their shadows in the
shader (boxes), so nothing here moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import NDArray

from .culling_kernels import casters_in_box
from .culling_tables import records_of
from .frame import Camera
from .gl_scene import set_uniform
from .scene_data import INSTANCE_DTYPE, Batch, DrawList, Scene
from .teacher_blocks import source
from .teacher_scene import Group, TeacherScene

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ShadowMap:
    """One square map: half its side, the step of its centre and how far ahead of the camera it lies, metres.

    Args:
        level: level of detail that its casters are drawn in, if they have so many.
        fine: how far along the sun from the centre they are; those beyond are drawn in their last level, metres.
        barriers: whether barriers cast into it.
    """

    half: float
    step: float
    ahead: float
    level: int
    fine: float
    barriers: bool


MAPS = (ShadowMap(64.0, 16.0, 42.0, 1, 110.0, True), ShadowMap(512.0, 128.0, 330.0, 9, 0.0, False))
DEPTH = 800.0  # metres before and behind the centre that the maps hold
_SURE = 1e-6  # steps from where a centre moves on: closer than this, only the exact sum tells whether it does


class SunShadows:
    """Both maps in one depth texture, side by side: near left, wide right.

    Args:
        ctx: context that owns them, current in every call.
        scene: whose instances cast.
        parts: the same scene on the card.
        size: texels along one side of a map.
    """

    def __init__(self, ctx: moderngl.Context, scene: Scene, parts: TeacherScene, size: int) -> None:
        self._ctx, self._scene, self._parts, self._size = ctx, scene, parts, size
        self._program = ctx.program(
            vertex_shader=source("teacher_shadow.vert"),
            fragment_shader=source("teacher_common.glsl", "teacher_shadow.frag"),
        )
        self.texture = ctx.depth_texture((2 * size, size))
        self.texture.compare_func = "<="
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._target = ctx.framebuffer([], self.texture)
        self._axes = np.eye(3)
        self._lit = False
        self._centers: list[tuple[float, ...] | None] = [None, None]
        self.matrices = [np.eye(4), np.eye(4)]
        self._origin = scene.instances["origin"].astype(np.float64)
        self._radius = np.ascontiguousarray(scene.instance_radius)
        self._prototype_of = np.ascontiguousarray(scene.prototype_of)
        self._records = records_of(scene)
        # Boulders and the like lie too flat.
        self._casts = np.array([group != Group.GROUND for group in parts.group_of], bool)
        self._turn_scene()

    def set_sun(self, direction: Floats | None) -> None:
        """Take a new sun (unit vector to it; None: no shadows). Everything is drawn anew with the next frame."""
        self._lit = direction is not None
        self._centers = [None, None]
        if direction is not None:
            right = np.array([-direction[1], direction[0], 0.0]) / np.hypot(direction[0], direction[1])
            self._axes = np.stack([right, np.cross(direction, right), direction])
            self._turn_scene()

    def _turn_scene(self) -> None:
        """Places of scenery and static cells along the maps' axes; they stand still until the sun moves."""
        self._across, self._depth = self._origin @ self._axes.T, self._origin @ self._axes[2]
        self._cells_across = self._scene.static.center @ self._axes.T
        self._rows = self._axes.tolist()

    def follow(self, camera: Camera) -> None:
        """Redraw the maps whose centre has to move for this camera."""
        if not self._lit:
            return
        moving = [index for index in range(len(MAPS)) if not self._stays(index, camera)]
        if not moving:
            return
        flat = np.array([camera.forward[0], camera.forward[1], 0.0])
        flat /= max(np.linalg.norm(flat), 1e-6)
        for index in moving:
            kind = MAPS[index]
            wanted = self._axes @ (np.array(camera.position) + flat * kind.ahead)
            center = tuple(np.round(wanted / kind.step) * kind.step)
            if center != self._centers[index]:
                self._centers[index] = center
                self._draw(index, np.array(center))

    def _stays(self, index: int, camera: Camera) -> bool:
        """Whether a map's centre surely stays where it is: the same sum in plain numbers, and clear of rounding."""
        kind, center = MAPS[index], self._centers[index]
        if center is None:
            return False
        x, y, z = camera.position
        ahead = kind.ahead / max(math.hypot(*camera.forward[:2]), 1e-6)
        x, y = x + camera.forward[0] * ahead, y + camera.forward[1] * ahead
        most = (0.5 - _SURE) * kind.step
        away = [abs(a * x + b * y + c * z - at) for (a, b, c), at in zip(self._rows, center, strict=True)]
        return max(away) < most

    def _draw(self, index: int, center: Floats) -> None:
        kind = MAPS[index]
        scale = np.array([1.0 / kind.half, 1.0 / kind.half, -1.0 / DEPTH])
        clip = np.eye(4)
        clip[:3, :3] = self._axes * scale[:, None]
        clip[:3, 3] = -center * scale
        to_texture = np.diag([0.25, 0.5, 0.5, 1.0])
        to_texture[:3, 3] = 0.25 + 0.5 * index, 0.5, 0.5
        self.matrices[index] = to_texture @ clip
        self._parts.upload(self._casters(kind, center))
        self._target.use()
        corner = (index * self._size, 0, self._size, self._size)
        self._target.viewport = corner
        self._target.scissor = corner
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        self._target.clear(depth=1.0)
        self._ctx.polygon_offset = 1.6, 2.0
        set_uniform(self._program, "clip_from_world", clip)
        for group in Group:
            self._parts.render_group(self._program, group)
        self._ctx.polygon_offset = 0.0, 0.0

    def _casters(self, kind: ShadowMap, center: Floats) -> DrawList:
        scene = self._scene
        records, parts = casters_in_box(
            self._across, self._depth, self._radius, self._prototype_of, self._casts, self._records,
            center, kind.half, DEPTH, kind.fine,
        )  # fmt: skip
        instances = np.ndarray(len(records), INSTANCE_DTYPE, records)
        batches = []
        for slot, start, end in parts.tolist():
            number, coarse = divmod(slot, 2)
            last = len(scene.prototypes[number].lods) - 1
            batches.append(Batch(number, last if coarse else min(kind.level, last), instances[start:end]))
        ranges = np.zeros((0, 2), np.int64)
        if kind.barriers:
            static = scene.static
            level = min(1, static.first.shape[1] - 1)
            cells = self._cells_inside(kind, center) & (static.count[:, level] > 0)
            ranges = self._parts.built_ranges(static.first[cells, level])
        return DrawList(ranges, tuple(batches))

    def _cells_inside(self, kind: ShadowMap, center: Floats) -> NDArray[np.bool_]:
        away, radius = np.abs(self._cells_across - center), self._scene.static.radius
        return (away[:, :2].max(1) < kind.half + radius) & (away[:, 2] < DEPTH + radius)
