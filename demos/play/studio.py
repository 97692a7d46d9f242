"""Everything that a painted picture needs: the renderer's process, the bridge to it, and looks on their way there."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from demos.options import NamedLook
from engine_sim.core.errors import UserError
from engine_sim.views.frame import FrameState

from .paint_link import LinkPlan, PaintLink
from .paint_plan import PaintPlan
from .references import ReferenceMaker, read_reference
from .renderer_process import Renderer

if TYPE_CHECKING:
    from .stage import Stage

WAIT_S = 20.0
"""How long a race waits for a renderer that somebody else was to start; then it begins without."""
Say = Callable[[str], None]


class Studio:
    """The painted picture of a session of play.

    Args:
        plan: who paints.
        stage: draws class maps and references, and shows the picture.
        size: (width, height) in pixels.
        fps: video rate.
        say: takes notices for the player.

    Raises:
        UserError: bad address, size or reference.
    """

    def __init__(self, plan: PaintPlan, stage: Stage, size: tuple[int, int], fps: int, say: Say) -> None:
        self._plan, self._stage, self._say = plan, stage, say
        self._reference: NDArray[np.uint8] | None = None
        if plan.reference is not None:
            self._reference = read_reference(plan.reference, *size)
        self._maker = ReferenceMaker(stage)
        self._renderer = Renderer(plan)
        try:
            self.link = PaintLink(LinkPlan(self._renderer.address, *size, fps, plan.keys), say)
        except BaseException:
            self._renderer.close()
            raise
        self._patient_until = time.monotonic() + WAIT_S

    def begin(self, look: NamedLook, frame: FrameState, prompt: str = "") -> None:
        """A race is about to start, and this is its opening frame; an empty prompt is the look's own."""
        self.link.begin()
        self._maker.want(look, frame, prompt or None, self._reference)

    def ready(self) -> bool:
        """True once the race can start: reference made, renderer there, or waited for long enough.

        Raises:
            UserError: the renderer refuses us from the first.
        """
        self.poll(0.0)
        if self.link.closed and not self.link.renderer:
            raise UserError(f"the renderer refuses this race: {self.link.closed}")
        process = self._renderer.process
        patient = time.monotonic() < self._patient_until if process is None else not process.given_up
        return not self._maker.busy and (self.link.is_open or bool(self.link.closed) or not patient)

    def progress(self) -> list[str]:
        """What is still missing before a race."""
        lines = ["drawing the reference"] if self._maker.busy else []
        if self.link.is_open:
            return lines
        process = self._renderer.process
        if process is None:
            return [*lines, f"waiting for the renderer at {self._plan.address}"]
        return [*lines, f"renderer: {process.said or 'starting'}"]

    def poll(self, media: float, running: bool = True) -> bool:
        """Carry on everything that is on its way; True if another picture is to be shown.

        Args:
            media: media time in video frames.
            running: False while media time stands still.
        """
        for view, drawn in self._stage.take_drawn():
            if drawn.order.errand:
                reference = self._maker.take(view, drawn)
                if reference is not None:
                    self.link.look(reference)
            elif view == "class":
                self.link.offer(drawn)
        fresh = self.link.poll(media, running)
        self._stage.set_planes(self.link.planes)
        before, self._stage.paint = self._stage.paint, self.link.shot
        return self._stage.shows_paint and (fresh or (before is None) != (self._stage.paint is None))

    def look_after(self) -> None:
        """Start our renderer again if it has died. UserError if it died while it was starting for the first time."""
        process = self._renderer.process
        if process is None:
            return
        if not self.link.renderer:
            process.check()
        news = process.poll()
        if news:
            self._say(news)

    def look(self, look: NamedLook, frame: FrameState) -> None:
        """Change the look: its reference is the teacher view of this frame, no longer a picture that was given."""
        self._reference = None
        self._maker.want(look, frame)

    def prompt(self, text: str) -> None:
        """Change the prompt; an empty one brings back the look's own."""
        self.link.prompt(text)

    def lines(self) -> list[str]:
        """What the player should know of the renderer at present."""
        process = self._renderer.process
        return [process.given_up] if process is not None and process.given_up else self.link.lines()

    def close(self) -> None:
        """Leave the renderer, and end it if it is ours."""
        self.link.close()
        self._renderer.close()
