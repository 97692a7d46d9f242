"""The bridge of a film: record mode, in which nothing is dropped and the engine waits for its renderer."""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from demos.bridge.options import mendable
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE
from render_bridge.errors import BridgeClosed, NoCredit
from render_bridge.palette import RACING
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.engine_greeting import Greeting
from render_bridge.protocol.events import Closed, Lost, Opened, PictureTaken, ReceiptTaken
from render_bridge.protocol.messages import Receipt
from render_bridge.zmq.engine_end import EngineEnd

from .game import PlayOptions
from .paint_plan import PaintPlan
from .references import Reference, send_look
from .renderer_process import Renderer

PLANES = ("depth",)
"""Drawn for every frame once they are offered: a recording may have to be sent again, to another renderer."""
PATIENCE_S = 20.0
"""How long somebody else's renderer may take to answer the greeting."""
TURN_S = 0.05
STAND_IN = "palette stand-in"
"""What the renderer without a model calls itself. It has nothing that could change."""
Say = Callable[[str], None]


class RecordLink:
    """The bridge in record mode; waits, unlike that of the window.

    Args:
        options, plan: what is recorded and who paints.
        renderer: started.
        stack: closes the link.
        say: takes lines for people.
    """

    def __init__(
        self, options: PlayOptions, plan: PaintPlan, renderer: Renderer, stack: contextlib.ExitStack, say: Say
    ) -> None:
        self._renderer, self._say = renderer, say
        greeting = Greeting(
            "paintover play", os.urandom(8), options.width, options.height, RACING, rate=(options.fps, 1),
            tick_rate=TICK_RATE, mode="record", planes=PLANES,
        )  # fmt: skip
        with mendable():
            self.end = EngineEnd(renderer.address, greeting, plan.keys)
        stack.callback(self.end.close)
        self.pictures: deque[PictureTaken] = deque()
        self.name = ""
        self._closed = ""
        self._first_at: float | None = None
        self._chunks: dict[int, float] = {}
        self._taken = 0
        self._blend, self._blend_id, self._blends = 1, -1, True

    def start(self, reference: Reference) -> None:
        """Wait for the renderer, and say what it is to paint after. UserError if it does not come."""
        deadline = time.monotonic() + PATIENCE_S
        while not (self.end.is_open and self.name):  # the greeting may be there before its event is read
            self.read(TURN_S)
            if self._renderer.process is not None:
                self._renderer.process.check()
            elif time.monotonic() > deadline:
                raise UserError(f"no renderer at {self.end.address} after {PATIENCE_S:g} s; start one: paintover serve")
        send_look(self.end, reference, reference.text)

    @property
    def is_stand_in(self) -> bool:
        """True if there is no model behind the link."""
        return self.name == STAND_IN

    def at_border(self) -> bool:
        """True if the next frame begins a chunk; every picture before it has come then, and no change can reach it."""
        while self.end.counters()["held"]:
            self.read(TURN_S)
        if not self.end.between_runs:
            return False
        while not self.end.finish(TURN_S):
            self.read()
        return True

    def change(self, reference: Reference, chunks: int) -> None:
        """Have the next chunk painted after another reference, its prompt blended in over so many ``chunks``."""
        if self._blends and not self.is_stand_in and chunks != self._blend:
            self._blend = chunks
            self._blend_id = self.end.control("schedule", schedule={"blend": chunks})
        send_look(self.end, reference, reference.text)

    def offer(self, drawn: Drawn) -> None:
        """Hand over a frame as soon as there is room. UserError if the renderer has ended it all."""
        while True:
            try:
                self.end.offer(drawn, timeout=TURN_S)
                return
            except NoCredit:
                self.read()
            except BridgeClosed as error:
                self.read()  # the event has the reason
                raise UserError(f"the renderer ends the film: {error}") from None

    def read(self, timeout: float = 0.0) -> None:
        """Take what has come. UserError if the renderer refuses us or is beyond help."""
        for event in self.end.events(timeout):
            if isinstance(event, PictureTaken):
                self._take(event)
            elif isinstance(event, Opened):
                self.name = event.welcome.renderer
            elif isinstance(event, ReceiptTaken) and event.receipt.stage == "refused":
                self._take_refusal(event.receipt)
            elif isinstance(event, Lost):
                self._say(f"lost the renderer: {event.reason}")
            elif isinstance(event, Closed):
                raise UserError(f"the renderer ends the film: {event.reason}")
        process = self._renderer.process
        if process is not None and self.name:
            news = process.poll()
            if process.given_up:
                raise UserError(process.given_up)
            if news:
                self._say(news)

    def figures(self, begun: float, seconds: float) -> dict[str, Any]:
        """Figures of the renderer.

        Args:
            begun: when the command began, by the monotonic clock.
            seconds: that all pictures took.
        """
        times = sorted(list(self._chunks.values())[1:] or self._chunks.values())
        return {
            "renderer": self.name,
            "fps": round(self._taken / seconds, 2),
            "chunk_ms": {
                "median": round(1000 * statistics.median(times), 2),
                "p95": round(1000 * times[int(0.95 * (len(times) - 1))], 2),
                "chunks": len(times),
            },
            "first_frame_s": round((self._first_at or begun) - begun, 2),
        }

    def _take_refusal(self, receipt: Receipt) -> None:
        if receipt.id == self._blend_id:
            self._blends = False
            self._say(f"the renderer cannot blend prompts ({receipt.text}): each comes at once, as if it said cut")
        else:
            self._say(f"the renderer refuses a look: {receipt.text}")

    def _take(self, event: PictureTaken) -> None:
        self._first_at = self._first_at or time.monotonic()
        self._taken += 1
        stamps = event.renderer_stamps
        self._chunks[event.chunk] = max(0, stamps.get("rendered", 0) - stamps.get("started", 0)) / 1e9
        self.pictures.append(event)
