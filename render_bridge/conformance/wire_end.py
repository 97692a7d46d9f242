"""A bare socket for the checker: sends anything, reads with patience, keeps the peer's heart calm with PONG."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import zmq

from ..protocol.codec import Wire, decode, encode
from ..protocol.faults import RemoteProtocolError
from ..protocol.message_base import Message
from ..protocol.messages import Error, Ping, Pong
from .report import Broken

M = TypeVar("M", bound=Message)
QUIET_S = 0.3
"""How long to listen for what must not come. ``patience`` is for what must."""


class WireEnd:
    """One connection with one peer.

    Args:
        socket: connected DEALER, or a bound ROUTER with ``peer`` set.
        patience: seconds to wait for something that must come.
    """

    def __init__(self, socket: zmq.Socket, patience: float, peer: bytes | None = None) -> None:
        self.socket = socket
        self.patience = patience
        self.peer = peer
        self.calm = True
        """Answer PING by ourselves."""
        self.seen: list[Message] = []

    def send(self, message: Message | Wire) -> None:
        """Send a message, or frames as they are. Broken if there is no connection to send them on."""
        wire = encode(message) if isinstance(message, Message) else message
        prefix = [] if self.peer is None else [self.peer]
        if not self.socket.poll(round(1000 * self.patience), zmq.POLLOUT):
            raise Broken("the connection was refused or is full: nothing can be sent")
        self.socket.send_multipart([*prefix, *wire])

    def get(self, timeout: float) -> Message | None:
        """The next message that is no heartbeat, or None. Broken if the peer sends what is not legal."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            message = self.receive(left)
            if message is None:
                return None
            self.seen.append(message)
            if isinstance(message, Ping) and self.calm:
                now = time.monotonic_ns()
                self.send(Pong(id=message.id, time=message.time, received=now, sent=now))
            elif not (isinstance(message, Pong) and self.calm):
                return message
        return None

    def receive(self, timeout: float) -> Message | None:
        """The next message of any kind, or None."""
        if not self.socket.poll(max(1, round(timeout * 1000))):
            return None
        return self.read(self.socket.recv_multipart())

    def read(self, frames: Wire) -> Message:
        """Decode, or say what is not legal about it."""
        try:
            return decode(frames)
        except RemoteProtocolError as error:
            raise Broken(f"sent a message that is not legal: {error}") from None

    def wait(self, kind: type[M], match: Callable[[M], bool] = lambda _: True, timeout: float | None = None) -> M:
        """The next message of a kind; others are passed over. Broken if none comes in time."""
        found = self.look(kind, match, self.patience if timeout is None else timeout)
        if found is None:
            got = ", ".join(_describe(m) for m in self.seen[-4:]) or "nothing"
            raise Broken(f"expected {kind.__name__.upper()}, got {got}")
        return found

    def look(self, kind: type[M], match: Callable[[M], bool], timeout: float) -> M | None:
        """As ``wait``, but None if none comes; what is passed over is forgotten."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            message = self.get(left)
            if isinstance(message, kind) and match(message):
                return message
        return None

    def gather(self, seconds: float) -> list[Message]:
        """Everything that comes in some time."""
        found = []
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            message = self.get(left)
            if message is not None:
                found.append(message)
        return found

    def wait_error(self, code: int, timeout: float | None = None) -> Error:
        """ERROR with a number. Broken if another number comes, or none."""
        error = self.wait(Error, timeout=timeout)
        if error.code != code:
            raise Broken(f"expected ERROR {code}, got {error.code} {error.name}: {error.text}")
        return error


def _describe(message: Message) -> str:
    name = type(message).__name__.upper()
    return f"{name} {message.code} ({message.text})" if isinstance(message, Error) else name
