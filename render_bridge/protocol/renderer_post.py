"""What a renderer has to send, and how it refuses (R-09, R-27; PROTOCOL.md section 11)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

from .codec import Wire, encode, type_byte_of
from .events import PeerBroke, RendererEvent, RunGivenUp
from .faults import Fault, RemoteProtocolError
from .message_base import Buffer, Message
from .messages import Error, Frame
from .renderer_session import RendererSession
from .replies import error_message
from .session_book import Peer, SessionBook
from .states import PeerState, check_step


class Post:
    """Messages on their way out, in order."""

    def __init__(self) -> None:
        self._outbox: deque[tuple[Peer, Wire]] = deque()

    def drain(self) -> list[tuple[Peer, Wire]]:
        """Everything that is to be sent now."""
        wires = list(self._outbox)
        self._outbox.clear()
        return wires

    def to_session(self, session: RendererSession, message: Message) -> None:
        """To an open session. LocalProtocolError if a renderer may not send this."""
        assert session.peer is not None
        check_step(PeerState.OPEN, "send", message)
        session.pulse.spoke()
        self.to_peer(session.peer, message)

    def to_peer(self, peer: Peer, message: Message) -> None:
        """To a connection, whether or not it has a session."""
        self._outbox.append((peer, encode(message)))


class Refusals:
    """ERROR for what is not legal, and what it costs the sender.

    Args:
        post: takes the messages.
        book: of the sessions, which a refusal may end.
        counters: where bad messages are counted.
    """

    def __init__(self, post: Post, book: SessionBook, counters: Counter[str]) -> None:
        self._post, self._book, self._counters = post, book, counters

    def blame(
        self, peer: Peer, error: RemoteProtocolError, frames: Sequence[Buffer], message: Message | None
    ) -> list[RendererEvent]:
        """A message was not legal; ``message`` is what could be read of it."""
        session = self._book.by_peer.get(peer)
        about = type_byte_of(frames)
        self._counters["bad_messages"] += 1
        if about == Error.type_byte:
            return [PeerBroke(error.fault, error.text, session.token if session else b"")]
        if session is None or error.fault.ends_greeting:
            self._post.to_peer(peer, error_message(error, error.fault.ends_greeting, about))
            events: list[RendererEvent] = [PeerBroke(error.fault, error.text)]
            if session is not None:
                events.append(self._book.end(session, error.text))
            return events
        seq = message.seq if isinstance(message, Frame) else None
        grant = _grant_to_give_up(session, error, about, message)
        return self.refuse(session, error, about, seq, grant)

    def refuse(
        self,
        session: RendererSession,
        error: RemoteProtocolError,
        about: int | None,
        seq: int | None,
        grant: int | None,
    ) -> list[RendererEvent]:
        """ERROR to an open session; a refusal of frames is fatal in record mode (R-27)."""
        frames_lost = about == Frame.type_byte or error.fault is Fault.RENDER_FAILED
        fatal = frames_lost and session.account.keep_all
        events: list[RendererEvent] = [PeerBroke(error.fault, error.text, session.token)]
        if grant is not None:
            events.append(RunGivenUp(session.token, grant))
        self._post.to_session(session, error_message(error, fatal, about, seq, grant))
        if fatal:
            events.append(self._book.end(session, error.text))
        return events


def _grant_to_give_up(
    session: RendererSession, error: RemoteProtocolError, about: int | None, message: Message | None
) -> int | None:
    """A refused frame gives up its run; a frame without credit has none to lose."""
    if about != Frame.type_byte or error.fault in (Fault.NO_CREDIT, Fault.UNKNOWN_GENERATION):
        return None
    return session.account.give_up(message.grant if isinstance(message, Frame) else None)
