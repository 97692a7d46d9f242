"""Which sessions a renderer has, and which connection each is on (R-19 … R-21, R-38)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from .events import RendererEvent, SessionEnded, SessionParked
from .faults import Fault, RemoteProtocolError
from .messages import Hello
from .offer import Offer, Terms
from .pulse import MILLISECOND
from .renderer_session import RendererSession

Peer = bytes
Refusal: TypeAlias = Callable[[Hello, Mapping[bytes, Hello]], str]
"""Why a new session has no room beside others, given by their tokens and greetings; empty if it has."""
FULL_RETRY_MS = 1000
GONE_KEPT = 4096


class Admission(NamedTuple):
    """How a greeting was taken in."""

    session: RendererSession
    resumed: bool
    flushed: bool
    ended: list[RendererEvent]
    """Sessions that had to go for it."""


class SessionBook:
    """Sessions by token and by connection.

    Args:
        offer: says how many there may be.
        make_token: 16 random bytes.
    """

    def __init__(self, offer: Offer, make_token: Callable[[], bytes]) -> None:
        self._offer, self._make_token = offer, make_token
        self.by_token: dict[bytes, RendererSession] = {}
        self.by_peer: dict[Peer, RendererSession] = {}
        self.refusal: Refusal = lambda hello, others: ""

    def admit(self, peer: Peer, hello: Hello, terms: Terms, now: int) -> Admission:
        """Give a connection its session, an old one by its token or a new one. RemoteProtocolError refuses it."""
        known = self.by_token.get(hello.resume) if hello.resume is not None else None
        if known is not None:
            _check_free(known, hello, peer)
        leaving: dict[bytes, str] = {}
        here = self.by_peer.get(peer)
        if here is not None and here is not known:
            leaving[here.token] = "the engine greeted anew without its token"
        if known is not None and not known.fits(hello, terms):
            leaving[known.token] = "the engine came back with another size, mode or table"
            known = None
        if known is None:
            self._make_room(hello, leaving)
        ended: list[RendererEvent] = [self.end(self.by_token[token], why) for token, why in leaving.items()]
        if known is None:
            session = RendererSession(self._new_token(), hello, terms, self._offer, now)
            self.by_token[session.token] = session
            flushed = True
        else:
            session = known
            flushed = session.come_back(hello, terms, now)
            if session.peer is not None:
                self.by_peer.pop(session.peer, None)
        session.peer = peer
        self.by_peer[peer] = session
        return Admission(session, known is not None, flushed, ended)

    def park(self, session: RendererSession) -> SessionParked:
        """The engine is gone for now."""
        assert session.peer is not None
        self.by_peer.pop(session.peer, None)
        session.left_peer, session.peer = session.peer, None
        session.parked_for = 0
        return SessionParked(session.token)

    def left_by(self, peer: Peer) -> RendererSession | None:
        """The parked session whose engine was last on this connection: its BYE may be read after it was parked."""
        return next((s for s in self.by_token.values() if s.peer is None and s.left_peer == peer), None)

    def end(self, session: RendererSession, reason: str) -> SessionEnded:
        """Forget a session."""
        if session.peer is not None:
            self.by_peer.pop(session.peer, None)
        self.by_token.pop(session.token, None)
        return SessionEnded(session.token, reason)

    def clear(self) -> None:
        """Forget all."""
        self.by_peer.clear()
        self.by_token.clear()

    def _make_room(self, hello: Hello, leaving: dict[bytes, str]) -> None:
        """R-21: add to those who leave the parked sessions whose place is needed, longest parked first.

        RemoteProtocolError if that is not enough; then nobody has to leave for nothing.
        """
        parked = [s for s in self.by_token.values() if s.peer is None and s.token not in leaving]
        parked.sort(key=lambda s: s.parked_for)
        while text := self._lack(hello, leaving):
            if not parked:
                raise RemoteProtocolError(Fault.FULL, text, {"retry_ms": FULL_RETRY_MS})
            leaving[parked.pop().token] = "its place was needed"

    def _lack(self, hello: Hello, leaving: Mapping[bytes, str]) -> str:
        """Why there is no room for one more beside those who stay; empty if there is."""
        others = {token: s.hello for token, s in self.by_token.items() if token not in leaving}
        if len(others) >= self._offer.max_sessions:
            return f"all {self._offer.max_sessions} sessions are in use"
        return self.refusal(hello, others)

    def _new_token(self) -> bytes:
        token = self._make_token()
        while token in self.by_token:
            token = self._make_token()
        return token


class Departed:
    """The last connections that ended, whose messages may still be read."""

    def __init__(self) -> None:
        self._peers: dict[Peer, None] = {}

    def __contains__(self, peer: Peer) -> bool:
        return peer in self._peers

    def __len__(self) -> int:
        return len(self._peers)

    def add(self, peer: Peer) -> None:
        """One more; the one that ended first is forgotten."""
        self._peers[peer] = None
        if len(self._peers) > GONE_KEPT:
            del self._peers[next(iter(self._peers))]


def _check_free(session: RendererSession, hello: Hello, peer: Peer) -> None:
    """R-20."""
    if session.peer in (None, peer) or session.hello.instance == hello.instance:
        return
    wait = max(session.pulse.dead - session.pulse.silence, MILLISECOND) // MILLISECOND
    text = "another engine is using this session"
    raise RemoteProtocolError(Fault.SESSION_TAKEN, text, {"retry_ms": int(wait)})
