"""One race as the player's program sees it: world, camera and, on request, its recording. No window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from demos.options import CAMERAS, NamedLook
from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.recording.record import Recorder, RecordOptions
from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.track import Track
from engine_sim.views.camera import CameraRig
from engine_sim.views.class_view import open_class_view
from engine_sim.views.frame import FrameState
from engine_sim.views.scene import build_scene

from .hud import PLAYER, Hud, Minimap, read_hud
from .paint_plan import PaintPlan
from .preparing import compiled_drive, preparation

if TYPE_CHECKING:
    from demos.prompt_schedule.text import Change
    from demos.streaming.stream import StreamPlan


@dataclass(frozen=True)
class PlayOptions:
    """What a session plays.

    Args:
        setup: the race.
        looks: looks to go through, the first one first.
        camera: kind of camera to start with.
        width, height: render size of one view, pixels.
        fps: video rate.
        view: one of ``views.VIEWS``, or of ``views.PAINT_VIEWS`` with a renderer; None for the best that this machine
            can open.
        record: session folder to write, or None.
        shots, photos: folders of the screenshots and of photo mode.
        paint: the renderer, or None for the engine's own views.
        inputs: recorded controls by tick, for a film of what somebody drove; None lets the agent drive films.
        schedule: changes of look and prompt to come in a film.
        streams: where the picture goes live.
    """

    setup: RaceSetup
    looks: tuple[NamedLook, ...]
    camera: str = "chase"
    width: int = 448
    height: int = 256
    fps: int = 24
    view: str | None = None
    record: Path | None = None
    shots: Path = Path("sessions/screenshots")
    photos: Path = Path("sessions/photos")
    paint: PaintPlan | None = None
    inputs: tuple[Controls, ...] | None = None
    schedule: tuple[Change, ...] = ()
    streams: tuple[StreamPlan, ...] = ()


class Game:
    """A race and its camera, one tick at a time.

    Args:
        drive: the race with its camera, at its start.
        tape: its recording, if it is to have one.

    Attributes:
        replays: True for a recording that is played back: nobody's keys drive it.
        news: something that the player should hear once.
    """

    replays = False
    news = ""

    def __init__(self, drive: Drive, tape: Tape | None = None) -> None:
        self.drive = drive
        self.world = drive.world
        self.plan = Minimap(drive.track)
        self.started_tick: int | None = None
        self._tape = tape

    def begin(self) -> None:
        """The race is about to start; a recording's folder appears with its first frame. UserError if it cannot."""
        if self._tape is not None:
            self._tape.frame()

    def tick(self, controls: Controls) -> None:
        """One tick of the race and of its camera."""
        before = self.world.phase
        self.drive.step(controls)
        if before != "race" and self.world.phase == "race":
            self.started_tick = self.world.tick
        if self._tape is not None:
            self._tape.step(controls)

    def frame(self) -> FrameState:
        """What the camera sees now, copied out of the world."""
        return self.drive.frame()

    def hud(self) -> Hud:
        """What the display says now."""
        return read_hud(self.world, self.plan, self.started_tick)

    def next_camera(self) -> str:
        """Look through the next kind of camera; says which, or why not."""
        if self._tape is not None:
            return f"{self.drive.rig.kind}: a recording keeps its camera"
        kind = CAMERAS[(CAMERAS.index(self.drive.rig.kind) + 1) % len(CAMERAS)]
        self.drive.rig = CameraRig(kind, self.drive.track)
        self.drive.rig.reset(self.world.pose(PLAYER))
        return kind

    def lost(self, ticks: int) -> None:
        """Wall time of so many ticks was not played; a recording marks the gap."""
        if self._tape is not None:
            self._tape.recorder.gap(ticks)

    def close(self) -> None:
        """End the recording in order, if there is one."""
        if self._tape is not None:
            self._tape.close()


class Tape:
    """Records a drive while it is played: inputs and state hash every tick, the class map every video frame.

    Maps are drawn here and not by the screen's painter: a recording has every frame, however late the screen is. The
    CPU draws them, because a second OpenGL in the window's process would take the context that SDL shows its picture
    with; so the map hashes hold on every machine, and ``paintover replay --render`` draws them at any size later.

    Args:
        drive: at its start.
        options: size, rate and place of the recording.
    """

    def __init__(self, drive: Drive, options: PlayOptions) -> None:
        if options.record is None:
            raise ValueError("a tape needs the name of its session folder")
        chosen = RecordOptions(options.fps, options.width, options.height, look=options.looks[0].look)
        self._drive = drive
        self._view = open_class_view(build_scene(drive.track), options.width, options.height, backend="cpu")
        self._view.draw(drive.frame())  # compiles, so that the first frame of the race need not
        self.recorder = Recorder(options.record, drive, chosen, self._view)

    def step(self, controls: Controls) -> None:
        """Record the tick that the drive has just made, and its frame if one is due."""
        self.recorder.step(controls)
        if self._drive.tick % self.recorder.ticks_per_frame == 0:
            self.frame()

    def frame(self) -> None:
        """Record the video frame of the present tick."""
        state = self._drive.frame()
        self.recorder.frame(state, self._view.draw(state))

    def close(self) -> None:
        """Complete the folder."""
        self.recorder.finish()
        self._view.close()


class Loader:
    """The slow work before a race, in two steps, so that views can open while the rules compile."""

    def again(self, options: PlayOptions) -> PlayOptions:
        """What is played after a race with these options, if the player wants another one."""
        return replace(options, setup=replace(options.setup, seed=options.setup.seed + 1))

    def place(self, options: PlayOptions, progress: Callable[[str], None]) -> Track:
        """The circuit. UserError if it is unknown."""
        progress(f"loading {options.setup.track}")
        return load_track(options.setup.track)

    def game(self, options: PlayOptions, place: Track, progress: Callable[[str], None]) -> Game:
        """A race on it, rules compiled, recording prepared. UserError if the session folder is taken."""
        progress(preparation("preparing the race"))
        drive = compiled_drive(options.setup, options.camera, place)
        if options.record is None:
            return Game(drive)
        progress("preparing the recording")
        return Game(drive, Tape(drive, options))
