"""Reads clip folders: any paired clips of class maps and pictures, whoever made them.

The format is written down in ``engine_sim/recording/clips.py`` and ``container.py``; this is the other
end, which knows nothing of the engine. Numbers are read through a whitelist of types; nothing is ever unpickled.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from render_bridge.palette import RACING

_MAGIC, _TAIL_MAGIC = b"PNTARR1\n", b"PNT1"
_TAIL = struct.Struct("<QQI4s")
_KINDS = {"|u1", "<f2", "<f4", "<f8"}
_MOST_INDEX, _MOST_ARRAY = 64 << 20, 16 << 30


class ShardError(ValueError):
    """A clip folder or file that cannot be read; the message names the file."""


@dataclass(frozen=True)
class ShardClip:
    """One clip: ``meta`` as the file gives it, arrays by name (``class``, ``teacher``, ``camera``, ``depth`` …)."""

    meta: dict[str, Any]
    arrays: dict[str, NDArray]


def read_metas(path: Path) -> list[dict[str, Any]]:
    """What the clips of a shard say of themselves, without their arrays. ShardError as ``read_shard``."""
    with path.open("rb") as file:
        metas: list[dict[str, Any]] = _read_index(file, path)["meta"]["clips"]
    return metas


def read_shard(path: Path, wanted: tuple[str, ...]) -> Iterator[ShardClip]:
    """The clips of one ``.clips`` file with the arrays in ``wanted`` that it has.

    Raises:
        ShardError: if the file is cut short, foreign, or an entry makes no sense.
    """
    with path.open("rb") as file:
        index = _read_index(file, path)
        for number, meta in enumerate(index["meta"]["clips"]):
            names = {n: f"{number}/{n}" for n in wanted if f"{number}/{n}" in index["arrays"]}
            yield ShardClip(meta, {n: _read_array(file, index["arrays"][key], path) for n, key in names.items()})


def shard_paths(folder: Path) -> list[Path]:
    """The finished ``.clips`` files of a folder, sorted. ShardError if there are none."""
    paths = sorted(p for p in folder.glob("*.clips") if not p.name.startswith("."))
    if not paths:
        raise ShardError(f"{folder} holds no .clips files: make some with 'paintover clips'")
    return paths


def _read_index(file: Any, path: Path) -> dict[str, Any]:
    size = path.stat().st_size
    head = file.read(8)
    file.seek(max(0, size - _TAIL.size))
    tail = file.read(_TAIL.size)
    if head != _MAGIC or len(tail) != _TAIL.size:
        raise ShardError(f"{path} is no clip file of this version")
    offset, length, checksum, magic = _TAIL.unpack(tail)
    if magic != _TAIL_MAGIC or length > _MOST_INDEX or offset + length + _TAIL.size != size:
        raise ShardError(f"{path} is cut short or damaged")
    file.seek(offset)
    text = file.read(length)
    if zlib.crc32(text) != checksum:
        raise ShardError(f"{path} is damaged: its index is not what was written")
    index: dict[str, Any] = json.loads(text)
    _check_classes(index, path)
    return index


def _check_classes(index: dict[str, Any], path: Path) -> None:
    """Refuse clips of another class table: their numbers would be read as other things. Foreign ones may name none."""
    table = index["meta"].get("classes")
    found = table.get("hash") if isinstance(table, dict) else table
    if found not in (None, RACING.hash):
        raise ShardError(
            f"{path}: its clips were cut with class table {found!r:.40}, but this renderer reads {RACING.hash!r}: "
            "cut them anew with 'paintover clips'"
        )


def _read_array(file: Any, entry: dict[str, Any], path: Path) -> NDArray:
    shape, kind = tuple(int(s) for s in entry["shape"]), entry["dtype"]
    if kind not in _KINDS:
        raise ShardError(f"{path}: type {kind!r} is not one of {sorted(_KINDS)}")
    total = int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize
    if not 0 <= total <= _MOST_ARRAY:
        raise ShardError(f"{path}: array of {total} bytes is over the limit of {_MOST_ARRAY}")
    file.seek(entry["offset"])
    data = file.read(entry["bytes"])
    if entry["codec"] == "zstd":
        try:
            data = zstandard.ZstdDecompressor().decompress(data, max_output_size=total)
        except zstandard.ZstdError as error:
            raise ShardError(f"{path} is damaged: {error}") from error
    if len(data) != total:
        raise ShardError(f"{path}: array of shape {shape} needs {total} bytes, found {len(data)}")
    return np.frombuffer(data, kind).reshape(shape)
