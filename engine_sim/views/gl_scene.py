"""A scene's meshes on the GPU, and one frame's draw list as a single indirect call.

All meshes share one vertex and one index buffer; every draw is a row of an indirect buffer, every object a row of an
instance buffer whose row 0 is the identity, for the static mesh. So a pass costs one call, however many parts are in
sight, and several passes (shadows, picture) or several programs use one upload.

Shaders name what they need of ``in_position``, ``in_normal``, ``in_uv``, ``in_surface`` (uvec4), ``inst_rotation``
(mat3, whose columns are the record's rows), ``inst_origin``, ``inst_scale``, ``inst_seed`` (uint), ``inst_object``
(uint) and ``inst_class`` (int).
"""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from .frame import Camera, projection_matrix, view_matrix
from .scene_data import INSTANCE_DTYPE, DrawList, Scene

_VERTEX_FIELDS = (("in_position", "3f4", 12), ("in_normal", "3f4", 12), ("in_uv", "2f4", 8), ("in_surface", "4u1", 4))
_INSTANCE_FIELDS = (
    ("inst_rotation", "9f4", 36),
    ("inst_origin", "3f4", 12),
    ("inst_scale", "3f4", 12),
    ("inst_seed", "1u4", 4),
    ("inst_object", "1u4", 4),
    ("inst_class", "1i4", 4),
)
COMMAND_WORDS = 5  # index count, instances, first index, base vertex, base instance
_SPARE = 256  # rows for cars and their wheels


def _identity_record() -> bytes:
    row = np.zeros(1, INSTANCE_DTYPE)
    row["rotation"] = np.eye(3)
    row["scale"] = 1.0
    row["class_id"] = -1
    return row.tobytes()


IDENTITY_RECORD = _identity_record()
"""The instance record of the static mesh."""


class GlScene:
    """Buffers of one scene in one context. All methods want that context current.

    Args:
        ctx: context that will own the buffers.
        scene: uploaded once.
    """

    def __init__(self, ctx: moderngl.Context, scene: Scene) -> None:
        self._ctx = ctx
        meshes = [scene.static.mesh] + [mesh for p in scene.prototypes for mesh in p.lods]
        self._vertices = ctx.buffer(np.concatenate([m.vertices for m in meshes]).tobytes())
        first = _starts([len(m.vertices) for m in meshes])
        indices = np.concatenate([m.indices + start for m, start in zip(meshes, first, strict=True)])
        self._indices = ctx.buffer(indices.astype(np.uint32).tobytes())
        self._first_index = _starts([len(m.indices) for m in meshes])
        self._index_count = np.array([len(m.indices) for m in meshes], np.int64)
        self._first_mesh = (1 + _starts([len(p.lods) for p in scene.prototypes])).tolist()
        self._arrays: dict[int, tuple[moderngl.Program, moderngl.VertexArray]] = {}
        self._reserve(1 + len(scene.instances) + _SPARE, scene.static.first.size + len(meshes))
        self._draws = 0

    def upload(self, draws: DrawList) -> None:
        """Send a frame's instances and commands; every ``render`` until the next ``upload`` draws them."""
        commands = self._commands(draws)
        rows = self._records(draws)
        if len(rows) > self._instances.size or commands.nbytes > self._indirect.size:
            self._reserve(2 * (len(rows) // INSTANCE_DTYPE.itemsize), 2 * len(commands))
        self._instances.orphan()
        self._instances.write(rows)
        self._indirect.orphan()
        self._indirect.write(commands.tobytes())
        self._draws = len(commands)

    def render(self, program: moderngl.Program) -> None:
        """Draw the uploaded list with a program, in the list's order."""
        if self._draws:
            self._vertex_array(program).render_indirect(self._indirect, moderngl.TRIANGLES, count=self._draws)

    def _records(self, draws: DrawList) -> bytes:
        # Bytes: joining structured arrays compares their types field by field, which took longer than the drawing.
        return b"".join([IDENTITY_RECORD, *(b.instances.tobytes() for b in draws.batches)])

    def _commands(self, draws: DrawList) -> NDArray[np.uint32]:
        static = np.zeros((len(draws.ranges), COMMAND_WORDS), np.uint32)
        static[:, 0], static[:, 1], static[:, 2] = draws.ranges[:, 1], 1, draws.ranges[:, 0]
        return np.concatenate([static, self._batch_commands(draws)])

    def _batch_commands(self, draws: DrawList) -> NDArray[np.uint32]:
        """One command a batch, whose records follow each other from row 1 on."""
        batches = draws.batches
        numbers = [(self._first_mesh[b.prototype] + b.lod, len(b.instances)) for b in batches]
        mesh, size = np.array(numbers, np.int64).reshape(-1, 2).T
        commands = np.zeros((len(batches), COMMAND_WORDS), np.uint32)
        commands[:, 0], commands[:, 1], commands[:, 2] = self._index_count[mesh], size, self._first_index[mesh]
        commands[:, 4] = 1 + np.cumsum(size) - size
        return commands

    def _reserve(self, rows: int, commands: int) -> None:
        self._instances = self._ctx.buffer(reserve=rows * INSTANCE_DTYPE.itemsize, dynamic=True)
        self._indirect = self._ctx.buffer(reserve=commands * COMMAND_WORDS * 4, dynamic=True)
        self._arrays.clear()

    def _vertex_array(self, program: moderngl.Program) -> moderngl.VertexArray:
        known = self._arrays.get(program.glo)
        if known is None or known[0] is not program:
            content = self._content(program)
            # index_buffer must be given by name: moderngl takes a second positional Buffer for another signature.
            known = program, self._ctx.vertex_array(program, content, index_buffer=self._indices)
            self._arrays[program.glo] = known
        return known[1]

    def _content(self, program: moderngl.Program) -> list[tuple]:
        return [
            (self._vertices, *_layout(program, _VERTEX_FIELDS, "")),
            (self._instances, *_layout(program, _INSTANCE_FIELDS, "/i")),
        ]


def picture_matrix(camera: Camera, width: int, height: int) -> NDArray[np.float32]:
    """Clip space from world axes with the origin at the eye, float32 [4, 4], y negated.

    This is the one flip: OpenGL keeps the bottom row of a picture first, so drawn upside down its memory starts with
    the top row and nothing behind it ever turns a picture. It also turns front faces clockwise.
    """
    view = view_matrix(camera)
    view[:3, 3] = 0.0
    matrix = projection_matrix(camera, width, height) @ view
    matrix[1] *= -1.0
    return matrix.astype(np.float32)


def set_uniform(
    program: moderngl.Program | moderngl.ComputeShader, name: str, value: int | float | tuple[float, ...] | NDArray
) -> None:
    """Set one uniform: a number, a vector, or a matrix by rows (OpenGL stores columns)."""
    uniform = program[name]
    assert isinstance(uniform, moderngl.Uniform)
    if isinstance(value, np.ndarray):
        uniform.write(np.ascontiguousarray(value.T, np.float32).tobytes())
    else:
        uniform.value = value


def _layout(program: moderngl.Program, fields: tuple[tuple[str, str, int], ...], rate: str) -> tuple[str, ...]:
    """moderngl's format and names for the fields that the program reads; the rest is padding."""
    used = [name for name, _, _ in fields if name in program]
    parts = [form if name in program else f"{size}x" for name, form, size in fields]
    return " ".join(parts) + (" " + rate if rate else ""), *used


def _starts(sizes: list[int]) -> NDArray[np.int64]:
    total = np.cumsum(np.array(sizes, np.int64))
    return total - np.array(sizes, np.int64)
