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
from demos.report import machine_facts
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE, ticks_per_frame
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
from .stage import shown_views

if TYPE_CHECKING:
    from engine_sim.views.teacher_view import TeacherView

Draw = Callable[[FrameState], NDArray[np.uint8]]
LOG_SECONDS = 5.0  # how often the progress goes into a log, where a bar that moves cannot be shown
GAP = 4  # black columns between two views


def film_race(options: PlayOptions, seconds: float, out: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Film the first ``seconds`` of a scripted race.

    Args:
        options: what to play; the driver is scripted whatever they say.
        seconds: of game time, from the grid on.
        out: the mp4; it appears when it is complete.
        say: told what happens, line by line.

    Returns:
        Figures: how fast, how far, with the state's hash.

    Raises:
        UserError: unknown track, no GL for a teacher view that was asked for, a place that cannot be written.
    """
    check_film(out)
    drive = prepared_drive(options, say)
    frames = max(1, round(seconds * options.fps))
    with contextlib.ExitStack() as stack:
        draws = open_draws(options, drive, stack, say)
        tape = None if options.record is None else Tape(drive, options)
        game = Game(drive, tape)
        stack.callback(game.close)
        game.begin()
        width = len(draws) * options.width + (len(draws) - 1) * GAP
        video = stack.enter_context(whole_video(out, width, options.height, options.fps))
        clocks = film_frames(game, draws, video, frames, options.fps)
    say(f"{frames / options.fps:g} s of {options.setup.track} in {out}")
    return figures(game, clocks, frames, options, out)


def prepared_drive(options: PlayOptions, say: Callable[[str], None]) -> Drive:
    """A scripted race at its start, its rules compiled. UserError if the track is unknown."""
    setup = replace(options.setup, player="ai")
    load_track(setup.track)
    say(f"preparing {setup.track} (the first time on a machine compiles, which takes minutes)")
    Drive(setup, options.camera).step()  # a spare one takes the compiler's time, which is no figure of ours
    return Drive(setup, options.camera)


def open_draws(
    options: PlayOptions, drive: Drive, stack: contextlib.ExitStack, say: Callable[[str], None]
) -> dict[str, Draw]:
    """The shown views as functions to RGB, closed with the stack. Without GL an unasked teacher view is left out."""
    scene = build_scene(drive.track)
    draws: dict[str, Draw] = {}
    for name in shown_views(options.view or "both"):
        if name == "class":
            classes = open_class_view(scene, options.width, options.height)
            stack.callback(classes.close)
            draws[name] = lambda frame, view=classes: RACING.colorize(view.draw(frame))  # type: ignore[misc]
            continue
        teacher = open_teacher(scene, options, options.view is not None, stack, say)
        if teacher is not None:
            draws[name] = teacher.draw
    return draws


def open_teacher(
    scene: Scene, options: PlayOptions, required: bool, stack: contextlib.ExitStack, say: Callable[[str], None]
) -> TeacherView | None:
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
    return teacher


def check_film(out: Path) -> None:
    """Refuse a place where no film can be written, before the work on it. Raises UserError."""
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


def film_frames(game: Game, draws: dict[str, Draw], video: VideoWriter, frames: int, fps: int) -> dict[str, float]:
    """Drive and film; returns the seconds spent on rules, on each view and on the video."""
    clocks = dict.fromkeys(("rules", *draws, "video"), 0.0)
    for draw in draws.values():
        draw(game.frame())  # drawing changes nothing; the first picture would time a compiler
    pause = progress_pause()
    for _ in tqdm(range(frames), unit="frame", desc="filming", smoothing=0.05, delay=pause, mininterval=pause):
        state = game.frame()
        pictures = []
        for name, draw in draws.items():
            start = time.perf_counter()
            pictures.append(draw(state))
            clocks[name] += time.perf_counter() - start
        start = time.perf_counter()
        video.write(pictures[0] if len(pictures) == 1 else side_by_side(pictures[0], pictures[1], GAP))
        clocks["video"] += time.perf_counter() - start
        start = time.perf_counter()
        for _ in range(ticks_per_frame(fps)):
            game.tick(IDLE)
        clocks["rules"] += time.perf_counter() - start
    return clocks


def figures(game: Game, clocks: dict[str, float], frames: int, options: PlayOptions, out: Path) -> dict[str, Any]:
    """The report of a film."""
    world = game.world
    spent = sum(clocks.values())
    return {
        "play": "headless",
        "film": str(out),
        "track": options.setup.track,
        "seed": options.setup.seed,
        "cars": len(world.poses()),
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
