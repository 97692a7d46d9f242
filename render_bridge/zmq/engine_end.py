"""The engine's end over ZeroMQ: offer frames from any thread, read what comes back; it reconnects by itself."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import replace
from typing import Any

import zmq

from ..errors import BridgeClosed, BridgeError, NoCredit
from ..protocol.codec import Wire
from ..protocol.engine_flow import Drawn
from ..protocol.engine_side import EngineSide, Greeting
from ..protocol.events import Closed, EngineEvent
from ..protocol.message_base import MAX_BUFFER, Buffer
from ..protocol.messages import Welcome
from ..protocol.states import EngineState
from .address import check_address, encodings_for
from .curve import use_keys
from .engine_inbox import EngineInbox
from .handshakes import Handshakes
from .keys import Keys
from .owner import SocketOwner, read_message, set_common_options

RECONNECT_MS, RECONNECT_MAX_MS = 20, 200
SEEN_OFF_S = 0.003
"""Longest wait of ``offer`` in play for a packed frame to leave. A game that goes on at once keeps the interpreter from
the thread that sends, and its frame stays for 5 ms and more; seen off it is gone in a few tenths of one."""
RECORD_BUFFER = 4
"""Frames that a recording engine may draw ahead before ``offer`` blocks."""


class EngineEnd:
    """One engine's connection to a renderer.

    ``offer`` never waits for a renderer in play, and blocks for credit in record. Events wait in a bounded queue: in
    play old unread pictures make room for new ones (counted as ``unread_pictures``); in record reading pauses instead.

    Args:
        address: where the renderer is, see ``address``.
        greeting: what to say; see ``protocol.engine_side.Greeting``.
        keys: for addresses of other machines.
        generation, next_seq, resume: to go on where an earlier process stopped.

    Raises:
        BridgeError: bad address. LocalProtocolError: bad greeting.
    """

    def __init__(
        self,
        address: str,
        greeting: Greeting,
        keys: Keys | None = None,
        generation: int = 0,
        next_seq: int = 0,
        resume: bytes | None = None,
    ) -> None:
        self.address = check_address(address, keys is not None)
        self._keys = keys
        if greeting.encodings is None:
            greeting = replace(greeting, encodings=encodings_for(self.address))
        self._side = EngineSide(greeting, time.monotonic_ns(), generation, next_seq, resume, own_buffers=True)
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._inbox = EngineInbox(self._side.counters)
        self._pending: deque[Wire] = deque()
        self._stop = False
        self._handshakes: Handshakes | None = None
        self._owner = SocketOwner("bridge-engine", self._open, self._read, self._turn, self._fail)

    # --- for the game

    @property
    def welcome(self) -> Welcome | None:
        """What the renderer said last, or None before the first greeting."""
        return self._side.welcome

    @property
    def is_open(self) -> bool:
        """True while a renderer serves us."""
        return self._side.state is EngineState.OPEN

    @property
    def generation(self) -> int:
        """Present generation."""
        return self._side.generation

    @property
    def token(self) -> bytes | None:
        """Session token, secret, to come back with from another process."""
        return self._side.token

    @property
    def trouble(self) -> str:
        """Why nobody serves us, if anything is known: a handshake that fails, or what a renderer said last."""
        handshake = self._handshakes.trouble if self._handshakes is not None else ""
        return "" if self.is_open else handshake or self._inbox.refusal

    def wait_open(self, timeout: float) -> Welcome:
        """Wait for a renderer. BridgeError after ``timeout`` seconds, BridgeClosed with the reason of a refusal."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_open or self._ended, timeout)
            if not self.is_open:
                self._check_open()
                why = self.trouble or "start one: paintover serve"
                raise BridgeError(f"no renderer at {self.address} after {timeout:g} s; {why}")
            assert self._side.welcome is not None
            return self._side.welcome

    def offer(self, drawn: Drawn, timeout: float | None = None) -> int:
        """Hand over a drawn frame and return its number.

        Args:
            drawn: its arrays belong to the bridge from here on.
            timeout: record mode: seconds to wait for room; None waits for ever.

        Raises:
            BridgeClosed: the end is closed. NoCredit: no room in time.
        """
        self._owner.check_process()
        with self._changed:
            if self._side.flow.keep_all:
                room = self._changed.wait_for(lambda: self._ended or self._side.flow.held < RECORD_BUFFER, timeout)
                if not room:
                    raise NoCredit(f"the renderer gave no credit for {timeout:g} s")
            self._check_open()
            self._owner.wake()  # its way out of sleep takes about as long as what we do meanwhile
            seq = self._side.offer(drawn, time.monotonic_ns())
            if self.is_open and not self._side.flow.keep_all:
                self._pack()
                self._changed.wait_for(lambda: self._ended or not self._pending, SEEN_OFF_S)
            return seq

    def control(self, kind: str, *, buffers: tuple[Buffer, ...] = (), **values: Any) -> int:
        """Send a look, prompt or schedule; returns the id that its receipts name."""
        self._owner.check_process()
        with self._changed:
            self._check_open()
            number = self._side.control(kind, buffers=buffers, **values)
        self._owner.wake()
        return number

    def reset(self, seed: int | None = None) -> int:
        """Begin a new generation; returns the id that its receipts name."""
        self._owner.check_process()
        with self._changed:
            self._check_open()
            number = self._side.reset(seed)
            self._inbox.forget_pictures()
            self._changed.notify_all()
        self._owner.wake()
        return number

    def events(self, timeout: float = 0.0) -> list[EngineEvent]:
        """Everything that has come, after waiting up to ``timeout`` seconds for something."""
        with self._changed:
            if not self._inbox and timeout > 0:
                self._changed.wait_for(lambda: bool(self._inbox) or self._ended, timeout)
            found = self._inbox.take()
        if self._side.flow.keep_all:
            self._owner.wake()  # it reads on
        return found

    @property
    def between_runs(self) -> bool:
        """True if every frame offered so far has been sent, and they fill whole runs."""
        with self._lock:
            return self._side.flow.between_runs

    def finish(self, timeout: float) -> bool:
        """Record mode: wait until every frame has been answered; False if it takes longer. Others must read events."""
        with self._changed:
            flow = self._side.flow
            return self._changed.wait_for(lambda: self._ended or flow.held + flow.unanswered == 0, timeout)

    def counters(self) -> dict[str, int]:
        """Frames offered, sent, skipped; pictures; and everything that went wrong, by name."""
        with self._lock:
            flow = self._side.flow
            return {
                "frames": 0,
                "pictures": 0,
                **self._side.counters,
                "offered": flow.next_seq,
                "skipped": flow.skipped,
                "held": flow.held,
                "clock_jumps": self._side.pulse.jumps,
            }

    def close(self, text: str = "the engine ends") -> None:
        """Say BYE and end within a second, whether or not anybody listens.

        There is no need to wait for the renderer: its ROUTER still delivers what came before the connection ended.
        """
        self._owner.check_process()
        with self._changed:
            self._stop = True
            self._queue(self._side.close(text))
        self._owner.wake()
        self._owner.join()

    def __enter__(self) -> EngineEnd:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- in the owner thread

    @property
    def _ended(self) -> bool:
        return self._stop or self._side.state is EngineState.CLOSED

    def _check_open(self) -> None:
        if self._ended:
            raise BridgeClosed(f"the bridge is closed: {self._inbox.farewell or 'close() was called'}")

    def _open(self, context: zmq.Context) -> zmq.Socket:
        socket = context.socket(zmq.DEALER)
        set_common_options(socket, MAX_BUFFER, self.address)
        socket.setsockopt(zmq.IMMEDIATE, 1)  # nothing queues up for a renderer that is not there
        socket.setsockopt(zmq.RECONNECT_IVL, RECONNECT_MS)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, RECONNECT_MAX_MS)
        use_keys(socket, self._keys)
        self._handshakes = Handshakes(socket, serves=False, with_keys=self._keys is not None)
        try:
            socket.connect(self.address)
        except zmq.ZMQError as error:
            raise BridgeError(f"cannot connect to {self.address}: {error.strerror}") from None
        return socket

    def _read(self, socket: zmq.Socket) -> None:
        for _ in range(64):  # then let others have their turn
            if self._side.flow.keep_all and self._inbox.is_full(self._side.welcome):
                with self._lock:
                    self._side.pulse.heard()  # it is we who do not listen
                return
            frames = read_message(socket)
            if frames is None:
                return
            now = time.monotonic_ns()
            with self._changed:
                self._queue(self._side.receive([f.buffer for f in frames], now))

    def _queue(self, events: list[EngineEvent]) -> None:
        """Events to be read; in record those who wait for room hear of what tells of none."""
        if events:
            self._inbox.put(events, self._side.welcome)
        if events or self._side.flow.keep_all:
            self._changed.notify_all()

    def _fail(self, error: Exception) -> None:
        """The owner thread ends for a mistake of ours."""
        with self._changed:
            self._side.state = EngineState.CLOSED
            self._queue([Closed(f"the bridge failed: {type(error).__name__}: {error}")])

    def _turn(self, socket: zmq.Socket) -> bool:
        with self._changed:
            ended = self._ended  # before draining: a BYE that comes later still gets its turn
            if ended or self._side.state is not EngineState.OPEN:
                self._pending.clear()  # frames for a renderer that is lost, a greeting that nobody took
            self._queue(self._side.advance(time.monotonic_ns()))
            self._pack()
        if self._pending:
            self._send(socket)
        elif self._handshakes is not None:  # there are enough such turns, and a frame should not wait for this
            self._handshakes.knock_again(self.address)
        return not ended

    def _send(self, socket: zmq.Socket) -> None:
        """As much of what is packed as the socket takes."""
        while self._pending:
            try:
                socket.send_multipart(self._pending[0], zmq.NOBLOCK, copy=False)
            except zmq.Again:
                break
            self._pending.popleft()
        with self._changed:
            self._changed.notify_all()

    def _pack(self) -> None:
        """Have what is due ready to be sent, by any thread that holds the lock: only sending is the owner's.

        While something waits for the socket nothing more is packed, so that a newer frame can still take its place.
        """
        if not self._pending:
            self._pending.extend(self._side.drain())
            if self._side.flow.keep_all:
                self._changed.notify_all()
