"""From a painted picture to bytes: glow, filmic curve, and a buffer that holds plain RGB rows."""

from __future__ import annotations

import moderngl

from .gl_scene import set_uniform
from .teacher_blocks import SAMPLER_UNITS, source
from .teacher_programs import make_compute

_GROUP = (16, 8)  # as in the shader


class Darkroom:
    """Pictures of one size, from linear light to bytes.

    Args:
        ctx: context that owns the targets, current in every call.
        size: width and height in pixels, multiples of 4.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int]) -> None:
        self._ctx, self._size = ctx, size
        self.picture = ctx.texture(size, 4, dtype="f2")
        self._small = (size[0] // 4, size[1] // 4)
        self._glows = [ctx.texture(self._small, 4, dtype="f2") for _ in range(2)]
        for texture in (self.picture, *self._glows):
            texture.repeat_x = texture.repeat_y = False
        self._bright, self._blur, self._print = (self._compute(name) for name in ("BRIGHT", "BLUR", "PRINT"))

    def develop(self, rows: moderngl.Buffer) -> None:
        """Finish what stands in ``picture`` into ``rows``: RGB, top row first, no padding."""
        self._run(self._bright, self.picture, self._glows[0], self._small)
        set_uniform(self._blur, "axis", (1, 0))
        self._run(self._blur, self._glows[0], self._glows[1], self._small)
        set_uniform(self._blur, "axis", (0, 1))
        self._run(self._blur, self._glows[1], self._glows[0], self._small)
        self.picture.use(SAMPLER_UNITS["picture"])
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

    def _compute(self, feature: str) -> moderngl.ComputeShader:
        return make_compute(self._ctx, source("teacher_common.glsl", "teacher_develop.comp", features=(feature,)))
