"""A gamepad that exists only inside SDL: events take the same road as those of a real one."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pygame

GAME_CONTROLLER, PLAIN_DEVICE = 1, 0
AXES, BUTTONS, HATS = 6, 15, 1


def sdl() -> ctypes.CDLL:
    """The SDL that pygame itself runs on; a second one would have no events of ours."""
    folder = Path(pygame.__file__).parent
    places = [
        *folder.parent.glob("pygame*.libs/libSDL2-2*"),
        *folder.glob("libSDL2-2*"),
        *folder.glob(".dylibs/libSDL2-2*"),
    ]
    library = ctypes.CDLL(str(places[0]) if places else "libSDL2-2.0.so.0")
    library.SDL_JoystickFromInstanceID.restype = ctypes.c_void_p
    library.SDL_JoystickSetVirtualAxis.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int16]
    library.SDL_JoystickSetVirtualButton.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint8]
    return library


class VirtualPad:
    """Plugged in when made. ``instance`` is known once the program under test has opened the device.

    Args:
        kind: GAME_CONTROLLER (SDL has a mapping for it) or PLAIN_DEVICE (it has none).
    """

    def __init__(self, kind: int = GAME_CONTROLLER) -> None:
        self._sdl = sdl()
        self.index = self._sdl.SDL_JoystickAttachVirtual(kind, AXES, BUTTONS, HATS)
        assert self.index >= 0, "SDL refused a virtual device"
        self.instance = self._sdl.SDL_JoystickGetDeviceInstanceID(self.index)

    def axis(self, number: int, raw: int) -> None:
        """Move an axis to −32768 … 32767."""
        assert self._sdl.SDL_JoystickSetVirtualAxis(self._handle(), number, raw) == 0

    def button(self, number: int, down: bool) -> None:
        """Press or release a button."""
        assert self._sdl.SDL_JoystickSetVirtualButton(self._handle(), number, down) == 0

    def unplug(self) -> None:
        """Pull it out. Its device index may have moved down since, as indices do."""
        for index in range(self._sdl.SDL_NumJoysticks()):
            if self._sdl.SDL_JoystickGetDeviceInstanceID(index) == self.instance:
                assert self._sdl.SDL_JoystickDetachVirtual(index) == 0

    def _handle(self) -> int:
        handle = self._sdl.SDL_JoystickFromInstanceID(self.instance)
        assert handle, "the program under test has not opened this device"
        return handle
