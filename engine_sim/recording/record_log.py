"""Append-only logs of checked records: whatever happens while one is written, its whole records can be read.

Layout, little-endian: a head of 56 bytes (``paintover-log-2`` zero-padded to 16, kind in ASCII zero-padded to 16,
name of its session in ASCII zero-padded to 16, uint32 record size or 0 for records of any size, uint32 CRC-32 of the
52 bytes before), then records of uint32 length, uint32 CRC-32 over length and payload, payload. The first record that
is cut short or fails its check ends the log: a killed process, a full disk or a flipped bit costs the records from
there on, no more.
"""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..core.errors import UserError

_MAGIC = b"paintover-log-2\0"
_HEAD = struct.Struct("<16s16s16sI")
_RECORD = struct.Struct("<II")
HEAD_SIZE = _HEAD.size + 4
CUT = "cut short"
"""How a log ends that lost its writer; other damage has other words."""


def log_head(kind: str, record_size: int = 0, owner: str = "") -> bytes:
    """Head of a log of ``kind``, of session ``owner`` (at most 16 ASCII letters each).

    ``record_size`` 0 allows records of any size.
    """
    head = _HEAD.pack(_MAGIC, kind.encode("ascii"), owner.encode("ascii"), record_size)
    return head + struct.pack("<I", zlib.crc32(head))


def frame_record(payload: bytes) -> bytes:
    """One record ready to append: length, checksum, payload."""
    length = struct.pack("<I", len(payload))
    return length + struct.pack("<I", zlib.crc32(payload, zlib.crc32(length))) + payload


def create_log(path: Path, kind: str, record_size: int = 0, owner: str = "") -> None:
    """Make an empty log; the file must not exist. UserError if it cannot be written."""
    try:
        with open(path, "xb") as file:
            file.write(log_head(kind, record_size, owner))
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error


class Appender:
    """Adds bytes to a file that exists; every ``flush`` is one write to the operating system.

    Raises:
        UserError: if the file cannot be written (full disk, no permission).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pending: list[bytes] = []
        try:
            self._file: BinaryIO = open(path, "ab", buffering=0)  # noqa: SIM115 - closed by close()
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}") from error

    def append(self, data: bytes) -> None:
        """Queue bytes; ``flush`` hands them to the system."""
        self._pending.append(data)

    def flush(self) -> None:
        """Hand everything queued to the operating system: it then survives the death of this process."""
        if not self._pending:
            return
        data = memoryview(b"".join(self._pending))
        self._pending.clear()
        try:
            while data:
                data = data[self._file.write(data) or 0 :]
        except OSError as error:
            raise UserError(f"cannot write {self._path}: {error.strerror}; what was written is readable") from error

    def close(self) -> None:
        """Flush, ask the disk to keep it, close. Safe to call twice."""
        if self._file.closed:
            return
        try:
            self.flush()
            os.fsync(self._file.fileno())
        finally:
            self._file.close()


class LogWriter(Appender):
    """Appends records to a log that ``create_log`` made.

    Args:
        path: the log.
        record_size: fixed payload size in bytes, or 0.
    """

    def __init__(self, path: Path, record_size: int = 0) -> None:
        super().__init__(path)
        self._size = record_size

    def append(self, data: bytes) -> None:
        """Queue one record. ValueError if a fixed size is not met."""
        if self._size and len(data) != self._size:
            raise ValueError(f"{self._path.name} takes records of {self._size} bytes, got {len(data)}")
        super().append(frame_record(data))


@dataclass(frozen=True)
class LogScan:
    """What of a log is whole.

    Args:
        path: the file.
        spans: (offset, length) of every whole payload, in order.
        damage: empty if the file ends with its last whole record, else one line that says where it breaks off.
    """

    path: Path
    spans: tuple[tuple[int, int], ...]
    damage: str

    def __len__(self) -> int:
        return len(self.spans)

    def payloads(self, count: int | None = None) -> list[bytes]:
        """The first ``count`` payloads (all by default), as bytes."""
        with open(self.path, "rb") as file:
            return [_read_at(file, offset, length) for offset, length in self.spans[:count]]

    def starts(self, size: int) -> list[bytes]:
        """The first ``size`` bytes of every payload."""
        with open(self.path, "rb") as file:
            return [_read_at(file, offset, min(length, size)) for offset, length in self.spans]

    def payload(self, index: int) -> bytes:
        """One payload."""
        with open(self.path, "rb") as file:
            return _read_at(file, *self.spans[index])


def scan_log(path: Path, kind: str, record_size: int = 0, max_record: int = 1 << 20, owner: str = "") -> LogScan:
    """Check a log from its start and index its whole records; never holds more than one record in memory.

    Args:
        path: the file.
        kind: kind that it must hold.
        record_size: fixed payload size that it must have, or 0.
        max_record: largest payload accepted, bytes; a longer one ends the log.
        owner: session that it must belong to.

    Raises:
        UserError: if the file is missing, is no log of this kind, or belongs to another session.
    """
    limit = record_size or max_record
    try:
        with open(path, "rb") as file:
            _check_head(path, file.read(HEAD_SIZE), kind, record_size, owner)
            return _scan_records(path, file, record_size, limit)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error


def _check_head(path: Path, head: bytes, kind: str, record_size: int, owner: str) -> None:
    if len(head) < HEAD_SIZE:
        raise UserError(f"{path} is empty or cut short: {len(head)} of the {HEAD_SIZE} bytes of its head are there")
    if head == log_head(kind, record_size, owner):
        return
    (check,) = struct.unpack("<I", head[-4:])
    magic, found_kind, _, found_size = _HEAD.unpack(head[:-4])
    same_kind = found_kind == kind.encode("ascii").ljust(16, b"\0")
    if magic != _MAGIC or zlib.crc32(head[:-4]) != check:
        raise UserError(f"{path}: its head is not that of a log of this version; was it damaged or made elsewhere?")
    if not same_kind:
        name = found_kind.rstrip(b"\0").decode("ascii", "replace")
        raise UserError(f"{path}: expected a log of {kind}, got one of {name}; put the right file back")
    if found_size != record_size:
        raise UserError(
            f"{path} belongs to another session: its records have {found_size} bytes, expected {record_size}"
        )
    raise UserError(f"{path} belongs to another session; put back the file that was recorded with this one")


def _scan_records(path: Path, file: BinaryIO, record_size: int, limit: int) -> LogScan:
    spans: list[tuple[int, int]] = []
    offset = HEAD_SIZE
    while head := file.read(_RECORD.size):
        if len(head) < _RECORD.size:
            return LogScan(path, tuple(spans), _broken(path, spans, f"is {CUT}"))
        length, check = _RECORD.unpack(head)
        if length > limit or (record_size and length != record_size):
            return LogScan(path, tuple(spans), _broken(path, spans, f"has an impossible length of {length}"))
        payload = file.read(length)
        if len(payload) < length:
            return LogScan(path, tuple(spans), _broken(path, spans, f"is {CUT}"))
        if zlib.crc32(payload, zlib.crc32(head[:4])) != check:
            return LogScan(path, tuple(spans), _broken(path, spans, "fails its checksum"))
        spans.append((offset + _RECORD.size, length))
        offset += _RECORD.size + length
    return LogScan(path, tuple(spans), "")


def _broken(path: Path, spans: list[tuple[int, int]], how: str) -> str:
    return f"{path.name}: record {len(spans)} {how}; read up to there"


def _read_at(file: BinaryIO, offset: int, length: int) -> bytes:
    file.seek(offset)
    return file.read(length)
