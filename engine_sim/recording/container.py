"""One file of named arrays with an index at its end: clip shards and race logs.

Layout, little-endian::

    8 bytes    magic "PNTARR1\\n"
    blobs      each at a multiple of 64 bytes, so that raw ones can be memory-mapped
    index      UTF-8 JSON: {"kind": …, "meta": {…}, "arrays": {NAME: {dtype, shape, codec, offset, bytes, crc32}}}
    24 bytes   uint64 offset of the index, uint64 its length, uint32 its CRC-32, magic "PNT1"

``dtype`` is one of DTYPES, ``shape`` a list, row-major; ``codec`` is ``raw`` (the array's bytes) or ``zstd`` (one
zstd frame that states its size); ``crc32`` is over the stored bytes. A file is written under a hidden name and
renamed when whole, so a file with its name is a whole file. Nothing is ever unpickled.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from ..core.errors import UserError
from .fields import Fields, parse_json
from .records import ZSTD_LEVEL, unpack_zstd

_MAGIC = b"PNTARR1\n"
_TAIL = struct.Struct("<QQI4s")
_TAIL_MAGIC = b"PNT1"
_ALIGN = 64
DTYPES = ("|u1", "<u2", "<u4", "<u8", "<i4", "<i8", "<f2", "<f4", "<f8")
MAX_INDEX = 64 << 20
MAX_ARRAY = 16 << 30


class Stored(NamedTuple):
    """An array as it will lie in the file."""

    data: memoryview
    crc32: int


def prepare(array: NDArray, codec: str) -> Stored:
    """Compress (``zstd``) or not (``raw``) and check: the costly part of ``add``, which may run in any thread.

    The bytes depend on the array and the version of zstd alone.
    """
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
    if codec == "zstd":
        data = memoryview(zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(data))
    return Stored(data, zlib.crc32(data))


class ContainerWriter:
    """Writes one container; it gets its name only when ``commit`` succeeds.

    Args:
        path: file to make or replace.
        kind: what it holds.

    Raises:
        UserError: if the disk refuses.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self._kind = kind
        self._hidden = path.with_name(f".{path.name}.{os.getpid()}.partial")
        self._arrays: dict[str, dict[str, Any]] = {}
        self._offset = len(_MAGIC)
        try:
            self._file = open(self._hidden, "wb", buffering=0)  # noqa: SIM115 - closed by commit or abort
            self._write(_MAGIC)
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}") from error

    def add(self, name: str, array: NDArray, codec: str = "raw", stored: Stored | None = None) -> None:
        """Append one array.

        Args:
            name: unique in the file.
            array: of one of DTYPES, at least one axis.
            codec: ``raw`` or ``zstd``.
            stored: what ``prepare(array, codec)`` gave, if it was called elsewhere.

        Raises:
            ValueError: a name used twice, a dtype outside DTYPES or an unknown codec.
            UserError: if the disk refuses.
        """
        if name in self._arrays or array.dtype.str not in DTYPES or codec not in ("raw", "zstd") or array.ndim == 0:
            raise ValueError(f"cannot store {name!r} as {codec!r}: {array.dtype.str} {array.shape}; dtypes: {DTYPES}")
        data, check = stored or prepare(array, codec)
        try:
            self._write(b"\0" * (-self._offset % _ALIGN))
            offset = self._offset
            self._write(data)
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {error.strerror}") from error
        self._arrays[name] = {
            "dtype": array.dtype.str, "shape": list(array.shape), "codec": codec,
            "offset": offset, "bytes": len(data), "crc32": check,
        }  # fmt: skip

    def _write(self, data: bytes | memoryview) -> None:
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) or 0 :]
        self._offset = self._file.tell()

    def commit(self, meta: dict[str, Any]) -> None:
        """Write index and tail, and give the file its name."""
        index = {"kind": self._kind, "meta": meta, "arrays": self._arrays}
        data = json.dumps(index, separators=(",", ":"), allow_nan=False).encode()
        try:
            self._write(data + _TAIL.pack(self._offset, len(data), zlib.crc32(data), _TAIL_MAGIC))
            self._file.close()
            os.replace(self._hidden, self.path)
        except OSError as error:
            self.abort()
            raise UserError(f"cannot write {self.path}: {error.strerror}") from error

    def abort(self) -> None:
        """Drop what was written. Does nothing after ``commit``."""
        self._file.close()
        self._hidden.unlink(missing_ok=True)

    def __enter__(self) -> ContainerWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()


