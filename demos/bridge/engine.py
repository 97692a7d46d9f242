"""The racing engine as a client of the bridge: one class map a video frame, pictures back, figures of both ways."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demos.bridge.drawn import OFFERED_PLANES, drawn_frame
from demos.bridge.memory import Memory, read_memory, write_memory
from demos.ends import undivided
from engine_sim.core.ticks import TICK_RATE, ticks_per_frame
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.views.class_view import ClassView, open_class_view
from engine_sim.views.frame import FrameState
from engine_sim.views.scene import build_scene
from render_bridge.errors import NoCredit
from render_bridge.palette import RACING
from render_bridge.plain_text import LINE, shown
from render_bridge.protocol.engine_side import Greeting
from render_bridge.protocol.events import Closed, EngineEvent, Lost, Opened, PeerBroke, PictureTaken, Refused
from render_bridge.protocol.faults import LocalProtocolError
from render_bridge.protocol.messages import Welcome
from render_bridge.talk import NOBODY, Talk
from render_bridge.zmq.engine_end import EngineEnd
from render_bridge.zmq.keys import Keys

MEMORY_EVERY_S = 1.0
MOST_MISSED_S = 60.0
"""Of the race, that a renderer may have seen beyond our memory, which is written every second."""
KEPT = 4096
"""Latencies that a summary is made of."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class EnginePlan:
    """A drive over the bridge.

    Args:
        setup: the race; its player is the scripted agent.
        seconds: wall time in play, game time in record; None goes on until Ctrl-C.
        memory: file to go on from after a kill.
        wait: seconds to wait for a renderer at the start.
    """

    setup: RaceSetup
    address: str
    size: tuple[int, int] = (448, 256)
    fps: int = 24
    camera: str = "chase"
    mode: str = "play"
    views: str = "auto"
    seconds: float | None = None
    memory: Path | None = None
    wait: float = 10.0
    prompt: str | None = None
    on_picture: Callable[[NDArray[np.uint8]], None] | None = None


@dataclass
class Figures:
    """What came back, and how late."""

    pictures: int = 0
    losses: int = 0
    waiting: bool = True
    first_seq: int | None = None
    last_seq: int | None = None
    photon_ms: list[float] = field(default_factory=list)

    def take(self, event: EngineEvent, now: int) -> None:
        """Count an event."""
        if isinstance(event, Opened):
            self.waiting = True
        elif isinstance(event, Lost):
            self.losses += 1
        elif isinstance(event, PictureTaken):
            self.pictures += 1
            self.waiting = False
            self.first_seq = event.seq if self.first_seq is None else self.first_seq
            self.last_seq = event.seq
            if "input" in event.stamps:  # a renderer that loses our stamps only loses its figures
                self.photon_ms.append((now - event.stamps["input"]) / 1e6)
                del self.photon_ms[:-KEPT]

    def summary(self) -> dict[str, Any]:
        """Plain values."""
        late = sorted(self.photon_ms)
        return {
            "pictures": self.pictures,
            "losses": self.losses,
            "first_seq": self.first_seq,
            "last_seq": self.last_seq,
            "input_to_picture_ms": round(statistics.median(late), 3) if late else None,
            "input_to_picture_p95_ms": round(late[int(0.95 * (len(late) - 1))], 3) if late else None,
        }


