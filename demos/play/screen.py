"""The window as a surface: opening, sizes, showing a picture, screenshots."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("SDL_IME_SHOW_UI", "1")  # an input method may show its candidates

import numpy as np
import pygame
from numpy.typing import NDArray
from pygame._sdl2.video import Window

from demos.sheet import write_picture
from engine_sim.core.errors import UserError

from .letterbox import Rect, first_window, letterbox
from .sdl import UNSEEN

BACKDROP = (12, 13, 16)


def display_found() -> bool:
    """True if SDL reaches a display. Leaves the display module open if so."""
    named = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"))
    if sys.platform.startswith("linux") and not named:
        return False  # asking SDL all the same makes libwayland print an error
    try:
        pygame.display.init()
    except pygame.error:
        return False
    if pygame.display.get_driver() in UNSEEN:
        pygame.display.quit()
        return False
    return True


class Screen:
    """One resizable window, whose size is the player's: pictures of any shape are letterboxed into it.

    A ``pygame._sdl2.video.Window`` that was wrapped around it is never dropped: a later emptying of the event queue
    would crash.

    Args:
        picture: (width, height) of the composed picture, for the first size.
        title: of the window.
    """

    def __init__(self, picture: tuple[int, int], title: str) -> None:
        pygame.display.init()
        pygame.font.init()
        self._windowed = first_window(picture, pygame.display.get_desktop_sizes()[0])
        self._full = False
        self._corner: tuple[int, int] | None = None
        self._wrappers: list[Window] = []
        pygame.display.set_caption(title)
        pygame.display.set_mode(self._windowed, pygame.RESIZABLE)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the window's drawing area."""
        return pygame.display.get_window_size()

    @property
    def surface(self) -> pygame.Surface:
        """What is drawn on; another one after every change of size."""
        return pygame.display.get_surface()

    def toggle_full_screen(self) -> None:
        """Full screen and back to the size and place before."""
        if not self._full:
            self._windowed = self.size
            self._corner = self._move((0, 0))
        self._full = not self._full
        size, flags = ((0, 0), pygame.FULLSCREEN) if self._full else (self._windowed, pygame.RESIZABLE)
        pygame.display.set_mode(size, flags)
        if not self._full and self._corner is not None:
            self._move(self._corner)

    def _move(self, corner: tuple[int, int]) -> tuple[int, int] | None:
        """Move the window, and say where it was; nothing with several screens, whose places SDL alone knows.

        Without a window manager nobody else moves a full screen to the screen's corner, and half of it is not seen.
        """
        if len(pygame.display.get_desktop_sizes()) != 1 or pygame.display.get_driver() != "x11":
            return None
        self._wrappers.append(window := Window.from_display_module())
        left, top = cast(tuple[int, int], window.position)
        window.position = corner
        return left, top

    def show(
        self,
        picture: tuple[int, int],
        compose: Callable[[int, int], NDArray[np.uint8]],
        overlay: Callable[[pygame.Surface, Rect], None],
    ) -> Rect | None:
        """Compose, letterbox, overlay, present. Nothing happens on a window without area.

        Args:
            picture: (width, height) that gives the aspect.
            compose: makes the RGB picture at the size of its place.
            overlay: draws over it.
        """
        surface = self.surface
        place = letterbox(picture, surface.get_size())
        if place is None:
            return None
        pixels = compose(place.width, place.height)
        surface.fill(BACKDROP)
        surface.blit(pygame.image.frombuffer(pixels.data, (place.width, place.height), "RGB"), (place.left, place.top))
        overlay(surface, place)
        pygame.display.flip()
        return place

    def screenshot(self, folder: Path, name: str, panels: Mapping[str, NDArray[np.uint8]]) -> Path:
        """Save the window as ``NAME-N.png`` and each panel at its own size as ``NAME-N-PANEL.png``.

        Args:
            folder: where; it is made if it is not there.
            name: what the files are called, with the first number that is free.
            panels: RGB ``[H, W, 3]`` by name.

        Returns:
            The window's file.

        Raises:
            UserError: the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot make the folder {folder}: {error.strerror}") from None
        number = next(n for n in range(1, 1_000_000) if not (folder / f"{name}-{n}.png").exists())
        path = folder / f"{name}-{number}.png"
        window = np.ascontiguousarray(pygame.surfarray.array3d(self.surface).swapaxes(0, 1))
        write_picture(path, window)
        for panel, pixels in panels.items():
            write_picture(folder / f"{name}-{number}-{panel}.png", pixels)
        return path

    def close(self) -> None:
        """Close the window and let go of SDL."""
        pygame.quit()
