"""The checker in the part of a renderer: takes an engine in, grants, answers, and turns it away again."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import zmq
from numpy.typing import NDArray

from ..errors import BridgeError
from ..protocol.encodings import ENCODINGS
from ..protocol.message_base import Message
from ..protocol.messages import Credit, Error, Frame, Hello, Picture, Ping, Pong, Welcome
from ..protocol.offer import Terms
from ..protocol.planes import PLANES
from ..protocol.reading import read_class_map, read_planes
from ..protocol.tables import table_from_wire
from ..zmq.address import refuse_if_served, set_family
from ..zmq.curve import require_keys
from ..zmq.keys import Keys
from .peer_process import PeerProcess
from .report import Broken, expect
from .wire_end import WireEnd

HEARTBEAT_MS, DEAD_MS = 100, 10_000
"""Silence of ours means nothing, except to the one check that is about it."""
FIRST_DEAD_MS = 1000
"""Of section 10, until a WELCOME says another."""
SETTLE_S = 0.3
"""How long WELCOME may take to be read."""
LOOK_EVERY_MS = 100
WINDOW = 64
LINE_AHEAD = 3
"""Frame periods that a fresh frame may lag behind in these checks."""


class EngineBench(WireEnd):
    """Listens, and speaks with the engine that greeted last.

    Args:
        patience: seconds to wait for what must come.
        process: the engine's, if it is ours to suspend and to end.
    """

    def __init__(
        self, address: str, patience: float, keys: Keys | None = None, process: PeerProcess | None = None
    ) -> None:
        self._context = zmq.Context()
        socket = self._context.socket(zmq.ROUTER)
        socket.setsockopt(zmq.LINGER, 100)
        set_family(socket, address)
        self._authenticator = require_keys(self._context, socket, keys)
        try:
            refuse_if_served(address)
            socket.bind(address)
        except (zmq.ZMQError, BridgeError) as error:
            self.close()
            raise BridgeError(f"cannot listen at {address}: {error}") from None
        super().__init__(socket, patience, peer=b"")
        self.first: Message | None = None
        self.hello: Hello | None = None
        self.welcome: Welcome | None = None
        self.generation = 0
        self.grants = 0
        self.chunk = 0
        self.process = process
        self._dead_ms = FIRST_DEAD_MS

    @property
    def greeting_patience(self) -> float:
        """Seconds for a HELLO: engines greet at intervals of at most dead_ms / 2 (R-38), as the last WELCOME said."""
        return self.patience + self._dead_ms / 2000

    def is_there(self) -> bool:
        """The engine says anything, after an ERROR 200."""
        try:
            self.send(self.error(200, "not_greeted"))
            return self.get(self.greeting_patience) is not None
        except Broken:
            return True

    # --- greeting

    def meet(self, timeout: float) -> None:
        """Wait for the first message of the first engine. Broken if none comes, BridgeError if none can any more."""
        end = time.monotonic() + timeout
        while not self.socket.poll(LOOK_EVERY_MS):
            if self.process is not None:
                self.process.check_alive()
            if time.monotonic() > end:
                raise Broken("nothing came")
        self.peer, *frames = self.socket.recv_multipart()
        self.first = self.read(frames)
        if isinstance(self.first, Hello):
            self.hello = self.first

    def receive(self, timeout: float) -> Message | None:
        """The next message of our engine; one that greets on a new connection becomes ours."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            if not self.socket.poll(max(1, round(left * 1000))):
                return None
            peer, *frames = self.socket.recv_multipart()
            message = self.read(frames)
            if peer == self.peer or isinstance(message, Hello):
                self.peer = peer
                return message
        return None

    def turn_away(self) -> Hello:
        """ERROR 200: the engine must greet again."""
        self.send(self.error(200, "not_greeted"))
        self.hello = self.wait(Hello, timeout=self.greeting_patience)
        return self.hello

    def take_in(self, fresh: bool = True, **changes: Any) -> Welcome:
        """WELCOME to the engine; with ``fresh`` it is made to greet anew first."""
        if fresh or self.hello is None:
            self.turn_away()
        while self._welcome(**changes):  # it has greeted again meanwhile, and ignores a WELCOME to an older attempt
            pass
        assert self.welcome is not None
        return self.welcome

    def _welcome(self, **changes: Any) -> bool:
        """WELCOME to the last greeting; True if another one comes instead of a sign that it was read."""
        assert self.hello is not None
        hello = self.hello
        self.generation, self.grants = hello.generation, 0
        known = self.offered_encodings()
        expect(known, f"none of the engine's encodings {list(hello.encodings)} is of this version")
        values: dict[str, Any] = {
            "renderer": "paintover check", "attempt": hello.attempt, "resumed": False,
            "session": hello.resume if changes.get("resumed") and hello.resume else os.urandom(16),
            "generation": hello.generation, "table_name": "check-1", "table_hash": hello.table["hash"],
            "encoding": known[0], "planes": (), "run": 1, "first_run": 1, "window": WINDOW,
            "heartbeat_ms": HEARTBEAT_MS, "dead_ms": DEAD_MS, "chunk": 0, "notes": (),
        }  # fmt: skip
        self.welcome = Welcome(**{**values, **changes})
        self._dead_ms = self.welcome.dead_ms
        self.send(self.welcome)
        self.send(Ping(id=hello.attempt & 0xFFFFFFFF, time=0))
        self.calm = False
        try:
            answer = self.look(Message, lambda m: isinstance(m, Hello | Pong), SETTLE_S)
        finally:
            self.calm = True
        if isinstance(answer, Hello):
            self.hello = answer
        return isinstance(answer, Hello)

    @property
    def records(self) -> bool:
        """The engine is in record mode."""
        return self.hello is not None and self.hello.mode == "record"

    @property
    def period(self) -> float:
        """Seconds of a video frame."""
        assert self.hello is not None
        frames, seconds = self.hello.rate
        return seconds / frames

    # --- frames

    def grant(self, frames: int, **changes: Any) -> Credit:
        """CREDIT for a run."""
        credit = Credit(**{"generation": self.generation, "grant": self.grants, "frames": frames, **changes})
        self.grants += 1
        self.send(credit)
        return credit

    def frames(self, count: int) -> list[Frame]:
        """So many frames."""
        return [self.wait(Frame, timeout=self.patience + count * self.period) for _ in range(count)]

    def run(self, count: int) -> list[Frame]:
        """Grant a run and read it."""
        self.grant(count)
        return self.frames(count)

    def pixels(self, frame: Frame) -> NDArray[np.uint8]:
        """The frame's class map in the engine's own ids. Broken if it is not what was greeted."""
        assert self.hello is not None
        assert self.welcome is not None
        table = table_from_wire(self.hello.table)
        terms = Terms(table, None, self.welcome.encoding, self.welcome.planes, ())
        class_map = read_class_map(frame, self.hello, terms, table)
        read_planes(frame, self.hello, terms)
        return class_map

    def answer(self, frame: Frame) -> None:
        """A grey PICTURE for a frame."""
        assert self.hello is not None
        width, height = self.hello.width, self.hello.height
        now = time.monotonic_ns()
        self.send(
            Picture(
                generation=frame.generation, seq=frame.seq, tick=frame.tick, chunk=self.chunk, width=width,
                height=height, encoding="raw", stamps=frame.stamps,
                renderer_stamps={"received": now, "started": now, "rendered": now, "sent": now},
                buffers=(bytes(3 * width * height),),
            )
        )  # fmt: skip
        self.chunk += 1

    def error(self, code: int, name: str, **changes: Any) -> Error:
        """An ERROR, not fatal unless said."""
        return Error(**{"code": code, "name": name, "text": "a check", "fatal": False, **changes})

    def offered_encodings(self) -> list[str]:
        """Encodings of this version that the engine can be asked for (R-17): no run lengths of colours."""
        assert self.hello is not None
        colors = self.hello.form == "colors"
        return [e for e in self.hello.encodings if e in ENCODINGS and not (colors and e == "rle")]

    def offered_planes(self) -> list[str]:
        """Planes of this version that the engine can send."""
        assert self.hello is not None
        return [p["name"] for p in self.hello.planes if p["name"] in PLANES]

    def close(self) -> None:
        """Release the socket."""
        if self._authenticator is not None:
            self._authenticator.stop()
        self._context.destroy(linger=100)
