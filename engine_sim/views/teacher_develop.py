"""From painted samples to bytes: averaging, glow, filmic curve, and a buffer that holds plain RGB rows."""

from __future__ import annotations

import moderngl

from .gl_scene import set_uniform
from .teacher_blocks import SAMPLER_UNITS, bind_units, source

_RGB10_A2 = 0x8059
_GROUP = (16, 8)  # as in the shader


class Darkroom:
    """Targets of one picture size.

    A graphics card paints several samples a pixel with one shading each. Software GL has no early depth test there, so
    every hidden surface would be shaded; it paints a picture twice as wide and high instead: faster, and smoother.

    Args:
        ctx: context that owns the targets, current in every call.
        size: width and height in pixels, multiples of 4.
        samples: wanted per pixel; 1 paints the plain picture.
        software: True on software GL.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], samples: int, software: bool) -> None:
        self._ctx, self._size = ctx, size
        side = 2 if software and samples > 1 else 1
        many = samples if samples > 1 and not software else 0
        large = (size[0] * side, size[1] * side)
        self._painted = ctx.texture(large, 4, samples=many, internal_format=_RGB10_A2)
        self.target = ctx.framebuffer([self._painted], ctx.depth_renderbuffer(large, samples=many))
        self._picture = ctx.texture(size, 4, dtype="f2")
        self._small = (size[0] // 4, size[1] // 4)
        self._glows = [ctx.texture(self._small, 4, dtype="f2") for _ in range(2)]
        for texture in (self._picture, *self._glows):
            texture.repeat_x = texture.repeat_y = False
        how = ("MULTISAMPLED", f"PER_PIXEL {many}") if many else (f"PER_SIDE {side}",)
        self._average = self._compute("AVERAGE", *how)
        self._bright, self._blur, self._print = (self._compute(name) for name in ("BRIGHT", "BLUR", "PRINT"))

    def develop(self, rows: moderngl.Buffer) -> None:
        """Finish what stands in ``target`` into ``rows``: RGB, top row first, no padding."""
        self._run(self._average, self._painted, self._picture, self._size)
        self._run(self._bright, self._picture, self._glows[0], self._small)
        set_uniform(self._blur, "axis", (1, 0))
        self._run(self._blur, self._glows[0], self._glows[1], self._small)
        set_uniform(self._blur, "axis", (0, 1))
        self._run(self._blur, self._glows[1], self._glows[0], self._small)
        self._picture.use(SAMPLER_UNITS["picture"])
        self._glows[0].use(SAMPLER_UNITS["glow"])
        rows.bind_to_storage_buffer(0)
        self._dispatch(self._print, (self._size[0] // 4, self._size[1]))

    def _run(self, shader: moderngl.ComputeShader, origin: moderngl.Texture, result: moderngl.Texture,
             size: tuple[int, int]) -> None:  # fmt: skip
        origin.use(SAMPLER_UNITS["picture"])
        result.bind_to_image(0, read=False, write=True)
        self._dispatch(shader, size)

    def _dispatch(self, shader: moderngl.ComputeShader, size: tuple[int, int]) -> None:
        shader.run(-(-size[0] // _GROUP[0]), -(-size[1] // _GROUP[1]))
        self._ctx.memory_barrier()

    def _compute(self, *features: str) -> moderngl.ComputeShader:
        shader = self._ctx.compute_shader(source("teacher_common.glsl", "teacher_develop.comp", features=features))
        bind_units(shader)
        return shader
