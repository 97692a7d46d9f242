"""The shared draw list, sorted by what each part is: ground, built things, plants, cars; and its meshes for shaders."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..core.errors import UserError
from .gl_scene import COMMAND_WORDS, IDENTITY_RECORD, GlScene
from .materials import Material
from .scene_data import MAX_LODS, DrawList, Mesh, Prototype, Scene, StaticCells

MOST_TRIANGLES, MOST_OBJECTS = 2**22 - 1, 2**17 - 1024
"""What fits into the two words that tell samples apart; the spare thousand is for cars and their wheels."""

TRIANGLE_BITS = 14
"""Of the one word that a card writes a sample: a triangle's place in what is drawn at once. The others number a row."""
LONGEST_DRAW = 2**TRIANGLE_BITS
MOST_CELLS = 2 ** (32 - TRIANGLE_BITS) - MOST_OBJECTS - 2048  # the others' rows, with room for cars and for cut ranges

Ints = NDArray[np.int64]


class Group(IntEnum):
    """What a part mostly is; the static mesh goes with the ground."""

    GROUND = 0
    BUILT = 1
    PLANTS = 2
    CAR = 3


_GROUP_OF = np.full(256, Group.BUILT, np.int64)
_GROUP_OF[[Material.ASPHALT, Material.CONCRETE, Material.DIRT_ROAD, Material.EDGE_LINE, Material.KERB,
           Material.GRASS_MOWN, Material.GRASS_WILD, Material.SOIL, Material.GRAVEL, Material.SAND, Material.ROCK,
           Material.GRID_MARK]] = Group.GROUND  # fmt: skip
_GROUP_OF[[Material.BARK, Material.LEAVES, Material.NEEDLES]] = Group.PLANTS
_GROUP_OF[Material.CAR_PAINT : Material.CAR_TAILLIGHT + 1] = Group.CAR