class Container:
    """A whole container, open for reading; arrays are read when asked for.

    Args:
        path: file to read.
        kind: what it must hold.

    Raises:
        UserError: if the file is missing, cut short, of another kind, or its index makes no sense.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path = Path(path)
        try:
            with open(path, "rb") as file:
                index = self._read_index(file, os.fstat(file.fileno()).st_size)
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from error
        fields = Fields(index, str(path))
        if fields.text("kind") != kind:
            raise UserError(f"{path}: expected {kind!r}, got {fields.text('kind')!r}")
        self.meta = fields.inner("meta").value
        self._arrays = fields.inner("arrays")

    def _read_index(self, file: Any, size: int) -> Any:
        head = file.read(len(_MAGIC))
        file.seek(max(0, size - _TAIL.size))
        tail = file.read(_TAIL.size)
        if head != _MAGIC or len(tail) < _TAIL.size:
            raise UserError(f"{self.path} is no container of this version, or it was cut short")
        offset, length, check, magic = _TAIL.unpack(tail)
        if magic != _TAIL_MAGIC or length > MAX_INDEX or offset + length + _TAIL.size != size:
            raise UserError(f"{self.path} is cut short or damaged: its end is not that of a container")
        self._data_end = offset
        file.seek(offset)
        data = file.read(length)
        if zlib.crc32(data) != check:
            raise UserError(f"{self.path} is damaged: its index fails the checksum")
        return parse_json(data, str(self.path))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays, in the order of writing."""
        return tuple(self._arrays.value)

    def _entry(self, name: str) -> tuple[np.dtype, tuple[int, ...], str, int, int, int]:
        if name not in self._arrays.value:
            raise UserError(f"{self.path} holds no array {name!r}; it has {', '.join(self.names[:8])} …")
        entry = self._arrays.inner(name)
        dtype = np.dtype(entry.text("dtype", DTYPES))
        shape = entry.value.get("shape")
        if not isinstance(shape, list) or not 1 <= len(shape) <= 8:
            raise UserError(f"{entry.where}: shape must be a list of 1 to 8 sizes")
        sizes = Fields({str(k): v for k, v in enumerate(shape)}, f"{entry.where}: shape")
        shape = tuple(sizes.integer(str(k), 0, 1 << 40) for k in range(len(shape)))
        offset, length = entry.integer("offset", 0, self._data_end), entry.integer("bytes", 0, self._data_end)
        total = dtype.itemsize
        for side in shape:
            total *= side
        codec = entry.text("codec", ("raw", "zstd"))
        if offset + length > self._data_end or total > MAX_ARRAY or (codec == "raw" and total != length):
            raise UserError(f"{entry.where}: {total} bytes of {shape} do not fit the {length} bytes at {offset}")
        return dtype, shape, codec, offset, length, entry.integer("crc32", 0, 0xFFFFFFFF)

    def read(self, name: str) -> NDArray:
        """One array, checked. UserError if it is missing, damaged, or its index entry makes no sense."""
        dtype, shape, codec, offset, length, check = self._entry(name)
        with open(self.path, "rb") as file:
            file.seek(offset)
            data = file.read(length)
        if len(data) != length or zlib.crc32(data) != check:
            raise UserError(f"{self.path}: array {name!r} fails its checksum")
        if codec == "zstd":
            data = unpack_zstd(data, int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
        return np.frombuffer(data, dtype).reshape(shape)

    def map(self, name: str) -> NDArray:
        """A raw array as a read-only memory map, unchecked; a compressed one is read instead."""
        dtype, shape, codec, offset, _, _ = self._entry(name)
        if codec != "raw" or 0 in shape:
            return self.read(name)
        return np.memmap(self.path, dtype, "r", offset, shape)
