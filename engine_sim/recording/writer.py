"""Writing a session folder so that nothing half-written is left for bad input, and nothing is lost for a crash.

The folder appears under its name with its first frame: it is made beside it under a hidden name, complete with header
and empty logs, and renamed. From then on files only grow by whole records.
"""

from __future__ import annotations

import os
import shutil
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
    frame_size,
    hash_size,
    pack_block,
    pack_controls,
    pack_frame,
    pack_hash,
)
from .timeline import TimelineEvent, event_line
from .video import VideoWriter, check_picture


def check_new_folder(path: Path) -> None:
    """UserError unless ``path`` is free: it does not exist, or is an empty folder."""
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.exists() or path.is_symlink():
        raise UserError(f"{path} already exists and is not empty; name a new folder or remove it first")


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
        self.header = header
        self.frames = 0
        self.ticks = 0
        self.events = 0
        check_new_folder(self.path)
        self._make_folder()
        self._inputs = LogWriter(self.path / form.INPUTS, INPUT_SIZE)
        self._hashes = LogWriter(self.path / form.HASHES, hash_size(len(header.state_fields)))
        self._frames = LogWriter(self.path / form.FRAMES, frame_size(header.cars))
        self._maps = LogWriter(self.path / form.MAPS)
        self._timeline = Appender(self.path / form.TIMELINE_FILE)
        self._teacher = LogWriter(self.path / form.TEACHER) if header.teacher == "lossless" else None
        self._video = self._open_video() if header.teacher == "mp4" else None
        self._block: list[NDArray[np.uint8]] = []
        self._open = True
        self._compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL)

    def _make_folder(self) -> None:
        header = self.header
        hidden = self.path.with_name(f".{self.path.name}.{os.getpid()}.partial")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            hidden.mkdir()
        except OSError as error:
            raise UserError(f"cannot make the folder {self.path}: {error.strerror}") from error
        try:
            create_log(hidden / form.INPUTS, "inputs", INPUT_SIZE)
            create_log(hidden / form.HASHES, "hashes", hash_size(len(header.state_fields)))
            create_log(hidden / form.FRAMES, "frames", frame_size(header.cars))
            create_log(hidden / form.MAPS, "maps")
            if header.teacher == "lossless":
                create_log(hidden / form.TEACHER, "teacher")
            (hidden / form.TIMELINE_FILE).touch()
            write_json(hidden / form.HEADER_FILE, header.to_json())
            if self.path.is_dir():
                self.path.rmdir()  # Empty: checked before. Not every system renames onto a folder.
            hidden.rename(self.path)
        except OSError as error:
            shutil.rmtree(hidden, ignore_errors=True)
            raise UserError(f"cannot make the folder {self.path}: {error.strerror}") from error
        except UserError:
            shutil.rmtree(hidden, ignore_errors=True)
            raise

    def _open_video(self) -> VideoWriter:
        h = self.header
        return VideoWriter(self.path / form.TEACHER_VIDEO, h.width, h.height, h.fps, encoder=h.teacher_codec)

    def hash(self, tick: int, digest: str, sums: NDArray[np.uint8]) -> None:
        """Record the state hash of a tick: 0 before the first controls, then after each tick."""
        self._hashes.append(pack_hash(tick, digest, sums))

    def controls(self, controls: Controls) -> None:
        """Record the controls that lead from the last recorded tick to the next."""
        self._inputs.append(pack_controls(self.ticks, controls))
        self.ticks += 1

    def event(self, event: TimelineEvent) -> None:
        """Record one event."""
        self._timeline.append(event_line(event))
        self.events += 1

    def frame(self, record: FrameRecord, class_map: NDArray[np.uint8], teacher: NDArray[np.uint8] | None) -> None:
        """Record one video frame at the present tick, and hand all that belongs to it to the system.

        Raises:
            UserError: if size or dtype of a picture, the number of cars or an id is not that of the session.
            ValueError: if the frame's tick is not the present one, or no multiple of the ticks of a frame.
        """
        self._check(record, class_map, teacher)
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

    def _check(self, record: FrameRecord, class_map: NDArray[np.uint8], teacher: NDArray[np.uint8] | None) -> None:
        h = self.header
        check_class_map(class_map, h.width, h.height)
        if (teacher is None) != (h.teacher == "none"):
            raise UserError(f"this session records teacher frames as {h.teacher!r}; a frame came with the contrary")
        if teacher is not None:
            check_picture(teacher, (h.height, h.width))
        if len(record.frame.cars) != h.cars:
            raise UserError(f"expected {h.cars} cars, the frame has {len(record.frame.cars)}")
        if record.frame.tick != self.ticks or self.ticks % h.ticks_per_frame:
            raise ValueError(f"a frame of tick {record.frame.tick} came at tick {self.ticks}, {h.fps} frames a second")

    def _write_block(self) -> None:
        if self._block:
            first = self.frames - len(self._block)
            self._maps.append(pack_block(first, np.stack(self._block), self._compressor))
            self._block.clear()

    def _flush(self) -> None:
        for log in (self._inputs, self._hashes, self._frames, self._maps, self._teacher, self._timeline):
            if log:
                log.flush()

    def finish(self, reason: str = "done") -> None:
        """Write what is still held, close everything, then mark the session as finished in one step."""
        if not self._open:
            return
        self._write_block()
        self.close()
        finished = form.Finish(self.ticks, self.frames, self.events, reason)
        write_json(self.path / form.HEADER_FILE, replace(self.header, finished=finished).to_json())

    def close(self) -> None:
        """Close the files as they are, without the mark: the folder then reads like one after a crash."""
        self._open = False
        for part in (self._video, self._teacher, self._maps, self._frames, self._hashes, self._inputs, self._timeline):
            if part:
                part.close()


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
