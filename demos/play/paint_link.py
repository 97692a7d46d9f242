"""The game's end of the bridge: class maps out, pictures in, each shown when it is due. It never waits.

What the renderer should paint with (reference and prompt) is one wanted state. At most one control is on its way; when
its receipt has come, whatever is wanted by then follows. So however fast a player chooses, the last choice holds.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from demos.bridge.drawn import OFFERED_PLANES, drawn_frame
from demos.bridge.options import mendable
from engine_sim.core.ticks import TICK_RATE, ticks_per_frame
from render_bridge.errors import BridgeClosed
from render_bridge.palette import RACING
from render_bridge.protocol.engine_greeting import Greeting
from render_bridge.protocol.events import Closed, EngineEvent, Lost, Opened, PictureTaken, ReceiptTaken, Refused
from render_bridge.protocol.faults import Fault, LocalProtocolError
from render_bridge.protocol.messages import Receipt
from render_bridge.zmq.engine_end import EngineEnd
from render_bridge.zmq.keys import Keys

from .pacing import Arrived, Pacing, PacingConfig
from .paint_figures import Chunk, PaintFigures
from .painter import Picture
from .photo.still import Still
from .references import Reference, send_look
from .stage import Shot

Say = Callable[[str], None]


@dataclass(frozen=True)
class LinkPlan:
    """Where the renderer is, and what it is to paint.

    Args:
        width, height: pixels. fps: video rate.
        keys: for addresses of other machines.
    """

    address: str
    width: int
    height: int
    fps: int
    keys: Keys | None = None


class Wanted(NamedTuple):
    """What the renderer should paint with; ``number`` tells one reference from the next."""

    number: int
    reference: Reference
    text: str


class PaintLink:
    """One session on a renderer.

    Args:
        plan: where and what.
        say: takes notices for the player.

    Raises:
        UserError: bad address or size.
    """

    def __init__(self, plan: LinkPlan, say: Say) -> None:
        self._plan, self._say = plan, say
        self._period = ticks_per_frame(plan.fps)
        greeting = Greeting(
            "paintover play", os.urandom(8), plan.width, plan.height, RACING,
            rate=(plan.fps, 1), tick_rate=TICK_RATE, planes=OFFERED_PLANES,
        )  # fmt: skip
        with mendable():
            self.end = EngineEnd(plan.address, greeting, plan.keys)
        self.figures = PaintFigures(plan.fps)
        self.pacing: Pacing[PictureTaken] = Pacing(1, 1, PacingConfig(most=float(plan.fps)))
        self.closed = ""
        self.renderer = ""
        self.pictures = 0
        self.still: Still | None = None
        self._shown: PictureTaken | None = None
        self._live = False
        self._unseen = False
        self._newest_tick = -1
        self._chunk: int | None = None
        self._wanted: Wanted | None = None
        self._sent: Wanted | None = None
        self._unsettled: int | None = None
        self._what = ""

    # --- what the game says

    @property
    def planes(self) -> tuple[str, ...]:
        """Guide planes that the renderer wants with every class map."""
        return self.end.welcome.planes if self.end.welcome is not None else ()

    @property
    def is_open(self) -> bool:
        """True while a renderer serves us."""
        return self.end.is_open

    @property
    def shot(self) -> Shot | None:
        """The picture on show, or None: there is no renderer, or it has not painted anything of this stream yet."""
        return Shot(self._shown.tick, self._shown.pixels) if self._live and self._shown is not None else None

    @property
    def showing(self) -> PictureTaken | None:
        """The message that brought the picture on show, with the stamps of both sides; None as for ``shot``."""
        return self._shown if self._live else None

    def begin(self) -> None:
        """A race begins: nothing of an earlier one may be shown or painted any more."""
        if self._newest_tick >= 0:
            with contextlib.suppress(BridgeClosed):
                self.end.reset()
        self._newest_tick, self._unsettled = -1, None
        self._restart()

    def look(self, reference: Reference) -> None:
        """Paint with this reference and its prompt from the next chunk on."""
        number = 0 if self._wanted is None else self._wanted.number + 1
        self._wanted = Wanted(number, reference, reference.text)
        self._send_wanted()

    def prompt(self, text: str) -> None:
        """Paint with this prompt from the next chunk on; an empty one brings back the look's own."""
        if self._wanted is not None:
            own = self._wanted.reference.own or self._wanted.reference.text
            self._wanted = self._wanted._replace(text=text or own)
            self._send_wanted()

    def offer(self, picture: Picture) -> None:
        """A class map was drawn. Those that are no video frame, or come again, are for the screen alone."""
        tick = picture.tick
        lacks = any(name not in picture.planes for name in self.planes)
        if self.closed or self.still or lacks or tick <= self._newest_tick or tick % self._period:
            return
        self._newest_tick = tick
        order = picture.order
        try:
            self.end.offer(drawn_frame(order.frame, picture.pixels, picture.planes, order.pressed))
        except BridgeClosed:
            return  # the reason comes as an event
        except LocalProtocolError as error:
            if error.fault is not Fault.WRONG_PLANES:  # those of a renderer that has greeted us this very moment
                raise

    def begin_still(self, drawn: Picture) -> bool:
        """Have one class map painted as a stream that stands still; False if no renderer is there to do it."""
        welcome = self.end.welcome
        if self.closed or not self.is_open or welcome is None or any(name not in drawn.planes for name in self.planes):
            return False
        self.begin()
        self._newest_tick = 0
        self.still = Still(drawn, welcome.first_run, self._period, self._plan.fps, time.monotonic())
        return True

    def end_still(self) -> None:
        """Back to the race, whose stream begins anew."""
        if self.still is not None:
            self.still = None
            self.begin()

    def _hand_over(self, still: Still) -> None:
        for tick in still.due(time.monotonic()):
            frame = replace(still.drawn.order.frame, tick=tick)
            with contextlib.suppress(BridgeClosed, LocalProtocolError):  # a still that is not painted is given up
                self.end.offer(drawn_frame(frame, still.drawn.pixels, still.drawn.planes, 0))

    def poll(self, media: float, running: bool = True) -> bool:
        """Take what has come; True if another picture is to be shown.

        Args:
            media: media time in video frames.
            running: False while media time stands still.
        """
        if self.still is not None:
            self._hand_over(self.still)
        for event in self.end.events():
            self._take(event, media, running)
        due = self.pacing.take(media)
        if due is None:
            return False
        self._shown, self._live, self._unseen = due, True, True
        self.pictures += 1
        return True

    def shown(self) -> None:
        """The picture of ``shot`` has reached the screen just now."""
        if self._shown is not None and self._unseen:
            self._unseen = False
            if "input" in self._shown.stamps:  # a renderer that loses our stamps only loses its figures
                self.figures.photon((time.monotonic_ns() - self._shown.stamps["input"]) / 1e6)

    def lines(self) -> list[str]:
        """What the player should know of the renderer at present."""
        if self.closed:
            return [f"no renderer: {self.closed}"]
        if not self.is_open:
            return ["waiting for the renderer"]
        if not self._live:
            return ["the renderer paints its first pictures"]
        notice = self.figures.notice()
        return [notice] if notice else []

    def close(self) -> None:
        """Say BYE."""
        self.end.close()

    # --- what the renderer says

    def _take(self, event: EngineEvent, media: float, running: bool) -> None:
        if isinstance(event, PictureTaken):
            self._take_picture(event, media, running)
        elif isinstance(event, Opened):
            self.renderer = event.welcome.renderer
            self._fit_pacing(event.welcome.run, event.welcome.first_run)
            self._restart()
            self._send_wanted()
        elif isinstance(event, Lost):
            self._unsettled = None  # what is in force is sent again with the next greeting
            self._restart()
        elif isinstance(event, ReceiptTaken):
            self._take_receipt(event.receipt)
        elif isinstance(event, Refused) and not event.fatal:
            self._say(f"the renderer: {event.text}")
        elif isinstance(event, Closed):
            self.closed, self._live = event.reason, False

    def _take_picture(self, event: PictureTaken, media: float, running: bool) -> None:
        if self.still is not None:
            self.still.take(event.tick, event.pixels)
            return
        number = event.tick // self._period
        stamps = event.renderer_stamps
        seconds = max(0, stamps.get("rendered", 0) - stamps.get("started", 0)) / 1e9
        if event.chunk != self._chunk:
            self._chunk = event.chunk
            self.figures.chunk(Chunk(number, self.pacing.run, seconds))
        self.pacing.put(Arrived(number, event.chunk, seconds * self._plan.fps, event), media, running)

    def _take_receipt(self, receipt: Receipt) -> None:
        if receipt.stage == "received" or receipt.id != self._unsettled:
            return
        self._unsettled = None
        if receipt.stage == "refused":
            self._say(f"{self._what}: the renderer refuses it: {receipt.text}")
        elif self._live:
            self._say(f"{self._what}: in force")
        self._send_wanted()

    def _send_wanted(self) -> None:
        wanted = self._wanted
        if wanted is None or wanted == self._sent or self._unsettled is not None or self.closed:
            return
        before, self._sent = self._sent, wanted
        with contextlib.suppress(BridgeClosed):
            self._unsettled = self._control(wanted, before)

    def _control(self, wanted: Wanted, before: Wanted | None) -> int:
        reference = wanted.reference
        if reference.picture is None or (before is not None and before.number == wanted.number):
            self._what = "prompt"
            return self.end.control("prompt", text=wanted.text)
        self._what = f"look {reference.name}"
        return send_look(self.end, reference, wanted.text)

    def _fit_pacing(self, run: int, first_run: int) -> None:
        """A renderer that is back with the same chunks needs what it needed before."""
        if (run, first_run) != (self.pacing.run, self.pacing.first_run):
            self.pacing = Pacing(run, first_run, PacingConfig(most=float(self._plan.fps)))

    def _restart(self) -> None:
        self.pacing.clear()
        self.figures.restart()
        self._live, self._unseen, self._chunk = False, False, None
