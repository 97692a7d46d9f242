"""The teacher view: the engine's own lit and textured picture of a moment, the renderer's training target.

A first pass over the shared draw list writes which triangle each of 4 samples a pixel sees, a second one paints every
surface in a pixel once, then come glow and the filmic curve. ``begin``/``end`` keep several frames in flight; ``draw``
does one at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..core.errors import UserError
from .culling import draw_list
from .frame import FrameState
from .gl_buffers import PixelBuffers
from .gl_context import open_gl
from .look import Look
from .scene_data import DrawList, Scene
from .teacher_blocks import CARS_LIT, FRAME, LOOK, SAMPLER_UNITS
from .teacher_develop import Darkroom
from .teacher_families import families_of
from .teacher_frame import FrameNumbers
from .teacher_hills import HillShade
from .teacher_light import light_of
from .teacher_paint import CardPainter, Painter, SoftPainter
from .teacher_programs import Pictures
from .teacher_scene import TeacherScene, earth_share
from .teacher_seen import SeenPass
from .teacher_shadows import SunShadows
from .teacher_timing import PassTimer, untimed

IN_FLIGHT = 3


def open_teacher_view(scene: Scene, width: int, height: int, look: Look, samples: int = 4) -> TeacherView:
    """A teacher view of a scene.

    Args:
        width, height: pixels, multiples of 32.
        look: the first one; ``set_look`` changes it.
        samples: per pixel, 1 to 8; fewer where the driver has not so many.

    Raises:
        UserError: size or samples out of range, or no OpenGL.
    """
    if width <= 0 or height <= 0 or width % 32 or height % 32:
        raise UserError(f"picture size {width}x{height}: both sides must be positive multiples of 32, like 448x256")
    if not 1 <= samples <= 8:
        raise UserError(f"samples {samples}: expected 1 to 8 a pixel")
    return TeacherView(scene, width, height, look, samples)


class TeacherView:
    """Draws frames of one scene at one size. Make it with ``open_teacher_view``; it belongs to the thread that did."""

    def __init__(self, scene: Scene, width: int, height: int, look: Look, samples: int) -> None:
        self.size = (width, height)
        self._gl = open_gl()
        self.label = self._gl.label
        self._scene = scene
        self._in_flight = PixelBuffers(3 * width * height, dynamic=True)
        self._timed: Callable[[str], AbstractContextManager[object]] = untimed
        try:
            with self._gl as ctx:
                self._build(ctx, samples)
            self.set_look(look)
        except BaseException:
            self.close()
            raise

    def set_look(self, look: Look) -> None:
        """Change the look from the next frame on."""
        light = light_of(look)
        self.look = look
        with self._gl:
            self._shafts = look.lighting.shaft > 0.0
            self._pictures.sky.write(light.sky.tobytes())
            self._look_block.write(light.block)
            self._shadows.set_sun(light.sun)
            self._hills.set_sun(light.sun)

    def draw(self, frame: FrameState, draws: DrawList | None = None) -> NDArray[np.uint8]:
        """RGB uint8 [H, W, 3] of a frame, row 0 at the top; ``draws`` spares culling if another view has done it."""
        if self.__dict__.get("_in_flight"):
            raise RuntimeError("draw between begin and end: fetch the frames in flight first")
        self.begin(frame, draws)
        return self.end()

    def begin(self, frame: FrameState, draws: DrawList | None = None) -> None:
        """Start a frame and its copy into a pixel buffer. At most IN_FLIGHT may wait for ``end``."""
        with self._gl as ctx:
            if len(self._in_flight) >= IN_FLIGHT:
                raise RuntimeError(f"{IN_FLIGHT} frames are in flight: call end before the next begin")
            buffer = self._in_flight.spare(ctx)
            self._paint(ctx, frame, draw_list(self._scene, frame) if draws is None else draws)
            with self._timed("develop"):
                self._darkroom.develop(self._rows)
            with self._timed("copy"):
                ctx.copy_buffer(buffer, self._rows)
            self._in_flight.begun(buffer)

    def end(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """RGB uint8 [H, W, 3] of the oldest frame begun and not yet ended, in ``out`` (contiguous) if given."""
        with self._gl:
            picture = np.empty((self.size[1], self.size[0], 3), np.uint8) if out is None else out
            self._in_flight.fetch(picture)
            return picture

    def time_passes(self) -> PassTimer:
        """Time every pass from the next frame on; frames take longer then."""
        with self._gl as ctx:
            self._timed = timer = PassTimer(ctx)
        return timer

    def close(self) -> None:
        """Release everything; further calls raise RuntimeError."""
        keep = ("size", "label", "look", "_gl")
        for held in [name for name in self.__dict__ if name not in keep]:
            del self.__dict__[held]
        self._gl.close()

    def _build(self, ctx: moderngl.Context, samples: int) -> None:
        software = self._gl.software
        # Software GL pays every car in every pixel; the nearest few are the ones whose shadow one sees.
        cars_lit = 5 if software else CARS_LIT
        haze_foot = float(np.percentile(self._scene.static.center[:, 2], 25.0))
        self._numbers = FrameNumbers(self.size, haze_foot, earth_share(self._scene), cars_lit)
        self._frame_block = ctx.buffer(reserve=FRAME.size, dynamic=True)
        self._look_block = ctx.buffer(reserve=LOOK.size)
        self._parts = TeacherScene(ctx, self._scene)
        self._pictures = Pictures(ctx)
        self._shadows = SunShadows(ctx, self._scene, self._parts, 1024 if software else 2048)
        self._hills = HillShade(ctx, self._scene.ground)
        self._darkroom = Darkroom(ctx, self.size)
        self._rows = ctx.buffer(reserve=3 * self.size[0] * self.size[1], dynamic=True)
        self._seen = SeenPass(ctx, self.size, min(samples, ctx.max_integer_samples), one_word=not software)
        self._painter: Painter = CardPainter(ctx, self._seen.features)
        if software:
            self._painter = SoftPainter(ctx, self._seen.features, self.size, families_of(self._scene))

    def _paint(self, ctx: moderngl.Context, frame: FrameState, draws: DrawList) -> None:
        with self._timed("shadows"):
            self._shadows.follow(frame.camera)
        self._pictures.use()
        self._shadows.texture.use(SAMPLER_UNITS["shadow_map"])
        self._hills.use()
        self._numbers.write(frame, self._shadows.matrices, self._hills.place)
        self._frame_block.write(self._numbers.bytes)
        self._frame_block.bind_to_uniform_block(0)
        self._look_block.bind_to_uniform_block(1)
        self._parts.upload(draws)
        self._parts.bind()
        with self._timed("seen"):
            self._seen.draw(self._parts, frame.camera)
        with self._timed("paint"):
            self._painter.paint(self._darkroom.picture, self._shafts)
