"""The checker in the part of an engine: what it takes to greet, send frames and read pictures."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import numpy as np
import zmq
from numpy.typing import NDArray

from ..errors import BridgeError
from ..palette import RACING, ClassTable
from ..protocol.codec import encode
from ..protocol.encodings import encode_plane
from ..protocol.faults import RemoteProtocolError
from ..protocol.message_base import Message
from ..protocol.messages import Ack, Bye, Control, Credit, Error, Frame, Hello, Picture, Welcome
from ..protocol.planes import PLANES
from ..protocol.tables import table_from_wire, table_to_wire
from ..zmq.address import set_family
from ..zmq.curve import use_keys
from ..zmq.handshakes import Handshakes
from ..zmq.keys import Keys
from .peer_process import PeerProcess
from .report import Broken
from .wire_end import WireEnd

FIRST_SIZE = (64, 64)
ANSWER_S = 3.0
"""Whoever says nothing to a HELLO for so long is not there."""
LOOK_EVERY_S = 0.02


class EnginePart(WireEnd):
    """One connection to the renderer under test."""

    def __init__(self, bench: RendererBench, socket: zmq.Socket) -> None:
        super().__init__(socket, bench.patience)
        self.bench = bench
        self.instance = os.urandom(8)
        self.attempt = 0
        self.seq = 0
        self.welcome: Welcome | None = None
        self.generation: int | None = None
        """Of credit to be used; None for any."""
        self.credits: deque[Credit] = deque()
        self.stops_at_credit = False

    def hello(self, **changes: Any) -> Hello:
        """A greeting that this renderer should like."""
        self.attempt += 1
        width, height = self.bench.size
        values: dict[str, Any] = {
            "engine": "paintover check", "instance": self.instance, "attempt": self.attempt, "mode": "play",
            "width": width, "height": height, "rate": (24, 1), "tick_rate": 120,
            "table": table_to_wire(self.bench.table), "form": "ids", "encodings": ("raw",), "planes": (),
            "generation": 0, "next_seq": self.seq,
        }  # fmt: skip
        return Hello(**{**values, **changes})

    def greet(self, **changes: Any) -> Welcome:
        """HELLO and its WELCOME."""
        hello = self.hello(**changes)
        self.credits.clear()
        self.send(hello)
        self.welcome = self.wait(Welcome, lambda w: w.attempt == hello.attempt)
        return self.welcome

    def refused(self, code: int, **changes: Any) -> Error:
        """HELLO and the ERROR that must come."""
        self.send(self.hello(**changes))
        return self.wait_error(code)

    def class_map(self, value: int = 0) -> NDArray[np.uint8]:
        """A map of one class."""
        width, height = self.bench.size
        return np.full((height, width), value, np.uint8)

    def frame(self, grant: int, **changes: Any) -> Frame:
        """The next frame under a grant; planes that the greeting chose are there, at zero."""
        assert self.welcome is not None
        width, height = self.bench.size
        names = self.welcome.planes
        plane = encode_plane(changes.pop("pixels", self.class_map()), self.welcome.encoding)
        guides = [np.zeros(PLANES[n].shape(width, height), PLANES[n].dtype).tobytes() for n in names]
        values: dict[str, Any] = {
            "generation": self.welcome.generation, "grant": grant, "seq": self.seq, "tick": 5 * self.seq,
            "skipped": 0, "encoding": self.welcome.encoding, "planes": names, "plane_encodings": ("raw",) * len(names),
            "stamps": {"drawn": time.monotonic_ns()}, "last": False, "buffers": (plane, *guides),
        }  # fmt: skip
        values.update(changes)
        self.seq = max(self.seq, values["seq"]) + 1
        return Frame(**values)

    def get(self, timeout: float) -> Message | None:
        """As before, but credit is put aside for ``credit``, whenever it comes, and given up when an ERROR says so."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            message = super().get(left)
            if isinstance(message, Error) and message.about_grant is not None:
                self.credits = deque(c for c in self.credits if c.grant != message.about_grant)
            if not isinstance(message, Credit):
                return message
            self.credits.append(message)
            if self.stops_at_credit:
                return message
        return None

    def find_credit(self, timeout: float, generation: int | None = None) -> Credit | None:
        """The next unused grant, or None."""
        end = time.monotonic() + timeout
        self.stops_at_credit = True
        try:
            while True:
                while self.credits:
                    credit = self.credits.popleft()
                    if generation is None or credit.generation == generation:
                        return credit
                left = end - time.monotonic()
                if left <= 0:
                    return None
                self.get(left)
        finally:
            self.stops_at_credit = False

    def credit(self, generation: int | None = None) -> Credit:
        """The next unused grant. Broken if none comes."""
        found = self.find_credit(self.patience, generation)
        if found is None:
            raise Broken("expected CREDIT, none came")
        return found

    def send_run(self, credit: Credit, **changes: Any) -> list[Frame]:
        """All frames of a grant."""
        frames = [self.frame(credit.grant, generation=credit.generation, **changes) for _ in range(credit.frames)]
        for frame in frames:
            self.send(frame)
        return frames

    def pictures(self, count: int) -> list[Picture]:
        """So many pictures, acknowledged."""
        found = []
        for _ in range(count):
            found.append(self.wait(Picture, timeout=self.bench.render_patience))
            self.acknowledge(found[-1])
        return found

    def acknowledge(self, picture: Picture) -> None:
        """ACK: the picture has been read."""
        self.send(Ack(acknowledged=picture.seq))

    def serves(self, **changes: Any) -> list[Picture]:
        """Broken unless the renderer takes a run and answers it."""
        frames = self.send_run(self.credit(self.generation), **changes)
        pictures = self.pictures(len(frames))
        got = [p.seq for p in pictures]
        if got != [f.seq for f in frames]:
            raise Broken(f"frames {[f.seq for f in frames]} were answered by pictures {got}")
        return pictures


