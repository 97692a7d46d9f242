"""Writing a session folder so that nothing half-written is left for bad input, and nothing is lost for a crash.

The folder appears under its name with its first frame: it is made beside it under a hidden name, complete with header
and empty logs, and renamed. From then on files only grow by whole records.
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from render_bridge.palette import RACING

from ..core.errors import UserError
from ..racing.controls import Controls
from . import session_format as form
from .fields import write_json
from .record_log import Appender, LogWriter, create_log
from .records import (
    INPUT_SIZE,
    ZSTD_LEVEL,
    FrameRecord,
    file_hash,
    frame_size,
    hash_size,
    pack_block,
    pack_controls,
    pack_frame,
    pack_hash,
)
from .timeline import TimelineEvent, event_line
from .video import VideoWriter, check_picture


def _logs(header: form.SessionHeader) -> dict[str, tuple[str, int]]:
    """Kind and record size of each log of a session, by file name."""
    logs = {
        form.INPUTS: ("inputs", INPUT_SIZE),
        form.HASHES: ("hashes", hash_size(len(header.state_fields))),
        form.FRAMES: ("frames", frame_size(header.cars)),
        form.MAPS: ("maps", 0),
    }
    return {**logs, form.TEACHER: ("teacher", 0)} if header.teacher == "lossless" else logs


def check_new_folder(path: Path) -> None:
    """UserError unless ``path`` is free: it does not exist, or is an empty folder."""
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.is_file():
        raise UserError(f"{path} is a file; expected the name of a new folder")
    if path.exists() or path.is_symlink():
        raise UserError(f"{path} already exists and is not empty; name a new folder or remove it first")


def _reason(error: UserError) -> str:
    """What the system said, without the hidden name that the folder has while it is being made."""
    cause = error.__cause__
    return (cause.strerror if isinstance(cause, OSError) else None) or str(error)


class SessionWriter:
    """One session folder that is being written. Records of a frame reach the system when the frame is complete.

    Args:
        path: folder to make.
        header: what is known at the start; ``finished`` must be None.

    Raises:
        UserError: if the folder is taken or the disk refuses.
    """

    def __init__(self, path: Path, header: form.SessionHeader) -> None:
        self.path = Path(path)
        self.header = header if header.session_id else replace(header, session_id=form.json_checksum(header.to_json()))
        header = self.header
        self.frames = 0
        self.ticks = 0
        self.events = 0
        check_new_folder(self.path)
        self._make_folder()
        self._files = ExitStack()
        try:
            self._open_files()
        except UserError:
            self._files.close()
            shutil.rmtree(self.path, ignore_errors=True)  # Nothing in it yet.
            raise
        self._block: list[NDArray[np.uint8]] = []
        self._open = True
        self._compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL)

    def _make_folder(self) -> None:
        hidden = self.path.with_name(f".{self.path.name}.{os.getpid()}.partial")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            hidden.mkdir()
            for name, (kind, size) in _logs(self.header).items():
                create_log(hidden / name, kind, size, self.header.session_id)
            (hidden / form.TIMELINE_FILE).touch()
            write_json(hidden / form.HEADER_FILE, self.header.to_json())
            if self.path.is_dir():
                self.path.rmdir()  # Empty: checked before. Not every system renames onto a folder.
            hidden.rename(self.path)
        except OSError as error:
            shutil.rmtree(hidden, ignore_errors=True)
            raise UserError(f"cannot make the folder {self.path}: {error.strerror}") from error
        except UserError as error:
            shutil.rmtree(hidden, ignore_errors=True)
            raise UserError(f"cannot make the folder {self.path}: {_reason(error)}") from error

    def _open_files(self) -> None:
        h = self.header
        logs = {name: LogWriter(self.path / name, size) for name, (_, size) in _logs(h).items()}
        self._timeline = Appender(self.path / form.TIMELINE_FILE)
        self._appenders = (*logs.values(), self._timeline)
        for file in self._appenders:
            self._files.callback(file.close)
        self._inputs, self._hashes, self._frames, self._maps = (logs[n] for n in _logs(h) if n != form.TEACHER)
        self._teacher = logs.get(form.TEACHER)
        self._video = None
        if h.teacher == "mp4":
            path = self.path / form.TEACHER_VIDEO
            self._video = VideoWriter(path, h.width, h.height, h.fps, encoder=h.teacher_codec, comment=h.session_id)
            self._files.callback(self._video.close)

    def hash(self, tick: int, digest: str, sums: NDArray[np.uint8]) -> None:
        """Record the state hash of a tick: 0 before the first controls, then after each tick."""
        self._hashes.append(pack_hash(tick, digest, sums))

    def controls(self, controls: Controls) -> None:
        """Record the controls that lead from the last recorded tick to the next."""
        self._inputs.append(pack_controls(self.ticks, controls))
        self.ticks += 1

    def event(self, event: TimelineEvent) -> None:
        """Record one event."""
        self._timeline.append(event_line(event, self.header.session_id))
        self.events += 1

    def frame(self, record: FrameRecord, class_map: NDArray[np.uint8], teacher: NDArray[np.uint8] | None) -> None:
        """Record one video frame at the present tick, and hand all that belongs to it to the system.

        Raises:
            UserError: if size or dtype of a picture, the number of cars or an id is not that of the session.
            ValueError: if the frame's tick is not the present one, or no multiple of the ticks of a frame.
        """
        check_frame(self.header, self.ticks, record, class_map, teacher)
        self._frames.append(pack_frame(record))
        self._block.append(class_map.copy())
        if self._teacher and teacher is not None:
            self._teacher.append(pack_block(self.frames, teacher[None], self._compressor))
        if self._video and teacher is not None:
            self._video.write(teacher, record.frame.tick // self.header.ticks_per_frame)
        self.frames += 1
        if len(self._block) == form.MAPS_PER_RECORD:
            self._write_block()
        self._flush()

    def _write_block(self) -> None:
        if self._block:
            first = self.frames - len(self._block)
            self._maps.append(pack_block(first, np.stack(self._block), self._compressor))
            self._block.clear()

    def _flush(self) -> None:
        for file in self._appenders:
            file.flush()

    def finish(self, reason: str = "done") -> None:
        """Write what is still held, close everything, then mark the session as finished in one step."""
        if not self._open:
            return
        self._write_block()
        self.close()
        finished = form.Finish(self.ticks, self.frames, self.events, reason)
        teacher = file_hash(self.path / form.TEACHER_VIDEO) if self._video else ""
        header = replace(self.header, teacher_hash=teacher, finished=finished)
        write_json(self.path / form.HEADER_FILE, header.to_json())

    def close(self) -> None:
        """Close the files as they are, without the mark: the folder then reads like one after a crash."""
        self._open = False
        self._files.close()


def check_frame(
    header: form.SessionHeader,
    ticks: int,
    record: FrameRecord,
    class_map: NDArray[np.uint8],
    teacher: NDArray[np.uint8] | None,
) -> None:
    """Raise unless this frame fits a session at tick ``ticks``; see ``SessionWriter.frame`` for what is raised."""
    check_class_map(class_map, header.width, header.height)
    if (teacher is None) != (header.teacher == "none"):
        raise UserError(f"this session records teacher frames as {header.teacher!r}; a frame came with the contrary")
    if teacher is not None:
        check_picture(teacher, (header.height, header.width))
    if len(record.frame.cars) != header.cars:
        raise UserError(f"expected {header.cars} cars, the frame has {len(record.frame.cars)}")
    if record.frame.tick != ticks or ticks % header.ticks_per_frame:
        raise ValueError(f"a frame of tick {record.frame.tick} came at tick {ticks}, {header.fps} frames a second")


def check_class_map(class_map: NDArray[np.uint8], width: int, height: int) -> None:
    """UserError unless this is a class map uint8 ``[height, width]`` with ids of the class table."""
    if class_map.dtype != np.uint8 or class_map.shape != (height, width):
        raise UserError(
            f"expected a class map uint8 ({height}, {width}), got {class_map.dtype} {class_map.shape}; "
            "a session keeps one size from its first frame to its last"
        )
    try:
        RACING.check(class_map)
    except ValueError as error:
        raise UserError(str(error)) from error
