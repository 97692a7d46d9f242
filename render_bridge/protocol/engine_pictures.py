"""The engine's pictures: which may come, and what is said when one was read (R-26, R-30)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .encodings import decode_plane
from .engine_greeting import Greeting
from .faults import Fault, RemoteProtocolError
from .messages import Ack, Picture


class PictureReader:
    """Reads the pictures of one connection after the other.

    Args:
        greeting: says how large they are.
        own_buffers: nobody else has the buffers of the pictures, so they need no copy.
    """

    def __init__(self, greeting: Greeting, own_buffers: bool = False) -> None:
        self._own_buffers = own_buffers
        self._width, self._height = greeting.width, greeting.height
        self._last: int | None = None
        self._unacknowledged = False

    def begin_connection(self) -> None:
        """Numbers may begin anew, and nothing of the old connection is acknowledged."""
        self._last, self._unacknowledged = None, False

    def read(self, picture: Picture, last_sent: int | None) -> NDArray[Any]:
        """RGB uint8 ``[H, W, 3]``. RemoteProtocolError: another size, a number that does not rise or was never sent."""
        if (picture.width, picture.height) != (self._width, self._height):
            text = f"a picture of {picture.width}x{picture.height}, expected {self._width}x{self._height}"
            raise RemoteProtocolError(Fault.OUT_OF_RANGE, text)
        if self._last is not None and picture.seq <= self._last:
            text = f"a picture of seq {picture.seq} after that of {self._last}"
            raise RemoteProtocolError(Fault.BAD_SEQUENCE, text, {"kind": "repeat"})
        if last_sent is None or picture.seq > last_sent:
            text = f"a picture of seq {picture.seq}; the last frame that was sent is {last_sent}"
            raise RemoteProtocolError(Fault.BAD_SEQUENCE, text, {"kind": "unsent", "got": picture.seq})
        pixels: NDArray[Any] = decode_plane(
            picture.buffers[0], picture.encoding, "uint8", (self._height, self._width, 3), self._own_buffers
        )
        self._last, self._unacknowledged = picture.seq, True
        return pixels

    def take_ack(self) -> Ack | None:
        """What is to be sent when nothing more waits to be read; None if nothing was read since the last one."""
        if not self._unacknowledged or self._last is None:
            return None
        self._unacknowledged = False
        return Ack(acknowledged=self._last)
