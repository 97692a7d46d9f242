"""A view in a process of its own: frame states go in, finished pictures come out, and the game never waits.

Drawing holds Python's lock for as long as the driver takes (a software rasteriser needs a tenth of a second for a lit
picture), so a thread would stall the ticks. For the screen there is one picture in the making at a time; meanwhile the
newest frame state replaces the waiting one: pictures are skipped, never queued up. For a renderer, which wants the
class map of every video frame, frame states wait in line instead, in a line of bounded length.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.views.frame import FrameState

MOST_WAITING = 24
"""Frame states that wait in line. With more the machine is too slow, and the whole line is left out: what is drawn then
has no gaps for as long as possible, which a renderer's chunk wants. One left out of every two would leave no chunk.
"""
IN_HAND = 2
"""Frame states that a painter of every frame has at once: one in work, one on its way."""


@dataclass(frozen=True)
class PaintJob:
    """Which view a painter draws; goes to its process by value.

    Args:
        view: ``class`` or ``teacher``.
        width, height: pixels.
        look: a Look, for the teacher view.
        every: draw every frame state in turn, and not the newest alone.
    """

    view: str
    width: int
    height: int
    look: Any = None
    every: bool = False


class Order(NamedTuple):
    """A picture to draw.

    Args:
        pressed: nanoseconds of the monotonic clock: when the newest input was read that the frame shows.
        errand: 0 for a video frame; else the number of whoever wants this very picture, which no newer one replaces.
    """

    frame: FrameState
    pressed: int = 0
    errand: int = 0


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
    """One finished picture: ``pixels`` [H, W] or [H, W, 3], with the guide planes that were asked for."""

    order: Order
    pixels: NDArray[np.uint8]
    planes: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)

    @property
    def tick(self) -> int:
        """Tick of the state that it shows."""
        return self.order.frame.tick


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
        self._done: list[Picture] = []
        self._waiting: deque[Order] = deque()
        self._in_hand: deque[Order] = deque()
        self._planes: tuple[str, ...] = ()
        self._awake = False
        self._gone = False
        self._place: Any = None
        self._early: list[tuple[str, Any]] | None = []  # what is said before the place is, which comes first
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_paint, args=(theirs, job, opener), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def idle(self) -> bool:
        """True while nothing that was asked for is still to be drawn or collected."""
        return not (self._waiting or self._in_hand or self._done)

    def open(self, place: Any) -> None:
        """Open the view of this place (a Track), which goes to the process by value, as soon as that is awake."""
        self._place = place
        self._hand_over()

    def submit(self, frame: FrameState, pressed: int = 0, errand: int = 0) -> None:
        """Ask for a picture; see ``Order``.

        A painter of the newest drops a video frame that is still waiting for this one; a painter of every frame drops
        all that wait when they are too many. Both are counted as skipped.
        """
        if not errand:
            video = [order for order in self._waiting if not order.errand]
            for order in video if not self.job.every or len(video) >= MOST_WAITING else []:
                self._waiting.remove(order)
                self.skipped += 1
        self._waiting.append(Order(frame, pressed, errand))
        self._send_waiting()

    def set_look(self, look: Any) -> None:
        """From the next picture on, draw in another look."""
        self._tell(("look", look))

    def set_planes(self, names: tuple[str, ...]) -> None:
        """From the next picture on, draw these guide planes with the class map."""
        if names != self._planes:
            self._planes = names
            self._tell(("planes", names))

    def poll(self) -> list[Picture]:
        """Pictures finished since the last call, in the order in which they were asked for.

        Raises:
            UserError: if the view could not be opened.
            RuntimeError: if its process failed.
        """
        while self._pipe.poll():
            self._receive()
        self._send_waiting()
        done, self._done = self._done, []
        return done

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
            early, self._early = self._early or [], None
            for message in (("open", self._place), *early):
                self._tell(message)
            self._place = None

    def _send_waiting(self) -> None:
        room = IN_HAND if self.job.every else 1
        while self.ready and not self._gone and self._waiting and len(self._in_hand) < room:
            order = self._waiting.popleft()
            self._in_hand.append(order)
            self._tell(("draw", order.frame))

    def _tell(self, message: tuple[str, Any]) -> None:
        if self._early is not None and message[0] != "close":
            self._early.append(message)
            return
        try:
            self._pipe.send(message)
        except OSError:  # the process is gone; poll() finds its last words or the end of the pipe
            self._gone = True

    def _receive(self) -> None:
        try:
            kind, value = self._pipe.recv()
            if kind == "picture":
                planes = {
                    name: np.frombuffer(self._pipe.recv_bytes(), np.dtype(dtype)).reshape(shape)
                    for name, dtype, shape in value
                }
                self._done.append(Picture(self._in_hand.popleft(), planes.pop("pixels"), planes))
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
    planes: tuple[str, ...] = ()
    while True:
        kind, value = pipe.recv()
        if kind == "close":
            return
        if kind == "look":
            view.set_look(value)
        elif kind == "planes":
            planes = value
        else:
            _send_picture(pipe, _drawn(view, value, planes))


def _drawn(view: Any, frame: FrameState, planes: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """The picture as ``pixels``, and the planes by name."""
    if not planes:
        return {"pixels": np.ascontiguousarray(view.draw(frame))}
    drawn = view.planes(frame, None, ("class", *planes))
    return {"pixels": np.ascontiguousarray(drawn.pop("class"), np.uint8)} | {
        name: np.ascontiguousarray(plane) for name, plane in drawn.items()
    }


def _send_picture(pipe: Connection, arrays: dict[str, NDArray[Any]]) -> None:
    pipe.send(("picture", [(name, array.dtype.str, array.shape) for name, array in arrays.items()]))
    for array in arrays.values():
        pipe.send_bytes(array.reshape(-1).view(np.uint8).data)


def _last_words(pipe: Connection, message: tuple[str, str]) -> None:
    try:
        pipe.send(message)
    except OSError:
        return
