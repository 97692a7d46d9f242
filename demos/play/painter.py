"""A view in a process of its own: frame states go in, finished pictures come out, and the game never waits.

Drawing holds Python's lock for as long as the driver takes (a software rasteriser needs a tenth of a second for a lit
picture), so a thread would stall the ticks. There is one picture in the making at a time; meanwhile the newest frame
state replaces the waiting one: pictures are skipped, never queued up.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.views.frame import FrameState


@dataclass(frozen=True)
class PaintJob:
    """Which view a painter draws; goes to its process by value.

    Args:
        view: ``class`` or ``teacher``.
        width, height: pixels.
        look: a Look, for the teacher view.
    """

    view: str
    width: int
    height: int
    look: Any = None


class View(Protocol):
    """What a painter's process needs of a view."""

    def draw(self, frame: FrameState) -> NDArray[np.uint8]:
        """Picture of a frame state: ``[H, W]`` class ids or ``[H, W, 3]`` RGB."""

    def close(self) -> None:
        """Give back what it holds."""


Opener = Callable[[PaintJob, Any, Callable[[str], None]], View]
"""Opens the view of a place (a Track), saying by the callback what takes long.

An importable function, since it runs in the new process.
"""


@dataclass(frozen=True)
class Picture:
    """One finished picture: ``pixels`` [H, W] or [H, W, 3] of the state at ``tick``."""

    tick: int
    pixels: NDArray[np.uint8]


def open_view(job: PaintJob, place: Any, progress: Callable[[str], None]) -> View:
    """The engine's own views of a Track. Raises UserError if GL is missing."""
    progress("building the scene")
    from engine_sim.views.scene import build_scene

    scene = build_scene(place)
    progress("opening")
    if job.view == "class":
        from engine_sim.views.class_view import open_class_view

        return open_class_view(scene, job.width, job.height)
    from engine_sim.views.teacher_view import open_teacher_view

    return open_teacher_view(scene, job.width, job.height, job.look)


class Painter:
    """Owner of one painting process. Every method returns at once, except ``close``.

    The process starts when the painter is made; it opens its view once ``open`` has said of what place.

    Args:
        job: what to draw.
        opener: how to open the view.
    """

    def __init__(self, job: PaintJob, opener: Opener = open_view) -> None:
        self.job = job
        self.progress = "starting"
        self.ready = False
        self.drawn = 0
        self.skipped = 0
        self._picture: Picture | None = None
        self._waiting: FrameState | None = None
        self._busy = False
        self._awake = False
        self._place: Any = None
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_paint, args=(theirs, job, opener), daemon=True)
        self._process.start()
        theirs.close()

    def open(self, place: Any) -> None:
        """Open the view of this place (a Track), which goes to the process by value, as soon as that is awake."""
        self._place = place
        self._hand_over()

    def submit(self, frame: FrameState) -> None:
        """Ask for a picture; a frame state that is still waiting is dropped for this one."""
        if self._busy or not self.ready:
            self.skipped += self._waiting is not None
            self._waiting = frame
        else:
            self._send(frame)

    def set_look(self, look: Any) -> None:
        """From the next picture on, draw in another look."""
        self._tell(("look", look))

    def poll(self) -> Picture | None:
        """The newest finished picture, or None if nothing finished since the last call.

        Raises:
            UserError: if the view could not be opened.
            RuntimeError: if its process failed.
        """
        while self._pipe.poll():
            self._receive()
        if self.ready and not self._busy and self._waiting is not None:
            self._send(self._waiting)
        picture, self._picture = self._picture, None
        return picture

    def close(self, patience: float = 2.0) -> None:
        """End the process: asked first, killed after ``patience`` seconds. Safe to call twice."""
        if self._process.is_alive():
            self._tell(("close", None))
            self._process.join(patience if self.ready else 0.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._pipe.close()

    def _hand_over(self) -> None:
        if self._awake and self._place is not None:
            self._tell(("open", self._place))
            self._place = None

    def _send(self, frame: FrameState) -> None:
        self._waiting, self._busy = None, True
        self._tell(("draw", frame))

    def _tell(self, message: tuple[str, Any]) -> None:
        try:
            self._pipe.send(message)
        except OSError:  # the process is gone; poll() finds its last words or the end of the pipe
            self._busy = True

    def _receive(self) -> None:
        try:
            kind, value = self._pipe.recv()
            if kind == "picture":
                tick, shape = value
                pixels = np.frombuffer(self._pipe.recv_bytes(), np.uint8).reshape(shape)
                self._picture, self._busy = Picture(tick, pixels), False
                self.drawn += 1
        except (EOFError, OSError) as error:
            raise RuntimeError(f"the process of the {self.job.view} view ended without a word") from error
        if kind == "awake":
            self._awake = True
            self._hand_over()
        elif kind == "progress":
            self.progress = value
        elif kind == "ready":
            self.ready, self.progress = True, value
        elif kind == "refused":
            raise UserError(value)
        elif kind == "failed":
            raise RuntimeError(f"the {self.job.view} view failed:\n{value}")


def _paint(pipe: Connection, job: PaintJob, opener: Opener) -> None:
    """Body of the process: open the view when told of what, then draw whatever comes until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the owner decides
    try:
        pipe.send(("awake", None))
        kind, place = pipe.recv()
        if kind == "close":
            return
        view = opener(job, place, lambda text: pipe.send(("progress", text)))
        pipe.send(("ready", getattr(view, "backend", job.view)))
        try:
            _serve(pipe, view)
        finally:
            view.close()
    except UserError as error:
        _last_words(pipe, ("refused", str(error)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except Exception:  # a boundary between processes: the other side must hear of anything that went wrong
        _last_words(pipe, ("failed", traceback.format_exc()))


def _serve(pipe: Connection, view: Any) -> None:
    while True:
        kind, value = pipe.recv()
        if kind == "close":
            return
        if kind == "look":
            view.set_look(value)
        else:
            pixels = np.ascontiguousarray(view.draw(value))
            pipe.send(("picture", (value.tick, pixels.shape)))
            pipe.send_bytes(pixels.reshape(-1).data)


def _last_words(pipe: Connection, message: tuple[str, str]) -> None:
    try:
        pipe.send(message)
    except OSError:
        return
