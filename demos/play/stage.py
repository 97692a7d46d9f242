"""What is on the screen: one painter a view, their newest pictures, and the switches between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demos.ends import advising
from engine_sim.core.errors import UserError
from engine_sim.views.frame import FrameState
from render_bridge.palette import RACING

from .letterbox import scaled, side_by_side
from .painter import Painter, PaintJob, Picture

VIEWS = ("class", "teacher", "both")
Make = Callable[[PaintJob], Painter]


def shown_views(view: str) -> tuple[str, ...]:
    """The painters that a choice of view needs, left to right."""
    return ("class", "teacher") if view == "both" else (view,)


class Stage:
    """Painters by view. A painter starts when its view is first shown and then stays; ``open`` says what they draw.

    Args:
        job: size and look; its ``view`` is ignored.
        view: one of VIEWS.
        required: True if the player asked for this view by name. Otherwise a teacher view that cannot be opened (no
            GL) is given up for the class map, and ``notice`` says why.
        make: opens a painter.
    """

    def __init__(self, job: PaintJob, view: str, required: bool = True, make: Make = Painter) -> None:
        self.view = view
        self.notice = ""
        self._job = job
        self._required = required
        self._make = make
        self._painters: dict[str, Painter] = {}
        self._pictures: dict[str, Picture] = {}
        self._newest: FrameState | None = None
        self._place: Any = None
        self._start()

    @property
    def ready(self) -> bool:
        """True once every shown view has opened."""
        return all(self._painters[name].ready for name in shown_views(self.view))

    @property
    def progress(self) -> list[str]:
        """One line for each shown view that is still opening."""
        painters = [(n, self._painters[n]) for n in shown_views(self.view)]
        return [f"{name} view: {painter.progress}" for name, painter in painters if not painter.ready]

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the composed picture."""
        return self._job.width * len(shown_views(self.view)), self._job.height

    def open(self, place: Any) -> None:
        """The place (a Track) that all views draw, those opened later too. The first one stays."""
        if self._place is None:
            self._place = place
            for painter in self._painters.values():
                painter.open(place)

    def submit(self, frame: FrameState) -> None:
        """A video frame is due: every shown view draws it, unless a newer one comes first."""
        self._newest = frame
        for name in shown_views(self.view):
            self._painters[name].submit(frame)

    def poll(self) -> bool:
        """Collect finished pictures; True if any is new.

        Raises:
            UserError: if a view that was asked for cannot be opened.
        """
        fresh = False
        for name, painter in list(self._painters.items()):
            try:
                picture = painter.poll()
            except UserError as error:
                self._give_up(name, error)
                continue
            if picture is not None:
                self._pictures[name] = picture
                fresh = fresh or name in shown_views(self.view)
        return fresh

    def drawn(self) -> dict[str, int]:
        """Pictures finished so far, by shown view."""
        return {name: self._painters[name].drawn for name in shown_views(self.view)}

    def compose(self, width: int, height: int) -> NDArray[np.uint8]:
        """The shown pictures scaled to fill (width, height): RGB ``[height, width, 3]``; black where none is ready.

        Class maps are scaled by nearest, their own pixels stay what they are.
        """
        names = shown_views(self.view)
        edges = [width * i // len(names) for i in range(len(names) + 1)]
        return side_by_side([self._panel(n, edges[i + 1] - edges[i], height) for i, n in enumerate(names)])

    def next_view(self) -> str:
        """Switch to the next choice of view and return it."""
        self.view = VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)]
        self._required = False
        self._start()
        if self._newest is not None:
            self.submit(self._newest)
        return self.view

    def set_look(self, look: Any) -> None:
        """Change the look of the teacher view, now and for a teacher view opened later."""
        self._job = replace(self._job, look=look)
        if "teacher" in self._painters:
            self._painters["teacher"].set_look(look)
        if self._newest is not None:
            self.submit(self._newest)

    def close(self) -> None:
        """End all painters."""
        for painter in self._painters.values():
            painter.close()

    def _start(self) -> None:
        for name in shown_views(self.view):
            if name not in self._painters:
                painter = self._painters[name] = self._make(replace(self._job, view=name))
                if self._place is not None:
                    painter.open(self._place)

    def _give_up(self, name: str, error: UserError) -> None:
        if self._required or name == "class":
            with advising("--view class needs none"):
                raise error
        self._painters.pop(name).close()
        self.view, self.notice = "class", str(error)
        self._start()

    def _panel(self, name: str, width: int, height: int) -> NDArray[np.uint8]:
        picture = self._pictures.get(name)
        if picture is None:
            return np.zeros((height, width, 3), np.uint8)
        if name == "class":
            return scaled(RACING.colorize(picture.pixels), width, height, smooth=False)
        return scaled(picture.pixels, width, height, smooth=True)
