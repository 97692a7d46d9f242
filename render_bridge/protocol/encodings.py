"""Lossless encodings of planes (R-43): raw, zstd, rle. Decoding never takes more memory than the known size."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from .faults import Fault, LocalProtocolError, RemoteProtocolError
from .message_base import Buffer
from .run_length import encode_runs, lay_runs, read_runs

ENCODINGS = ("zstd", "rle", "raw")
"""In our order of preference: zstd makes the smallest frames by far, for half a millisecond at 1344x768."""
PLANE_ENCODINGS = ("zstd", "raw")
IDS_LEVEL, NUMBERS_LEVEL = -1, 1
"""Of zstd. One byte a pixel, ids and object numbers, is nearly all matches: entropy coding of the rest costs a fifth of
the time and saves 3 of 14 KB a frame. Depth and motion are nearly all literals, which level -1 leaves as they are."""
MAX_WINDOW = 1 << 27
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
RLE_BLOCK = 1
"""A block of one byte, repeated: its length is that of what it stands for."""

_threads = threading.local()


def encode_plane(plane: NDArray[Any], encoding: str) -> Buffer:
    """Plane → buffer.

    Args:
        plane: ``[H, W]`` or ``[H, W, C]``, C-contiguous, any type of R-10; rle takes uint8 ``[H, W]`` only.
        encoding: of ENCODINGS. ``raw`` shares the plane's memory, so the plane must not be written to afterwards.

    Raises:
        LocalProtocolError: unknown encoding, or a plane that it cannot hold.
    """
    if not plane.flags.c_contiguous:
        plane = np.ascontiguousarray(plane)
    if encoding == "raw":
        return plane.data.cast("B")
    if encoding == "zstd":
        level = IDS_LEVEL if plane.dtype == np.uint8 and plane.ndim == 2 else NUMBERS_LEVEL
        return _compressor(level).compress(plane.data.cast("B"))
    if encoding == "rle" and plane.dtype == np.uint8 and plane.ndim == 2:
        return encode_runs(plane.reshape(-1))
    text = f"encoding {encoding!r} cannot hold {plane.dtype} {list(plane.shape)}; known: {', '.join(ENCODINGS)}"
    raise LocalProtocolError(Fault.WRONG_ENCODING, text)


def decode_plane(buffer: Buffer, encoding: str, dtype: str, shape: Sequence[int], ours: bool = False) -> NDArray[Any]:
    """Buffer → a writable array that belongs to the caller.

    Args:
        buffer: as it came.
        encoding: of ENCODINGS.
        dtype: of R-10.
        shape: known from the greeting.
        ours: nobody else has the buffer, so a raw one becomes the array as it lies, if it can be written to.

    Raises:
        RemoteProtocolError: WRONG_ENCODING, BUFFER_SIZE (raw of another size) or CORRUPT_DATA.
    """
    item = np.dtype(dtype).newbyteorder("<")
    size = math.prod(shape) * item.itemsize
    view = memoryview(buffer)
    if encoding == "raw":
        if view.nbytes != size:
            text = f"a raw plane of {'x'.join(map(str, shape))} {dtype} has {size} bytes, got {view.nbytes}"
            raise RemoteProtocolError(Fault.BUFFER_SIZE, text)
        data: NDArray[Any] = np.frombuffer(view, item)
        keep = ours and data.flags.writeable and data.flags.aligned
    elif encoding == "zstd":
        data, keep = _decompress(view, size).view(item), True
    elif encoding == "rle" and dtype == "uint8" and len(shape) == 2:
        data, keep = lay_runs(read_runs(view, size)), True
    else:
        text = f"encoding {encoding!r} does not hold {dtype} {list(shape)}"
        raise RemoteProtocolError(Fault.WRONG_ENCODING, text)
    return data.reshape(shape).astype(np.dtype(dtype), copy=not keep)


def _compressor(level: int) -> zstandard.ZstdCompressor:
    """One context a thread and level: they may not be shared, and making one costs more than a small frame."""
    name = f"compressor{level}"
    if not hasattr(_threads, name):
        setattr(_threads, name, zstandard.ZstdCompressor(level=level, write_content_size=True))
    compressor: zstandard.ZstdCompressor = getattr(_threads, name)
    return compressor


def _decompressor() -> zstandard.ZstdDecompressor:
    if not hasattr(_threads, "decompressor"):
        _threads.decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    return _threads.decompressor


def _decompress(view: memoryview, size: int) -> NDArray[np.uint8]:
    """One whole zstd frame → bytes, right into the memory that they stay in."""
    try:
        if view[:4] != ZSTD_MAGIC:  # a skippable frame has another one
            raise RemoteProtocolError(Fault.CORRUPT_DATA, "the data do not begin as a zstd frame does")
        facts = zstandard.get_frame_parameters(view)
        # An unknown content size reads as the largest u64, so this comparison refuses it too.
        if facts.content_size != size or facts.window_size > MAX_WINDOW:
            text = f"the zstd frame declares {facts.content_size} bytes in windows of {facts.window_size}"
            raise RemoteProtocolError(Fault.CORRUPT_DATA, f"{text}; expected {size} in at most {MAX_WINDOW}")
        end = _end_of_frame(view, facts.has_checksum)
        if end != view.nbytes:
            text = f"the zstd frame has {end} bytes or more, the buffer {view.nbytes}"
            raise RemoteProtocolError(Fault.CORRUPT_DATA, text)
        data = np.empty(size, np.uint8)
        with _decompressor().stream_reader(view) as reader:
            length = reader.readinto(data.data)
    except zstandard.ZstdError as error:
        raise RemoteProtocolError(Fault.CORRUPT_DATA, f"not one whole zstd frame: {str(error)[:200]}") from None
    if length != size:
        raise RemoteProtocolError(Fault.CORRUPT_DATA, f"the zstd frame holds {length} bytes, expected {size}")
    return data


def _end_of_frame(view: memoryview, has_checksum: bool) -> int:
    """Bytes of the frame at the beginning of a buffer, by the heads of its blocks (RFC 8878, 3.1.1); more than there
    are if it is cut short."""
    end = zstandard.frame_header_size(view)
    last = False
    while not last and end + 3 <= view.nbytes:
        head = int.from_bytes(view[end : end + 3], "little")
        last, kind, length = bool(head & 1), head >> 1 & 3, head >> 3
        end += 3 + (1 if kind == RLE_BLOCK else length)
    return end + (4 if has_checksum else 0) if last else max(end, view.nbytes) + 1
