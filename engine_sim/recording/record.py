"""Recording: a recorder for any drive, live or scripted, and the scripted drive without a screen."""

from __future__ import annotations

import dataclasses
import secrets
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..core.errors import UserError
from ..core.state import state_hash
from ..core.ticks import ticks_per_frame
from ..racing.controls import Controls
from ..racing.world import RaceSetup
from ..views.class_view import ClassView, check_size, open_class_view
from ..views.culling import draw_list
from ..views.frame import FrameState
from ..views.look import Look
from ..views.scene import build_scene
from . import session_format as form
from .drive import IDLE, Drive, polite_interrupt
from .manners import MANNERS, RACE, Driver, driver_of
from .records import FrameRecord, field_names, field_sums, map_hash
from .timeline import TimelineEvent, plain_event
from .video import pick_encoder
from .writer import SessionWriter, check_frame, check_new_folder

if TYPE_CHECKING:
    from ..views.teacher_view import TeacherView


@dataclass(frozen=True)
class RecordOptions:
    """How to record.

    Args:
        fps: video frames a second, one of 24, 30, 40, 60.
        width, height: of the class maps, divisible by 32.
        teacher: ``none``, ``mp4`` or ``lossless``.
        look: of the teacher view; kept in the header even without one.
    """

    fps: int = 24
    width: int = 448
    height: int = 256
    teacher: str = "none"
    look: Look | None = None

    def __post_init__(self) -> None:
        ticks_per_frame(self.fps)
        check_size(self.width, self.height)
        if self.teacher not in form.TEACHER_KINDS:
            raise UserError(f"teacher must be one of {', '.join(form.TEACHER_KINDS)}, got {self.teacher!r}")
        if self.teacher != "none" and self.look is None:
            raise UserError("a teacher view needs a look; name one")


class Recorder:
    """Writes one drive as a session folder, which appears with the first frame.

    Call ``frame`` at tick 0 and then every ``ticks_per_frame`` ticks, and ``step`` after each step of the drive.
    Frames may be left out when a loop has stalled; steps may not.

    Args:
        out: folder to make.
        drive: at its tick 0.
        options: how to record.
        view: the class view that draws the maps; its renderer is kept, since map hashes hold for that alone.

    Raises:
        UserError: if the folder is taken, the drive has begun or no video encoder works; nothing is left behind.
    """

    def __init__(self, out: Path, drive: Drive, options: RecordOptions, view: ClassView) -> None:
        if drive.tick:
            raise UserError(
                f"a recording starts with its race: expected tick 0, got {drive.tick}; reset the race first"
            )
        check_new_folder(Path(out))
        self._out = Path(out)
        self._drive = drive
        self._options = options
        self._header = _header(drive, options, view)
        self._writer: SessionWriter | None = None
        self._events = 0

    @property
    def ticks_per_frame(self) -> int:
        """Ticks from one video frame to the next."""
        return self._header.ticks_per_frame

    def frame(self, frame: FrameState, class_map: NDArray[np.uint8], teacher: NDArray[np.uint8] | None = None) -> None:
        """Record the video frame of the present tick.

        Args:
            frame: what was drawn.
            class_map: uint8 ``[H, W]``.
            teacher: uint8 ``[H, W, 3]`` RGB, exactly if the options ask for one.

        Raises:
            UserError: wrong size, dtype or class id, or the disk refuses; the folder stays readable up to there.
        """
        record = FrameRecord(frame, map_hash(class_map), self._drive.rig.hash())
        if self._writer is None:
            check_frame(self._header, 0, record, class_map, teacher)
        writer = self._writer or self._start()
        try:
            writer.frame(record, class_map, teacher)
        except UserError:
            with suppress(UserError):  # A full disk may refuse the end too; the first reason is the one to tell.
                self.finish("interrupted")
            raise

    def step(self, controls: Controls) -> None:
        """Record the step that the drive has just made with these controls, and the events that it brought."""
        if self._writer is None:
            raise RuntimeError("record the frame of tick 0 before the first step")
        world = self._drive.world
        self._writer.controls(controls)
        self._writer.hash(world.tick, world.hash(), field_sums(world.state))
        self._take_events()

    def gap(self, lost_steps: int) -> None:
        """Mark in the timeline that wall time of ``lost_steps`` ticks was not simulated (a stalled window)."""
        if self._writer:
            self._writer.event(TimelineEvent(self._drive.tick, "gap", 0, -1, float(lost_steps)))

    def finish(self, reason: str = "done") -> None:
        """Complete the folder. Safe to call twice, and without any frame."""
        if self._writer:
            self._writer.finish(reason)

    def _start(self) -> SessionWriter:
        self._writer = SessionWriter(self._out, self._header)
        world = self._drive.world
        self._writer.hash(0, world.hash(), field_sums(world.state))
        self._take_events()
        return self._writer

    def _take_events(self) -> None:
        events = self._drive.world.events
        for event in events[self._events :]:
            self._writer.event(plain_event(event))  # type: ignore[union-attr]
        self._events = len(events)


