"""The process of a stream: pictures come in by a pipe, one a slot goes out. A blocked server blocks nobody else.

The owner ends this process when it is no longer heard of; FFmpeg offers no other way out of a connection that neither
answers nor ends.
"""

from __future__ import annotations

import contextlib
import errno
import math
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import av
import numpy as np
from numpy.typing import NDArray

from .address import unknown_host
from .output import OutputConfig, RtmpOutput
from .reconnect import Fault, Reconnect, ReconnectConfig
from .slots import ROUNDING, Slots, SlotsConfig

if TYPE_CHECKING:
    from demos.web.plan import WebPlan

BEAT_S = 0.25
"""Between two signs of life."""
ORPHAN_S = 20
"""Without a sign of life for so long the system ends this process, should the owner no longer be there to do so."""
TRANSIT_S = 0.02
"""For a picture's way into this process: it is for the first slot that begins so long after it was shown."""
GOODBYE_S = 1
"""For the last words to a server."""

TURNED_AWAY = (errno.EIO, errno.ECONNRESET, errno.EPIPE)
"""How FFmpeg calls it if a server that is there closes the connection, whyever it does."""


@dataclass(frozen=True)
class SenderPlan:
    """What a sender does; goes to its process by value.

    Args:
        url: of the server, with its key.
        output: how to encode.
        reconnect: pauses between attempts to reach a server that is not there. They are made by one and the same
            process: to start one costs a second of a processor, which is the film's.
        door: of a page of our own, on which viewers watch; there is no server then.
    """

    url: str
    output: OutputConfig = field(default_factory=OutputConfig)
    reconnect: ReconnectConfig = field(default_factory=ReconnectConfig)
    door: WebPlan | None = None


class Shown(NamedTuple):
    """A picture on its way.

    Args:
        media: media time, seconds.
        at: when it was shown, by the monotonic clock, which is one for all processes of a machine. A picture that was
            kept waiting by a server that answers slowly is old, and must not pass for one that comes late.
        fps: slots a second, from this picture on.
        pixels: RGB uint8 ``[H, W, 3]``.
    """

    media: float
    at: float
    fps: int
    pixels: NDArray[np.uint8]


class Output(Protocol):
    """What a sender needs of a connection; see ``RtmpOutput``."""

    def write(self, rgb: NDArray[np.uint8], slot: int) -> None:
        """Send a picture."""

    def close(self) -> None:
        """End it."""


class NoConnection(Exception):
    """A connection did not come, for the reason of its ``fault``."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.reason)
        self.fault = fault


OpenOutput = Callable[[str, int, int, OutputConfig], Output]
Counters = Callable[[], dict[str, int]]


class Sender:
    """Fills slots and sends them.

    Args:
        plan: where to, and how.
        open_output: connects.
        clock: seconds of any monotonic clock.
    """

    def __init__(
        self, plan: SenderPlan, open_output: OpenOutput = RtmpOutput, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._plan, self._open, self._clock = plan, open_output, clock
        self._fps = plan.output.fps
        self._slots: Slots[NDArray[np.uint8]] = Slots(SlotsConfig(self._fps))
        self._inbox: deque[Shown] = deque(maxlen=self._slots.config.kept)
        self._begun = clock()
        self._output: Output | None = None
        self._size = (0, 0)
        self._first = self._last = -1
        self.sent = self.skipped = self.openings = 0

    def put(self, shown: Shown) -> None:
        """A picture came; from any thread."""
        self._inbox.append(shown)

    def turn(self) -> float:
        """Send the slot that is due, if one is; returns the seconds until the next.

        Slots that passed while the server or the encoder kept us are skipped, never sent late.

        Raises:
            NoConnection: a connection did not come; another turn tries again.
            OSError, av.FFmpegError: the connection is gone.
        """
        slot = self._slot(self._clock())
        if slot > self._last:
            while self._inbox:
                shown = self._inbox.popleft()
                if shown.fps != self._fps:
                    self._take_rate(shown.fps)
                    slot = self._slot(self._clock())
                self._slots.put(shown.media, shown.pixels, self._slot(shown.at + TRANSIT_S) + 1)
            pixels = self._slots.take(slot)
            if pixels is not None:
                self._send(pixels)
            else:
                self._last = slot
        return max(0.0, self._begun + (self._last + 1) / self._fps - self._clock())

    def counters(self) -> dict[str, int]:
        """What happened so far, in frames."""
        slots = self._slots
        return {"sent": self.sent, "repeated": slots.repeated, "dropped": slots.dropped, "skipped": self.skipped}

    @property
    def connected(self) -> bool:
        """True while a connection stands."""
        return self._output is not None

    def close(self) -> None:
        """End the connection."""
        if self._output is not None:
            self._output.close()
            self._output = None

    def _take_rate(self, fps: int) -> None:
        """Begin anew at another rate: the next connection is of that rate, and a page stays open."""
        self.close()
        self._plan = replace(self._plan, output=replace(self._plan.output, fps=fps))
        before, self._fps = self._slots, fps
        self._slots = Slots(SlotsConfig(fps))
        self._slots.repeated, self._slots.dropped = before.repeated, before.dropped + before.waiting
        self._last = self._slot(self._clock()) - 1

    def _slot(self, moment: float) -> int:
        return math.floor((moment - self._begun) * self._fps + ROUNDING)

    def _send(self, pixels: NDArray[np.uint8]) -> None:
        size = pixels.shape[0], pixels.shape[1]
        if self._output is None or size != self._size:
            self.close()
            try:
                self._output = self._open(self._plan.url, size[1], size[0], self._plan.output)
            except (OSError, av.FFmpegError) as error:
                raise NoConnection(fault_of(error, self._plan.url)) from None
            self._size = size
            self.openings += 1
            self._first = self._last = max(self._last, self._slot(self._clock()) - 1)
        slot = max(self._last + 1, self._slot(self._clock()))
        self.skipped += slot - self._last - 1
        self._output.write(pixels, slot - self._first - 1)
        self._last = slot
        self.sent += 1


def send_stream(pipe: Connection, plan: SenderPlan) -> None:
    """Body of the process: send until the pipe closes or the connection breaks, which the last message says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the owner decides
    over = threading.Event()
    try:
        with opened(plan) as (open_output, more):
            sender = Sender(plan, open_output)
            threading.Thread(target=_receive, args=(pipe, sender, over), daemon=True).start()
            _run(pipe, sender, over, more, Reconnect(plan.reconnect))
            set_alarm(GOODBYE_S)
            sender.close()
    except (OSError, av.FFmpegError) as error:
        _tell(pipe, ("failed", fault_of(error, plan.url)))


