"""Class view through OpenGL: whole-number targets, one sample a pixel, nothing blended."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import SKY

from .frame import Camera
from .gl_buffers import PixelBuffers
from .gl_context import SMOOTHING, load_shader, open_gl
from .gl_scene import GlScene, picture_matrix, set_uniform
from .planes import Surfaces
from .scene_data import DrawList, Scene


class GlPainter:
    """Paints draw lists of one scene at one size, in a context of its own.

    Args:
        scene: uploaded once.
        width, height: pixels; any size, rows are read without padding.
    Raises:
        UserError: without OpenGL (see ``gl_context.open_gl``).
    """

    name = "gl"

    def __init__(self, scene: Scene, width: int, height: int) -> None:
        self.size = (width, height)
        self._gl = open_gl()
        self.label, self.software = self._gl.label, self._gl.software
        self._maps = PixelBuffers(width * height)
        self._surfaces = PixelBuffers(6 * width * height)
        self._uploaded: DrawList | None = None
        try:
            with self._gl as ctx:
                self._build(ctx, scene)
        except BaseException:
            self.close()
            raise

    def _build(self, ctx: moderngl.Context, scene: Scene) -> None:
        vertex, sky, ids, surfaces = (
            load_shader(n) for n in ("class_view.vert", "sky.vert", "class_view.frag", "surfaces.frag")
        )
        self._scene = GlScene(ctx, scene)
        depth = ctx.depth_renderbuffer(self.size)
        ids_target = ctx.renderbuffer(self.size, 1, dtype="u1")
        object_target = ctx.renderbuffer(self.size, 1, dtype="u1")
        distance_target = ctx.renderbuffer(self.size, 1, dtype="f4")
        self._passes = {}
        for name, fragment, targets in (
            ("classes", ids, [ids_target]),
            ("surfaces", surfaces, [ids_target, object_target, distance_target]),
        ):
            draw = ctx.program(vertex_shader=vertex, fragment_shader=fragment)
            background = ctx.program(vertex_shader=sky, fragment_shader=fragment)
            set_uniform(background, "sky_class", SKY)
            self._passes[name] = (
                ctx.framebuffer(targets, depth), draw, ctx.vertex_array(background, []),
            )  # fmt: skip

    def classes(self, draws: DrawList, camera: Camera) -> NDArray[np.uint8]:
        """Class map uint8 [H, W], a new array."""
        with self._gl:
            target = self._draw("classes", draws, camera)
            return self._plane(target.read(components=1, alignment=1, dtype="u1"), np.uint8)

    def surfaces(self, draws: DrawList, camera: Camera) -> Surfaces:
        """Class, object and distance of every pixel; none may have been begun."""
        self.begin_surfaces(draws, camera)
        return self.end_surfaces()

    def begin_surfaces(self, draws: DrawList, camera: Camera) -> None:
        """Start surfaces and their copy into a pixel buffer; ``end_surfaces`` fetches the oldest ones started."""
        pixels = self.size[0] * self.size[1]
        with self._gl as ctx:
            buffer = self._surfaces.spare(ctx)
            target = self._draw("surfaces", draws, camera)
            for plane, code, offset in ((2, "f4", 0), (0, "u1", 4 * pixels), (1, "u1", 5 * pixels)):
                target.read_into(
                    buffer, components=1, attachment=plane, alignment=1, dtype=code, write_offset=offset
                )  # fmt: skip
            self._surfaces.begun(buffer)

    def end_surfaces(self) -> Surfaces:
        """Class, object and distance of the oldest ``begin_surfaces`` not yet ended, as new arrays."""
        shape, pixels = (self.size[1], self.size[0]), self.size[0] * self.size[1]
        data = np.empty(6 * pixels, np.uint8)
        with self._gl:
            self._surfaces.fetch(data)
        distance = data[: 4 * pixels].view(np.float32).reshape(shape)
        classes, objects = data[4 * pixels :].reshape(2, *shape)
        np.putmask(distance, classes == SKY, np.inf)
        return Surfaces(classes, objects, distance)

    def begin(self, draws: DrawList, camera: Camera) -> None:
        """Start a class map and its copy into a pixel buffer; ``end`` fetches the oldest one started."""
        with self._gl as ctx:
            buffer = self._maps.spare(ctx)
            self._draw("classes", draws, camera).read_into(buffer, components=1, alignment=1, dtype="u1")
            self._maps.begun(buffer)

    def end(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Class map uint8 [H, W] of the oldest ``begin`` not yet ended, in ``out`` if given."""
        with self._gl:
            classes = np.empty((self.size[1], self.size[0]), np.uint8) if out is None else out
            self._maps.fetch(classes)
            return classes

    def close(self) -> None:
        """Release everything; further calls raise RuntimeError."""
        for held in ("_scene", "_passes", "_maps", "_surfaces"):
            self.__dict__.pop(held, None)
        self._gl.close()

    def _draw(self, name: str, draws: DrawList, camera: Camera) -> moderngl.Framebuffer:
        ctx = self._gl.ctx
        target, program, background = self._passes[name]
        set_uniform(program, "clip_from_eye", picture_matrix(camera, *self.size))
        set_uniform(program, "eye", camera.position)
        if draws is not self._uploaded:  # A class map and surfaces of one frame share what was sent.
            self._scene.upload(draws)
            self._uploaded = draws
        target.use()
        ctx.enable_only(moderngl.DEPTH_TEST)
        for switch in SMOOTHING:
            ctx.disable_direct(switch)
        target.clear(depth=1.0)
        ctx.depth_func = "<"
        self._scene.render(program)
        # Last and only where nothing stands: clearing colours of a whole-number target is not defined.
        ctx.depth_func = "<="
        background.render(moderngl.TRIANGLES, vertices=3)
        return target

    def _plane(self, data: bytes, dtype: type) -> NDArray:
        return np.frombuffer(data, dtype).reshape(self.size[1], self.size[0]).copy()
