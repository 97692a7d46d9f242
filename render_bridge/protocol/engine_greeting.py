"""What an engine says of itself, and what follows from it for its frames and for the renderer's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..palette import ClassTable
from .encodings import ENCODINGS
from .engine_flow import Drawn
from .faults import Fault, LocalProtocolError, RemoteProtocolError
from .messages import Hello, Welcome
from .planes import PLANES, check_plane
from .tables import table_to_wire


@dataclass(frozen=True)
class Greeting:
    """What an engine says of itself; see HELLO.

    Args:
        instance: 8 random bytes, new for each run of the engine.
        rate: video frames, seconds.
        encodings: that we can write, those we want most first; None leaves the order to the connection.
        planes: names of ``planes.PLANES`` that the engine can draw.
    """

    engine: str
    instance: bytes
    width: int
    height: int
    table: ClassTable
    rate: tuple[int, int] = (24, 1)
    tick_rate: int = 120
    mode: str = "play"
    mapping: dict[str, str] | None = None
    otherwise: str | None = None
    form: str = "ids"
    encodings: tuple[str, ...] | None = None
    planes: tuple[str, ...] = ()

    def hello(self, attempt: int, generation: int, next_seq: int, resume: bytes | None) -> Hello:
        """The message. LocalProtocolError if the greeting is not legal."""
        return Hello(
            engine=self.engine, instance=self.instance, attempt=attempt, mode=self.mode, width=self.width,
            height=self.height, rate=self.rate, tick_rate=self.tick_rate, table=table_to_wire(self.table),
            mapping=self.mapping, otherwise=self.otherwise, form=self.form, encodings=self.encodings or ENCODINGS,
            planes=tuple(PLANES[name].offer() for name in self.planes), generation=generation,
            next_seq=next_seq, resume=resume,
        )  # fmt: skip

    def check_drawn(self, drawn: Drawn, required: Sequence[str]) -> None:
        """A frame is what was greeted, and has the planes of ``required``. LocalProtocolError otherwise."""
        shape = (self.height, self.width) if self.form == "ids" else (self.height, self.width, 3)
        if drawn.class_map.dtype != np.uint8 or drawn.class_map.shape != shape:
            text = f"a frame is uint8 {list(shape)}, got {drawn.class_map.dtype} {list(drawn.class_map.shape)}"
            raise LocalProtocolError(Fault.WRONG_TYPE, text)
        for name in required:
            if name not in drawn.planes:
                raise LocalProtocolError(Fault.WRONG_PLANES, f"plane {name!r} was offered in the greeting, not drawn")
        for name in drawn.planes:
            if name in self.planes:
                check_plane(name, drawn.planes[name], self.width, self.height)


def check_welcome(welcome: Welcome, asked: Hello, numbers_end: int) -> None:
    """R-17 … R-19: the renderer chose from what was offered, and takes up what was asked for and nothing else.

    Args:
        asked: the greeting that it answers.
        numbers_end: lowest number that no frame of the session can have had.

    Raises:
        RemoteProtocolError: OUT_OF_RANGE.
    """
    offered = [p["name"] for p in asked.planes if p["name"] in welcome.planes]
    if welcome.encoding not in asked.encodings or list(welcome.planes) != offered:
        text = f"WELCOME chose {welcome.encoding!r} and planes {list(welcome.planes)}, which we did not offer"
        raise RemoteProtocolError(Fault.OUT_OF_RANGE, text)
    if welcome.generation != asked.generation:
        text = f"WELCOME says generation {welcome.generation}, HELLO said {asked.generation}"
        raise RemoteProtocolError(Fault.OUT_OF_RANGE, text)
    if not welcome.resumed:
        return
    if welcome.session != asked.resume:
        which = "none" if asked.resume is None else "another"
        raise RemoteProtocolError(Fault.OUT_OF_RANGE, f"WELCOME says 'resumed', HELLO asked for {which}")
    if welcome.last_seq is not None and welcome.last_seq >= numbers_end:
        text = f"WELCOME says last_seq {welcome.last_seq}; frames of this session have numbers below {numbers_end}"
        raise RemoteProtocolError(Fault.OUT_OF_RANGE, text)