def fault_of(error: OSError | av.FFmpegError, url: str) -> Fault:
    """Why a connection did not come or is gone."""
    unknown = unknown_host(url)
    reason = unknown or error.strerror or str(error) or type(error).__name__
    return Fault(reason, not unknown and error.errno in TURNED_AWAY)


@contextlib.contextmanager
def opened(plan: SenderPlan) -> Iterator[tuple[OpenOutput, Counters | None]]:
    """How to begin to send, and what more can be counted; a page of our own is open while the block lasts.

    Raises:
        OSError: the page's port is taken.
    """
    if plan.door is None:
        yield RtmpOutput, None
        return
    from .theatre import Theatre  # what it needs comes with an extra

    with Theatre(plan.door) as theatre:
        yield theatre.open, lambda: {"visits": theatre.visits, "watching": theatre.watching}


def _run(pipe: Connection, sender: Sender, over: threading.Event, more: Counters | None, story: Reconnect) -> None:
    """``more`` are counters of a page, which is live from the start: viewers may come before the first picture."""
    openings, beat = -1, 0.0
    while not over.is_set():
        now = time.monotonic()
        if sender.openings > openings or now > beat + BEAT_S:
            openings, beat = sender.openings, now
            _beat(pipe, sender, more)
        try:
            pause = sender.turn()
        except NoConnection as error:
            pause, _ = story.failed(time.monotonic(), error.fault)
            _tell(pipe, ("absent", error.fault))
            _rest(pipe, sender, over, pause)
            continue
        if sender.openings > openings:
            story.live(time.monotonic())
        over.wait(pause)


def _beat(pipe: Connection, sender: Sender, more: Counters | None) -> None:
    """A sign of life."""
    set_alarm(ORPHAN_S)
    counted = sender.counters() | (more() if more is not None else {})
    _tell(pipe, ("live" if sender.connected or more is not None else "waiting", counted))


def _rest(pipe: Connection, sender: Sender, over: threading.Event, seconds: float) -> None:
    """Let a pause pass, with signs of life."""
    until = time.monotonic() + seconds
    while not over.is_set() and (left := until - time.monotonic()) > 0:
        _beat(pipe, sender, None)
        over.wait(min(left, BEAT_S))


def _receive(pipe: Connection, sender: Sender, over: threading.Event) -> None:
    """Take pictures until the owner says that there are no more, or is gone."""
    with contextlib.suppress(EOFError, OSError):
        while (head := pipe.recv()) is not None:
            media, at, fps, shape = head
            sender.put(Shown(media, at, fps, np.frombuffer(pipe.recv_bytes(), np.uint8).reshape(shape)))
    over.set()


def _tell(pipe: Connection, message: tuple[str, Any]) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more: the end of the pipe follows
        pipe.send(message)


def set_alarm(seconds: int) -> None:
    """Have the system end this process after so long; its own threads could not while FFmpeg holds Python's lock."""
    if hasattr(signal, "alarm"):  # where there is none the owner alone ends it
        signal.alarm(seconds)
