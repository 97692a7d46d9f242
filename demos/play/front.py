"""What lives as long as the window: screen, devices, settings, notices. Races and the start screen come and go."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pygame
from numpy.typing import NDArray

from .events import EventPump, Pumped
from .inputs import Inputs
from .keyboard import Command
from .letterbox import Rect
from .notices import Notices
from .overlay_paint import OverlayPainter
from .screen import Screen as Surface
from .screens.overlay import ScreensOverlay
from .screens.page import Screen
from .screens.page_paint import PagePainter
from .screens.stack import Stack
from .settings.store import Store
from .settings.values import Settings

REFRESH_SECONDS = 0.2
"""A paused or slow game still redraws its display this often."""
EVERYWHERE = (Command.FULL_SCREEN, Command.SCREENSHOT)
"""Commands whose keys work on screens too."""


class Front:
    """Opens the window.

    Args:
        picture: (width, height), for the window's first size and shape.
        title: of the window.
        store: the settings; None reads them from their folder.
    """

    def __init__(self, picture: tuple[int, int], title: str, store: Store | None = None) -> None:
        self.store = store or Store()
        self.screen = Surface(picture, title)
        settings = self.store.settings
        self.inputs = Inputs(settings.pad, settings.bindings)
        self.events = EventPump(self.inputs, self.screen.size)
        self.notices = Notices()
        self.painter = OverlayPainter()
        self.pages = PagePainter()
        self.asked: list[Command] = []
        self.pumped_at = 0
        self._dirty = True
        self._shown_at = 0.0
        if self.store.problem:
            self.notices.say(self.store.problem)

    @property
    def settings(self) -> Settings:
        """In force."""
        return self.store.settings

    def change(self, settings: Settings) -> None:
        """Other settings, from now on and for good."""
        if settings.bindings != self.settings.bindings or settings.pad != self.settings.pad:
            self.inputs.bind(settings.bindings, settings.pad)
        problem = self.store.put(settings)
        if problem:
            self.notices.say(problem)
        self.touch()

    def say(self, text: str) -> None:
        """Tell the player something."""
        self.notices.say(text)

    def full_screen(self) -> None:
        """Full screen, and back."""
        self.screen.toggle_full_screen()
        self.touch()

    def stick(self) -> float | None:
        """Where the steering stick of the first pad is, −1 … 1; None without a pad."""
        return self.inputs.steering_stick()

    def open(self, first: Screen | Stack, closed: Callable[[], None] = lambda: None) -> ScreensOverlay:
        """Open screens over the picture."""
        stack = first if isinstance(first, Stack) else Stack(first)
        overlay = self.events.overlay = ScreensOverlay(stack, self.pages, self._everywhere, closed)
        self.touch()
        return overlay

    def _everywhere(self, key: str) -> bool:
        return self.inputs.bindings.commands.get(key) in EVERYWHERE

    def pump(self) -> Pumped:
        """Empty the event queue; what it says of the window is remembered here.

        What screens ask for (``asked``) comes with the commands, as if a key had been pressed.
        """
        self.pumped_at = time.monotonic_ns()
        pumped = self.events.pump()
        overlay = self.events.overlay
        self._dirty = self._dirty or pumped.redraw or (overlay is not None and overlay.tick())
        for text in pumped.notices:
            self.notices.say(text)
        if overlay is not None and overlay.done:
            overlay.close()
            if self.events.overlay is overlay:
                self.events.overlay = None
            self._dirty = True
        pumped.commands += self.asked
        self.asked.clear()
        return pumped

    def touch(self) -> None:
        """Something else is to be shown."""
        self._dirty = True

    @property
    def due(self) -> bool:
        """True if the window wants to be drawn although no picture is new."""
        stale = self._dirty or self.notices.fresh or time.monotonic() - self._shown_at > REFRESH_SECONDS
        return self.events.window.visible and stale

    def show(
        self,
        compose: Callable[[int, int], NDArray[np.uint8]],
        overlay: Callable[[pygame.Surface, Rect], None],
        picture: tuple[int, int],
    ) -> None:
        """Draw the window; see ``Screen.show``."""
        self.screen.show(picture, compose, overlay)
        self._dirty, self._shown_at = False, time.monotonic()

    def close(self) -> None:
        """Let go of devices and window."""
        self.events.close()
        self.screen.close()
