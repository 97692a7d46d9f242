"""A film with the picture of a renderer: every class map goes over the bridge, and every picture comes back."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from demos.bridge.drawn import drawn_frame
from demos.prompt_schedule.changes import Changes
from demos.prompt_schedule.course import Course, InForce, Step
from demos.streaming.pace import Writes
from engine_sim.core.ticks import ticks_per_frame
from engine_sim.recording.drive import Drive
from engine_sim.recording.video import side_by_side
from engine_sim.views.class_view import open_class_view
from engine_sim.views.frame import FrameState
from engine_sim.views.scene import build_scene
from render_bridge.palette import RACING

from .game import Game, PlayOptions, Tape
from .headless import (
    GAP,
    Target,
    check_film,
    drive_to,
    figures,
    open_reel,
    open_teacher,
    prepared_drive,
    progress_pause,
    script_of,
    where,
)
from .paint_plan import PaintPlan
from .record_link import PLANES, TURN_S, RecordLink, Say
from .references import Reference, make_reference, read_reference
from .renderer_process import Renderer
from .stage import shown_views

UNSEEN = "the palette stand-in colours the classes, whatever look or prompt there is: "


class Panels(NamedTuple):
    """The engine's own views of one frame, until its picture comes: RGB ``[H, W, 3]``, the teacher's may be missing."""

    tick: int
    classes: NDArray[np.uint8]
    teacher: NDArray[np.uint8] | None


def film_painted(
    options: PlayOptions, plan: PaintPlan, seconds: float, out: Target, say: Say, begin: float = 0.0
) -> dict[str, Any]:
    """Film the first ``seconds`` of a race: class map | picture | teacher view, or what ``view`` asks for.

    Args:
        options: what to play; the agent drives, or whoever drove when the inputs were recorded.
        plan: who paints.
        seconds, out, say, begin: as of ``film_race``.

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
        drive_to(game, options, begin)
        link = RecordLink(options, plan, renderer, stack, say)
        link.start(views.reference(game.frame(), plan.prompt, given))
        width = len(views.shown) * (options.width + GAP) - GAP
        reel, streams = open_reel(options, out, width, stack, say)
        changes = Changes(Course(options.schedule, InForce(options.looks[0], plan.prompt)), say)
        changes.look_ahead(begin + frames / options.fps)
        if options.schedule and link.is_stand_in:
            say(UNSEEN + ("only the teacher view follows the schedule" if "teacher" in views.shown else "none is seen"))
        film = Film(game, views, link, reel, changes, options)
        film.run(frames)
        changes.look_back()
        live = {} if streams is None else {"streams": streams.figures()}
    say(f"{frames / options.fps:g} s of {options.setup.track}{where(out)}")
    told = {**link.figures(begun, film.seconds), **film.changes.report, **live}
    return {**figures(game, film.clocks, frames, options, out), **told}


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
        self._text = ""

    def reference(self, frame: FrameState, text: str | None, given: NDArray[np.uint8] | None) -> Reference:
        """What the renderer is to paint after: a given picture, else the teacher view, else the prompt alone."""
        camera = None
        if given is None and self._teacher is not None:
            given, camera = self._teacher.draw(frame), frame.camera
        return make_reference(self._look, self._classes.draw(frame), given, text, camera)

    def change(self, step: Step, frame: FrameState) -> Reference | None:
        """Draw what a step says from now on; what the renderer must be told for it, if anything.

        While one look is blended into another the reference is the mixture of both teacher views of this very frame.
        """
        class_map = self._classes.draw(frame)
        picture = camera = None
        if self._teacher is not None:
            self._teacher.put(step)
            if step.before.look != step.after.look:
                picture, camera = self._teacher.draw(frame), frame.camera
        if step.begins:
            self._text = make_reference(step.after.look, class_map, None, step.after.prompt).text
        elif picture is None:
            return None
        return Reference(step.after.look.name, self._text, picture, class_map, camera)

    def classes(self, frame: FrameState) -> tuple[NDArray[np.uint8], dict[str, NDArray[np.generic]]]:
        """Class map uint8 ``[H, W]`` and the guide planes."""
        planes = self._classes.planes(frame, None, ("class", *PLANES))
        return planes.pop("class").astype(np.uint8, copy=False), planes

    def teacher(self, frame: FrameState) -> NDArray[np.uint8] | None:
        """Teacher view RGB ``[H, W, 3]``, if it is shown."""
        return self._teacher.draw(frame) if self._teacher is not None and "teacher" in self.shown else None


class Film:
    """Drives, offers, and writes each frame when its picture has come."""

    def __init__(
        self, game: Game, views: Views, link: RecordLink, video: Writes, changes: Changes, options: PlayOptions
    ) -> None:
        self._game, self._views, self._link, self._video = game, views, link, video
        self._ticks, self._controls = ticks_per_frame(options.fps), script_of(options)
        self._open: deque[Panels] = deque()
        self.changes = changes
        self.clocks = dict.fromkeys(("rules", "class", "teacher", "renderer", "video"), 0.0)
        self.seconds = 0.0

    def run(self, frames: int) -> None:
        """The whole film. UserError: see ``RecordLink.read``."""
        begun = time.monotonic()
        pause = progress_pause()
        bar = tqdm(total=frames, unit="frame", desc="filming", smoothing=0.05, delay=pause, mininterval=pause)
        with bar:
            for number in range(frames):
                self._change()
                self._draw(number == frames - 1)
                bar.update(self._write())
            while self._open:
                with self._timed("renderer"):
                    self._link.read(TURN_S)
                bar.update(self._write())
        self.seconds = time.monotonic() - begun

    def _change(self) -> None:
        """Carry out what is due, if a chunk begins here."""
        frame = self._game.frame()
        with self._timed("renderer"):
            step = self.changes.step(frame.tick, self._link.at_border)
            reference = None if step is None else self._views.change(step, frame)
            if step is not None and reference is not None:
                self._link.change(reference, step.chunks)

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
                self._game.tick(self._controls(self._game.world.tick))

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
