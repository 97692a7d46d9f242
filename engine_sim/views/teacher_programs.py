"""The shader programs of the teacher view, one per group of materials, and the pictures that they read."""

from __future__ import annotations

import moderngl

from .teacher_atlas import HEIGHT as ATLAS_HEIGHT
from .teacher_atlas import WIDTH as ATLAS_WIDTH
from .teacher_atlas import print_atlas
from .teacher_blocks import SAMPLER_UNITS, bind_units, source
from .teacher_scene import Group
from .teacher_sky import AZIMUTHS, ELEVATIONS
from .teacher_textures import SIZE, detail_layers

_FRAGMENTS: dict[Group, tuple[str, tuple[str, ...]]] = {
    Group.CAR: ("teacher_car.frag", ()),
    Group.BUILT: ("teacher_built.frag", ()),
    Group.PLANTS: ("teacher_plants.frag", ("MATTE",)),
    Group.GROUND: ("teacher_ground.frag", ()),
}
"""Fragment shader and features of each group, in drawing order: what mostly hides other things comes first."""

_SHARED = ("teacher_common.glsl", "teacher_light.glsl")


def make_program(ctx: moderngl.Context, vertex: str, fragment: str) -> moderngl.Program:
    """Compile, and bind samplers and blocks to their fixed units."""
    program = ctx.program(vertex_shader=vertex, fragment_shader=fragment)
    bind_units(program)
    return program


def make_screen_pass(ctx: moderngl.Context, *fragment: str, features: tuple[str, ...] = ()) -> moderngl.VertexArray:
    """A pass over the whole picture; draw it with ``render(TRIANGLES, vertices=3)``."""
    return ctx.vertex_array(make_program(ctx, source("teacher_sky.vert"), source(*fragment, features=features)), [])


class Painters:
    """Programs that paint groups and sky. Rays of sun between clouds cost every pixel, so only storms compile them.

    Args:
        ctx: context that owns them.
        lean: fewer reads of shadows and detail, for software GL, which paints four times the pixels.
    """

    def __init__(self, ctx: moderngl.Context, lean: bool) -> None:
        self._ctx = ctx
        self._features = ("LEAN",) if lean else ()
        self._sets: dict[bool, tuple[dict[Group, moderngl.Program], moderngl.VertexArray]] = {}

    def of(self, shafts: bool) -> tuple[dict[Group, moderngl.Program], moderngl.VertexArray]:
        """Programs by group in drawing order, and the pass that paints the sky; compiled at first need."""
        if shafts not in self._sets:
            extra = self._features + (("SHAFTS",) if shafts else ())
            programs = {
                group: make_program(
                    self._ctx,
                    source("teacher.vert"),
                    source(*_SHARED, "teacher_surface.glsl", name, features=features + extra),
                )
                for group, (name, features) in _FRAGMENTS.items()
            }
            sky = make_screen_pass(self._ctx, *_SHARED, "teacher_sky.frag", features=extra)
            self._sets[shafts] = programs, sky
        return self._sets[shafts]


class Pictures:
    """Detail layers, print and the sky table on the card."""

    def __init__(self, ctx: moderngl.Context) -> None:
        layers, atlas = detail_layers(), print_atlas()
        self._details = ctx.texture_array((SIZE, SIZE, len(layers)), 4, layers.tobytes())
        self._atlas = ctx.texture((ATLAS_WIDTH, ATLAS_HEIGHT), 2, atlas.tobytes())
        for texture in (self._details, self._atlas):
            texture.build_mipmaps()
            texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        self.sky = ctx.texture((AZIMUTHS, ELEVATIONS), 4, dtype="f2")
        self.sky.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self.sky.repeat_x = self.sky.repeat_y = False

    def use(self) -> None:
        """Bind all to their units."""
        self._details.use(SAMPLER_UNITS["details"])
        self._atlas.use(SAMPLER_UNITS["print_atlas"])
        self.sky.use(SAMPLER_UNITS["sky_table"])
