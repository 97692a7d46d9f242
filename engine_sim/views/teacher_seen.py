"""The first pass: which triangle every sample of a picture sees. It is all that is drawn; the rest works on pixels."""

from __future__ import annotations

import moderngl

from .frame import Camera
from .gl_scene import picture_matrix, set_uniform
from .teacher_blocks import SAMPLER_UNITS, source
from .teacher_programs import make_screen_pass
from .teacher_scene import Group, TeacherScene

_ORDER = (Group.CAR, Group.BUILT, Group.PLANTS, Group.GROUND)
"""What mostly hides other things comes first."""


class SeenPass:
    """Targets and program of the first pass.

    Args:
        ctx: context that owns them, current in every call.
        size: width and height in pixels.
        samples: per pixel.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], samples: int) -> None:
        self._ctx, self._size = ctx, size
        many = samples if samples > 1 else 0
        self._seen = ctx.texture(size, 2, samples=many, dtype="u4")
        self._target = ctx.framebuffer([self._seen], ctx.depth_renderbuffer(size, samples=many))
        self._program = ctx.program(
            vertex_shader=source("teacher_seen.vert"), fragment_shader=source("teacher_seen.frag")
        )
        self._nothing = make_screen_pass(ctx, source("teacher_nothing.frag"))
        set_uniform(self._nothing[0], "depth", 1.0)
        self.features = (f"PER_PIXEL {samples}",) + (("MULTISAMPLED",) if many else ())

    def draw(self, parts: TeacherScene, camera: Camera) -> None:
        """Draw the uploaded list, and leave the result on its texture unit."""
        self._target.use()
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        self._target.clear(depth=1.0)
        set_uniform(self._program, "clip_from_eye", picture_matrix(camera, *self._size))
        set_uniform(self._program, "eye", camera.position)
        for group in _ORDER:
            parts.render_group(self._program, group)
        # Last and only where nothing stands: clearing colours of a whole-number target is not defined.
        self._ctx.depth_func = "<="
        self._nothing[1].render(moderngl.TRIANGLES, vertices=3)
        self._seen.use(SAMPLER_UNITS["seen"])
