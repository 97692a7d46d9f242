"""The loop of a renderer: sessions, runs, controls at chunk borders, receipts."""

from __future__ import annotations

import time
from collections.abc import Callable

from .admission import Admission
from .asking import Asking
from .groups import Groups
from .plain_text import LINE, shown
from .protocol.events import (
    ControlTaken,
    FrameTaken,
    PeerBroke,
    Refused,
    RendererEvent,
    RunGivenUp,
    SessionEnded,
    SessionOpened,
    SessionParked,
    TurnedAway,
)
from .protocol.messages import Control
from .talk import NOBODY, Talk
from .work import Pictures, RendererFactory, Work
from .work import Renderer as Renderer
from .zmq.keys import Keys
from .zmq.renderer_end import RendererEnd

IDLE_S = 0.05


class ServeLoop:
    """Drives the renderers of all sessions in the calling thread.

    Args:
        end: bound.
        factory: makes renderers.
        say: takes lines for people, and must not wait for them to be read.
        overbook: take in every session for which there is a place, also if all would be late then.
    """

    def __init__(
        self,
        end: RendererEnd,
        factory: RendererFactory,
        say: Callable[[str], None] = lambda _: None,
        overbook: bool = False,
    ) -> None:
        self._end, self._factory, self._talk = end, factory, Talk(say)
        self.works: dict[bytes, Work] = {}
        self._groups = Groups(factory)
        self._asking = Asking(end, self.works, self._groups)
        self._admission = Admission(self._groups.pixel_seconds, self._groups.share, end.offer.planes)
        if not overbook:
            end.refuse_by(self._admission.refusal)

    def run(self, stop: Callable[[], bool]) -> None:
        """Serve until ``stop()``; then release every renderer."""
        try:
            while not stop():
                self.turn(IDLE_S)
        finally:
            for work in self.works.values():
                work.renderer.close()
            self.works.clear()

    def turn(self, timeout: float) -> None:
        """Take what has come, then draw at most one run of each session."""
        busy = any(w.ready for w in self.works.values())
        self._take_all(0.0 if busy else timeout)
        self._talk.tick()
        self._asking.ask_idle()
        drawn: set[bytes] = set()
        while group := self._groups.next([w for w in self.works.values() if w.ready and w.token not in drawn]):
            drawn.update(work.token for work in group)
            self._draw(group)
            for work in group:
                self._end.hurry(work.token)
            self._take_all(0.0)  # whose frames have come meanwhile is not idle
            self._asking.ask_idle()

    @property
    def load(self) -> float:
        """See ``Asking.load``."""
        return self._asking.load

    def _take_all(self, timeout: float) -> None:
        for event in self._end.events(timeout):
            self._take(event)

    def _take(self, event: RendererEvent) -> None:
        if not isinstance(event, FrameTaken):
            self._note(event)
        work = self.works.get(getattr(event, "session", b""))
        if work is None:
            return
        if isinstance(event, FrameTaken):
            work.frames.append(event)
            if event.ends_run:
                work.ready.append(work.frames)
                work.frames = []
        elif isinstance(event, ControlTaken):
            self._take_control(work, event.control)
        elif isinstance(event, RunGivenUp):
            work.frames = [f for f in work.frames if f.grant != event.grant]
        elif isinstance(event, SessionParked):
            self._tell(event.session, "waits for its engine")
            work.away = True
            work.forget()

    def _note(self, event: RendererEvent) -> None:
        """What sessions come and go, and what people should hear of."""
        if isinstance(event, SessionOpened):
            self._open(event)
        elif isinstance(event, SessionEnded):
            self._tell(event.session, f"ended: {shown(event.reason, LINE)}")
            self._talk.forget(event.session)
            self._admission.forget(event.session)
            work = self.works.pop(event.session, None)
            if work is not None:
                work.renderer.close()
        elif isinstance(event, PeerBroke):
            self._tell(event.session, f"refused: {int(event.fault)} {event.fault.label}: {shown(event.text, LINE)}")
        elif isinstance(event, Refused):
            text = f"its engine refuses: {event.code} {shown(event.name)}: {shown(event.text, LINE)}"
            self._tell(event.session, text)
        elif isinstance(event, TurnedAway):
            self._tell(NOBODY, f"turned away: {event.who}")

    def _open(self, event: SessionOpened) -> None:
        hello = event.hello
        verb = "is back" if event.resumed else "begins"
        planes = ", ".join(event.planes) or "none"
        size = f"{hello.width}x{hello.height}"
        self._tell(event.session, f"{verb}: {shown(hello.engine)}, {size}, {hello.mode}, planes {planes}")
        frames, seconds = hello.rate
        if event.session not in self.works:
            try:
                renderer = self._factory.open(event)
            except Exception as error:  # too little memory for one more, for example
                self._tell(event.session, f"no renderer for it: {error}")
                self._end.turn_out(event.session, f"no renderer for this session: {type(error).__name__}: {error}")
                return
            self.works[event.session] = Work(
                event.session, renderer, seconds / frames, self._end.offer.run, hello.mode == "record"
            )
            return
        work = self.works[event.session]
        work.away = False
        work.forget()
        if event.flushed:
            work.renderer.reset(None)
            work.begun = False

    def _take_control(self, work: Work, control: Control) -> None:
        work.controls.append(control)
        if control.kind == "reset":
            work.forget()

    def _draw(self, group: list[Work]) -> None:
        for work in group:
            kind = self._groups.kind(work)
            work.kind = work.kind if kind is None else kind  # a control makes a single run go alone
        runs = [work.ready.popleft() for work in group]
        load = self.load
        for work, frames in zip(group, runs, strict=True):
            self._settle(work)
            work.begun = True
            self._asking.ask_ahead(work, len(frames), load)
            work.chunk += 1
        self._asking.ask_waiting(load)
        started = time.monotonic_ns()
        drawn = self._groups.render(group, runs)
        stamps = {"started": started, "rendered": time.monotonic_ns()}
        for work, frames, pictures in zip(group, runs, drawn, strict=True):
            self._deliver(work, frames, pictures, stamps, len(group))

    def _deliver(
        self, work: Work, frames: list[FrameTaken], drawn: Pictures | Exception, stamps: dict[str, int], together: int
    ) -> None:
        """Send the pictures of a run that was drawn with others, so many in all; or say why there are none."""
        chunk = work.chunk - 1
        if isinstance(drawn, Exception):  # a renderer that fails must not take the other sessions with it
            self._tell(work.token, f"chunk {chunk} failed: {drawn}")
            self._end.fail(work.token, frames[0].grant, chunk, f"chunk {chunk}: {type(drawn).__name__}: {drawn}")
            return
        seconds = (stamps["rendered"] - stamps["started"]) / 1e9 / together / len(frames)
        alone = seconds / self._groups.share(together)
        work.took(seconds, alone)
        if chunk > 0:
            self._admission.took(work.token, alone, work.kind)
        for frame, pixels in zip(frames, drawn, strict=True):
            self._end.answer(frame, pixels, chunk, stamps)

    def _tell(self, session: bytes, text: str) -> None:
        who = f"session {session.hex()[:8]} " if session else ""
        self._talk.line(session, who + text)

    def _settle(self, work: Work) -> None:
        """R-35: everything that waited takes effect now, in its order."""
        while work.controls:
            control = work.controls.popleft()
            try:
                if control.kind == "reset":
                    work.renderer.reset(control.seed)
                else:
                    work.renderer.apply(control)
            except Exception as error:  # what a peer asks for must not take the other sessions with it
                reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
                self._end.settle(work.token, control.id, None, reason[:300])
                if control.kind == "reset":  # its generation has begun, so the renderer cannot stay as it was
                    self._end.turn_out(work.token, f"the reset failed: {reason}")
            else:
                self._end.settle(work.token, control.id, work.chunk)


def serve(
    address: str,
    factory: RendererFactory,
    keys: Keys | None = None,
    stop: Callable[[], bool] = lambda: False,
    say: Callable[[str], None] = lambda _: None,
    opened: Callable[[], object] = lambda: None,
    overbook: bool = False,
) -> None:
    """Serve engines at an address until ``stop()`` or Ctrl-C.

    Args:
        address: see ``zmq.address``.
        factory: makes renderers.
        keys: for addresses that other machines can reach.
        say: takes lines for people, and must not wait for them to be read.
        opened: called once the address is bound, before the first engine is served.
        overbook: see ``ServeLoop``.

    Raises:
        BridgeError: the address cannot be served.
    """
    with RendererEnd(address, factory.offer, keys) as end:
        loop = ServeLoop(end, factory, say, overbook)
        opened()
        loop.run(stop)
