"""A film with the picture of a renderer: every class map goes over the bridge, and every picture comes back."""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from collections import deque
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from demos.bridge.drawn import drawn_frame
from demos.bridge.options import mendable
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE, ticks_per_frame
from engine_sim.recording.drive import IDLE, Drive
from engine_sim.recording.video import VideoWriter, side_by_side
from engine_sim.views.class_view import open_class_view
from engine_sim.views.frame import FrameState
from engine_sim.views.scene import build_scene
from render_bridge.errors import BridgeClosed, NoCredit
from render_bridge.palette import RACING
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.engine_greeting import Greeting
from render_bridge.protocol.events import Closed, Lost, Opened, PictureTaken
from render_bridge.zmq.engine_end import EngineEnd

from .game import Game, PlayOptions, Tape
from .headless import GAP, check_film, figures, open_teacher, prepared_drive, progress_pause, whole_video
from .paint_plan import PaintPlan
from .references import Reference, make_reference, read_reference, send_look
from .renderer_process import Renderer
from .stage import shown_views

PLANES = ("depth",)
"""Drawn for every frame once they are offered: a recording may have to be sent again, to another renderer."""
PATIENCE_S = 20.0
"""How long somebody else's renderer may take to answer the greeting."""
TURN_S = 0.05
Say = Callable[[str], None]


class Panels(NamedTuple):
    """The engine's own views of one frame, until its picture comes: RGB ``[H, W, 3]``, the teacher's may be missing."""

    tick: int
    classes: NDArray[np.uint8]
    teacher: NDArray[np.uint8] | None


def film_painted(
    options: PlayOptions, plan: PaintPlan, seconds: float, out: Path, say: Say
) -> dict[str, Any]:  # fmt: skip
    """Film the first ``seconds`` of a scripted race: class map | picture | teacher view, or what ``view`` asks for.

    Args:
        options: what to play; the driver is scripted whatever they say.
        plan: who paints.
        seconds: of game time, from the grid on.
        out: the mp4; it appears when it is complete.
        say: told what happens, line by line.

    Returns:
        Figures of the film, and of the renderer: ``fps`` of the whole, ``chunk_ms``, ``first_frame_s`` since the call.

    Raises:
        UserError: as ``film_race``; the renderer does not start, refuses the race or keeps dying; a bad reference.
    """
    begun = time.monotonic()
    check_film(out)
    size = options.width, options.height
    given = None if plan.reference is None else read_reference(plan.reference, *size)
    frames = max(1, round(seconds * options.fps))
    with contextlib.ExitStack() as stack:
        renderer = Renderer(plan)  # it starts while we prepare
        stack.callback(renderer.close)
        drive = prepared_drive(options, say)
        views = Views(options, drive, stack, say)
        game = Game(drive, None if options.record is None else Tape(drive, options))
        stack.callback(game.close)
        game.begin()
        link = RecordLink(options, plan, renderer, stack, say)
        link.start(views.reference(game.frame(), plan.prompt, given))
        names = views.shown
        width = len(names) * options.width + (len(names) - 1) * GAP
        video = stack.enter_context(whole_video(out, width, options.height, options.fps))
        film = Film(game, views, link, video, frames, options.fps)
        film.run()
    say(f"{frames / options.fps:g} s of {options.setup.track} in {out}")
    return {**figures(game, film.clocks, frames, options, out), **link.figures(begun, film.seconds)}


class Views:
    """Class view and, where OpenGL is, teacher view of a race; closed with the stack."""

    def __init__(self, options: PlayOptions, drive: Drive, stack: contextlib.ExitStack, say: Say) -> None:
        scene = build_scene(drive.track)
        self._look = options.looks[0]
        self._classes = open_class_view(scene, options.width, options.height)
        stack.callback(self._classes.close)
        wanted = shown_views(options.view or "all")
        self._teacher = open_teacher(scene, options, options.view is not None and "teacher" in wanted, stack, say)
        self.shown = tuple(name for name in wanted if name != "teacher" or self._teacher is not None)

    def reference(self, frame: FrameState, text: str | None, given: NDArray[np.uint8] | None) -> Reference:
        """What the renderer is to paint after: a given picture, else the teacher view, else the prompt alone."""
        if given is None and self._teacher is not None:
            given = self._teacher.draw(frame)
        return make_reference(self._look, self._classes.draw(frame), given, text)

    def classes(self, frame: FrameState) -> tuple[NDArray[np.uint8], dict[str, NDArray[np.generic]]]:
        """Class map uint8 ``[H, W]`` and the guide planes."""
        planes = self._classes.planes(frame, None, ("class", *PLANES))
        return planes.pop("class").astype(np.uint8, copy=False), planes

    def teacher(self, frame: FrameState) -> NDArray[np.uint8] | None:
        """Teacher view RGB ``[H, W, 3]``, if it is shown."""
        return self._teacher.draw(frame) if self._teacher is not None and "teacher" in self.shown else None


