"""The only place that makes OpenGL contexts: windowless EGL, on a graphics card or in software (Mesa's llvmpipe).

Several contexts may live in one process. Whoever draws wraps each public method in ``with gl:``, which makes the
context current and afterwards gives the thread back the one it had, so views never draw into each other. A context
belongs to the thread that opened it; start worker processes by spawning, a forked child cannot use its parent's.

Destroying a context leaks some 40 kB inside Mesa, so a closed one is kept, emptied of its objects, and handed out
again: opening and closing views in a loop stays flat in memory and open files.
"""

from __future__ import annotations

import threading
from importlib import resources
from typing import Any

import moderngl

from ..core.errors import UserError

_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software")
SMOOTHING = (0x0BD0, 0x809D, 0x0B41, 0x0B20, 0x8DB9, 0x809E, 0x809F)
"""OpenGL switches that blur or recolour: dithering and multisampling (on in a new context), smoothing of polygons and
lines, framebuffer sRGB, alpha to coverage and alpha to one."""
_local = threading.local()


class GlContext:
    """One OpenGL 4.3 core context. Use it as ``with gl:`` around every group of calls; ``open_gl`` makes it.

    Args:
        ctx: the moderngl context, objects of which are freed when dropped, at the end of the next ``with`` block.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self.renderer = str(ctx.info["GL_RENDERER"])
        self._open = True

    @property
    def software(self) -> bool:
        """True where a CPU draws; figures measured there carry the renderer's name."""
        return any(word in self.renderer.lower() for word in _SOFTWARE)

    @property
    def label(self) -> str:
        """Renderer for people and reports, software GL named as such."""
        return f"software GL: {self.renderer}" if self.software else self.renderer

    def __enter__(self) -> moderngl.Context:
        if not self._open:
            raise RuntimeError("this OpenGL context is closed")
        _stack().append(self)
        self.ctx.mglo.__enter__()
        return self.ctx

    def __exit__(self, *_: object) -> None:
        if self.ctx.objects:
            self.ctx.gc()
        stack = _stack()
        stack.pop()
        if stack and stack[-1] is not self:
            stack[-1].ctx.mglo.__enter__()

    def close(self) -> None:
        """Free every object that its user has dropped, and keep the context for the next ``open_gl`` of this thread."""
        if not self._open:
            return
        with self as ctx:
            _forget(ctx)
            ctx.gc()
            ctx.finish()
            ctx.clear_errors()
        self._open = False
        _idle().append(self.ctx)


def open_gl() -> GlContext:
    """A fresh context.

    Raises:
        UserError: no EGL, no driver, or one below OpenGL 4.3; names what to install.
    """
    idle = _idle()
    return GlContext(idle.pop() if idle else _create())


def load_shader(name: str) -> str:
    """Text of ``engine_sim/views/shaders/<name>``."""
    return resources.files(__package__).joinpath("shaders", name).read_text(encoding="utf-8")


def _forget(ctx: moderngl.Context) -> None:
    """Put the switches back to where a new context has them."""
    ctx.enable_only(moderngl.NOTHING)
    for switch in SMOOTHING:
        ctx.disable_direct(switch)
    for switch in SMOOTHING[:2]:
        ctx.enable_direct(switch)
    ctx.depth_func, ctx.blend_func = "<", (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA)
    ctx.blend_equation = (moderngl.FUNC_ADD, moderngl.FUNC_ADD)
    ctx.front_face, ctx.cull_face = "ccw", "back"
    ctx.polygon_offset, ctx.wireframe = (0.0, 0.0), False


def _create() -> moderngl.Context:
    try:
        # The names of the run-time packages; the environment variables GLCONTEXT_LINUX_LIBGL and _LIBEGL win over them.
        names: dict[str, Any] = {"backend": "egl", "libgl": "libGL.so.1", "libegl": "libEGL.so.1"}
        ctx = moderngl.create_context(require=430, standalone=True, **names)
    except Exception as error:  # glcontext raises nothing narrower
        raise UserError(
            f"no OpenGL 4.3 through EGL ({error}): install a graphics driver or software GL "
            "(Debian: apt-get install libegl1 libgl1; EGL finds drivers by files in /usr/share/glvnd/egl_vendor.d)"
        ) from None
    finally:
        _restore()
    ctx.gc_mode = "context_gc"
    return ctx


def _restore() -> None:
    stack = _stack()
    if stack:
        stack[-1].ctx.mglo.__enter__()


def _stack() -> list[GlContext]:
    return _per_thread("stack")


def _idle() -> list[moderngl.Context]:
    return _per_thread("idle")


def _per_thread(name: str) -> list[Any]:
    if not hasattr(_local, name):
        setattr(_local, name, [])
    return getattr(_local, name)
