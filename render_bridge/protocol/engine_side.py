"""The engine's end of a connection as a state machine: frames in → events out, offers in → frames out.

Time is an argument (nanoseconds of any monotonic clock). Whatever is to be sent waits in ``drain()``. The owner calls
``receive`` for each message, ``advance`` a few times a heartbeat, and sends what ``drain`` returns.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..plain_text import LINE, shown
from .codec import Wire, decode, encode, type_byte_of
from .engine_controls import EngineControls
from .engine_flow import Drawn, FrameFlow
from .engine_frames import check_fields, frame_wire
from .engine_greeting import Greeting, check_welcome
from .engine_pictures import PictureReader
from .events import Closed, EngineEvent, Lost, Opened, PeerBroke, PictureTaken, ReceiptTaken, Refused
from .faults import TRY_AGAIN, Fault, LocalProtocolError, RemoteProtocolError
from .generations import is_current
from .message_base import Buffer, Message
from .messages import Bye, Control, Credit, Error, Hello, Picture, Ping, Pong, Receipt, Welcome
from .pulse import MILLISECOND, Pulse
from .replies import error_message
from .states import ENGINE_LATE, EngineState, check_step, enter

HEARTBEAT_MS, DEAD_MS = 250, 1000
"""Until a WELCOME states others."""
GREETING_MS = 100
"""Pause between greetings that nobody answers, until answers turn out to take longer."""
MOST_SEQ = 1 << 63
"""Numbers begin below, so that none of a session's can ever be too large for its field."""
MOST_MISSED = 1 << 32
"""Frames that a renderer may have seen of an earlier process of ours beyond those that this one knows of."""


