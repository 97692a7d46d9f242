"""The window as a surface: opening, sizes, showing a picture, screenshots."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")  # the game is silent; without this ALSA complains where none is

import numpy as np
import pygame
from numpy.typing import NDArray

from .letterbox import Rect, first_window, letterbox

UNSEEN = ("dummy", "offscreen", "evdev")
"""SDL's video drivers that nobody can look at; it falls back to them when there is no display."""
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

    No ``pygame._sdl2.video.Window`` may be wrapped around it: when such a wrapper is dropped, a later emptying of the
    event queue crashes.

    Args:
        picture: (width, height) of the composed picture, for the first size.
        title: of the window.
    """

    def __init__(self, picture: tuple[int, int], title: str) -> None:
        pygame.display.init()
        pygame.font.init()
        self._windowed = first_window(picture, pygame.display.get_desktop_sizes()[0])
        self._full = False
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
        """Full screen and back to the size before."""
        if not self._full:
            self._windowed = self.size
        self._full = not self._full
        size, flags = ((0, 0), pygame.FULLSCREEN) if self._full else (self._windowed, pygame.RESIZABLE)
        pygame.display.set_mode(size, flags)

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

    def screenshot(self, folder: Path, name: str) -> Path:
        """Save the window as a PNG under a name that is still free; returns the file."""
        folder.mkdir(parents=True, exist_ok=True)
        number = next(n for n in range(1, 1_000_000) if not (folder / f"{name}-{n}.png").exists())
        path = folder / f"{name}-{number}.png"
        pygame.image.save(self.surface, str(path))
        return path

    def close(self) -> None:
        """Close the window and let go of SDL."""
        pygame.quit()
