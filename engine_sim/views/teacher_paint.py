"""The second pass: colours of what every pixel sees, by every part of it that another surface covers.

The same material functions run in two ways. A graphics card paints in one compute shader that knows all materials:
servers' cards shade fragments on few of their cores. Software GL runs both sides of every branch, so there each family
of materials has a program of its own, and the depth test leads it to its pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import moderngl

from .gl_scene import set_uniform
from .teacher_blocks import SAMPLER_UNITS, source
from .teacher_families import Family, family_table, painter_source
from .teacher_programs import make_compute, make_screen_pass

PARTS = 3
"""How many surfaces a pixel may show; a fourth takes the colour of the third."""


class Painter(Protocol):
    """Paints what ``SeenPass`` left on its texture unit."""

    def paint(self, picture: moderngl.Texture, shafts: bool) -> None:
        """Fill ``picture`` (four halves a pixel); ``shafts``: with rays of sun between clouds."""


class CardPainter:
    """One thread a pixel.

    Args:
        ctx: context that owns the programs, current in every call.
        features: how samples are stored, of ``SeenPass``.
    """

    def __init__(self, ctx: moderngl.Context, features: tuple[str, ...]) -> None:
        self._ctx, self._features = ctx, features
        self._programs: dict[bool, moderngl.ComputeShader] = {}

    def paint(self, picture: moderngl.Texture, shafts: bool) -> None:
        """See ``Painter``. Rays between clouds cost every pixel, so only storms compile them."""
        if shafts not in self._programs:
            features = self._features + (("SHAFTS",) if shafts else ())
            files = ("teacher_words.glsl", "teacher_samples.glsl", "teacher_paint.comp")
            text = painter_source(tuple(Family), files, features)
            self._programs[shafts] = make_compute(self._ctx, text)
        picture.bind_to_image(0, read=False, write=True)
        self._programs[shafts].run(-(-picture.width // 8), -(-picture.height // 8))
        self._ctx.memory_barrier()


class SoftPainter:
    """One pass sorts the parts of pixels by family, one pass a family paints them, one joins the parts.

    Args:
        ctx: context that owns all, current in every call.
        features: how samples are stored, of ``SeenPass``: in two words each.
        size: of the picture in pixels.
        families: that the scene may show; True for those that objects show too.
    """

    def __init__(self, ctx: moderngl.Context, features: tuple[str, ...], size: tuple[int, int],
                 families: Mapping[Family, bool]) -> None:  # fmt: skip
        self._ctx, self._families = ctx, dict(families)
        large = (size[0], size[1] * PARTS)
        depth = ctx.depth_renderbuffer(large)
        self._parts = ctx.texture(large, 4, dtype="u4")
        self._colors = ctx.texture(large, 4, dtype="f2")
        self._sorted = ctx.framebuffer([self._parts], depth)
        self._painted = ctx.framebuffer([self._colors], depth)
        files = ("teacher_words.glsl", "teacher_samples.glsl", "teacher_sort.frag")
        sort = source(*files, features=features + family_table())
        self._sort = make_screen_pass(ctx, sort)
        self._join = make_compute(ctx, source("teacher_common.glsl", "teacher_develop.comp", features=("JOIN",)))
        self._passes: dict[tuple[Family, bool], tuple[moderngl.Program, moderngl.VertexArray]] = {}

    def paint(self, picture: moderngl.Texture, shafts: bool) -> None:
        """See ``Painter``."""
        ctx = self._ctx
        self._sorted.use()
        ctx.enable_only(moderngl.DEPTH_TEST)
        ctx.depth_func = "1"
        self._sort[1].render(moderngl.TRIANGLES, vertices=3)
        self._painted.depth_mask = False
        self._painted.use()
        self._painted.clear()
        ctx.depth_func = "=="
        self._parts.use(SAMPLER_UNITS["parts"])
        for family in self._families:
            program, triangle = self._pass(family, shafts)
            set_uniform(program, "depth", int(family) / 16.0)
            triangle.render(moderngl.TRIANGLES, vertices=3)
        self._colors.use(SAMPLER_UNITS["picture"])
        picture.bind_to_image(0, read=False, write=True)
        self._join.run(-(-picture.width // 16), -(-picture.height // 8))
        ctx.memory_barrier()

    def _pass(self, family: Family, shafts: bool) -> tuple[moderngl.Program, moderngl.VertexArray]:
        key = family, shafts
        if key not in self._passes:
            features = ("SHAFTS",) * shafts + ("STATIC_ONLY",) * (not self._families[family])
            self._passes[key] = make_screen_pass(
                self._ctx, painter_source((family,), ("teacher_paint.frag",), features)
            )
        return self._passes[key]
