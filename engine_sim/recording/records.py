"""The bytes of each record of a session's logs: pack, and its exact inverse.

Little-endian throughout. Every number that a rule or a camera made travels as float64, so it reads back bit for bit.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from ..core.errors import UserError
from ..racing.controls import Controls
from ..views.frame import Camera, CarPose, FrameState

_CONTROLS = struct.Struct("<q4d4b")
_CAMERA = struct.Struct("<12d")
_CAR = struct.Struct("<10d")
_FRAME = struct.Struct("<q8s8sB")
_BLOCK = struct.Struct("<II")
INPUT_SIZE = _CONTROLS.size
BLOCK_HEAD = _BLOCK.size
ZSTD_LEVEL = 1
"""Measured on class maps: level 3 saves 2 % for twice the time."""


def pack_controls(tick: int, controls: Controls) -> bytes:
    """One record of inputs.log: tick, steer, throttle, brake, handbrake, gear shift, reset, digital."""
    c = controls
    return _CONTROLS.pack(tick, c.steer, c.throttle, c.brake, c.handbrake, c.gear_shift, c.reset, c.digital, 0)


def unpack_controls(record: bytes) -> tuple[int, Controls]:
    """Tick and controls of one record of inputs.log. UserError if a control is out of range."""
    tick, steer, throttle, brake, handbrake, shift, reset, digital, _ = _CONTROLS.unpack(record)
    return tick, Controls(steer, throttle, brake, handbrake, shift, bool(reset), bool(digital)).checked()


def hash_size(state_fields: int) -> int:
    """Bytes of one record of hashes.log for a state of that many fields."""
    return 16 + state_fields


def pack_hash(tick: int, digest: str, sums: NDArray[np.uint8]) -> bytes:
    """One record of hashes.log: tick, 8 bytes of state hash, one byte per state field."""
    return struct.pack("<q", tick) + bytes.fromhex(digest) + sums.tobytes()


def unpack_hash(record: bytes) -> tuple[int, str, NDArray[np.uint8]]:
    """Tick, state hash (16 hex digits) and field sums of one record of hashes.log."""
    (tick,) = struct.unpack_from("<q", record)
    return tick, record[8:16].hex(), np.frombuffer(record, np.uint8, offset=16)


def field_names(state: tuple) -> tuple[str, ...]:
    """Names of what ``field_sums`` sums: ``clock[2]`` for entries of vectors, ``cars[:, 4]`` for columns of tables."""
    names: list[str] = []
    for name, array in zip(getattr(state, "_fields", range(len(state))), state, strict=True):
        form = f"{name}[:, {{}}]" if array.ndim == 2 else f"{name}[{{}}]"
        names += [form.format(k) for k in range(array.shape[-1])]
    return tuple(names)


def field_sums(state: tuple) -> NDArray[np.uint8]:
    """One byte for each column of each array of a state, uint8 ``[columns]``: enough to name the one that differs.

    Arrays are vectors or tables of 8-byte numbers. The rows of a column are multiplied by odd constants, so that
    values which change places show, and folded by exclusive or.
    """
    return np.concatenate([_column_sums(array) for array in state])


def _column_sums(array: NDArray) -> NDArray[np.uint8]:
    words = array.view(np.uint64).reshape(-1, array.shape[-1])
    keys = np.arange(1, 2 * len(words), 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    folded = np.bitwise_xor.reduce((words ^ (words >> np.uint64(29))) * keys[:, None], axis=0)
    return (folded >> np.uint64(56)).astype(np.uint8)


def digest8(data: bytes | memoryview) -> str:
    """BLAKE2b of 8 bytes, as 16 hex digits."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def file_hash(path: Path) -> str:
    """16 hex digits over the bytes of a file. UserError if it cannot be read."""
    digest = hashlib.blake2b(digest_size=8)
    try:
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()


def map_hash(class_map: NDArray[np.uint8]) -> str:
    """16 hex digits over the pixels of a class map, rows from the top."""
    return digest8(np.ascontiguousarray(class_map).data)


@dataclass(frozen=True)
class FrameRecord:
    """One video frame without its pixels.

    Args:
        frame: tick, camera and cars: enough to draw it again without running the race.
        map_hash: hash of its class map.
        camera_hash: hash of the camera's whole state (springs included) at that tick.
    """

    frame: FrameState
    map_hash: str
    camera_hash: str


