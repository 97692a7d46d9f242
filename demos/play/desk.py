"""What the races of one session share: window, devices, views, the renderer, and what the player has chosen."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pygame
from numpy.typing import NDArray

from .events import EventPump, Pumped
from .game import PlayOptions
from .inputs import Inputs
from .letterbox import Rect
from .notices import Notices
from .overlay_paint import OverlayPainter
from .pace import Pace
from .painter import PaintJob
from .screen import Screen
from .stage import Make, Stage
from .studio import Studio

REFRESH_SECONDS = 0.2
"""A paused or slow game still redraws its display this often."""


class Desk:
    """Opens window and views; the renderer starts with ``start_renderer``.

    Args:
        options: what to play.
        make_painter: opens a view.
    """

    def __init__(self, options: PlayOptions, make_painter: Make) -> None:
        self.options = options
        self.screen = Screen((options.width, options.height), f"Paintover: {options.setup.track}")
        self.inputs = Inputs()
        self.events = EventPump(self.inputs, self.screen.size)
        job = PaintJob("", options.width, options.height, options.looks[0].look)
        paints = options.paint is not None
        view = options.view or ("paint" if paints else "both")
        self.stage = Stage(job, view, options.view is not None, make_painter, paints)
        self.studio: Studio | None = None
        self.notices = Notices()
        self.painter = OverlayPainter()
        self.pace = Pace()
        self.look = 0
        self.prompt = (options.paint.prompt or "") if options.paint is not None else ""
        self.help = False
        self.lost_ticks = 0
        self.pumped_at = 0
        self._dirty = True
        self._shown_at = 0.0

    def start_renderer(self) -> None:
        """Start or greet the renderer, if there is to be one. UserError: bad address, size or reference."""
        if self.options.paint is not None:
            size = self.options.width, self.options.height
            self.studio = Studio(self.options.paint, self.stage, size, self.options.fps, self.notices.say)

    def pump(self) -> Pumped:
        """Empty the event queue; what it says of the window is remembered here."""
        self.pumped_at = time.monotonic_ns()
        pumped = self.events.pump()
        self._dirty = self._dirty or pumped.redraw
        for text in pumped.notices:
            self.notices.say(text)
        if self.stage.notice:  # a view was given up for another
            self.notices.say(self.stage.notice)
            self.stage.notice = ""
        overlay = self.events.overlay
        if overlay is not None and overlay.done:
            overlay.close()
            self.events.overlay, self._dirty = None, True
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
        picture: tuple[int, int] | None = None,
    ) -> None:
        """Draw the window; see ``Screen.show``. Without a ``picture`` the aspect is that of what the stage shows."""
        self.screen.show(picture or self.stage.size, compose, overlay)
        self._dirty, self._shown_at = False, time.monotonic()

    def close(self) -> None:
        """End the renderer, the views, the window."""
        try:
            if self.studio is not None:
                self.studio.close()
        finally:
            self.stage.close()
            self.events.close()
            self.screen.close()
