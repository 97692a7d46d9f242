"""Play without a window: the scripted agent drives, and the film of it is what one gets to see."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from demos.ends import advising
from demos.options import check_place
from demos.prompt_schedule.changes import Changes
from demos.prompt_schedule.course import Course, InForce
from demos.prompt_schedule.teacher import ScheduledTeacher
from demos.report import machine_facts
from demos.streaming.options import live_streams
from demos.streaming.pace import LiveReel, Writes
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE, ticks_per_frame
from engine_sim.racing.controls import Controls
from engine_sim.recording.drive import IDLE, Drive
from engine_sim.recording.video import VideoWriter, side_by_side
from engine_sim.tracks.catalogue import load_track
from engine_sim.views.class_view import open_class_view
from engine_sim.views.frame import FrameState
from engine_sim.views.scene import build_scene
from engine_sim.views.scene_data import Scene
from render_bridge.palette import RACING

from .game import Game, PlayOptions, Tape
from .hud import PLAYER
from .preparing import COMPILING, compiled_drive, rules_compiled
from .stage import shown_views

if TYPE_CHECKING:
    from demos.streaming.streams import LiveStreams

Draw = Callable[[FrameState], NDArray[np.uint8]]
Say = Callable[[str], None]
Target = Path | Writes | None
LOG_SECONDS = 5.0  # how often the progress goes into a log, where a bar that moves cannot be shown
CHUNK = 8  # frames; where there is no renderer a schedule's chunks are of the usual length
GAP = 4  # black columns between two views


def film_race(options: PlayOptions, seconds: float, out: Target, say: Say, begin: float = 0.0) -> dict[str, Any]:
    """Film the first ``seconds`` of a race.

    Args:
        options: what to play; the agent drives, or whoever drove when the inputs were recorded.
        seconds: of game time, from the grid on.
        out: the mp4, which appears when it is complete; or whatever takes the pictures; None for a stream alone.
        say: told what happens, line by line.
        begin: game time that is driven and not filmed, in seconds.

    Returns:
        Figures: how fast, how far, with the state's hash.

    Raises:
        UserError: unknown track, no GL for a teacher view that was asked for, a place that cannot be written.
    """
    check_film(out)
    drive = prepared_drive(options, say)
    frames = max(1, round(seconds * options.fps))
    with contextlib.ExitStack() as stack:
        draws, teacher = open_draws(options, drive, stack, say)
        changes = changes_of(options, teacher, say)
        changes.look_ahead(begin + frames / options.fps)
        tape = None if options.record is None else Tape(drive, options)
        game = Game(drive, tape)
        stack.callback(game.close)
        game.begin()
        drive_to(game, options, begin)
        width = len(draws) * options.width + (len(draws) - 1) * GAP
        reel, streams = open_reel(options, out, width, stack, say)
        film = ViewsFilm(game, draws, reel, options, teacher, changes)
        film.run(frames)
        changes.look_back()
        live = {} if streams is None else {"streams": streams.figures()}
    say(f"{frames / options.fps:g} s of {options.setup.track}{where(out)}")
    return {**figures(game, film.clocks, frames, options, out), **changes.report, **live}


def prepared_drive(options: PlayOptions, say: Say) -> Drive:
    """A race at its start, its rules compiled. UserError if the track is unknown."""
    setup = options.setup if options.inputs is not None else replace(options.setup, player="ai")
    if not rules_compiled():
        say(COMPILING)
    load_track(setup.track)
    return compiled_drive(setup, options.camera)


def script_of(options: PlayOptions) -> Callable[[int], Controls]:
    """Controls by tick: those that were recorded, as far as they go, or none, since the agent drives."""
    inputs = options.inputs or ()
    return lambda tick: inputs[tick] if tick < len(inputs) else IDLE


def open_draws(
    options: PlayOptions, drive: Drive, stack: contextlib.ExitStack, say: Say
) -> tuple[dict[str, Draw], ScheduledTeacher | None]:
    """The shown views as functions to RGB, closed with the stack, and the teacher view if it is one of them.

    Without GL a teacher view that nobody asked for is left out.
    """
    scene = build_scene(drive.track)
    draws: dict[str, Draw] = {}
    teacher = None
    for name in shown_views(options.view or "both"):
        if name == "class":
            classes = open_class_view(scene, options.width, options.height)
            stack.callback(classes.close)
            draws[name] = lambda frame, view=classes: RACING.colorize(view.draw(frame))  # type: ignore[misc]
            continue
        teacher = open_teacher(scene, options, options.view is not None, stack, say)
        if teacher is not None:
            draws[name] = teacher.draw
    return draws, teacher


def open_teacher(
    scene: Scene, options: PlayOptions, required: bool, stack: contextlib.ExitStack, say: Say
) -> ScheduledTeacher | None:
    """The teacher view under the first look, closed with the stack; None without GL, unless it is ``required``."""
    from engine_sim.views.teacher_view import open_teacher_view  # needs OpenGL, which class maps do without

    try:
        teacher = open_teacher_view(scene, options.width, options.height, options.looks[0].look)
    except UserError as error:
        if required:
            with advising("--view class needs none"):
                raise
        say(f"no teacher view: {error}")
        return None
    stack.callback(teacher.close)
    return ScheduledTeacher(teacher)


def drive_to(game: Game, options: PlayOptions, seconds: float) -> None:
    """Drive unseen up to the video frame at this game time."""
    controls = script_of(options)
    for _ in range(round(seconds * options.fps) * ticks_per_frame(options.fps)):
        game.tick(controls(game.world.tick))


def open_reel(
    options: PlayOptions, out: Target, width: int, stack: contextlib.ExitStack, say: Say
) -> tuple[LiveReel, LiveStreams | None]:
    """Where the pictures of a film go, and the streams among it; all end with the stack."""
    streams = stack.enter_context(live_streams(options.streams, say))
    video: Writes | None
    if isinstance(out, Path):
        video = stack.enter_context(whole_video(out, width, options.height, options.fps))
    else:
        video = out
    return LiveReel(video, streams, options.fps), streams


def where(out: Target) -> str:
    """The end of the line that says what was filmed."""
    return f" in {out}" if isinstance(out, Path) else ""


def check_film(out: Target) -> None:
    """Refuse a place where no film can be written, before the work on it. Raises UserError."""
    if not isinstance(out, Path):
        return
    if out.is_dir():
        raise UserError(f"{out} is a folder; name a file for the film, such as {out / 'play.mp4'}")
    check_place(out, "a film")


@contextlib.contextmanager
def whole_video(out: Path, width: int, height: int, fps: int) -> Iterator[VideoWriter]:
    """A video that takes its name when it is complete, and leaves nothing behind when it is not."""
    partial = out.with_name(f".{out.stem}.{os.getpid()}.partial{out.suffix or '.mp4'}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {out.parent}: {error.strerror}") from None
    try:
        with VideoWriter(partial, width, height, fps) as video:
            yield video
        partial.replace(out)
    except (OSError, UserError) as error:
        cause = error.__cause__ if isinstance(error, UserError) else error
        if not isinstance(cause, OSError):
            raise
        raise UserError(f"cannot write {out}: {cause.strerror or cause}; no film is kept") from None
    finally:
        with contextlib.suppress(OSError):  # where nothing can be written, nothing can be left either
            partial.unlink(missing_ok=True)


def progress_pause() -> float:
    """Seconds between two lines of progress: a bar that moves, or lines in a log."""
    return 0.1 if sys.stderr.isatty() else LOG_SECONDS


def changes_of(options: PlayOptions, teacher: ScheduledTeacher | None, say: Say) -> Changes:
    """The schedule of a film without a renderer. UserError if none of it could be seen."""
    if options.schedule and teacher is None:
        raise UserError("--schedule changes looks, which class maps have none of: add --preset, or --view teacher")
    if any(change.prompt is not None for change in options.schedule):
        say("the prompts of the schedule are for a renderer, and there is none; its looks are shown")
    return Changes(Course(options.schedule, InForce(options.looks[0], None)), say)


class ViewsFilm:
    """Drives and films the engine's own views; ``clocks`` has the seconds spent on rules, each view and the video."""

    def __init__(
        self,
        game: Game,
        draws: dict[str, Draw],
        video: Writes,
        options: PlayOptions,
        teacher: ScheduledTeacher | None,
        changes: Changes,
    ) -> None:
        self._game, self._draws, self._video, self._fps = game, draws, video, options.fps
        self._controls, self._teacher, self._changes = script_of(options), teacher, changes
        self.clocks = dict.fromkeys(("rules", *draws, "video"), 0.0)

    def run(self, frames: int) -> None:
        """The whole film."""
        for draw in self._draws.values():
            draw(self._game.frame())  # drawing changes nothing; the first picture would time a compiler
        pause = progress_pause()
        for number in tqdm(range(frames), unit="frame", desc="filming", smoothing=0.05, delay=pause, mininterval=pause):
            self._film(self._game.frame(), number % CHUNK == 0)
            with self._timed("rules"):
                for _ in range(ticks_per_frame(self._fps)):
                    self._game.tick(self._controls(self._game.world.tick))

    def _film(self, state: FrameState, border: bool) -> None:
        step = self._changes.step(state.tick, lambda: border)
        if step is not None and self._teacher is not None:
            self._teacher.put(step)
        pictures = []
        for name, draw in self._draws.items():
            with self._timed(name):
                pictures.append(draw(state))
        with self._timed("video"):
            self._video.write(pictures[0] if len(pictures) == 1 else side_by_side(pictures[0], pictures[1], GAP))

    @contextlib.contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.clocks[name] += time.perf_counter() - start


def figures(game: Game, clocks: dict[str, float], frames: int, options: PlayOptions, out: Target) -> dict[str, Any]:
    """The report of a film."""
    world = game.world
    spent = sum(clocks.values())
    return {
        "play": "headless",
        "film": str(out) if isinstance(out, Path) else None,
        "track": options.setup.track,
        "seed": options.setup.seed,
        "cars": world.cars,
        "size": f"{options.width}x{options.height}",
        "frames": frames,
        "game_seconds": round(world.tick / TICK_RATE, 3),
        "wall_seconds": round(spent, 3),
        "realtime_factor": round(world.tick / TICK_RATE / spent, 2),
        "milliseconds_per_frame": {name: round(1000 * t / frames, 2) for name, t in clocks.items()},
        "position": world.standings().index(PLAYER) + 1,
        "laps_done": world.laps_done(PLAYER),
        "speed": round(world.speed(PLAYER), 2),
        "state_hash": world.hash(),
        **machine_facts(),
    }
