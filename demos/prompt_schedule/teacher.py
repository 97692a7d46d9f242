"""The teacher view along a prompt schedule: while a look is blended in, the pictures of both are mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .course import Step

if TYPE_CHECKING:
    from engine_sim.views.frame import FrameState
    from engine_sim.views.look import Look
    from engine_sim.views.teacher_view import TeacherView


class ScheduledTeacher:
    """Draws what a step says.

    Args:
        view: open.
    """

    def __init__(self, view: TeacherView) -> None:
        self._view = view
        self._step: Step | None = None

    def put(self, step: Step) -> None:
        """From the next picture on, draw this."""
        self._step = step

    def draw(self, frame: FrameState) -> NDArray[np.uint8]:
        """RGB ``[H, W, 3]``."""
        step = self._step
        if step is None:
            return self._view.draw(frame)
        after = self._under(step.after.look.look, frame)
        if not step.blends_looks:
            return after
        return mixed(self._under(step.before.look.look, frame), after, step.share)

    def _under(self, look: Look, frame: FrameState) -> NDArray[np.uint8]:
        if look != self._view.look:
            self._view.set_look(look)
        return self._view.draw(frame)


def mixed(before: NDArray[np.uint8], after: NDArray[np.uint8], share: float) -> NDArray[np.uint8]:
    """Two pictures of one moment, ``share`` of the second, rounded."""
    blend = before.astype(np.float32) * (1.0 - share) + after.astype(np.float32) * share
    return np.rint(blend).astype(np.uint8)