class _StaticParts:
    """Index ranges of the static mesh after ground triangles have been moved to the front of every cell's range."""

    def __init__(self, static: StaticCells) -> None:
        order = np.argsort(static.first, axis=None, kind="stable")
        first, count = static.first.reshape(-1)[order], static.count.reshape(-1)[order]
        used = count > 0
        self.first, self.count = first[used], count[used]
        self.mesh, self.ground = self._sorted(static.mesh)

    def _sorted(self, mesh: Mesh) -> tuple[Mesh, Ints]:
        triangles = mesh.indices.reshape(-1, 3)
        built = _GROUP_OF[mesh.vertices["surface"][triangles[:, 0], 1]] != Group.GROUND
        cell = np.zeros(len(triangles), np.int64)
        cell[self.first // 3] = 1
        order = np.lexsort((built, np.cumsum(cell)))
        before = np.concatenate([[0], np.cumsum(~built)])
        starts, stops = self.first // 3, (self.first + self.count) // 3
        return Mesh(mesh.vertices, triangles[order].reshape(-1)), 3 * (before[stops] - before[starts])

    def built(self, first: Ints) -> Ints:
        """Index ranges ``[r, 2]`` of what is not ground in the cells whose ranges start at ``first``, ordered."""
        cells = np.searchsorted(self.first, np.sort(first))
        ranges = np.stack([self.first[cells] + self.ground[cells], self.count[cells] - self.ground[cells]], 1)
        return ranges[ranges[:, 1] > 0]


class TeacherScene(GlScene):
    """``GlScene`` whose uploaded list can be drawn group by group, and whose meshes shaders can read.

    Every object and static range drawn has a row: number of its record, 0 for the static mesh, and first triangle. A
    program may ask for the row as ``inst_row`` (uvec2) or for its number, which is never 0, as ``inst_number`` (uint).

    Args:
        ctx: context that will own the buffers.
        scene: uploaded once.

    Raises:
        UserError: more triangles or objects than the first pass can tell apart.
    """

    def __init__(self, ctx: moderngl.Context, scene: Scene) -> None:
        self._parts = _StaticParts(scene.static)
        self.group_of = [_group(p) for p in scene.prototypes]
        self._spans = [(0, 0)] * len(Group)
        self._starts = np.zeros((0, 2), np.uint32)
        _check(scene)
        super().__init__(ctx, replace(scene, static=replace(scene.static, mesh=self._parts.mesh)))

    def upload(self, draws: DrawList) -> None:
        """As ``GlScene.upload``."""
        super().upload(draws)
        self._rows.orphan()
        self._rows.write(self._starts.tobytes())

    def bind(self) -> None:
        """Give shaders the corners, triangles, uploaded records and rows as storage buffers 1 to 4."""
        for binding, buffer in enumerate((self._vertices, self._indices, self._instances, self._rows), 1):
            buffer.bind_to_storage_buffer(binding)

    def render_group(self, program: moderngl.Program, group: Group) -> None:
        """Draw one group of the uploaded list."""
        first, count = self._spans[group]
        if count:
            self._vertex_array(program).render_indirect(self._indirect, moderngl.TRIANGLES, count=count, first=first)

    def built_ranges(self, first: Ints) -> Ints:
        """Index ranges ``[r, 2]`` of barriers and the like in the static cells whose ranges start at ``first``."""
        return self._parts.built(first)

    def _records(self, draws: DrawList) -> bytes:
        # Every static range has a record of its own behind the others: it carries where its triangles start.
        listed = 1 + sum(len(b.instances) for b in draws.batches)
        return super()._records(draws) + IDENTITY_RECORD * (len(self._starts) - listed)

    def _commands(self, draws: DrawList) -> NDArray[np.uint32]:
        objects = self._batch_commands(draws)
        listed = 1 + int(objects[:, 1].sum())
        ranges = _short(draws.ranges)
        static = np.zeros((len(ranges), COMMAND_WORDS), np.uint32)
        static[:, 0], static[:, 1], static[:, 2] = ranges[:, 1], 1, ranges[:, 0]
        static[:, 4] = np.arange(listed, listed + len(static))
        self._starts = np.zeros((listed + len(static), 2), np.uint32)
        self._starts[:listed, 0] = np.arange(listed)
        self._starts[1:listed, 1] = np.repeat(objects[:, 2] // 3, objects[:, 1])
        self._starts[listed:, 1] = static[:, 2] // 3
        commands = np.concatenate([objects, static])
        # Within a group the finest come first, which are the nearest: what lies behind them then costs no writing.
        keys = [self.group_of[b.prototype] * MAX_LODS + b.lod for b in draws.batches]
        order = np.array(keys + [Group.GROUND * MAX_LODS] * len(static), np.int64)
        sizes = np.bincount(order // MAX_LODS, minlength=len(Group))
        self._spans = list(zip((np.cumsum(sizes) - sizes).tolist(), sizes.tolist(), strict=True))
        return commands[np.argsort(order, kind="stable")]

    def _reserve(self, rows: int, commands: int) -> None:
        super()._reserve(rows + commands, commands)
        self._rows = self._ctx.buffer(reserve=(rows + commands) * 8, dynamic=True)
        self._numbers = self._ctx.buffer(np.arange(rows + commands, dtype=np.uint32).tobytes())

    def _content(self, program: moderngl.Program) -> list[tuple]:
        content = super()._content(program)
        if "inst_row" in program:
            content.append((self._rows, "2u4 /i", "inst_row"))
        if "inst_number" in program:
            content.append((self._numbers, "1u4 /i", "inst_number"))
        return content


def earth_share(scene: Scene) -> float:
    """Share of the road's area that is earth, 0 (all paved) … 1: how dirty cars get."""
    mesh = scene.static.mesh
    triangles = mesh.indices.reshape(-1, 3)
    kind = mesh.vertices["surface"][triangles[:, 0], 1]
    area = {}
    for material in (Material.DIRT_ROAD, Material.ASPHALT):
        a, b, c = (mesh.vertices["position"][triangles[kind == material, k]].astype(np.float64) for k in range(3))
        area[material] = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    return area[Material.DIRT_ROAD] / max(sum(area.values()), 1e-9)


def _check(scene: Scene) -> None:
    """UserError for more than the first pass can tell apart."""
    meshes = [mesh for p in scene.prototypes for mesh in p.lods]
    triangles = sum(len(m.indices) for m in (scene.static.mesh, *meshes)) // 3
    objects, cells = len(scene.instances), len(scene.static.center)
    if triangles >= MOST_TRIANGLES or objects >= MOST_OBJECTS or cells >= MOST_CELLS:
        raise UserError(
            f"{scene.name}: {triangles} triangles, {objects} objects and {cells} cells of ground; the teacher view "
            f"draws at most {MOST_TRIANGLES}, {MOST_OBJECTS} and {MOST_CELLS}: choose a smaller track"
        )
    largest = max((len(mesh.indices) // 3 for mesh in meshes), default=0)
    if largest > LONGEST_DRAW:
        raise UserError(
            f"{scene.name}: an object of {largest} triangles; the teacher view draws at most {LONGEST_DRAW} at once: "
            "cut the object in two"
        )


def _short(ranges: Ints) -> Ints:
    """Index ranges ``[r, 2]``, those of more than LONGEST_DRAW triangles cut into several."""
    most = 3 * LONGEST_DRAW
    if not len(ranges) or ranges[:, 1].max() <= most:
        return ranges
    pieces = -(-ranges[:, 1] // most)
    within = (np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)) * most
    first, count = np.repeat(ranges, pieces, axis=0).T
    return np.stack([first + within, np.minimum(count - within, most)], 1)


def _group(prototype: Prototype) -> Group:
    """The group of most of a prototype's vertices."""
    counts = np.bincount(_GROUP_OF[prototype.lods[0].vertices["surface"][:, 1]], minlength=len(Group))
    return Group(int(counts.argmax()))
