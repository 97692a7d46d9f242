"""A live stream as the game sees it: ``show`` takes a picture and returns at once, whatever the server does.

Behind it a thread owns one sending process after another: it hands pictures on, listens for signs of life, ends a
process that gives none, and starts the next after a pause. Pictures wait in a line of bounded length, whose oldest
are dropped.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .address import StreamAddress
from .output import OutputConfig
from .reconnect import Fault, Reconnect, ReconnectConfig
from .sender import GOODBYE_S, SenderPlan, Shown, send_stream

if TYPE_CHECKING:
    from demos.web.plan import WebPlan

TURN_S = 0.1
START_S = 30.0
"""How long a process may take until it first gives a sign: a busy machine loads FFmpeg slowly."""
HOPE_S = 3.0
"""For so long from the first picture on, a server that has not been heard of counts as one that receives us."""
Say = Callable[[str], None]
Body = Callable[[Connection, SenderPlan], None]


@dataclass(frozen=True)
class StreamPlan:
    """Where a stream goes, and how.

    Args:
        address: of the server, or of the page of our own.
        output: how it is encoded.
        reconnect: pauses between attempts.
        patience: seconds without a sign of life after which a connection is given up.
        kept, kept_bytes: pictures that wait for the sending process.
        door: of a page of our own, on which viewers watch over WebRTC; None sends to an RTMP server.
    """

    address: StreamAddress
    output: OutputConfig = field(default_factory=OutputConfig)
    reconnect: ReconnectConfig = field(default_factory=ReconnectConfig)
    patience: float = 6.0
    kept: int = 32
    kept_bytes: int = 96_000_000
    door: WebPlan | None = None

    @property
    def sender(self) -> SenderPlan:
        """What the sending process is told."""
        return SenderPlan(self.address.url, self.output, self.reconnect, self.door)

    @property
    def title(self) -> str:
        """What people call it."""
        return f"stream {'to' if self.door is None else 'at'} {self.address.shown}"


class LiveStream:
    """One stream.

    Args:
        plan: where to, and how.
        say: takes lines for people; called from the stream's own thread.
        body: what the process runs.
    """

    def __init__(self, plan: StreamPlan, say: Say, body: Body = send_stream) -> None:
        self._plan, self._say, self._body = plan, say, body
        self._fps = plan.output.fps
        self._line: deque[Shown] = deque()
        self._line_bytes = 0
        self._changed = threading.Condition()
        self._stop = False
        self._story = Reconnect(plan.reconnect)
        self._past: dict[str, int] = {"sent": 0, "repeated": 0, "dropped": 0, "skipped": 0}
        self._present: dict[str, int] = {}
        self._heard = self._received = False
        self._hope_until: float | None = None
        self._reason = ""
        self._thread = threading.Thread(target=self._keep_alive, name="live-stream", daemon=True)
        self._thread.start()

    def show(self, rgb: NDArray[np.uint8], media: float) -> None:
        """Show a picture from its media time on. Returns at once.

        Args:
            rgb: uint8 ``[H, W, 3]``, row 0 at the top; it must not change afterwards. Another size than before begins
                the stream anew on the server.
            media: media time in seconds; an earlier one than before begins anew too.
        """
        now = time.monotonic()
        with self._changed:
            self._hope_until = self._hope_until or now + HOPE_S
            self._line.append(Shown(media, now, self._fps, rgb))
            self._line_bytes += rgb.nbytes
            while len(self._line) > self._plan.kept or (
                self._line_bytes > self._plan.kept_bytes and len(self._line) > 1
            ):
                self._drop_oldest()
            self._changed.notify_all()

    def take_rate(self, fps: int) -> None:
        """Send so many frames a second from the next picture on. Whoever waits on a page of ours notices nothing."""
        self._fps = fps

    @property
    def awaited(self) -> bool:
        """True until the server has been heard of, or has not within its time; of a page, until it is open."""
        return not self._heard

    @property
    def received(self) -> bool:
        """True while a server takes the stream, or is awaited, but not for long; of a page, while anybody watches."""
        hoped_for = self._hope_until is None or time.monotonic() < self._hope_until
        return self._received or (self._plan.door is None and self.awaited and hoped_for)

    def regret(self) -> str:
        """A line for people if the stream was never live, or nothing; once it is closed."""
        if self._story.connections:
            return ""
        opened = "there was a connection" if self._plan.door is None else "its page was open"
        early = f"it ended before {opened}" if self._hope_until else "there was no picture to send"
        return f"{self._plan.title} was never live: {self._reason or early}"

    def figures(self) -> dict[str, Any]:
        """Frames ``sent``, ``repeated`` for want of a new picture, ``dropped`` pictures that no slot was left for,
        ``skipped`` slots that passed while the server kept us; ``connections`` and ``outages``; ``visits`` to a page.
        """
        with self._changed:
            names = {**self._past, **self._present}
            counted = {name: self._past.get(name, 0) + self._present.get(name, 0) for name in names}
        return {
            "to": self._plan.address.shown,
            **counted,
            "connections": self._story.connections,
            "outages": self._story.outages,
        }

    def end(self) -> None:
        """Begin to end the stream. Returns at once."""
        with self._changed:
            self._stop = True
            self._changed.notify_all()

    def close(self, patience: float = 3.0) -> None:
        """End the stream, in order if the server lets us, within ``patience`` seconds. Safe to call twice."""
        self.end()
        self._thread.join(patience)

    # --- in the stream's own thread

    def _keep_alive(self) -> None:
        while not self._stop:
            fault = self._connect()
            with self._changed:
                for name, count in self._present.items():
                    self._past[name] = self._past.get(name, 0) + count
                self._present = {}
                if self._stop:
                    return
            pause = self._miss(fault)
            with self._changed:
                self._changed.wait_for(lambda: self._stop, pause)

    def _miss(self, fault: Fault) -> float:
        """The stream is not live: tell why, once; returns the pause before another attempt, seconds."""
        fault = fault._replace(reason=self._plan.address.hide(fault.reason))
        self._heard, self._received = True, False
        pause, text = self._story.failed(time.monotonic(), fault)
        self._reason = self._story.explained(fault)
        self._tell(text)
        return pause

    def _connect(self) -> Fault:
        """Run one sending process from its start to its end; says why it ended."""
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        process = context.Process(target=self._body, args=(theirs, self._plan.sender), daemon=True)
        process.start()
        theirs.close()
        ready, over = threading.Event(), threading.Event()
        feeder = threading.Thread(target=self._feed, args=(pipe, ready, over), name="stream-feeder", daemon=True)
        feeder.start()
        try:
            return self._listen(pipe, ready)
        finally:
            over.set()
            ready.set()
            with self._changed:
                self._changed.notify_all()
            end_process(process, pipe, feeder, in_order=self._stop)

    def _listen(self, pipe: Connection, ready: threading.Event) -> Fault:
        heard, live = time.monotonic(), False
        while not self._stop:
            try:
                if pipe.poll(TURN_S):
                    kind, value = pipe.recv()
                    heard = time.monotonic()
                    if kind == "failed":
                        return Fault(*value)
                    ready.set()
                    live = self._take(kind, value, live)
            except (EOFError, OSError):
                return Fault("the sending process ended without a word")
            silent = time.monotonic() - heard
            if silent > (self._plan.patience if ready.is_set() else START_S):
                return Fault(self._silence(live))
        return Fault("closed")

    def _take(self, kind: str, value: Any, live: bool) -> bool:
        """A sign of life; ``live`` is what the stream was, and what comes back is what it is now."""
        if kind == "absent":
            self._miss(Fault(*value))
            return False
        watching = value.pop("watching", None)
        with self._changed:
            self._present = value
        if kind != "live":
            return False
        self._heard, self._received = True, watching is None or watching > 0
        if not live:
            self._tell(self._story.live(time.monotonic()))
        return True

    def _silence(self, live: bool) -> str:
        if self._plan.door is not None:
            return f"the sending process has said nothing for {self._plan.patience:g} s"
        return f"the server {'takes' if live else 'answers'} nothing for {self._plan.patience:g} s"

    def _feed(self, pipe: Connection, ready: threading.Event, over: threading.Event) -> None:
        """Hand pictures on; blocks while the process takes none, and ends with it."""
        ready.wait()
        self._forget_old()
        with contextlib.suppress(OSError):
            while (shown := self._next(over)) is not None:
                pipe.send((shown.media, shown.at, shown.fps, shown.pixels.shape))
                pipe.send_bytes(np.ascontiguousarray(shown.pixels).reshape(-1).data)
            pipe.send(None)

    def _next(self, over: threading.Event) -> Shown | None:
        with self._changed:
            self._changed.wait_for(lambda: self._line or over.is_set())
            if over.is_set():
                return None
            shown = self._line.popleft()
            self._line_bytes -= shown.pixels.nbytes
            return shown

    def _forget_old(self) -> None:
        """What waited during a pause is old: only the newest picture goes on."""
        with self._changed:
            while len(self._line) > 1:
                self._drop_oldest()

    def _drop_oldest(self) -> None:
        self._line_bytes -= self._line.popleft().pixels.nbytes
        self._past["dropped"] += 1

    def _tell(self, text: str) -> None:
        if text:
            self._say(f"{self._plan.title} {text}")


def end_process(process: BaseProcess, pipe: Connection, feeder: threading.Thread, in_order: bool) -> None:
    """End a sending process: it may say goodbye if it is ``in_order`` and quick, else at once."""
    if in_order:
        feeder.join(0.5)
        process.join(GOODBYE_S + 0.5)
    if process.is_alive():
        process.kill()
    process.join()
    feeder.join()  # its pipe has lost its reader, so it is not blocked any more
    pipe.close()
    process.close()
