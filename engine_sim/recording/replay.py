"""Replaying a session: the same inputs, and every hash must come out again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..core.errors import UserError
from ..core.state import state_hash
from ..racing.controls import Controls
from ..racing.world import World
from ..views.class_view import ClassView, open_class_view
from ..views.look import Look
from ..views.scene import build_scene
from .drive import IDLE, Drive, setup_of
from .reader import Session, open_session
from .record import Recorder, RecordOptions, Views, run_recording
from .records import field_sums, map_hash
from .session_format import scene_hash
from .teacher_check import teacher_damage
from .timeline import plain_event


@dataclass(frozen=True)
class ReplayReport:
    """What a replay found.

    Args:
        ticks: states compared, that of tick 0 included.
        frames: class maps compared.
        first_tick: the first tick whose state hash differs, or None.
        fields: columns of the state that differ there (``cars[:, 4]``), as far as their one-byte sums tell.
        first_frame: the first frame whose camera or class map differs, or None.
        maps_comparable: whether the class maps come from the same renderer as in the recording.
        different_pixels: largest share of pixels of a frame that differ, 0 where none does.
        damaged_frame: the first frame whose stored class map is not the one that was recorded, or None.
        problems: lines on anything else that is not as recorded.
        unfinished: the recording was never ended in order (killed or cut); what is there was compared.
    """

    ticks: int
    frames: int
    first_tick: int | None
    fields: tuple[str, ...]
    first_frame: int | None
    maps_comparable: bool
    different_pixels: float
    problems: tuple[str, ...]
    damaged_frame: int | None = None
    unfinished: bool = False

    @property
    def identical(self) -> bool:
        """True if every state, and every class map of the same renderer, came out again, as far as was recorded."""
        parts = (self.first_tick, self.first_frame, self.damaged_frame)
        return all(part is None for part in parts) and not self.problems

    @property
    def verdict(self) -> str:
        """One line: identical or not."""
        if not self.identical:
            return "NOT identical"
        if self.unfinished:
            return "identical as far as it goes; the recording was never finished (killed or cut)"
        return "identical"

    def lines(self) -> list[str]:
        """The report for people."""
        if self.first_tick is None:
            lines = [f"{self.ticks} states: identical"]
        else:
            where = f"; it differs in {', '.join(self.fields)}" if self.fields else ""
            lines = [f"states part at tick {self.first_tick}{where}"]
        share = f"at most {100 * self.different_pixels:.4f} % of pixels differ"
        if not self.maps_comparable:
            lines.append(f"{self.frames} class maps: another renderer drew them, hashes cannot be compared; {share}")
        elif self.first_frame is None:
            lines.append(f"{self.frames} class maps: identical")
        else:
            lines.append(f"class maps part at frame {self.first_frame}; {share}")
        if self.damaged_frame is not None:
            lines.append(
                f"maps.log is not as recorded: frame {self.damaged_frame} is the first whose class map has another hash"
                " than frames.log says"
            )
        return lines + list(self.problems)


def replay_session(path: Path | str, views: str = "same", progress: bool = True) -> ReplayReport:
    """Run the inputs of a session again and compare every state hash and class-map hash.

    Args:
        path: session folder.
        views: ``same`` for the back end that drew it (another one if that is missing here), ``gl``, ``cpu``, or
            ``none`` to compare states alone.
        progress: show a progress bar.

    Raises:
        UserError: no session, or its race cannot be set up here (unknown track).
    """
    session = open_session(path)
    drive = Drive(setup_of(session), session.header.camera)
    view = None if views == "none" else _open_view(session, drive, views)
    try:
        return _Comparison(session, drive, view).run(progress)
    finally:
        if view:
            view.close()


def _open_view(session: Session, drive: Drive, views: str) -> ClassView:
    scene = build_scene(drive.track)
    width, height = session.header.width, session.header.height
    if views != "same":
        return open_class_view(scene, width, height, views)
    try:
        return open_class_view(scene, width, height, session.header.backend)
    except UserError:
        return open_class_view(scene, width, height, "auto")


class _Comparison:
    """One replay in progress."""

    def __init__(self, session: Session, drive: Drive, view: ClassView | None) -> None:
        self.session, self.drive, self.view = session, drive, view
        self.comparable = view is not None and view.label == session.header.renderer
        self.first_frame: int | None = None
        self.damaged_frame: int | None = None
        self.compared_frames = 0
        self.worst = 0.0

    def run(self, progress: bool) -> ReplayReport:
        session, drive = self.session, self.drive
        maps = _maps_by_tick(session)
        upcoming = next(maps, None)
        first_tick = None
        with tqdm(total=session.ticks, unit="tick", desc="replaying", disable=not progress) as bar:
            for tick in range(len(session.hashes)):
                if drive.world.hash() != session.hashes[tick]:
                    first_tick = tick
                    break
                while upcoming and upcoming[0] == tick:
                    self._compare_frame(upcoming[1], upcoming[2])
                    upcoming = next(maps, None)
                if tick < session.ticks:
                    drive.step(session.inputs[tick])
                    bar.update()
        ticks = len(session.hashes) if first_tick is None else first_tick + 1
        return ReplayReport(
            ticks, self.compared_frames, first_tick, self._fields(first_tick), self.first_frame,
            self.comparable or self.view is None, self.worst, self._problems(first_tick),
            self.damaged_frame, session.unfinished,
        )  # fmt: skip

    def _compare_frame(self, index: int, recorded: NDArray[np.uint8]) -> None:
        record = self.session.frames[index]
        if self.damaged_frame is None and map_hash(recorded) != record.map_hash:
            self.damaged_frame = index
        same = self.drive.rig.hash() == record.camera_hash and self.drive.frame() == record.frame
        if self.view is not None:
            drawn = self.view.draw(self.drive.frame())
            self.worst = max(self.worst, float(np.mean(drawn != recorded)))
            same = same and (not self.comparable or map_hash(drawn) == record.map_hash)
            self.compared_frames += 1
        if not same and self.first_frame is None:
            self.first_frame = index

    def _fields(self, tick: int | None) -> tuple[str, ...]:
        if tick is None:
            return ()
        names, recorded = self.session.header.state_fields, self.session.field_sums[tick]
        found = field_sums(self.drive.world.state)
        if len(found) != len(recorded):
            return (f"its layout ({len(found)} columns, recorded {len(recorded)})",)
        return tuple(name for name, a, b in zip(names, found, recorded, strict=True) if a != b)

    def _problems(self, first_tick: int | None) -> tuple[str, ...]:
        problems = [*self.session.damage, *teacher_damage(self.session)]
        if state_hash(self.drive.track.arrays) != self.session.header.track_hash:
            problems.append(
                f"track {self.drive.track.name!r} is not the one that was recorded; the package has changed it"
            )
        if scene_hash(self.drive.track) != self.session.header.scene_hash:
            problems.append(f"the scenery of {self.drive.track.name!r} is not the one that was recorded")
        if first_tick is None:
            problems += self._timeline()
        return tuple(problems)

    def _timeline(self) -> list[str]:
        """A line where the recorded events are not those of the race."""
        events = [plain_event(e) for e in self.drive.world.events]
        recorded = [e for e in self.session.events if e.kind != "gap"]
        if self.session.unfinished:  # Events since the frame before the last one may never have reached the disk.
            frames = self.session.frames
            sure = frames[-2].frame.tick if len(frames) > 1 else -1
            most = len(recorded)
            events = events[:most] + [e for e in events[most:] if e.tick <= sure]
        for index, (event, other) in enumerate(zip_longest(events, recorded)):
            if event != other:
                what = f"{event.kind!r} at tick {event.tick}" if event else "nothing more"
                found = f"{other.kind!r} at tick {other.tick}" if other else "nothing more"
                return [f"timeline.jsonl differs at event {index}: the race brings {what}, recorded is {found}"]
        return []


def _maps_by_tick(session: Session) -> Iterator[tuple[int, int, NDArray[np.uint8]]]:
    for index, class_map in session.iter_maps():
        yield session.frames[index].frame.tick, index, class_map


def render_session(
    path: Path | str,
    out: Path | str,
    look: Look | None = None,
    size: tuple[int, int] | None = None,
    camera: str | None = None,
    fps: int | None = None,
    teacher: str = "mp4",
    views: str = "auto",
    progress: bool = True,
) -> Path:
    """Drive a session again and draw it anew, as another session folder.

    Args:
        path: session folder to read.
        out: session folder to make.
        look: of the teacher view; the recorded one by default.
        size: (width, height); the recorded one by default.
        camera, fps: the recorded ones by default.
        teacher: ``none``, ``mp4`` or ``lossless``.
        views: back end of the class view.
        progress: show a progress bar.

    Raises:
        UserError: no session, no look at all, or another bad argument; nothing is written then.
    """
    session = open_session(path)
    header = session.header
    if look is None and header.look is not None:
        look = Look.from_dict(header.look)
    width, height = size or (header.width, header.height)
    options = RecordOptions(fps or header.fps, width, height, teacher, look)
    drive = Drive(setup_of(session), camera or header.camera)
    with Views(drive, options, views) as pictures:
        recorder = Recorder(Path(out), drive, options, pictures.classes)
        frames = max(1, session.ticks // recorder.ticks_per_frame)
        run_recording(recorder, drive, pictures, frames, progress, _Again(session.inputs))
    return Path(out)


class _Again:
    """Drives car 0 as it was driven; nobody does beyond the end.

    Args:
        inputs: controls by tick.
    """

    def __init__(self, inputs: tuple[Controls, ...]) -> None:
        self._inputs = inputs

    def controls(self, world: World) -> Controls:
        """Those of the world's next tick."""
        return self._inputs[world.tick] if world.tick < len(self._inputs) else IDLE
