"""What is on the screen: one painter a view, their newest pictures, and the switches between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from demos.ends import advising
from engine_sim.core.errors import UserError
from engine_sim.views.frame import FrameState
from render_bridge.palette import RACING

from .letterbox import scaled, side_by_side
from .painter import Painter, PaintJob, Picture
from .views import PAINT_VIEWS, PAINT_WIPES, VIEWS, WIPES, shown_views
from .wipe import Wipe, wiped

KEPT, KEPT_BYTES = 72, 64_000_000
"""Most finished pictures of a view that are kept, so that it can stand beside a painted one of the same moment."""
Make = Callable[[PaintJob], Painter]


class Shot(NamedTuple):
    """A picture of a moment: RGB ``[H, W, 3]``."""

    tick: int
    pixels: NDArray[np.uint8]


class Stage:
    """Painters by view. A painter starts when its view is first shown and then stays; ``open`` says what they draw.

    Args:
        job: size and look; its ``view`` is ignored.
        view: one of VIEWS, or of PAINT_VIEWS with a renderer.
        required: True if the player asked for this view by name. Otherwise a teacher view that cannot be opened (no
            GL) is given up for the class map, and ``notice`` says why.
        make: opens a painter.
        streaming: True with a renderer: the class map of every video frame is drawn and handed out by
            ``take_drawn``, whatever is shown, and a teacher painter stands by to draw references.
        wipes: True adds the views of WIPES or PAINT_WIPES.
    """

    def __init__(
        self,
        job: PaintJob,
        view: str,
        required: bool = True,
        make: Make = Painter,
        streaming: bool = False,
        wipes: bool = False,
    ) -> None:
        self.view = view
        self.wipe = Wipe()
        own = PAINT_VIEWS if streaming else VIEWS
        self._choices = (*own, *((PAINT_WIPES if streaming else WIPES) if wipes else ()))
        self.notice = ""
        self.paint: Shot | None = None
        self._streaming = streaming
        self._missing: set[str] = set()
        self._job = job
        self._required = required
        self._make = make
        self._painters: dict[str, Painter] = {}
        self._pictures: dict[str, deque[Picture]] = {}
        self._drawn: list[tuple[str, Picture]] = []
        self._newest: FrameState | None = None
        self._place: Any = None
        self._start()

    @property
    def ready(self) -> bool:
        """True once every view that is needed has opened."""
        return all(self._painters[name].ready for name in self._needed())

    @property
    def idle(self) -> bool:
        """True while nothing that was asked for is still to be drawn."""
        return all(painter.idle for painter in self._painters.values())

    @property
    def views(self) -> list[str]:
        """The choices of view that this machine can open, as far as is known."""
        return [v for v in self._choices if not self._missing & {*shown_views(v)}]

    @property
    def tick(self) -> int | None:
        """Tick of the moment that is shown, that of the painted picture first; None before there is one."""
        if self.follows_paint and self.paint is not None:
            return self.paint.tick
        view = "teacher" if self.view == "teacher" else "class"
        return self._pictures[view][-1].tick if self._pictures.get(view) else None

    @property
    def can_refer(self) -> bool:
        """True if the teacher view can draw references for a renderer."""
        return self._streaming and "teacher" not in self._missing

    @property
    def progress(self) -> list[str]:
        """One line for each view that is still opening."""
        painters = [(n, self._painters[n]) for n in self._needed()]
        return [f"{name} view: {painter.progress}" for name, painter in painters if not painter.ready]

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the composed picture."""
        across = 1 if self.wiping else len(shown_views(self.view))
        return self._job.width * across, self._job.height

    @property
    def wiping(self) -> bool:
        """True while two pictures lie upon each other."""
        return self.view in (*WIPES, *PAINT_WIPES)

    @property
    def shows_paint(self) -> bool:
        """True if the renderer's picture is among what is shown."""
        return "paint" in shown_views(self.view)

    @property
    def follows_paint(self) -> bool:
        """True while every panel shows the moment of the painted picture, so that only a new one changes anything."""
        return self.shows_paint and self.paint is not None

    def open(self, place: Any) -> None:
        """The place (a Track) that all views draw, those opened later too. The first one stays."""
        if self._place is None:
            self._place = place
            for painter in self._painters.values():
                painter.open(place)

    def submit(self, frame: FrameState, pressed: int = 0, seen: bool = True) -> None:
        """A video frame is due: every shown view draws it, unless a newer one comes first.

        Args:
            pressed: when the newest input was read that it shows, nanoseconds.
            seen: False if nobody would see it; a renderer's class maps are drawn all the same.
        """
        self._newest = frame
        for name in self._needed():
            if (self._streaming and name == "class") or (seen and name in shown_views(self.view)):
                self._painters[name].submit(frame, pressed)

    def errand(self, view: str, frame: FrameState, number: int) -> None:
        """Have this very frame drawn beside the video; ``take_drawn`` hands it out with its number."""
        self._painters[view].submit(frame, errand=number)

    def poll(self) -> bool:
        """Collect finished pictures; True if any is new.

        Raises:
            UserError: if a view that was asked for cannot be opened.
        """
        fresh = False
        for name, painter in list(self._painters.items()):
            try:
                done = painter.poll()
            except UserError as error:
                self._give_up(name, error)
                continue
            video = [picture for picture in done if not picture.order.errand]
            kept = self._kept(name)
            if name not in self._pictures or self._pictures[name].maxlen != kept:
                self._pictures[name] = deque(self._pictures.get(name, ()), maxlen=kept)
            self._pictures[name].extend(video)
            if self._streaming:
                self._drawn += [(name, picture) for picture in done]
            fresh = fresh or bool(video and name in shown_views(self.view))
        return fresh

    def take_drawn(self) -> list[tuple[str, Picture]]:
        """With a renderer: (view, picture) of all that was drawn since the last call, in order within a view."""
        drawn, self._drawn = self._drawn, []
        return drawn

    def drawn(self) -> dict[str, int]:
        """Pictures finished so far, by shown view of the engine."""
        return {name: self._painters[name].drawn for name in shown_views(self.view) if name in self._painters}

    def compose(self, width: int, height: int) -> NDArray[np.uint8]:
        """The shown pictures scaled to fill (width, height): RGB ``[height, width, 3]``; black where none is ready.

        Class maps are scaled by nearest, their own pixels stay what they are. Beside a painted picture stand the
        engine's views of the same moment; while there is none, the class map stands in for it.
        """
        names = shown_views(self.view)
        if self.wiping:
            left, right = (self._panel(name, width, height) for name in names)
            return wiped(left, right, self.wipe.share)
        edges = [width * i // len(names) for i in range(len(names) + 1)]
        return side_by_side([self._panel(n, edges[i + 1] - edges[i], height) for i, n in enumerate(names)])

    def shots(self) -> dict[str, NDArray[np.uint8]]:
        """Every panel's own picture at its own size, RGB ``[H, W, 3]``, and the class map in any case."""
        found = {name: self._pixels(name) for name in dict.fromkeys(("class", *shown_views(self.view)))}
        return {name: pixels for name, pixels in found.items() if pixels is not None}

    def next_view(self) -> str:
        """Switch to the next choice of view that this machine can open, and return it."""
        views = self.views
        self.show_view(views[(views.index(self.view) + 1) % len(views)])
        return self.view

    def show_view(self, view: str) -> None:
        """Switch to one of ``views``."""
        self.view = view
        self._required = False
        self._start()
        if self._newest is not None:
            self._redraw(self._newest)

    def set_look(self, look: Any) -> None:
        """Change the look of the teacher view, now and for a teacher view opened later."""
        self._job = replace(self._job, look=look)
        if "teacher" in self._painters:
            self._painters["teacher"].set_look(look)
        if self._newest is not None:
            self._redraw(self._newest)

    def set_planes(self, names: tuple[str, ...]) -> None:
        """Guide planes that the renderer wants with every class map."""
        self._painters["class"].set_planes(names)

    def forget(self) -> None:
        """Another race begins: pictures of the last one belong to nothing any more."""
        self.paint, self._newest = None, None
        self._pictures.clear()
        self._drawn.clear()

    def close(self) -> None:
        """End all painters."""
        for painter in self._painters.values():
            painter.close()

    def _needed(self) -> tuple[str, ...]:
        standing_by = ("class", "teacher") if self.can_refer else ("class",) if self._streaming else ()
        return tuple(name for name in dict.fromkeys((*shown_views(self.view), *standing_by)) if name != "paint")

    def _start(self) -> None:
        for name in self._needed():
            if name not in self._painters:
                every = self._streaming and name == "class"
                painter = self._painters[name] = self._make(replace(self._job, view=name, every=every))
                if self._place is not None:
                    painter.open(self._place)

    def _redraw(self, frame: FrameState) -> None:
        """Draw a frame again for another view or look; not for the renderer, which has had it."""
        for name in shown_views(self.view):
            if name in self._painters and not (self._streaming and name == "class"):
                self._painters[name].submit(frame)

    def _kept(self, name: str) -> int:
        size = self._job.width * self._job.height * (1 if name == "class" else 3)
        return max(1, min(KEPT, KEPT_BYTES // size)) if self._streaming or self.wiping else 1

    def _give_up(self, name: str, error: UserError) -> None:
        shown = name in shown_views(self.view)
        if name == "class" or (self._required and shown):
            with advising("--view class needs none"):
                raise error
        self._painters.pop(name).close()
        self._missing.add(name)
        self.notice = str(error)
        if shown:
            self.view = "paint" if self._streaming else "class"
        self._start()

    def _panel(self, name: str, width: int, height: int) -> NDArray[np.uint8]:
        pixels = self._pixels(name)
        if pixels is None:
            return np.zeros((height, width, 3), np.uint8)
        from_map = name == "class" or (name == "paint" and self.paint is None)
        return scaled(pixels, width, height, smooth=not from_map)

    def _pixels(self, name: str) -> NDArray[np.uint8] | None:
        if name == "paint" and self.paint is not None:
            return self.paint.pixels
        view = "teacher" if name == "teacher" else "class"
        picture = self._of_the_moment(view)
        if picture is None:
            return None
        return RACING.colorize(picture.pixels) if view == "class" else picture.pixels

    def _of_the_moment(self, view: str) -> Picture | None:
        """The newest picture of a view; beside a painted one, or upon another, that of the same moment."""
        pictures = self._pictures.get(view)
        if not pictures:
            return None
        moment = self._moment()
        return next((p for p in reversed(pictures) if moment is None or p.tick <= moment), pictures[0])

    def _moment(self) -> int | None:
        """Tick that every panel is to show; None where each may show its newest."""
        if self.follows_paint and self.paint is not None:
            return self.paint.tick
        newest = [self._pictures[name][-1].tick for name in shown_views(self.view) if self._pictures.get(name)]
        return min(newest) if self.wiping and newest else None
