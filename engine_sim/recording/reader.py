"""Reading a session folder back: exactly what was written, up to the last step and frame that are whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import RACING, ClassTable

from ..core.errors import UserError
from ..racing.controls import Controls
from ..views.frame import FrameState
from . import records
from . import session_format as form
from .fields import read_json
from .record_log import CUT, LogScan, scan_log
from .timeline import Timeline, TimelineEvent, build_timeline, read_events


@dataclass(frozen=True)
class Session:
    """A session folder, open for reading. Steps and frames agree: no frame lies after the last whole step.

    Args:
        path: the folder.
        header: content of ``session.json``.
        inputs: controls of each tick; ``inputs[t]`` acts on state t.
        hashes: state hashes, one more than inputs; ``hashes[t]`` is that of state t.
        field_sums: uint8 ``[ticks + 1, state fields]``, the sums beside each hash.
        frames: what each video frame shows, pixels apart.
        events: as the world reported them.
        problems: one line for each file that ends early; empty for a whole session.
        damage: those problems that a recording which was killed or cut off does not explain.
    """

    path: Path
    header: form.SessionHeader
    inputs: tuple[Controls, ...]
    hashes: tuple[str, ...]
    field_sums: NDArray[np.uint8]
    frames: tuple[records.FrameRecord, ...]
    events: tuple[TimelineEvent, ...]
    problems: tuple[str, ...]
    damage: tuple[str, ...]
    _maps: LogScan
    _blocks: tuple[tuple[int, int], ...]

    @property
    def ticks(self) -> int:
        """Whole recorded steps."""
        return len(self.inputs)

    @property
    def unfinished(self) -> bool:
        """True if the recording was never ended in order."""
        return self.header.finished is None

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of every class map."""
        return self.header.height, self.header.width

    def class_maps(self, start: int = 0, stop: int | None = None) -> NDArray[np.uint8]:
        """Class maps of frames ``start`` to ``stop`` (excluded), uint8 ``[n, H, W]``.

        Raises:
            UserError: if pixels that pass their checksum are of another size or hold ids outside the class table.
            IndexError: if the range is not inside the session.
        """
        stop = len(self.frames) if stop is None else stop
        if not 0 <= start <= stop <= len(self.frames):
            raise IndexError(f"frames {start} to {stop} are not inside 0 to {len(self.frames)}")
        out = np.empty((stop - start, *self.shape), np.uint8)
        for record, (first, count) in enumerate(self._blocks):
            left, right = max(first, start), min(first + count, stop)
            if left < right:
                out[left - start : right - start] = self._block(record)[left - first : right - first]
        return out

    def iter_maps(self) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """(frame index, class map) of every frame; each block is decompressed once."""
        for record, (first, count) in enumerate(self._blocks):
            maps = self._block(record)
            for index in range(first, min(first + count, len(self.frames))):
                yield index, maps[index - first]

    def class_map(self, index: int) -> NDArray[np.uint8]:
        """Class map of one frame, uint8 ``[H, W]``."""
        return self.class_maps(index, index + 1)[0]

    def _block(self, record: int) -> NDArray[np.uint8]:
        _, maps = records.unpack_block(self._maps.payload(record), self.shape, form.MAPS_PER_RECORD)
        if int(maps.max()) >= len(RACING):
            raise UserError(f"{self._maps.path}: class id {int(maps.max())} is not in table {RACING.name!r}")
        return maps

    def frame_state(self, index: int) -> FrameState:
        """Camera and cars of one frame: what a view needs to draw it again."""
        return self.frames[index].frame

    def teacher_frames(self) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """(frame index, RGB uint8 ``[H, W, 3]``) of each teacher frame. UserError if the session has none."""
        if self.header.teacher == "none":
            raise UserError(f"{self.path} has no teacher frames; record with the teacher view, or render it anew")
        if self.header.teacher == "mp4":
            yield from self._video_frames()
            return
        limit = records.block_limit(3 * self.header.width * self.header.height, 1)
        scan = scan_log(self.path / form.TEACHER, "teacher", max_record=limit, owner=self.header.session_id)
        for index in range(min(len(scan), len(self.frames))):
            first, frames = records.unpack_block(scan.payload(index), (*self.shape, 3), 1)
            yield first, frames[0]

    def _video_frames(self) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        from .video import read_video  # Loads FFmpeg, which only this needs.

        step = self.header.ticks_per_frame
        index_of = {record.frame.tick // step: k for k, record in enumerate(self.frames)}
        for seconds, rgb in read_video(self.path / form.TEACHER_VIDEO):
            place = round(seconds * self.header.fps)
            if place in index_of:
                yield index_of[place], rgb

    def timeline(self) -> Timeline:
        """The story of the drive."""
        return build_timeline(self.events, self.ticks)


def open_session(path: Path | str, table: ClassTable = RACING) -> Session:
    """Open a session folder and check all of its logs.

    Raises:
        UserError: if the folder is missing, is no session of this version, its class table has another hash, a log
            is missing or belongs to another session. A log that ends early is no error: see ``Session.problems``.
    """
    path = Path(path)
    if not path.is_dir():
        raise UserError(f"{path} is no folder; expected a session folder, as 'paintover record' writes it")
    if not (path / form.HEADER_FILE).is_file():
        raise UserError(f"{path} is no session folder: it holds no {form.HEADER_FILE}")
    header = form.SessionHeader.from_json(read_json(path / form.HEADER_FILE), str(path / form.HEADER_FILE), table)
    problems: list[str] = []
    inputs, hashes, sums = _read_steps(path, header, problems)
    maps, blocks = _scan_maps(path, header, problems)
    frames = _read_frames(path, header, len(inputs), sum(count for _, count in blocks), problems)
    events, broken = read_events(path / form.TIMELINE_FILE, header.session_id)
    problems += [broken] if broken else []
    damage = [line for line in problems if header.finished or CUT not in line]
    if header.finished is None:
        problems.append(f"the recording was never finished; {len(inputs)} ticks and {len(frames)} frames are whole")
    else:
        short = _shortfall(header.finished, len(inputs), len(frames), len(events))
        problems += short
        damage += short
    events = tuple(e for e in events if e.tick <= len(inputs))
    return Session(path, header, inputs, hashes, sums, frames, events, tuple(problems), tuple(damage), maps, blocks)


def _shortfall(end: form.Finish, ticks: int, frames: int, events: int) -> list[str]:
    counts = (
        (ticks, end.ticks, "ticks", f"{form.INPUTS} and {form.HASHES}"),
        (frames, end.frames, "frames", f"{form.FRAMES} and {form.MAPS}"),
        (events, end.events, "events", form.TIMELINE_FILE),
    )
    return [
        f"{found} of {wanted} {what} can be read from {where}: cut, emptied or damaged since it was recorded"
        for found, wanted, what, where in counts
        if found != wanted
    ]


def _read_steps(
    path: Path, header: form.SessionHeader, problems: list[str]
) -> tuple[tuple[Controls, ...], tuple[str, ...], NDArray[np.uint8]]:
    fields = len(header.state_fields)
    input_log = scan_log(path / form.INPUTS, "inputs", records.INPUT_SIZE, owner=header.session_id)
    hash_log = scan_log(path / form.HASHES, "hashes", records.hash_size(fields), owner=header.session_id)
    problems += [log.damage for log in (input_log, hash_log) if log.damage]
    controls = [records.unpack_controls(r) for r in input_log.payloads()]
    states = [records.unpack_hash(r) for r in hash_log.payloads()]
    ticks = min(_in_order([c[0] for c in controls]), max(0, _in_order([s[0] for s in states]) - 1))
    sums = np.array([s[2] for s in states[: ticks + 1]], np.uint8).reshape(-1, fields)
    return tuple(c[1] for c in controls[:ticks]), tuple(s[1] for s in states[: ticks + 1]), sums


def _in_order(numbers: list[int]) -> int:
    for expected, number in enumerate(numbers):
        if number != expected:
            return expected
    return len(numbers)


def _scan_maps(
    path: Path, header: form.SessionHeader, problems: list[str]
) -> tuple[LogScan, tuple[tuple[int, int], ...]]:
    limit = records.block_limit(header.width * header.height, form.MAPS_PER_RECORD)
    scan = scan_log(path / form.MAPS, "maps", max_record=limit, owner=header.session_id)
    problems += [scan.damage] if scan.damage else []
    blocks: list[tuple[int, int]] = []
    expected = 0
    for start in scan.starts(records.BLOCK_HEAD):
        first, count = records.block_head(start, form.MAPS_PER_RECORD)
        if first != expected:
            problems.append(f"{scan.path.name}: frame {first} stands where {expected} belongs; read up to there")
            break
        blocks.append((first, count))
        expected += count
    return scan, tuple(blocks)


def _read_frames(
    path: Path, header: form.SessionHeader, ticks: int, maps: int, problems: list[str]
) -> tuple[records.FrameRecord, ...]:
    scan = scan_log(path / form.FRAMES, "frames", records.frame_size(header.cars), owner=header.session_id)
    problems += [scan.damage] if scan.damage else []
    frames: list[records.FrameRecord] = []
    last = -1
    for payload in scan.payloads(maps):
        record = records.unpack_frame(payload)
        tick = record.frame.tick
        if not last < tick <= ticks or tick % header.ticks_per_frame:
            break
        frames.append(record)
        last = tick
    return tuple(frames)
