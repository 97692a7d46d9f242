"""The teacher's pictures of a session: drawn by the engine, or as they were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.recording.reader import Session
from engine_sim.views.look import Look
from engine_sim.views.scene_data import Scene

Picture = NDArray[np.uint8]
"""RGB uint8 ``[H, W, 3]``, row 0 at the top."""


class Teacher(Protocol):
    """Gives the teacher's picture of each frame of a session, in order."""

    can_restage: bool
    """Whether it can draw other looks and places too."""

    def picture(self, index: int) -> Picture:
        """The picture of frame ``index``; asked for in rising order. UserError if there is none."""

    def still(self, index: int, look: Look | None = None) -> Picture:
        """Any frame, under another look if one is given. UserError if there is none."""

    def close(self) -> None:
        """Release everything."""


class DrawnTeacher:
    """The engine draws every frame anew: exact, under any look. UserError without OpenGL."""

    can_restage = True

    def __init__(self, session: Session, scene: Scene, look: Look) -> None:
        from engine_sim.views.teacher_view import open_teacher_view

        height, width = session.shape
        self._session, self._look = session, look
        self._view = open_teacher_view(scene, width, height, look)

    def picture(self, index: int) -> Picture:
        """See ``Teacher``."""
        return self._view.draw(self._session.frame_state(index))

    def still(self, index: int, look: Look | None = None) -> Picture:
        """See ``Teacher``."""
        if look is None:
            return self.picture(index)
        self._view.set_look(look)
        try:
            return self.picture(index)
        finally:
            self._view.set_look(self._look)

    def close(self) -> None:
        """See ``Teacher``."""
        self._view.close()


class RecordedTeacher:
    """The pictures that lie in the session folder; UserError if it has none."""

    can_restage = False

    def __init__(self, session: Session) -> None:
        self._session = session
        self._frames = session.teacher_frames()
        self._held = self._next()

    def picture(self, index: int) -> Picture:
        """See ``Teacher``."""
        while self._held[0] < index:
            self._held = self._next()
        if self._held[0] != index:
            raise UserError(f"{self._session.path}: the teacher view has no frame {index}; render the session anew")
        return self._held[1]

    def still(self, index: int, look: Look | None = None) -> Picture:
        """See ``Teacher``."""
        if look is not None:
            raise UserError("a recorded teacher view has one look alone")
        alone = RecordedTeacher(self._session)
        try:
            return alone.picture(index)
        finally:
            alone.close()

    def close(self) -> None:
        """See ``Teacher``."""
        self._frames = iter(())

    def _next(self) -> tuple[int, Picture]:
        found = next(self._frames, None)
        if found is None:
            raise UserError(f"{self._session.path}: the teacher view ends before the class maps do; render it anew")
        return found


def open_teacher(session: Session, scene: Scene, look: Look) -> Teacher:
    """The teacher of a session: drawn where OpenGL is, else as recorded under its own look.

    Raises:
        UserError: neither is possible; the message says what to install.
    """
    try:
        return DrawnTeacher(session, scene, look)
    except UserError as error:
        if session.header.teacher == "none":
            raise UserError(f"{error}; {session.path} holds no teacher view that could stand in for it") from None
        if session.header.look != look.to_dict():
            raise UserError(f"{error}; the teacher view in {session.path} has another look") from None
        return RecordedTeacher(session)


def frames_of(teacher: Teacher, start: int, stop: int) -> Iterator[Picture]:
    """The pictures of frames ``start`` to ``stop`` (excluded)."""
    return (teacher.picture(k) for k in range(start, stop))
