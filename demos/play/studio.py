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
IF_DEAD = "the menu starts it again; its View shows the engine's own pictures"
IF_GONE = "View shows the engine's own pictures"
IF_SLOW = "a smaller picture size is quicker; View shows the engine's own pictures"
STILL = -1
"""Errand of a photograph; those of references are positive."""
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
        self.held = self._still_asked = False

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
            if drawn.order.errand == STILL:
                self.link.begin_still(drawn)
                self._still_asked = False
            elif drawn.order.errand:
                reference = self._maker.take(view, drawn)
                if reference is not None:
                    self.link.look(reference)
            elif view == "class" and not self.held:
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

    def look(self, look: NamedLook, frame: FrameState | None) -> None:
        """Change the look: its reference is the teacher view of this frame, no longer a picture that was given.

        Without a frame there is no race yet, and ``begin`` is to name the look.
        """
        self._reference = None
        if frame is not None:
            self._maker.want(look, frame)

    def refer(self, picture: NDArray[np.uint8], look: NamedLook, frame: FrameState | None, prompt: str = "") -> None:
        """Paint after a picture RGB ``[H, W, 3]`` until a look is chosen; an empty prompt is the look's own.

        Without a frame there is no race yet: the next one begins with the picture.
        """
        self._reference = picture
        if frame is not None:
            self._maker.want(look, frame, prompt or None, picture)

    def prompt(self, text: str) -> None:
        """Change the prompt, also of a reference that is still being made; an empty one brings back the look's own."""
        if self._maker.busy:
            self._maker.reword(text or None)
        else:
            self.link.prompt(text)

    # --- photographs

    def hold(self) -> None:
        """The class maps that are drawn from now on are not the race's: the renderer gets none of them."""
        self.held = True

    def ask_still(self, frame: FrameState) -> None:
        """Have this moment painted as it stands, see ``take_still``."""
        self._still_asked = True
        self._stage.errand("class", frame, STILL)

    @property
    def painting_still(self) -> bool:
        """True while a still is on its way; one that takes too long is given up."""
        if self.link.still is not None and self.link.still.late(time.monotonic()):
            self.link.end_still()
        return self._still_asked or self.link.still is not None

    def take_still(self) -> NDArray[np.uint8] | None:
        """The painted still, once: RGB ``[H, W, 3]``."""
        still = self.link.still
        if still is None or still.painted is None:
            return None
        self.link.end_still()
        return still.painted

    def release(self) -> None:
        """Back to the race; a still that is not painted is given up."""
        self.held, self._still_asked = False, False
        self.link.end_still()

    @property
    def dead(self) -> bool:
        """True if our own renderer ended so often that it was left."""
        return self._renderer.process is not None and bool(self._renderer.process.given_up)

    def revive(self) -> None:
        """Start our own renderer again after it was left."""
        if self._renderer.process is not None:
            self._renderer.process.revive()

    def lines(self) -> list[str]:
        """What the player should know of the renderer at present, and what can be done about it."""
        process = self._renderer.process
        if process is not None and process.given_up:
            return [process.given_up, IF_DEAD]
        lines = self.link.lines()
        if self.link.closed:
            return [*lines, IF_GONE]
        return [*lines, IF_SLOW] if self.link.is_open and self.link.figures.notice() in lines else lines

    def lines_on_show(self) -> list[str]:
        """As ``lines``; nothing while the renderer's picture is not among what is shown."""
        return self.lines() if self._stage.shows_paint else []

    def close(self) -> None:
        """Leave the renderer, and end it if it is ours."""
        self.link.close()
        self._renderer.close()
