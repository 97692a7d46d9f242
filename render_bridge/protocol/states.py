"""The legal transitions of both ends as a table (PROTOCOL.md section 5).

The state machines never decide legality in code: they look up ``(state, direction, message)``. What is not in the
table is illegal: LocalProtocolError when sending, RemoteProtocolError (OUT_OF_STATE) when receiving, except for
the messages in LATE, which a peer may have sent before it knew; those are dropped and counted.
"""

from __future__ import annotations

from enum import Enum

from .faults import Fault, LocalProtocolError, RemoteProtocolError
from .message_base import Message
from .messages import Ack, Bye, Control, Credit, Error, Frame, Hello, Picture, Ping, Pong, Receipt, Welcome


class EngineState(Enum):
    """Where an engine stands."""

    NEW = "new"
    GREETING = "greeting"
    OPEN = "open"
    LOST = "lost"
    CLOSED = "closed"


class PeerState(Enum):
    """Where a renderer stands with one connection."""

    UNKNOWN = "unknown"
    OPEN = "open"


E, P = EngineState, PeerState
Step = tuple[EngineState | PeerState, str, type[Message]]

ENGINE: dict[Step, frozenset[EngineState]] = {
    **{(s, "send", Hello): frozenset({E.GREETING}) for s in (E.NEW, E.GREETING, E.LOST)},
    (E.GREETING, "receive", Welcome): frozenset({E.OPEN, E.GREETING}),
    (E.GREETING, "receive", Error): frozenset({E.LOST, E.CLOSED, E.GREETING}),
    (E.GREETING, "send", Error): frozenset({E.GREETING}),
    (E.OPEN, "receive", Welcome): frozenset({E.OPEN}),
    **{(E.OPEN, "send", m): frozenset({E.OPEN}) for m in (Frame, Control, Ack, Ping, Pong, Error)},
    **{(E.OPEN, "receive", m): frozenset({E.OPEN}) for m in (Credit, Picture, Receipt, Ping, Pong)},
    (E.OPEN, "receive", Error): frozenset({E.OPEN, E.LOST, E.CLOSED}),
    (E.OPEN, "receive", Bye): frozenset({E.LOST}),
    (E.GREETING, "receive", Bye): frozenset({E.LOST}),
    (E.LOST, "receive", Bye): frozenset({E.LOST}),
    (E.LOST, "receive", Error): frozenset({E.LOST, E.CLOSED}),
    **{(s, "send", Bye): frozenset({E.CLOSED}) for s in E},
}
"""What an engine may do, and where it leads."""

ENGINE_LATE = frozenset({Credit, Picture, Receipt, Ping, Pong, Welcome})
"""What may still be under way to an engine that is greeting, lost or closed."""

RENDERER: dict[Step, frozenset[PeerState]] = {
    (P.UNKNOWN, "receive", Hello): frozenset({P.OPEN, P.UNKNOWN}),
    (P.UNKNOWN, "send", Welcome): frozenset({P.OPEN}),
    (P.UNKNOWN, "send", Error): frozenset({P.UNKNOWN}),
    **{(P.UNKNOWN, "receive", m): frozenset({P.UNKNOWN}) for m in (Error, Bye)},
    **{(P.OPEN, "receive", m): frozenset({P.OPEN}) for m in (Frame, Control, Ack, Ping, Pong, Error)},
    (P.OPEN, "receive", Hello): frozenset({P.OPEN, P.UNKNOWN}),
    (P.OPEN, "receive", Bye): frozenset({P.UNKNOWN}),
    **{(P.OPEN, "send", m): frozenset({P.OPEN}) for m in (Welcome, Credit, Picture, Receipt, Ping, Pong)},
    (P.OPEN, "send", Error): frozenset({P.OPEN, P.UNKNOWN}),
    (P.OPEN, "send", Bye): frozenset({P.UNKNOWN}),
}
"""What a renderer may do with one connection, and where it leads."""

TABLES: dict[type[Enum], dict[Step, frozenset]] = {EngineState: ENGINE, PeerState: RENDERER}


def check_step(state: EngineState | PeerState, direction: str, message: Message) -> None:
    """R-48. Raises the error of whoever is to blame unless the step is in the table."""
    if (state, direction, type(message)) in TABLES[type(state)]:
        return
    name = type(message).__name__.upper()
    if direction == "send":
        raise LocalProtocolError(Fault.OUT_OF_STATE, f"{name} may not be sent in the state {state.value!r}")
    raise RemoteProtocolError(Fault.OUT_OF_STATE, f"{name} has no place in the state {state.value!r}")


def enter(state: EngineState | PeerState, direction: str, message: Message, target: Enum) -> None:
    """Assert that ``target`` is where this step may lead. LocalProtocolError if our own code is wrong about it."""
    allowed = TABLES[type(state)].get((state, direction, type(message)), frozenset())
    if target not in allowed:
        step = f"{state.value!r} {direction} {type(message).__name__.upper()}"
        raise LocalProtocolError(Fault.OUT_OF_STATE, f"{step} does not lead to {target.value!r}")