def frame_size(cars: int) -> int:
    """Bytes of one record of frames.log."""
    return _FRAME.size + _CAMERA.size + cars * _CAR.size


def pack_camera(camera: Camera) -> tuple[float, ...]:
    """Twelve numbers: position, forward, up, fov_y, near, far."""
    return (*camera.position, *camera.forward, *camera.up, camera.fov_y, camera.near, camera.far)


def unpack_camera(values: tuple[float, ...]) -> Camera:
    """Inverse of ``pack_camera``."""
    v = tuple(float(x) for x in values)
    return Camera(v[0:3], v[3:6], v[6:9], v[9], v[10], v[11])  # type: ignore[arg-type]


def pack_car(car: CarPose) -> tuple[float, ...]:
    """Ten numbers in the order of CarPose; the brake light is 0 or 1."""
    return tuple(float(v) for v in car)


def unpack_car(values: tuple[float, ...]) -> CarPose:
    """Inverse of ``pack_car``."""
    v = [float(x) for x in values]
    return CarPose(*v[:8], brake_light=v[8] != 0.0, speed=v[9])  # type: ignore[misc, arg-type]


def pack_frame(record: FrameRecord) -> bytes:
    """One record of frames.log: tick, map hash, camera hash, hide_player, camera, then ten numbers a car."""
    f = record.frame
    head = _FRAME.pack(f.tick, bytes.fromhex(record.map_hash), bytes.fromhex(record.camera_hash), f.hide_player)
    return head + _CAMERA.pack(*pack_camera(f.camera)) + b"".join(_CAR.pack(*pack_car(car)) for car in f.cars)


def unpack_frame(data: bytes) -> FrameRecord:
    """Inverse of ``pack_frame``."""
    tick, maps, camera_state, hide = _FRAME.unpack_from(data)
    camera = unpack_camera(_CAMERA.unpack_from(data, _FRAME.size))
    cars = tuple(unpack_car(values) for values in _CAR.iter_unpack(data[_FRAME.size + _CAMERA.size :]))
    return FrameRecord(FrameState(tick, camera, cars, bool(hide)), maps.hex(), camera_state.hex())


def block_limit(frame_bytes: int, frames: int) -> int:
    """Largest record that ``pack_block`` can make of that many frames (zstd's own bound, and some)."""
    return _BLOCK.size + frames * frame_bytes + frames * (frame_bytes >> 7) + 1024


def pack_block(first: int, frames: NDArray[np.uint8], compressor: zstandard.ZstdCompressor) -> bytes:
    """Consecutive frames uint8 ``[n, …]`` as one record: index of the first, n, zstd of the pixels."""
    return _BLOCK.pack(first, len(frames)) + compressor.compress(np.ascontiguousarray(frames).data)


def block_head(data: bytes, most: int) -> tuple[int, int]:
    """Index of the first frame and number of frames of a record. UserError unless the number is 1 to ``most``."""
    if len(data) < _BLOCK.size:
        raise UserError(f"a block of frames needs at least {_BLOCK.size} bytes, got {len(data)}")
    first, count = _BLOCK.unpack_from(data)
    if not 1 <= count <= most:
        raise UserError(f"a block holds 1 to {most} frames, this one says {count}")
    return first, count


def unpack_block(data: bytes, shape: tuple[int, ...], most: int) -> tuple[int, NDArray[np.uint8]]:
    """Index of the first frame, and the frames uint8 ``[n, *shape]``, n at most ``most``.

    The size that the zstd frame claims is compared with the expected one before any memory is taken.

    Raises:
        UserError: if the record holds another count or size.
    """
    first, count = block_head(data, most)
    pixels = unpack_zstd(memoryview(data)[_BLOCK.size :], count * int(np.prod(shape)))
    return first, np.frombuffer(pixels, np.uint8).reshape((count, *shape))


def unpack_zstd(data: bytes | memoryview, size: int) -> bytes:
    """Decompress exactly ``size`` bytes. UserError if the stream is broken or claims another size."""
    try:
        claimed = zstandard.frame_content_size(data)
        if claimed != size:
            raise UserError(f"compressed data claims {claimed} bytes, expected {size}")
        out = zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
    except zstandard.ZstdError as error:
        raise UserError(f"compressed data cannot be read: {error}") from error
    if len(out) != size:
        raise UserError(f"compressed data holds {len(out)} bytes, expected {size}")
    return out
