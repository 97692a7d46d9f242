"""The renderer's end as a state machine over all its connections: frames in → events out, pictures in → frames out.

Time is an argument. What is to be sent waits in ``drain()`` as (peer, frames). ``peer`` is whatever tells connections
apart; over ZeroMQ it is the routing id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .codec import Wire, decode, type_byte_of
from .events import ControlTaken, FrameTaken, Refused, RendererEvent, SessionOpened
from .faults import Fault, RemoteProtocolError
from .message_base import Buffer, Message
from .messages import Ack, Bye, Control, Credit, Error, Frame, Hello, Ping, Pong, Receipt
from .offer import Offer, negotiate
from .pulse import MILLISECOND
from .renderer_post import Post, Refusals
from .renderer_session import RendererSession
from .replies import error_message
from .session_book import Departed, Peer, Refusal, SessionBook
from .states import PeerState, check_step


class RendererSide:
    """All sessions of one renderer.

    Args:
        offer: what every engine is offered.
        make_token: 16 random bytes; the core has no source of its own.
        own_buffers: nobody else has the buffers that ``receive`` gets, so that frames are handed on without a copy.
    """

    def __init__(self, offer: Offer, make_token: Callable[[], bytes], own_buffers: bool = False) -> None:
        self.offer = offer
        self._own_buffers = own_buffers
        self.counters: Counter[str] = Counter()
        self._book = SessionBook(offer, make_token)
        self._closed = False
        self._parting: set[Peer] = set()
        self._gone = Departed()
        self._post = Post()
        self._refusals = Refusals(self._post, self._book, self.counters)
        self._ping_id = 0
        self._now = 0

    @property
    def sessions(self) -> dict[bytes, RendererSession]:
        """All sessions, parked ones too, by their tokens."""
        return self._book.by_token

    # --- what the owner does

    def refuse_by(self, refusal: Refusal) -> None:
        """Ask this about every new session from now on (R-21)."""
        self._book.refusal = refusal

    def drain(self) -> list[tuple[Peer, Wire]]:
        """Everything that is to be sent now, in order."""
        return self._post.drain()

    def receive(self, peer: Peer, frames: Sequence[Buffer], now: int) -> list[RendererEvent]:
        """One message from a connection."""
        self._now = now
        if self._closed:
            self._hear_farewell(peer, frames)
            return []
        if peer in self._gone and type_byte_of(frames) != Bye.type_byte:
            self.counters["too_late"] += 1
            return []
        session = self._book.by_peer.get(peer)
        if session is not None:
            session.pulse.heard()
        message: Message | None = None
        try:
            message = decode(frames)
            state = PeerState.UNKNOWN if session is None else PeerState.OPEN
            if session is None and not isinstance(message, Hello):
                if isinstance(message, Error | Bye):
                    left = self._book.left_by(peer) if isinstance(message, Bye) else None
                    return [] if left is None else [self._book.end(left, f"the engine ended: {message.text}")]
                raise RemoteProtocolError(Fault.NOT_GREETED, "no session on this connection: send HELLO first")
            check_step(state, "receive", message)
            if isinstance(message, Hello):
                return self._greet(peer, message)
            assert session is not None
            return self._handle(session, message)
        except RemoteProtocolError as error:
            return self._refusals.blame(peer, error, frames, message)

    def advance(self, now: int) -> list[RendererEvent]:
        """Let time pass: ping, park, end, grant what was asked for later."""
        self._now = now
        events: list[RendererEvent] = []
        for session in list(self._book.by_token.values()):
            session.pulse.advance(now)
            if session.peer is None:
                session.parked_for += session.pulse.last_step
                if session.parked_for >= self.offer.park_s * 1000 * MILLISECOND:
                    events.append(self._book.end(session, f"no engine for {self.offer.park_s:g} s"))
            elif session.pulse.is_dead:
                events.append(self._park(session))
            elif session.pulse.should_ping:
                self._ping_id = self._ping_id + 1 & 0xFFFFFFFF
                self._send(session, Ping(id=self._ping_id, time=now))
            if session.peer is not None:
                self._grant(session)
        return events

    def hear_all(self) -> None:
        """It is we who do not listen just now: no engine counts as silent for it."""
        for session in self._book.by_token.values():
            session.pulse.heard()

    def peer_gone(self, peer: Peer, for_good: bool = True) -> list[RendererEvent]:
        """The transport says that a connection no longer exists, or (not ``for_good``) that it takes nothing more.

        Of what a connection sent before it ended only BYE matters: the rest is not worth reading, and may be much.
        """
        self._parting.discard(peer)
        if for_good:
            self._gone.add(peer)
        session = self._book.by_peer.get(peer)
        return [] if session is None else [self._park(session)]

    def ask(self, token: bytes, frames: int, first: int | None = None, not_before: int = 0) -> bool:
        """Grant one run, as soon as the window has room; False if the engine is away or the run can never fit.

        Args:
            token: of the session.
            frames: of the run.
            first: frames instead, if the generation has begun and none of its frames has come: a reset may be known
                here before whoever asks has heard of it.
            not_before: nanoseconds of the owner's clock; ``hurry`` makes it now.
        """
        session = self._book.by_token.get(token)
        if session is not None and first is not None and session.account.fresh:
            frames = first
        if session is None or session.peer is None or not 1 <= frames <= self.offer.window:
            return False
        session.account.ask(frames, not_before)
        self._grant(session)
        return True

    def hurry(self, token: bytes) -> None:
        """Grant what was asked for later now."""
        session = self._book.by_token.get(token)
        if session is not None and session.peer is not None:
            session.account.hurry()
            self._grant(session)

    def running(self, token: bytes) -> int:
        """Runs of a session that are asked for and not yet complete."""
        session = self._book.by_token.get(token)
        return 0 if session is None else session.account.running

    def answer(
        self, frame: FrameTaken, pixels: NDArray[np.uint8], chunk: int, stamps: Mapping[str, int], encoding: str = "raw"
    ) -> bool:
        """Send the picture, RGB uint8 ``[H, W, 3]``, of a frame; False if it is void by now (R-28)."""
        session = self._book.by_token.get(frame.session)
        if session is None or session.peer is None or not session.account.may_answer(frame.generation, frame.seq):
            self.counters["void_pictures"] += 1
            return False
        self._send(session, session.picture(frame, pixels, chunk, stamps, encoding))
        return True

    def settle(self, token: bytes, control: int, chunk: int | None, text: str | None = None) -> bool:
        """Second receipt of a control: in force from ``chunk``, or refused with ``text``; False if none is owed."""
        session = self._book.by_token.get(token)
        if session is None or session.peer is None or not session.account.settle_control(control):
            return False
        stage, generation = "refused" if chunk is None else "in_force", session.account.generation
        self._send(session, Receipt(id=control, generation=generation, stage=stage, chunk=chunk, text=text))
        return True

    def fail(self, token: bytes, grant: int, chunk: int, text: str) -> list[RendererEvent]:
        """R-49: the renderer could not draw a run."""
        session = self._book.by_token.get(token)
        if session is None or session.peer is None:
            return []
        session.account.give_up(grant)
        error = RemoteProtocolError(Fault.RENDER_FAILED, text[:1000], {"chunk": chunk})
        return self._refusals.refuse(session, error, None, None, grant)

    def turn_out(self, token: bytes, text: str) -> list[RendererEvent]:
        """R-49: the renderer cannot draw for this session at all; it ends with a fatal ERROR."""
        session = self._book.by_token.get(token)
        if session is None:
            return []
        if session.peer is not None:
            error = RemoteProtocolError(Fault.RENDER_FAILED, text[:1000], {"chunk": session.chunk})
            self._send(session, error_message(error, fatal=True))
        return [self._book.end(session, text)]

    def close(self, text: str = "the renderer ends") -> None:
        """Say BYE to every engine; from here on nothing is answered (R-40)."""
        if self._closed:
            return
        self._closed = True
        self._parting = set(self._book.by_peer)
        for session in self._book.by_peer.values():
            self._send(session, Bye(text=text))
        self._book.clear()

    @property
    def is_over(self) -> bool:
        """R-40: closed, and every engine has read its BYE or is gone."""
        return self._closed and not self._parting

    # --- messages

    def _hear_farewell(self, peer: Peer, frames: Sequence[Buffer]) -> None:
        """HELLO or BYE: nothing else may follow a BYE that was read; all else was under way before."""
        if type_byte_of(frames) in (Hello.type_byte, Bye.type_byte):
            self._parting.discard(peer)

    def _handle(self, session: RendererSession, message: Message) -> list[RendererEvent]:
        if isinstance(message, Frame):
            return self._take_frame(session, message)
        if isinstance(message, Control):
            return self._take_control(session, message)
        if isinstance(message, Ack):
            session.account.acknowledge(message.acknowledged)
            self._grant(session)
        elif isinstance(message, Ping):
            self._send(session, Pong(id=message.id, time=message.time, received=self._now, sent=self._now))
        elif isinstance(message, Error):
            details = message.details or {}
            return [Refused(message.code, message.name, message.text, message.fatal, details, session.token)]
        elif isinstance(message, Bye):
            return [self._book.end(session, f"the engine ended: {message.text}")]
        return []

    def _take_frame(self, session: RendererSession, frame: Frame) -> list[RendererEvent]:
        grant = session.account.take(frame)
        if grant is None:
            return []
        taken = session.read(frame, grant.complete, self.offer.table, self._now, self._own_buffers)
        self.counters["frames"] += 1
        return [taken]

    def _take_control(self, session: RendererSession, control: Control) -> list[RendererEvent]:
        account = session.account
        if not account.take_control(control):
            return []
        self._send(session, Receipt(id=control.id, generation=account.generation, stage="received"))
        return [ControlTaken(session.token, control)]

    def _grant(self, session: RendererSession) -> None:
        while (grant := session.account.next_grant(self._now)) is not None:
            credit = Credit(generation=session.account.generation, grant=grant.number, frames=grant.frames)
            self._send(session, credit)

    # --- greeting

    def _greet(self, peer: Peer, hello: Hello) -> list[RendererEvent]:
        terms = negotiate(self.offer, hello)
        session, resumed, flushed, ended = self._book.admit(peer, hello, terms, self._now)
        self._send(session, session.welcome(self.offer, resumed))
        self.counters["opened"] += 1
        opened = SessionOpened(session.token, hello, terms.planes, resumed, flushed, session.account.generation)
        return [*ended, opened]

    # --- small parts

    def _park(self, session: RendererSession) -> RendererEvent:
        self.counters["parked"] += 1
        return self._book.park(session)

    def _send(self, session: RendererSession, message: Message) -> None:
        self._post.to_session(session, message)