def _header(drive: Drive, options: RecordOptions, view: ClassView) -> form.SessionHeader:
    return form.SessionHeader(
        setup=dataclasses.asdict(drive.world.setup),
        track_hash=state_hash(drive.track.arrays),
        scene_hash=form.scene_hash(drive.track),
        look=None if options.look is None else options.look.to_dict(),
        camera=drive.rig.kind,
        fps=options.fps,
        width=options.width,
        height=options.height,
        backend=view.backend,
        renderer=view.label,
        teacher=options.teacher,
        teacher_codec=pick_encoder() if options.teacher == "mp4" else "",
        cars=drive.world.cars,
        state_fields=field_names(drive.world.state),
        package=form.package_version(),
        # A scripted drive is the same every time, name included; two drives of people may share all of the above.
        session_id=secrets.token_hex(8) if drive.world.setup.player == "human" else "",
    )


class Views:
    """The class view and, if asked for, the teacher view of one scene; closes both.

    Args:
        drive: whose track to draw.
        options: size, and whether and how the teacher draws.
        backend: of the class view: ``auto``, ``gl`` or ``cpu``.
    """

    def __init__(self, drive: Drive, options: RecordOptions, backend: str = "auto") -> None:
        self._scene = scene = build_scene(drive.track)
        width, height = options.width, options.height
        self._stack = ExitStack()
        with ExitStack() as guard:
            self.classes = guard.enter_context(open_class_view(scene, width, height, backend))
            self.teacher: TeacherView | None = None
            if options.teacher != "none" and options.look is not None:
                from ..views.teacher_view import open_teacher_view  # Needs OpenGL, which class maps do without.

                self.teacher = open_teacher_view(scene, width, height, options.look)
                guard.callback(self.teacher.close)
            self._stack = guard.pop_all()

    def draw(self, frame: FrameState) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """Class map uint8 ``[H, W]``, and the teacher's picture uint8 ``[H, W, 3]`` or None."""
        draws = draw_list(self._scene, frame)
        return self.classes.draw(frame, draws), self.teacher.draw(frame, draws) if self.teacher else None

    def close(self) -> None:
        """Close both views. Safe to call twice."""
        self._stack.close()

    def __enter__(self) -> Views:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def record_session(
    setup: RaceSetup,
    out: Path | str,
    seconds: float,
    fps: int = 24,
    size: tuple[int, int] = (448, 256),
    look: Look | None = None,
    camera: str = "chase",
    teacher: bool | str = False,
    views: str = "auto",
    progress: bool = True,
    manner: str = RACE,
) -> Path:
    """Let a scripted player drive and record it; no screen, no clock.

    Frame k shows simulation time k / fps, whatever the drawing cost. Ctrl-C or SIGTERM ends the recording in order;
    the header then says ``interrupted``.

    Args:
        setup: the race; who drives its player is for ``manner`` to say.
        out: session folder to make.
        seconds: length in simulation time, from the grid on; at least one frame.
        fps: video frames a second, one of 24, 30, 40, 60.
        size: (width, height) of the class maps, both divisible by 32.
        look: of the teacher view.
        camera: ``chase``, ``cockpit`` or ``trackside``.
        teacher: False, True (as video) or ``lossless``.
        views: back end of the class view: ``auto``, ``gl`` or ``cpu``.
        progress: show a progress bar.
        manner: of the player, one of ``manners.MANNERS``.

    Returns:
        The folder.

    Raises:
        UserError: any bad argument, before anything is written; or the disk refuses.
    """
    kind = {False: "none", True: "mp4"}.get(teacher, teacher) if isinstance(teacher, bool) else teacher
    options = RecordOptions(fps, size[0], size[1], str(kind), look)
    frames = round(seconds * fps) if seconds == seconds and abs(seconds) < 1e6 else 0
    if frames < 1:
        raise UserError(f"seconds must be at least one frame (1/{fps}) and below a million, got {seconds!r}")
    if manner not in MANNERS:
        raise UserError(f"unknown manner {manner!r}; known: {', '.join(MANNERS)}")
    check_new_folder(Path(out))
    driver = driver_of(manner, setup.seed)
    drive = Drive(dataclasses.replace(setup, player="human" if driver else "ai"), camera)
    with Views(drive, options, views) as pictures:
        recorder = Recorder(Path(out), drive, options, pictures.classes)
        run_recording(recorder, drive, pictures, frames, progress, driver)
    return Path(out)


def run_recording(
    recorder: Recorder,
    drive: Drive,
    pictures: Views,
    frames: int,
    progress: bool,
    driver: Driver | None = None,
) -> None:
    """Record ``frames`` frames of a drive with a progress bar; Ctrl-C or SIGTERM finishes early and in order.

    Args:
        driver: of car 0; None leaves its controls alone.
    """
    bar = tqdm(total=frames, unit="frame", desc="recording", disable=not progress, smoothing=0.05)
    with polite_interrupt() as interrupt, bar:
        try:
            for _ in range(frames):
                frame = drive.frame()
                recorder.frame(frame, *pictures.draw(frame))
                for _ in range(recorder.ticks_per_frame):
                    controls = IDLE if driver is None else driver.controls(drive.world)
                    drive.step(controls)
                    recorder.step(controls)
                bar.update()
                if interrupt.requested:
                    break
        except BaseException:
            with suppress(UserError):
                recorder.finish("interrupted")
            raise
        recorder.finish("interrupted" if interrupt.requested else "done")
