"""The renderer's end as a state machine over all its connections: frames in → events out, pictures in → frames out.

Time is an argument. What is to be sent waits in ``drain()`` as (peer, frames). ``peer`` is whatever tells connections
apart; over ZeroMQ it is the routing id.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .codec import Wire, decode, encode, type_byte_of
from .encodings import encode_plane
from .events import (
    ControlTaken,
    FrameTaken,
    PeerBroke,
    Refused,
    RendererEvent,
    RunGivenUp,
    SessionEnded,
    SessionOpened,
    SessionParked,
)
from .faults import Fault, RemoteProtocolError
from .messages import (
    Ack,
    Buffer,
    Bye,
    Control,
    Credit,
    Error,
    Frame,
    Hello,
    Message,
    Picture,
    Ping,
    Pong,
    Receipt,
    Welcome,
)
from .offer import Offer, negotiate
from .pulse import MILLISECOND
from .reading import read_class_map, read_planes
from .renderer_session import RendererSession
from .replies import error_message
from .states import PeerState, check_step

Peer = bytes


class RendererSide:
    """All sessions of one renderer.

    Args:
        offer: what every engine is offered.
        make_token: 16 random bytes; the core has no source of its own.
    """

    def __init__(self, offer: Offer, make_token: Callable[[], bytes]) -> None:
        self.offer = offer
        self.counters: Counter[str] = Counter()
        self.sessions: dict[bytes, RendererSession] = {}
        self._make_token = make_token
        self._peers: dict[Peer, RendererSession] = {}
        self._outbox: deque[tuple[Peer, Wire]] = deque()
        self._ping_id = 0
        self._now = 0

    # --- what the owner does

    def drain(self) -> list[tuple[Peer, Wire]]:
        """Everything that is to be sent now, in order."""
        wires = list(self._outbox)
        self._outbox.clear()
        return wires

    def receive(self, peer: Peer, frames: Sequence[Buffer], now: int) -> list[RendererEvent]:
        """One message from a connection."""
        self._now = now
        session = self._peers.get(peer)
        if session is not None:
            session.pulse.heard()
        message: Message | None = None
        try:
            message = decode(frames)
            state = PeerState.UNKNOWN if session is None else PeerState.OPEN
            if session is None and not isinstance(message, Hello):
                if isinstance(message, Error | Bye):
                    return []
                raise RemoteProtocolError(Fault.NOT_GREETED, "no session on this connection: send HELLO first")
            check_step(state, "receive", message)
            if isinstance(message, Hello):
                return self._greet(peer, message)
            assert session is not None
            return self._handle(session, message)
        except RemoteProtocolError as error:
            return self._blame(peer, error, frames, message)

    def advance(self, now: int) -> list[RendererEvent]:
        """Let time pass: ping, park, end."""
        self._now = now
        events: list[RendererEvent] = []
        for session in list(self.sessions.values()):
            session.pulse.advance(now)
            if session.peer is None:
                session.parked_for += session.pulse.last_step
                if session.parked_for >= self.offer.park_s * 1000 * MILLISECOND:
                    events.append(self._end(session, f"no engine for {self.offer.park_s:g} s"))
            elif session.pulse.is_dead:
                events.append(self._park(session))
            elif session.pulse.should_ping:
                self._ping_id = self._ping_id + 1 & 0xFFFFFFFF
                self._send(session, Ping(id=self._ping_id, time=now))
        return events

    def peer_gone(self, peer: Peer) -> list[RendererEvent]:
        """The transport says that a connection no longer exists."""
        session = self._peers.get(peer)
        return [] if session is None else [self._park(session)]

    def ask(self, token: bytes, frames: int) -> bool:
        """Grant one run, as soon as the window has room; False if the engine is away or the run can never fit."""
        session = self.sessions.get(token)
        if session is None or session.peer is None or not 1 <= frames <= self.offer.window:
            return False
        session.account.ask(frames)
        self._grant(session)
        return True

    def running(self, token: bytes) -> int:
        """Runs of a session that are asked for and not yet complete."""
        session = self.sessions.get(token)
        return 0 if session is None else session.account.running

    def answer(
        self, frame: FrameTaken, pixels: NDArray[np.uint8], chunk: int, stamps: Mapping[str, int], encoding: str = "raw"
    ) -> bool:
        """Send the picture, RGB uint8 ``[H, W, 3]``, of a frame; False if it is void by now (R-28)."""
        session = self.sessions.get(frame.session)
        if session is None or session.peer is None or not session.account.may_answer(frame.generation, frame.seq):
            self.counters["void_pictures"] += 1
            return False
        session.chunk = max(session.chunk, chunk + 1)
        encoding = encoding if encoding in session.hello.encodings else "raw"
        picture = Picture(
            generation=frame.generation, seq=frame.seq, tick=frame.tick, chunk=chunk, width=session.hello.width,
            height=session.hello.height, encoding=encoding, stamps=dict(frame.stamps),
            renderer_stamps={"received": frame.received, **stamps}, buffers=(encode_plane(pixels, encoding),),
        )  # fmt: skip
        self._send(session, picture)
        return True

    def settle(self, token: bytes, control: int, chunk: int | None, text: str | None = None) -> bool:
        """Second receipt of a control: in force from ``chunk``, or refused with ``text``; False if none is owed."""
        session = self.sessions.get(token)
        if session is None or session.peer is None or not session.account.settle_control(control):
            return False
        stage = "refused" if chunk is None else "in_force"
        generation = session.account.generation
        self._send(session, Receipt(id=control, generation=generation, stage=stage, chunk=chunk, text=text))
        return True

    def fail(self, token: bytes, grant: int, chunk: int, text: str) -> list[RendererEvent]:
        """R-49: the renderer could not draw a run."""
        session = self.sessions.get(token)
        if session is None or session.peer is None:
            return []
        session.account.give_up(grant)
        error = RemoteProtocolError(Fault.RENDER_FAILED, text[:1000], {"chunk": chunk})
        return self._refuse(session, error, None, None, grant)

    def close(self, text: str = "the renderer ends") -> None:
        """Say BYE to every engine."""
        for session in list(self._peers.values()):
            self._send(session, Bye(text=text))
        self._peers.clear()
        self.sessions.clear()

    # --- messages

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
            return [self._end(session, f"the engine ended: {message.text}")]
        return []

    def _take_frame(self, session: RendererSession, frame: Frame) -> list[RendererEvent]:
        grant = session.account.take(frame)
        if grant is None:
            return []
        session.check_stamps(frame.stamps)
        class_map = read_class_map(frame, session.hello, session.terms, self.offer.table)
        planes = read_planes(frame, session.hello, session.terms)
        self.counters["frames"] += 1
        return [
            FrameTaken(
                session.token, frame.generation, frame.grant, frame.seq, frame.tick, class_map, planes, frame.stamps,
                self._now, frame.last, grant.complete, frame.view, frame.projection,
            )
        ]  # fmt: skip

    def _take_control(self, session: RendererSession, control: Control) -> list[RendererEvent]:
        account = session.account
        if control.kind == "reset":
            account.flush(control.generation)
        elif not account.is_current(control.generation):
            return []
        account.book_control(control)
        self._send(session, Receipt(id=control.id, generation=account.generation, stage="received"))
        return [ControlTaken(session.token, control)]

    def _grant(self, session: RendererSession) -> None:
        while (grant := session.account.next_grant()) is not None:
            credit = Credit(generation=session.account.generation, grant=grant.number, frames=grant.frames)
            self._send(session, credit)

    # --- greeting

    def _greet(self, peer: Peer, hello: Hello) -> list[RendererEvent]:
        known = self.sessions.get(hello.resume) if hello.resume is not None else None
        here = self._peers.get(peer)
        terms = negotiate(self.offer, hello)
        if known is not None:
            self._check_free(known, hello, peer)
        events: list[RendererEvent] = []
        if here is not None and here is not known:
            events.append(self._end(here, "the engine greeted anew without its token"))
        if known is not None and not known.fits(hello, terms):
            events.append(self._end(known, "the engine came back with another size, mode or table"))
            known = None
        if known is None:
            self._make_room(events)
            known = RendererSession(self._new_token(), hello, terms, self.offer, self._now)
            self.sessions[known.token] = known
            resumed, flushed = False, True
        else:
            resumed = True
            flushed = known.come_back(hello, terms, self._now)
            if known.peer is not None:
                self._peers.pop(known.peer, None)
        known.peer = peer
        self._peers[peer] = known
        self._send(known, self._welcome(known, hello, resumed))
        self.counters["opened"] += 1
        return [
            *events,
            SessionOpened(known.token, hello, terms.planes, resumed, flushed, known.account.generation),
        ]

    def _check_free(self, session: RendererSession, hello: Hello, peer: Peer) -> None:
        if session.peer in (None, peer) or session.hello.instance == hello.instance:
            return
        wait = max(session.pulse.dead - session.pulse.silence, MILLISECOND) // MILLISECOND
        text = "another engine is using this session"
        raise RemoteProtocolError(Fault.SESSION_TAKEN, text, {"retry_ms": int(wait)})

    def _make_room(self, events: list[RendererEvent]) -> None:
        if len(self.sessions) < self.offer.max_sessions:
            return
        parked = [s for s in self.sessions.values() if s.peer is None]
        if not parked:
            text = f"all {self.offer.max_sessions} sessions are in use"
            raise RemoteProtocolError(Fault.FULL, text, {"retry_ms": 1000})
        oldest = max(parked, key=lambda s: s.parked_for)
        events.append(self._end(oldest, "its place was needed"))

    def _new_token(self) -> bytes:
        token = self._make_token()
        while token in self.sessions:
            token = self._make_token()
        return token

    def _welcome(self, session: RendererSession, hello: Hello, resumed: bool) -> Welcome:
        o, account = self.offer, session.account
        return Welcome(
            renderer=o.renderer, attempt=hello.attempt, session=session.token, resumed=resumed,
            generation=account.generation, table_name=o.table.name, table_hash=o.table.hash,
            encoding=session.terms.encoding, planes=session.terms.planes, run=o.run, first_run=o.first_run,
            window=o.window, heartbeat_ms=o.heartbeat_ms, dead_ms=o.dead_ms, chunk=session.chunk,
            last_seq=account.last_seq, last_tick=account.last_tick, notes=session.terms.notes,
        )  # fmt: skip

    # --- refusing, parking, ending

    def _blame(
        self, peer: Peer, error: RemoteProtocolError, frames: Sequence[Buffer], message: Message | None
    ) -> list[RendererEvent]:
        session = self._peers.get(peer)
        about = type_byte_of(frames)
        self.counters["bad_messages"] += 1
        if about == Error.type_byte:
            return [PeerBroke(error.fault, error.text, session.token if session else b"")]
        if session is None or error.fault.ends_greeting:
            self._post(peer, error_message(error, error.fault.ends_greeting, about))
            events: list[RendererEvent] = [PeerBroke(error.fault, error.text)]
            if session is not None and error.fault not in (Fault.SESSION_TAKEN, Fault.FULL):
                events.append(self._end(session, error.text))
            return events
        seq = message.seq if isinstance(message, Frame) else None
        grant = self._grant_to_give_up(session, error, about, message)
        return self._refuse(session, error, about, seq, grant)

    def _grant_to_give_up(
        self, session: RendererSession, error: RemoteProtocolError, about: int | None, message: Message | None
    ) -> int | None:
        """A refused frame gives up its run; a frame without credit has none to lose."""
        if about != Frame.type_byte or error.fault in (Fault.NO_CREDIT, Fault.UNKNOWN_GENERATION):
            return None
        return session.account.give_up(message.grant if isinstance(message, Frame) else None)

    def _refuse(
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
        self._send(session, error_message(error, fatal, about, seq, grant))
        if fatal:
            events.append(self._end(session, error.text))
        return events

    def _park(self, session: RendererSession) -> RendererEvent:
        assert session.peer is not None
        self._peers.pop(session.peer, None)
        session.peer = None
        session.parked_for = 0
        self.counters["parked"] += 1
        return SessionParked(session.token)

    def _end(self, session: RendererSession, reason: str) -> RendererEvent:
        if session.peer is not None:
            self._peers.pop(session.peer, None)
        self.sessions.pop(session.token, None)
        return SessionEnded(session.token, reason)

    # --- sending

    def _send(self, session: RendererSession, message: Message) -> None:
        assert session.peer is not None
        check_step(PeerState.OPEN, "send", message)
        session.pulse.spoke()
        self._post(session.peer, message)

    def _post(self, peer: Peer, message: Message) -> None:
        self._outbox.append((peer, encode(message)))
