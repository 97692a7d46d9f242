"""The renderer's end over ZeroMQ: many sessions on one socket; events out, pictures in, from any thread."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import zmq
from numpy.typing import NDArray
from zmq.auth.thread import ThreadAuthenticator

from ..errors import BridgeError
from ..protocol.events import FrameTaken, RendererEvent, TurnedAway
from ..protocol.message_base import MAX_BUFFER
from ..protocol.offer import Offer
from ..protocol.renderer_side import RendererSide
from ..protocol.session_book import Refusal
from .address import check_address, refuse_if_served
from .curve import require_keys
from .handshakes import Handshakes
from .keys import Keys
from .owner import HAND_OVER_S, SocketOwner, read_message, set_common_options

READ_AT_ONCE = 64
MOST_EVENTS = 2048
"""That wait to be taken; more than credit and controls ever allow, so that it is noise that has to wait."""
REST_S = 0.005
FAREWELL_S = 0.7
"""R-40: longest wait for engines to read their BYE. An engine's ZeroMQ forgets what it has not read when the connection
ends, so the socket stays until each has greeted again. Linger comes on top, and R-47 wants a second for both."""


class RendererEnd:
    """A bound renderer.

    Args:
        address: where to listen, see ``address``.
        offer: what every engine is offered.
        keys: for addresses that other machines can reach; only the peers named in them are let in.

    Raises:
        BridgeError: the address is bad or taken.
    """

    def __init__(self, address: str, offer: Offer, keys: Keys | None = None) -> None:
        self.address = check_address(address, keys is not None)
        self.offer = offer
        self._keys = keys
        self._side = RendererSide(offer, lambda: os.urandom(16), own_buffers=True)
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._events: deque[RendererEvent] = deque()
        self._awaited = False  # somebody waits in ``events``
        self._stop = False
        self._ends_at: float | None = None
        self._failure = ""
        self._handshakes: Handshakes | None = None
        self._authenticator: ThreadAuthenticator | None = None
        self._owner = SocketOwner("bridge-renderer", self._open, self._read, self._turn, self._fail)

    # --- for the renderer

    def refuse_by(self, refusal: Refusal) -> None:
        """Ask this about every new session; in a thread of this end's, so it must be quick. See ``RendererSide``."""
        with self._lock:
            self._side.refuse_by(refusal)

    def events(self, timeout: float = 0.0) -> list[RendererEvent]:
        """Everything that has come, after waiting up to ``timeout`` seconds for something.

        BridgeError if the end has failed.
        """
        with self._changed:
            if not self._events and timeout > 0:
                self._awaited = True
                self._changed.wait_for(lambda: bool(self._events) or self._stop, timeout)
                self._awaited = False
            if self._failure:
                raise BridgeError(self._failure)
            found = list(self._events)
            self._events.clear()
        return found

    def ask(self, session: bytes, frames: int, first: int | None = None, not_before: int = 0) -> bool:
        """Grant a run; see ``RendererSide.ask``. The clock is that of ``time.monotonic_ns``."""
        return self._do(lambda side: side.ask(session, frames, first, not_before))

    def hurry(self, session: bytes) -> None:
        """See ``RendererSide.hurry``."""
        with self._lock:
            self._side.hurry(session)
        self._owner.wake()

    def running(self, session: bytes) -> int:
        """Runs asked for and not yet complete."""
        with self._lock:
            return self._side.running(session)

    def answer(
        self, frame: FrameTaken, pixels: NDArray[np.uint8], chunk: int, stamps: Mapping[str, int], encoding: str = "raw"
    ) -> bool:
        """Send a picture, RGB uint8 ``[H, W, 3]``; the bridge keeps the array. False if it is void by now."""
        sent = {**stamps, "sent": time.monotonic_ns()}
        return self._do(lambda side: side.answer(frame, pixels, chunk, sent, encoding))

    def settle(self, session: bytes, control: int, chunk: int | None, text: str | None = None) -> bool:
        """Second receipt of a control."""
        return self._do(lambda side: side.settle(session, control, chunk, text))

    def fail(self, session: bytes, grant: int, chunk: int, text: str) -> None:
        """Say that a run could not be drawn."""
        with self._changed:
            self._queue(self._side.fail(session, grant, chunk, text))
        self._owner.wake()

    def turn_out(self, session: bytes, text: str) -> None:
        """Say that nothing can be drawn for a session, and end it."""
        with self._changed:
            self._queue(self._side.turn_out(session, text))
        self._owner.wake()

    def counters(self) -> dict[str, int]:
        """Messages of all sessions by what became of them."""
        with self._lock:
            total = dict(self._side.counters)
            for session in self._side.sessions.values():
                for name, count in (session.counters + session.account.counters).items():
                    total[name] = total.get(name, 0) + count
            return {**total, "sessions": len(self._side.sessions)}

    def close(self, text: str = "the renderer ends") -> None:
        """Say BYE to all and end within a second: as soon as all have read it."""
        self._owner.check_process()
        with self._changed:
            if not self._stop:
                self._side.close(text)
            self._stop = True
            self._changed.notify_all()
        self._owner.wake()
        self._owner.join()

    def __enter__(self) -> RendererEnd:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, action: Callable[[RendererSide], bool]) -> bool:
        self._owner.check_process()
        with self._changed:
            done = not self._stop and action(self._side)
        self._owner.wake()
        return done

    # --- in the owner thread

    def _open(self, context: zmq.Context) -> zmq.Socket:
        refuse_if_served(self.address)
        socket = context.socket(zmq.ROUTER)
        set_common_options(socket, MAX_BUFFER, self.address)
        socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
        self._handshakes = Handshakes(socket, serves=True, with_keys=self._keys is not None)
        self._authenticator = require_keys(context, socket, self._keys)
        try:
            socket.bind(self.address)
        except zmq.ZMQError as error:
            if self._authenticator is not None:
                self._authenticator.stop()
            raise BridgeError(f"cannot serve at {self.address}: {error.strerror}") from None
        return socket

    def _fail(self, error: Exception) -> None:
        """The owner thread ends for a mistake of ours."""
        with self._changed:
            self._failure = f"the bridge failed: {type(error).__name__}: {error}"
            self._stop = True
            self._changed.notify_all()
        if self._authenticator is not None:
            self._authenticator.stop()

    def _read(self, socket: zmq.Socket) -> None:
        for _ in range(READ_AT_ONCE):
            if len(self._events) >= MOST_EVENTS:
                self._rest()
                return
            parts = read_message(socket)
            if parts is None:
                return
            now = time.monotonic_ns()
            peer, *frames = parts
            with self._changed:
                awaited = self._awaited
                self._queue(self._side.receive(peer.bytes, [f.buffer for f in frames], now))
            if awaited and self._events:
                time.sleep(HAND_OVER_S)

    def _rest(self) -> None:
        """Somebody says more than is taken: read nothing for a moment, and hold that against nobody."""
        with self._lock:
            self._side.hear_all()
        time.sleep(REST_S)

    def _queue(self, events: list[RendererEvent]) -> None:
        if events:
            self._events.extend(events)
            self._changed.notify_all()

    def _turn(self, socket: zmq.Socket) -> bool:
        assert self._handshakes is not None
        failures = self._handshakes.read()
        with self._changed:
            self._queue([TurnedAway(words) for words in failures])
            if not self._stop:
                self._queue(self._side.advance(time.monotonic_ns()))
            wires = self._side.drain()
        for peer, wire in wires:
            self._send(socket, peer, wire)
        return not self._may_end(time.monotonic())

    def _may_end(self, now: float) -> bool:
        with self._lock:
            if not self._stop:
                return False
            if self._ends_at is None:
                self._ends_at = now + FAREWELL_S
            if not self._side.is_over and now < self._ends_at:
                return False
        if self._authenticator is not None:
            self._authenticator.stop()
        return True

    def _send(self, socket: zmq.Socket, peer: bytes, wire: list[Any]) -> None:
        try:
            socket.send_multipart([peer, *wire], zmq.NOBLOCK, copy=False)
        except zmq.ZMQError as error:
            # Gone, or so far behind that not even its own window is empty: either way this connection is over.
            if error.errno not in (zmq.EHOSTUNREACH, zmq.EAGAIN):
                raise
            with self._changed:
                self._side.counters["unreachable"] += 1
                self._queue(self._side.peer_gone(peer, for_good=error.errno == zmq.EHOSTUNREACH))
