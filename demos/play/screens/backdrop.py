"""Draws the start screen's picture in a process of its own, so that turning through circuits never stutters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.views.frame import Camera, FrameState

from ..painter import Painter, PaintJob, View
from .hero import hero_frame

SETTLE_S = 0.25
"""A choice must stand so long before it is drawn: who turns on does not want what lies between."""
NOWHERE = FrameState(0, Camera((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0), ())


class Motif(NamedTuple):
    """What to draw: name of a circuit, a Look."""

    track: str
    look: Any


class HeroView:
    """The picture of one motif after the other; a circuit's view is opened when its name comes."""

    backend = "teacher"

    def __init__(self, job: PaintJob) -> None:
        self._job = job
        self._track = ""
        self._view: Any = None
        self._frame = NOWHERE
        self.set_look(job.look)

    def set_look(self, motif: Motif) -> None:
        """Another motif."""
        from engine_sim.tracks.catalogue import load_track
        from engine_sim.views.scene import build_scene
        from engine_sim.views.teacher_view import open_teacher_view

        if motif.track == self._track:
            self._view.set_look(motif.look)
            return
        track = load_track(motif.track)
        self.close()
        self._view = open_teacher_view(build_scene(track), self._job.width, self._job.height, motif.look)
        self._track, self._frame = motif.track, hero_frame(track)

    def draw(self, _frame: FrameState) -> NDArray[np.uint8]:
        """RGB ``[H, W, 3]``."""
        return self._view.draw(self._frame)

    def close(self) -> None:
        """Give back what it holds."""
        if self._view is not None:
            self._view.close()
            self._view = None


def open_hero(job: PaintJob, _place: Any, progress: Callable[[str], None]) -> View:
    """Opener of the painting process."""
    progress("opening")
    return HeroView(job)


class Backdrop:
    """The newest picture of what is chosen; black until there is one, and where there is no GL.

    Args:
        size: (width, height) of the picture.
        make: opens the painting process; tests put a stand-in here.
    """

    def __init__(self, size: tuple[int, int], make: Callable[[PaintJob], Painter] | None = None) -> None:
        self._size = size
        self._make = make or (lambda job: Painter(job, open_hero))
        self._painter: Painter | None = None
        self._wanted: Motif | None = None
        self._asked: Motif | None = None
        self._since = -math.inf
        self._lost = False
        self.picture: NDArray[np.uint8] | None = None

    def want(self, motif: Motif, now: float) -> None:
        """Draw this, once it has stood for a moment."""
        if motif != self._wanted:
            self._wanted, self._since = motif, now

    def poll(self, now: float) -> bool:
        """Carry on; True if there is another picture."""
        if self._lost:
            return False
        if self._wanted is not None and self._wanted != self._asked and self._due(now):
            self._ask(self._wanted)
        if self._painter is None:
            return False
        try:
            drawn = self._painter.poll()
        except (UserError, RuntimeError):  # no GL, or a circuit that cannot be drawn: the screen does without
            self._lost = True
            return False
        if drawn:
            self.picture = drawn[-1].pixels
        return bool(drawn)

    def close(self) -> None:
        """End the process; at once, for a race may be waiting for its cores."""
        if self._painter is not None:
            self._painter.close(patience=0.0)

    def _due(self, now: float) -> bool:
        return self._asked is None or now - self._since >= SETTLE_S

    def _ask(self, motif: Motif) -> None:
        self._asked = motif
        if self._painter is None:
            width, height = self._size
            self._painter = self._make(PaintJob("teacher", width, height, motif))
            self._painter.open("anywhere")  # it finds its places by itself
        else:
            self._painter.set_look(motif)
        self._painter.submit(NOWHERE)
