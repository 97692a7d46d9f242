"""The thread that owns a socket. ZeroMQ sockets belong to one thread; everybody else leaves word and wakes it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable

import zmq

from ..errors import BridgeError
from .address import set_family

POLL_MS = 20
"""Longest sleep of an owner, so that heartbeats are on time."""
LINGER_MS = 200
"""R-47: how long unsent frames may hold up the end of a process."""
HWM = 256
"""Messages; more than credit ever allows, so that a peer that misses credit's rules is the only one to meet it."""
HAND_OVER_S = 0.0001
"""Nap of a thread that has just woken another one: it lets go of the interpreter, which it would otherwise keep, for up
to 5 ms, from the one that has work to do."""
JOIN_S = 1.5
"""Longer than any owner's last turns and linger; what is not over by then ends with the process."""


class SocketOwner:
    """Runs ``work(socket, wake)`` style loops: opens the socket in its own thread, wakes it, ends it in bounded time.

    Args:
        name: of the thread.
        open_socket: makes, sets and binds or connects the socket; called in the owner thread.
        on_readable: called with the socket while it has input.
        on_turn: called after input, after a wake and every POLL_MS; sends, and returns False to end.
        on_failure: called when one of the others raised what it should not, and the loop ends for it.

    Raises:
        BridgeError: whatever ``open_socket`` raised.
    """

    def __init__(
        self,
        name: str,
        open_socket: Callable[[zmq.Context], zmq.Socket],
        on_readable: Callable[[zmq.Socket], None],
        on_turn: Callable[[zmq.Socket], bool],
        on_failure: Callable[[Exception], None],
    ) -> None:
        self._open, self._on_readable, self._on_turn = open_socket, on_readable, on_turn
        self._on_failure = on_failure
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        os.set_blocking(self._write_end, False)
        self._pid = os.getpid()
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self._close_pipe()
            raise self._failure

    @property
    def alive(self) -> bool:
        """False once the loop has ended."""
        return self._thread.is_alive()

    def check_process(self) -> None:
        """BridgeError in a forked child: threads and sockets do not survive a fork."""
        if os.getpid() != self._pid:
            raise BridgeError("this bridge was opened in another process: start workers with spawn, not fork")

    def wake(self) -> None:
        """Have ``on_turn`` called soon; from any thread."""
        with contextlib.suppress(OSError):  # full: it is awake already; closed: it has ended
            os.write(self._write_end, b"!")

    def join(self) -> None:
        """Wait for the end, which the owner's linger bounds."""
        self._thread.join(JOIN_S)
        if not self._closed and not self._thread.is_alive():
            self._close_pipe()

    def _close_pipe(self) -> None:
        self._closed = True
        os.close(self._write_end)
        os.close(self._read_end)

    def _run(self) -> None:
        context = zmq.Context()
        try:
            socket = self._open(context)
        except BaseException as error:  # handed to the thread that waits in __init__
            self._failure = error
            context.destroy(linger=0)
            self._started.set()
            return
        self._started.set()
        try:
            self._loop(socket)
        except Exception as error:  # a mistake of ours: whoever waits must hear of it, not wait for ever
            self._on_failure(error)
            raise
        finally:
            context.destroy(linger=LINGER_MS)

    def _loop(self, socket: zmq.Socket) -> None:
        poller = zmq.Poller()
        poller.register(socket, zmq.POLLIN)
        poller.register(self._read_end, zmq.POLLIN)
        while True:
            ready = dict(poller.poll(POLL_MS))
            if self._read_end in ready:
                os.read(self._read_end, 4096)
            if socket in ready:
                self._on_readable(socket)
            if not self._on_turn(socket):
                return


def read_message(socket: zmq.Socket) -> list[zmq.Frame] | None:
    """One multipart message that has come, without a copy, or None: ``recv_multipart`` asks the socket after every part
    whether more follow, which the part knows itself."""
    try:
        part = socket.recv(zmq.NOBLOCK, copy=False)
    except zmq.Again:
        return None
    parts = [part]
    while part.more:
        part = socket.recv(zmq.NOBLOCK, copy=False)
        parts.append(part)
    return parts


def set_common_options(socket: zmq.Socket, largest: int, address: str) -> None:
    """Options of both ends, set before bind or connect, as they must be."""
    set_family(socket, address)
    socket.setsockopt(zmq.LINGER, LINGER_MS)
    socket.setsockopt(zmq.SNDHWM, HWM)
    socket.setsockopt(zmq.RCVHWM, HWM)
    socket.setsockopt(zmq.MAXMSGSIZE, largest)