class RendererBench:
    """Opens connections to the renderer under test.

    Args:
        patience: seconds for answers; ``render_patience`` for pictures.
        process: the renderer's, if it is ours to suspend and to end.
    """

    def __init__(
        self,
        address: str,
        patience: float,
        render_patience: float,
        keys: Keys | None = None,
        process: PeerProcess | None = None,
    ) -> None:
        self.address, self.patience, self.render_patience = address, patience, render_patience
        self.size = FIRST_SIZE
        self.table: ClassTable = RACING
        self.keys, self.process = keys, process
        self._context = zmq.Context()

    def find(self, seconds: float) -> None:
        """Wait for somebody who speaks ZeroMQ at the address. BridgeError says what is likely if nobody does."""
        with self._dealer() as socket, closing(Handshakes(socket, False, self.keys is not None)) as handshakes:
            socket.connect(self.address)
            end = time.monotonic() + seconds
            while not handshakes.succeeded:
                handshakes.read()
                if self.process is not None:
                    self.process.check_alive()
                if time.monotonic() > end or handshakes.is_final:
                    why = handshakes.trouble or "somebody listens there and says nothing"
                    who = f"no renderer: {why}" if handshakes.reached else "nobody listens there"
                    after = "" if handshakes.is_final else f" after {seconds:g} s"
                    raise BridgeError(f"nothing to check at {self.address}{after}: {who}")
                time.sleep(LOOK_EVERY_S)

    def is_there(self) -> bool:
        """The renderer says anything, to a HELLO."""
        try:
            with self.connection() as part:
                part.send(part.hello())
                return part.get(max(self.patience, ANSWER_S)) is not None
        except Broken:
            return True

    def learn(self) -> None:
        """Find a size and the class table that the renderer likes, by asking."""
        for _ in range(3):
            with self.connection() as part:
                part.send(part.hello())
                answer = part.get(self.patience)
                while answer is not None and not isinstance(answer, Welcome | Error):
                    answer = part.get(self.patience)
                if not isinstance(answer, Error):
                    return
                details = answer.details or {}
                try:
                    if answer.code == 202:
                        width, height = details["nearest"]
                        self.size = (int(width), int(height))
                    elif answer.code == 201:
                        self.table = table_from_wire(details["ours"])
                    else:
                        return
                except (KeyError, TypeError, ValueError, RemoteProtocolError):
                    return

    @contextmanager
    def connection(self, **options: Keys | None) -> Iterator[EnginePart]:
        """A fresh connection, with other ``keys`` if they are given; says BYE at the end."""
        with self._dealer(**options) as socket:
            socket.connect(self.address)
            part = EnginePart(self, socket)
            try:
                yield part
            finally:
                with suppress(zmq.Again):
                    socket.send_multipart(encode(Bye(text="this check is over")), zmq.NOBLOCK)

    @contextmanager
    def _dealer(self, **options: Keys | None) -> Iterator[zmq.Socket]:
        socket = self._context.socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 100)
        set_family(socket, self.address)
        use_keys(socket, options.get("keys", self.keys))
        try:
            yield socket
        finally:
            socket.close()

    @contextmanager
    def session(self, **changes: Any) -> Iterator[EnginePart]:
        """A connection that has been taken in."""
        with self.connection() as part:
            part.greet(**changes)
            yield part

    def control(self, number: int, kind: str = "prompt", generation: int = 0, **values: Any) -> Control:
        """A control."""
        if kind == "prompt":
            values.setdefault("text", "a check")
        return Control(id=number, generation=generation, kind=kind, **values)

    def close(self) -> None:
        """Release the sockets."""
        self._context.destroy(linger=100)