class RecordLink:
    """The bridge in record mode; waits, unlike that of the window.

    Args:
        options, plan: what is recorded and who paints.
        renderer: started.
        stack: closes the link.
        say: takes lines for people.
    """

    def __init__(
        self, options: PlayOptions, plan: PaintPlan, renderer: Renderer, stack: contextlib.ExitStack, say: Say
    ) -> None:
        self._renderer, self._say = renderer, say
        greeting = Greeting(
            "paintover play", os.urandom(8), options.width, options.height, RACING, rate=(options.fps, 1),
            tick_rate=TICK_RATE, mode="record", planes=PLANES,
        )  # fmt: skip
        with mendable():
            self.end = EngineEnd(renderer.address, greeting, plan.keys)
        stack.callback(self.end.close)
        self.pictures: deque[PictureTaken] = deque()
        self.name = ""
        self._closed = ""
        self._first_at: float | None = None
        self._chunks: dict[int, float] = {}
        self._taken = 0

    def start(self, reference: Reference) -> None:
        """Wait for the renderer, and say what it is to paint after. UserError if it does not come."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.end.is_open:
            self.read(TURN_S)
            if self._renderer.process is not None:
                self._renderer.process.check()
            elif time.monotonic() > deadline:
                raise UserError(f"no renderer at {self.end.address} after {PATIENCE_S:g} s; start one: paintover serve")
        send_look(self.end, reference, reference.text)

    def offer(self, drawn: Drawn) -> None:
        """Hand over a frame as soon as there is room. UserError if the renderer has ended it all."""
        while True:
            try:
                self.end.offer(drawn, timeout=TURN_S)
                return
            except NoCredit:
                self.read()
            except BridgeClosed as error:
                self.read()  # the event has the reason
                raise UserError(f"the renderer ends the film: {error}") from None

    def read(self, timeout: float = 0.0) -> None:
        """Take what has come. UserError if the renderer refuses us or is beyond help."""
        for event in self.end.events(timeout):
            if isinstance(event, PictureTaken):
                self._take(event)
            elif isinstance(event, Opened):
                self.name = event.welcome.renderer
            elif isinstance(event, Lost):
                self._say(f"lost the renderer: {event.reason}")
            elif isinstance(event, Closed):
                raise UserError(f"the renderer ends the film: {event.reason}")
        process = self._renderer.process
        if process is not None and self.name:
            news = process.poll()
            if process.given_up:
                raise UserError(process.given_up)
            if news:
                self._say(news)

    def figures(self, begun: float, seconds: float) -> dict[str, Any]:
        """Figures of the renderer.

        Args:
            begun: when the command began, by the monotonic clock.
            seconds: that all pictures took.
        """
        times = sorted(list(self._chunks.values())[1:] or self._chunks.values())
        return {
            "renderer": self.name,
            "fps": round(self._taken / seconds, 2),
            "chunk_ms": {
                "median": round(1000 * statistics.median(times), 2),
                "p95": round(1000 * times[int(0.95 * (len(times) - 1))], 2),
                "chunks": len(times),
            },
            "first_frame_s": round((self._first_at or begun) - begun, 2),
        }

    def _take(self, event: PictureTaken) -> None:
        self._first_at = self._first_at or time.monotonic()
        self._taken += 1
        stamps = event.renderer_stamps
        self._chunks[event.chunk] = max(0, stamps.get("rendered", 0) - stamps.get("started", 0)) / 1e9
        self.pictures.append(event)


class Film:
    """Drives, offers, and writes each frame when its picture has come."""

    def __init__(self, game: Game, views: Views, link: RecordLink, video: VideoWriter, frames: int, fps: int) -> None:
        self._game, self._views, self._link, self._video = game, views, link, video
        self._frames, self._ticks = frames, ticks_per_frame(fps)
        self._open: deque[Panels] = deque()
        self.clocks = dict.fromkeys(("rules", "class", "teacher", "renderer", "video"), 0.0)
        self.seconds = 0.0

    def run(self) -> None:
        """The whole film. UserError: see ``RecordLink.read``."""
        begun = time.monotonic()
        pause = progress_pause()
        bar = tqdm(total=self._frames, unit="frame", desc="filming", smoothing=0.05, delay=pause, mininterval=pause)
        with bar:
            for number in range(self._frames):
                self._draw(number == self._frames - 1)
                bar.update(self._write())
            while self._open:
                with self._timed("renderer"):
                    self._link.read(TURN_S)
                bar.update(self._write())
        self.seconds = time.monotonic() - begun

    def _draw(self, last: bool) -> None:
        frame = self._game.frame()
        with self._timed("teacher"):
            teacher = self._views.teacher(frame)
        with self._timed("class"):
            class_map, planes = self._views.classes(frame)
        with self._timed("renderer"):
            self._link.offer(drawn_frame(frame, class_map, planes, time.monotonic_ns(), last))
        self._open.append(Panels(frame.tick, RACING.colorize(class_map), teacher))
        with self._timed("rules"):
            for _ in range(self._ticks):
                self._game.tick(IDLE)

    def _write(self) -> int:
        """Write the frames whose pictures are there; how many."""
        self._link.read()
        written = len(self._link.pictures)
        with self._timed("video"):
            while self._link.pictures:
                picture, panels = self._link.pictures.popleft(), self._open.popleft()
                if picture.tick != panels.tick:
                    raise RuntimeError(f"a picture of tick {picture.tick} where that of {panels.tick} was due")
                known = {"class": panels.classes, "paint": picture.pixels, "teacher": panels.teacher}
                shown = [p for p in (known[name] for name in self._views.shown) if p is not None]
                self._video.write(reduce(lambda left, right: side_by_side(left, right, GAP), shown))
        return written

    @contextlib.contextmanager
    def _timed(self, name: str) -> Any:
        start = time.perf_counter()
        yield
        self.clocks[name] += time.perf_counter() - start
