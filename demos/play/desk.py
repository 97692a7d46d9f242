"""What the races of one session share: window, devices, views, the renderer, and what the player has chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pygame
from numpy.typing import NDArray

from demos.ends import complain
from engine_sim.core.ticks import TICK_RATE

from .events import Pumped
from .front import Front
from .game import PlayOptions
from .letterbox import Rect
from .pace import Pace
from .painter import PaintJob
from .stage import Make, Stage
from .studio import Studio

if TYPE_CHECKING:
    from demos.streaming.streams import LiveStreams


class Desk:
    """Opens views, and a window if there is none yet; the renderer starts with ``start_renderer``.

    Args:
        options: what to play.
        make_painter: opens a view.
        front: the window; the desk opens one of its own without it, and closes that with itself.
    """

    def __init__(self, options: PlayOptions, make_painter: Make, front: Front | None = None) -> None:
        self.options = options
        self.front = front or Front((options.width, options.height), f"Paintover: {options.setup.track}")
        self._owns_front = front is None
        self.screen, self.inputs, self.events = self.front.screen, self.front.inputs, self.front.events
        self.notices, self.painter = self.front.notices, self.front.painter
        self.make_painter = make_painter
        job = PaintJob("", options.width, options.height, options.looks[0].look)
        paints = options.paint is not None
        view = options.view or ("paint" if paints else "both")
        self.stage = Stage(job, view, options.view is not None, make_painter, paints, wipes=True)
        self.studio: Studio | None = None
        self.streams: LiveStreams | None = None
        self.pace = Pace()
        self.look = 0
        self.prompt = (options.paint.prompt or "") if options.paint is not None else ""
        self.help = False
        self.lost_ticks = 0

    def start_renderer(self) -> None:
        """Start or greet the renderer and open the streams, if there are to be any.

        UserError: bad address, size or reference of a renderer. A stream only tells of its troubles.
        """
        if self.options.paint is not None:
            size = self.options.width, self.options.height
            self.studio = Studio(self.options.paint, self.stage, size, self.options.fps, self.notices.say)
        if self.options.streams:
            from demos.streaming.streams import LiveStreams  # loads FFmpeg

            self.streams = LiveStreams(self.options.streams, self.notices.say)

    def show_live(self) -> None:
        """Hand what the stage shows to the streams, if there are any, at its own size and without the display."""
        tick = self.stage.tick
        if self.streams is not None and tick is not None:
            self.streams.show(self.stage.compose(*self.stage.size), tick / TICK_RATE)

    def revive_renderer(self) -> None:
        """Start a renderer of ours again that was left."""
        if self.studio is not None:
            self.studio.revive()

    @property
    def pumped_at(self) -> int:
        """When the event queue was emptied last, nanoseconds."""
        return self.front.pumped_at

    def pump(self) -> Pumped:
        """Empty the event queue; see ``Front.pump``."""
        pumped = self.front.pump()
        if self.stage.notice:  # a view was given up for another
            self.notices.say(self.stage.notice)
            self.stage.notice = ""
        return pumped

    def touch(self) -> None:
        """Something else is to be shown."""
        self.front.touch()

    def close_overlay(self) -> None:
        """Nothing is open over the picture any more."""
        if self.events.overlay is not None:
            self.events.overlay.close()
            self.events.overlay = None

    @property
    def due(self) -> bool:
        """True if the window wants to be drawn although no picture is new."""
        return self.front.due

    def show(
        self,
        compose: Callable[[int, int], NDArray[np.uint8]],
        overlay: Callable[[pygame.Surface, Rect], None],
        picture: tuple[int, int] | None = None,
    ) -> None:
        """Draw the window; see ``Screen.show``. Without a ``picture`` the aspect is that of what the stage shows."""
        self.front.show(compose, overlay, picture or self.stage.size)

    def close(self) -> None:
        """End the renderer, the streams and the views, and the window if it is ours."""
        try:
            for line in self.streams.close() if self.streams is not None else ():
                complain(line)  # the window, where notices stand, is about to go
            if self.studio is not None:
                self.studio.close()
        finally:
            self.stage.close()
            if self._owns_front:
                self.front.close()