class RemoteEngine:
    """Drives, draws, offers.

    Args:
        plan: what to do.
        keys: for addresses of other machines.
        say: takes lines for people.

    Raises:
        UserError, BridgeError: bad track, size, view or address.
    """

    def __init__(self, plan: EnginePlan, keys: Keys | None, say: Say) -> None:
        ticks_per_frame(plan.fps)
        self._plan, self._say = plan, say
        self._talk = Talk(say, nobody="the renderer")
        self._drive = Drive(plan.setup, plan.camera)
        known = read_memory(plan.memory, plan.setup, plan.camera, self._drive) if plan.memory else None
        self._view: ClassView = open_class_view(build_scene(self._drive.track), *plan.size, backend=plan.views)
        greeting = Greeting(
            "paintover engine", os.urandom(8), *plan.size, RACING, rate=(plan.fps, 1), tick_rate=TICK_RATE,
            mode=plan.mode, planes=OFFERED_PLANES if plan.mode == "play" else (),
        )  # fmt: skip
        known = known or Memory(None, 0, 0)
        self.end = EngineEnd(plan.address, greeting, keys, known.generation, known.next_seq, known.token)
        self.figures = Figures()
        if plan.prompt is not None:
            self.end.control("prompt", text=plan.prompt)

    def run(self) -> None:
        """Drive to the end of the plan. Raises BridgeClosed when the renderer refuses us."""
        try:
            self._say(f"waiting for a renderer at {self.end.address}")
            self._catch_up(self.end.wait_open(self._plan.wait))
            try:
                self._loop()
            finally:  # an end in order is remembered to the last frame
                if self._plan.memory:
                    self._remember(self._plan.memory)
        finally:
            self.end.close()
            self._view.close()

    def report(self) -> dict[str, Any]:
        """The figures so far."""
        return {**self.end.counters(), **self.figures.summary(), "last_tick": self._drive.tick}

    def _catch_up(self, welcome: Welcome) -> None:
        """Drive on to the last tick that the renderer has seen: the scripted agent does again what it did.

        A recording goes on where its own memory ends instead, with the numbers that these frames had (R-25).
        """
        if self._plan.mode == "record" or not welcome.resumed or welcome.last_tick is None:
            return
        if welcome.last_tick > self._drive.tick + MOST_MISSED_S * TICK_RATE:
            text = f"the renderer says that it has seen tick {welcome.last_tick}, which cannot be"
            self._say(f"{text}: we were at {self._drive.tick}, and go on from there")
            return
        while self._drive.tick < welcome.last_tick:
            self._drive.step()
        self._say(f"the session goes on after tick {welcome.last_tick}")

    def _loop(self) -> None:
        step, period = ticks_per_frame(self._plan.fps), 1.0 / self._plan.fps
        frames = None if self._plan.seconds is None else round(self._plan.seconds * self._plan.fps)
        due, saved = time.monotonic(), 0.0
        count = 0
        while frames is None or count < frames:
            count += 1
            with undivided():  # whoever ends us between two ticks would leave a state that no frame has
                pressed = time.monotonic_ns()
                for _ in range(step):
                    self._drive.step()
                offered = self._offer(pressed, last=count == frames)
            while not offered:
                self._wait(0.0)
                offered = self._offer(pressed, last=count == frames)
            if self._plan.memory and time.monotonic() - saved > MEMORY_EVERY_S and self.end.token:
                saved = time.monotonic()
                self._remember(self._plan.memory)
            due = max(due + period, time.monotonic() - period)  # a stall is lost, not made up for
            self._wait(due if self._plan.mode == "play" else 0.0)
        self._drain()

    def _offer(self, pressed: int, last: bool) -> bool:
        """Draw the frame and hand it over; False without credit for it."""
        frame = self._drive.frame()
        try:
            self.end.offer(drawn_frame(frame, *self._draw(frame), pressed, last), timeout=0.05)
        except NoCredit:
            return False
        except LocalProtocolError:  # between drawing and offering a renderer greeted that wants other planes
            self.end.offer(drawn_frame(frame, *self._draw(frame), pressed, last))
        return True

    def _draw(self, frame: FrameState) -> tuple[NDArray[np.uint8], dict[str, NDArray[np.generic]]]:
        chosen = self.end.welcome.planes if self.end.welcome is not None else ()
        if not chosen:
            return self._view.draw(frame), {}
        planes = self._view.planes(frame, None, ("class", *chosen))
        return planes.pop("class").astype(np.uint8, copy=False), planes

    def _wait(self, until: float) -> None:
        """Read what comes until a time; at least what is there already."""
        while True:
            left = until - time.monotonic()
            self._talk.tick()
            for event in self.end.events(max(0.0, left)):
                self._take(event)
            if until - time.monotonic() <= 0.0005:
                return

    def _tell(self, line: str) -> None:
        self._talk.line(NOBODY, line)

    def _take(self, event: EngineEvent) -> None:
        waited = self.figures.waiting
        self.figures.take(event, time.monotonic_ns())  # first: whoever reads a line below may end us right after it
        if isinstance(event, PictureTaken) and waited:
            late = f", {self.figures.photon_ms[-1]:.0f} ms after its input" if self.figures.photon_ms else ""
            self._tell(f"pictures come: the first answers frame {event.seq}{late}")
        if isinstance(event, Opened):
            welcome, name = event.welcome, shown(event.welcome.renderer)
            self._tell(f"{name} serves us ({welcome.encoding}, planes {', '.join(welcome.planes) or 'none'})")
            for note in welcome.notes:
                self._tell(f"note: {shown(note, LINE)}")
        elif isinstance(event, Lost):
            self._tell(f"lost the renderer: {shown(event.reason, LINE)}; greeting again")
        elif isinstance(event, Refused):
            self._tell(f"refused: {event.code} {shown(event.name)}: {shown(event.text, LINE)}")
        elif isinstance(event, PeerBroke):
            self._tell(f"the renderer broke the protocol: {int(event.fault)} {event.fault.label}: {shown(event.text)}")
        elif isinstance(event, Closed):
            self._tell(shown(event.reason, LINE))
        elif isinstance(event, PictureTaken) and self._plan.on_picture is not None:
            self._plan.on_picture(event.pixels)

    def _drain(self) -> None:
        """Record: wait for the last pictures."""
        end = time.monotonic() + self._plan.wait
        while self._plan.mode == "record" and not self.end.finish(0.02) and time.monotonic() < end:
            self._wait(0.0)
        self._wait(0.0)

    def _remember(self, path: Path) -> None:
        token = self.end.token
        if token is not None:
            memory = Memory(token, self.end.generation, self.end.counters()["offered"])
            write_memory(path, self._plan.setup, self._plan.camera, self._drive, memory)
