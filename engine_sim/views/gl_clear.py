"""Clearing targets of whole numbers: moderngl clears with fractions, which OpenGL leaves undefined for such targets."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable

_COLOR, _DEPTH = 0x1800, 0x1801


def open_clear() -> Callable[[float], None] | None:
    """A function that sets the one whole-number attachment of the target in use to 0, and its depth to the argument.

    It obeys the target's masks and scissor, and works in the context that is current when it is called. None where the
    driver does not tell where its functions are.
    """
    library = ctypes.CDLL(os.environ.get("GLCONTEXT_LINUX_LIBEGL", "libEGL.so.1"))
    find = library.eglGetProcAddress
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    kind = ctypes.CFUNCTYPE(None, ctypes.c_uint, ctypes.c_int, ctypes.c_void_p)
    places = [find(name) for name in (b"glClearBufferuiv", b"glClearBufferfv")]
    if not all(places):
        return None
    clear_numbers, clear_depth = (kind(place) for place in places)
    nothing, depth = (ctypes.c_uint * 4)(), (ctypes.c_float * 1)()

    def clear(value: float) -> None:
        depth[0] = value
        clear_numbers(_COLOR, 0, nothing)
        clear_depth(_DEPTH, 0, depth)

    return clear
