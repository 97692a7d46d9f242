"""Programs with their samplers and blocks in place, and the pictures that they read."""

from __future__ import annotations

import moderngl

from .teacher_atlas import HEIGHT as ATLAS_HEIGHT
from .teacher_atlas import WIDTH as ATLAS_WIDTH
from .teacher_atlas import print_atlas
from .teacher_blocks import SAMPLER_UNITS, bind_units, source
from .teacher_sky import AZIMUTHS, ELEVATIONS
from .teacher_textures import SIZE, detail_layers


def make_compute(ctx: moderngl.Context, text: str) -> moderngl.ComputeShader:
    """Compile, and bind samplers and blocks to their fixed units."""
    shader = ctx.compute_shader(text)
    bind_units(shader)
    return shader


def make_screen_pass(ctx: moderngl.Context, fragment: str) -> tuple[moderngl.Program, moderngl.VertexArray]:
    """A pass over a whole target at the depth of its uniform; draw it with ``render(TRIANGLES, vertices=3)``."""
    program = ctx.program(vertex_shader=source("teacher_screen.vert"), fragment_shader=fragment)
    bind_units(program)
    return program, ctx.vertex_array(program, [])


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
