"""From painted samples to bytes: averaging, glow, filmic curve, and a pixel buffer that holds plain RGB rows."""

from __future__ import annotations

import moderngl

from .gl_scene import set_uniform
from .teacher_blocks import SAMPLER_UNITS
from .teacher_programs import make_screen_pass

_PICTURE, _GLOW = SAMPLER_UNITS["picture"], SAMPLER_UNITS["glow"]


class Darkroom:
    """Targets of one picture size.

    A graphics card paints 4 samples a pixel with one shading each. Software GL has no early depth test there, so every
    hidden surface would be shaded; it paints a picture twice as wide and high instead, which is faster and smoother.

    Args:
        ctx: context that owns the targets, current in every call.
        size: width and height in pixels; the width a multiple of 4.
        samples: wanted per pixel; 1 paints the plain picture.
        software: True on software GL.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], samples: int, software: bool) -> None:
        self._ctx, self._size = ctx, size
        self.scale = 2 if software and samples > 1 else 1
        self._many = samples if samples > 1 and not software else 0
        large = (size[0] * self.scale, size[1] * self.scale)
        self._picture = ctx.texture(size, 4, dtype="f2")
        self._resolved = ctx.framebuffer([self._picture])
        self._large = ctx.texture(large, 4, dtype="f2") if self.scale > 1 else self._picture
        color = ctx.renderbuffer(large, 4, samples=self._many, dtype="f2") if self._many else self._large
        self.target = ctx.framebuffer([color], ctx.depth_renderbuffer(large, samples=self._many))
        small = (size[0] // 4, size[1] // 4)
        self._glows = [ctx.texture(small, 4, dtype="f2") for _ in range(2)]
        for texture in (self._picture, self._large, *self._glows):
            texture.repeat_x = texture.repeat_y = False
        self._glow_targets = [ctx.framebuffer([t]) for t in self._glows]
        self._bloom = make_screen_pass(ctx, "teacher_common.glsl", "teacher_bloom.frag")
        self._print = make_screen_pass(ctx, "teacher_common.glsl", "teacher_output.frag")
        self._output = ctx.framebuffer([ctx.renderbuffer((3 * size[0] // 4, size[1]), 4)])

    def develop(self, buffer: moderngl.Buffer) -> None:
        """Finish what stands in ``target`` and start its copy into ``buffer``: RGB rows, top first, no padding."""
        width, height = self._size
        self._ctx.enable_only(moderngl.NOTHING)
        if self._many:
            self._ctx.copy_framebuffer(self._resolved, self.target)
        elif self.scale > 1:
            self._pass(self._large, self._resolved, (0.0, 0.0, 0.0, 1.0))
        self._pass(self._picture, self._glow_targets[0], (1.0 / width, 1.0 / height, 1.0, 0.0))
        self._pass(self._glows[0], self._glow_targets[1], (4.0 / width, 0.0, 0.0, 0.0))
        self._pass(self._glows[1], self._glow_targets[0], (0.0, 4.0 / height, 0.0, 0.0))
        self._output.use()
        self._picture.use(_PICTURE)
        self._glows[0].use(_GLOW)
        self._print.render(moderngl.TRIANGLES, vertices=3)
        self._output.read_into(buffer, components=4, alignment=1)

    def _pass(self, origin: moderngl.Texture, target: moderngl.Framebuffer, state: tuple[float, ...]) -> None:
        target.use()
        origin.use(_PICTURE)
        set_uniform(self._bloom.program, "pass_state", state)
        self._bloom.render(moderngl.TRIANGLES, vertices=3)
