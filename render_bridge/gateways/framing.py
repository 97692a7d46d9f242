"""One WebSocket message for one multipart message of the frame protocol.

A binary message holds: the number of frames as u32 little-endian, the length of each as u32 little-endian, then the
frames one after the other. Nothing else changes: tag, header and buffers are those of PROTOCOL.md.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ..protocol.codec import MAX_FRAMES
from ..protocol.message_base import MAX_BUFFER, Buffer


def pack(frames: Sequence[Buffer]) -> bytes:
    """Frames → one message."""
    views = [memoryview(f).cast("B") for f in frames]
    head = struct.pack(f"<{1 + len(views)}I", len(views), *(v.nbytes for v in views))
    return b"".join([head, *views])


def unpack(message: bytes) -> list[memoryview]:
    """One message → its frames, views of it. ValueError if counts and lengths do not add up."""
    if len(message) < 4:
        raise ValueError(f"a message begins with 4 bytes of count, got {len(message)} bytes")
    (count,) = struct.unpack_from("<I", message)
    if not 1 <= count <= MAX_FRAMES:
        raise ValueError(f"a message has 1 to {MAX_FRAMES} frames, got {count}")
    if len(message) < 4 + 4 * count:
        raise ValueError(f"{count} lengths take {4 * count} bytes, got {len(message) - 4}")
    lengths = struct.unpack_from(f"<{count}I", message, 4)
    at = 4 + 4 * count
    if max(lengths) > MAX_BUFFER or at + sum(lengths) != len(message):
        raise ValueError(f"frames of {sum(lengths)} bytes in all, the message has {len(message) - at}")
    view, frames = memoryview(message), []
    for length in lengths:
        frames.append(view[at : at + length])
        at += length
    return frames
