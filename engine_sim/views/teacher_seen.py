"""The first pass: which triangle every sample of a picture sees. It is all that is drawn; the rest works on pixels."""

from __future__ import annotations

import moderngl

from .frame import Camera
from .gl_clear import open_clear
from .gl_scene import picture_matrix, set_uniform
from .teacher_blocks import SAMPLER_UNITS, source
from .teacher_scene import TRIANGLE_BITS, Group, TeacherScene

_ORDER = (
    (Group.CAR, None),
    (Group.BUILT, "front"),
    (Group.BUILT, "back"),
    (Group.PLANTS, None),
    (Group.GROUND, None),
)
"""Groups, and faces left out, in the order of drawing. What mostly hides other things comes first: what it hides is not
written. Built things have few triangles and hide their own far walls, so those come after the near ones. Pictures are
drawn upside down: what OpenGL takes for a front is a back."""


class SeenPass:
    """Targets and program of the first pass.

    Args:
        ctx: context that owns them, current in every call.
        size: width and height in pixels.
        samples: per pixel.
        one_word: write row and triangle alone, 4 bytes a sample, and leave it to ``CardPainter`` to look the rest up.
            Else 8 bytes that hold the rest, which is what ``SoftPainter`` reads: software GL pays more for looking up.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], samples: int, one_word: bool) -> None:
        self._ctx, self._size = ctx, size
        many = samples if samples > 1 else 0
        words = ("ONE_WORD", f"TRIANGLE_BITS {TRIANGLE_BITS}") if one_word else ()
        self.features = (f"PER_PIXEL {samples}", *(("MULTISAMPLED",) if many else ()), *words)
        self._seen = ctx.texture(size, 1 if one_word else 2, samples=many, dtype="u4")
        self._target = ctx.framebuffer([self._seen], ctx.depth_renderbuffer(size, samples=many))
        self._program = ctx.program(
            vertex_shader=source("teacher_words.glsl", "teacher_seen.vert", features=words),
            fragment_shader=source("teacher_words.glsl", "teacher_seen.frag", features=words),
        )
        # Zeros are zeros in either kind of number wherever it was tried, although nothing promises it.
        self._clear = open_clear() or (lambda depth: self._target.clear(depth=depth))

    def draw(self, parts: TeacherScene, camera: Camera) -> None:
        """Draw the uploaded list, and leave the result on its texture unit."""
        self._target.use()
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        self._clear(1.0)
        set_uniform(self._program, "clip_from_eye", picture_matrix(camera, *self._size))
        set_uniform(self._program, "eye", camera.position)
        for group, left_out in _ORDER:
            self._ctx.enable_only(moderngl.DEPTH_TEST | (moderngl.CULL_FACE if left_out else moderngl.NOTHING))
            if left_out:
                self._ctx.cull_face = left_out
            parts.render_group(self._program, group)
        self._seen.use(SAMPLER_UNITS["seen"])