class EngineSide:
    """One engine's connection.

    Args:
        greeting: what to say.
        now: present time.
        generation, next_seq, resume: to take up a session of an earlier process.
        own_buffers: nobody else has the buffers that ``receive`` gets, so that pictures are handed on without a copy.

    Raises:
        LocalProtocolError: the greeting is not legal.
    """

    def __init__(
        self, greeting: Greeting, now: int, generation: int = 0, next_seq: int = 0, resume: bytes | None = None,
        own_buffers: bool = False,
    ) -> None:  # fmt: skip
        if next_seq >= MOST_SEQ:
            raise LocalProtocolError(Fault.OUT_OF_RANGE, f"next_seq must be below {MOST_SEQ}, got {next_seq}")
        self.greeting = greeting
        self.state = EngineState.NEW
        self.generation = generation
        self.token = resume
        self.welcome: Welcome | None = None
        self.counters: Counter[str] = Counter()
        self.flow = FrameFlow(greeting.mode == "record", next_seq)
        self.pulse = Pulse(HEARTBEAT_MS, DEAD_MS, now)
        self._outbox: deque[Wire] = deque()
        self._attempt = 0
        self._greet_in = 0
        self._greet_pause = GREETING_MS * MILLISECOND
        self._now = now
        self._controls = EngineControls()
        self._ping_id = 0
        self._pictures = PictureReader(greeting, own_buffers)
        self._asked = self._hello()  # refuses an illegal greeting here, not at the first poll

    # --- what the owner does

    def drain(self) -> list[Wire]:
        """Everything that is to be sent now, in order; frames are encoded only here, when credit has been found."""
        while self.state is EngineState.OPEN and (due := self.flow.next_due()) is not None:
            assert self.welcome is not None
            self.counters["frames"] += 1
            self._outbox.append(frame_wire(due, self.welcome, self.generation, self.flow.skipped, self._now))
            self.pulse.spoke()
        if self.state is EngineState.OPEN and (ack := self._pictures.take_ack()) is not None:
            self._send(ack)
        wires = list(self._outbox)
        self._outbox.clear()
        return wires

    def offer(self, drawn: Drawn, now: int | None = None) -> int:
        """Take a drawn frame and return its number. LocalProtocolError if it is not what the greeting said.

        Args:
            now: present time, for the stamp of a frame that is drained at once.
        """
        if now is not None and self.state is EngineState.OPEN:  # else ``advance`` counts it towards the next greeting
            self._now = now
        chosen = self.welcome.planes if self.welcome is not None else ()
        # In play only what the renderer chose need be drawn; a record may have to be sent to another renderer.
        self.greeting.check_drawn(drawn, self.greeting.planes if self.flow.keep_all else chosen)
        check_fields(drawn, self.flow.next_seq)
        return self.flow.offer(drawn)

    def control(self, kind: str, *, buffers: tuple[Buffer, ...] = (), **values: Any) -> int:
        """Send a look, prompt or schedule; without a renderer it waits for one. Returns the id that receipts name."""
        if kind == "reset":
            return self.reset(values.get("seed"))
        message = Control(id=self._controls.next_id(), generation=self.generation, kind=kind, buffers=buffers, **values)
        self._controls.put(message)
        self._send_controls()
        return message.id

    def reset(self, seed: int | None = None) -> int:
        """Ask for a new generation (R-29); without a renderer it begins with the next one."""
        message = Control(id=self._controls.next_id(), generation=self.generation + 1, kind="reset", seed=seed)
        self._controls.put(message)
        self.flow.mark()
        if self.state is not EngineState.OPEN:
            self.flow.flush()
        self._send_controls()
        return message.id

    def advance(self, now: int) -> list[EngineEvent]:
        """Let time pass: greet, ping, notice silence."""
        self._greet_in -= max(0, now - self._now)
        self._now = now
        self.pulse.advance(now)
        if self.state is EngineState.OPEN:
            if self.pulse.is_dead:
                return [self._lose(f"the renderer has been silent for {self.pulse.dead // MILLISECOND} ms")]
            if self.pulse.should_ping:
                self._ping_id += 1
                self._send(Ping(id=self._ping_id & 0xFFFFFFFF, time=now))
        elif self.state is not EngineState.CLOSED and self._greet_in <= 0:
            self._greet()
        return []

    def close(self, text: str = "the engine ends") -> list[EngineEvent]:
        """Say BYE."""
        if self.state is EngineState.CLOSED:
            return []
        self._outbox.clear()
        if self.state is not EngineState.NEW:
            self._send(Bye(text=text))
        self.state = EngineState.CLOSED
        return [Closed(text)]

    def receive(self, frames: Sequence[Buffer], now: int) -> list[EngineEvent]:
        """One message from the renderer."""
        self._now = now
        self.pulse.heard()
        try:
            message = decode(frames)
            if self._comes_late(message):
                self.counters["late"] += 1
                return []
            check_step(self.state, "receive", message)
            return self._handle(message)
        except RemoteProtocolError as error:
            return self._blame(error, type_byte_of(frames))

    # --- messages

    def _handle(self, message: Message) -> list[EngineEvent]:
        if isinstance(message, Welcome):
            return self._take_welcome(message)
        if isinstance(message, Credit):
            if self._is_current(message.generation) and self.welcome is not None:
                self.flow.grant(message.grant, message.frames, self.welcome.window)
        elif isinstance(message, Picture):
            return self._take_picture(message)
        elif isinstance(message, Receipt):
            if self._controls.note(message) is not None:
                self._begin_generation()
            self._send_controls()
            return [ReceiptTaken(replace(message, text=shown(message.text)) if message.text else message)]
        elif isinstance(message, Ping):
            self._send(Pong(id=message.id, time=message.time, received=self._now, sent=self._now))
        elif isinstance(message, Error):
            return self._take_error(message)
        elif isinstance(message, Bye) and self.state is not EngineState.LOST:
            return [self._lose(f"the renderer ended: {shown(message.text)}")]
        return []

    def _take_welcome(self, welcome: Welcome) -> list[EngineEvent]:
        if welcome.attempt != self._attempt or self.state is EngineState.OPEN:
            self.counters["late"] += 1
            # Far away: at this pace every answer would be one to an older attempt.
            self._greet_pause = min(2 * self._greet_pause, self.pulse.dead // 2)
            return []
        known = self.welcome is not None and self.welcome.session == self.token
        check_welcome(welcome, self._asked, self.flow.next_seq + (0 if known else MOST_MISSED))
        enter(self.state, "receive", welcome, EngineState.OPEN)
        self.state = EngineState.OPEN
        self.token, self.welcome = welcome.session, welcome
        self.pulse = Pulse(welcome.heartbeat_ms, welcome.dead_ms, self._now)
        self.flow.void_grants()
        if welcome.resumed and welcome.last_seq is not None:
            self.flow.go_on_after(welcome.last_seq)
        self.flow.leave_out(lambda drawn: any(name not in drawn.planes for name in welcome.planes))
        self._pictures.begin_connection()
        self._controls.begin_connection(welcome.resumed)
        self._send_controls()
        self.counters["opened"] += 1
        return [Opened(welcome)]

    def _take_picture(self, picture: Picture) -> list[EngineEvent]:
        if not self._is_current(picture.generation):
            return []
        pixels = self._pictures.read(picture, self.flow.last_sent)
        self.flow.answered(picture.seq)
        if self._controls.resetting:
            self.counters["stale"] += 1
            return []
        self.counters["pictures"] += 1
        stamps, theirs = picture.stamps, picture.renderer_stamps
        return [PictureTaken(picture.seq, picture.tick, picture.chunk, pixels, stamps, theirs)]

    def _take_error(self, error: Error) -> list[EngineEvent]:
        self.counters["errors_received"] += 1
        text = shown(error.text, LINE)
        event = Refused(error.code, shown(error.name), text, error.fatal, error.details or {})
        if error.about_grant is not None:
            self.flow.give_up(error.about_grant)
        self._controls.forget_refused(error)
        self._send_controls()
        if error.code == Fault.NOT_GREETED:
            return [self._lose("the renderer does not know us")] if self.state is EngineState.OPEN else []
        if error.code in TRY_AGAIN and self.state is EngineState.LOST:
            return []  # the answer to an earlier one of several greetings: we wait already
        if error.code in TRY_AGAIN and self.state is EngineState.GREETING:
            wait = (error.details or {}).get("retry_ms", GREETING_MS)
            lost = self._lose(text)
            self._greet_in = MILLISECOND * min(max(int(wait), 1), 10_000) if type(wait) is int else 0
            return [event, lost]
        if error.fatal:
            enter(self.state, "receive", error, EngineState.CLOSED)
            self.state = EngineState.CLOSED
            return [event, Closed(text)]
        return [event]

    # --- small parts

    def _comes_late(self, message: Message) -> bool:
        """True for what the renderer sent before it knew that we are not, or no longer, listening."""
        if self.state in (EngineState.OPEN, EngineState.CLOSED):
            return self.state is EngineState.CLOSED
        return type(message) in ENGINE_LATE and (self.state, type(message)) != (EngineState.GREETING, Welcome)

    def _is_current(self, generation: int) -> bool:
        if generation == self.generation + 1 and self._controls.unanswered_reset:
            self._begin_generation()
        return is_current(generation, self.generation, self.counters)

    def _blame(self, error: RemoteProtocolError, about: int | None) -> list[EngineEvent]:
        self.counters["bad_messages"] += 1
        if self.state in (EngineState.OPEN, EngineState.GREETING) and about != Error.type_byte:
            self._send(error_message(error, False, about))
        return [PeerBroke(error.fault, error.text)]

    def _begin_generation(self) -> None:
        """The reset under way was taken."""
        self._controls.reset_taken()
        self.generation += 1
        self.flow.flush()
        self.flow.frozen = self._controls.resetting

    def _send_controls(self) -> None:
        while self.state is EngineState.OPEN and (due := self._controls.next_due(self.generation)) is not None:
            self._send(due)
        self.flow.frozen = self._controls.resetting

    def _lose(self, reason: str) -> Lost:
        self.state = EngineState.LOST
        if self._controls.unanswered_reset:
            self._begin_generation()  # taken or not: the next HELLO announces it
        elif self._controls.resetting:
            self.flow.flush()
        self._outbox.clear()
        self._greet_in = 0
        self.counters["lost"] += 1
        return Lost(reason)

    def _hello(self) -> Hello:
        return self.greeting.hello(self._attempt, self.generation, self.flow.first_open_seq, self.token)

    def _greet(self) -> None:
        if self.flow.keep_all and self.token is not None and self.state is EngineState.LOST:
            self.generation += 1  # what is sent again belongs to a new generation
        self._attempt += 1
        self._greet_in = self._greet_pause
        self._asked = self._hello()
        self._send(self._asked)
        self.state = EngineState.GREETING

    def _send(self, message: Message) -> None:
        check_step(self.state, "send", message)
        self._outbox.append(encode(message))
        self.pulse.spoke()
