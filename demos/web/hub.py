"""Everybody who looks at the game: who drives, what is told to whom, and what of it reaches the game."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from demos.play.game import PlayOptions
from engine_sim.views.frame import FrameState

from . import actions as act
from .archive import KEPT, Archives, CalledOff
from .feed import Feed, Shown, media_time
from .messages import BadMessage, parse
from .plan import WebPlan
from .thumbnails import Thumbnails
from .viewer import Viewer
from .wheel import Wheel

Post = Callable[[act.Action], bool]


class Hub:
    """Belongs to the thread of its event loop, but for the methods of ``Outlet``, which any thread may call.

    Args:
        options: what is played.
        plan: for whom.
        thumbnails: of the looks.
    """

    def __init__(self, options: PlayOptions, plan: WebPlan, thumbnails: Thumbnails) -> None:
        self.feed = Feed()
        self.viewers: dict[int, Viewer] = {}
        self.wheel = Wheel()
        self.thumbnails = thumbnails
        self.archives = Archives(self._tell_all)
        self.failure = ""
        self.over = asyncio.Event()
        self.post: Post = lambda action: False
        self._options, self._plan = options, plan
        self._loop = asyncio.get_running_loop()
        self._zero = time.monotonic_ns()
        self._state: dict[str, Any] = {"phase": "loading", "lines": ["starting"], "paints": options.paint is not None}
        self._visits = 0
        self._session = secrets.token_hex(8)  # a page that comes back sees whether it is still the same
        self._errands: set[asyncio.Task[None]] = set()
        self._parcels: deque[dict[str, Any]] = deque(maxlen=KEPT)

    # --- news of the game, from its thread

    def picture(self, shown: Shown) -> None:
        """See ``Outlet``."""
        self._call(self._take_picture, shown)

    def state(self, state: dict[str, Any]) -> None:
        """See ``Outlet``."""
        self._call(self._take_state, state)

    def notice(self, text: str) -> None:
        """See ``Outlet``."""
        self._call(self._tell_all, {"type": "notice", "text": text, "about": refused_by_renderer(text)})

    def opened(self, place: Any, frame: FrameState) -> None:
        """See ``Outlet``."""
        self._call(self._start, lambda: self.thumbnails.draw(place, frame, self._tell_thumbnail))

    def recorded(self, folder: Path) -> None:
        """See ``Outlet``."""
        self._call(self._start, lambda: self._pack(folder))

    def failed(self, text: str) -> None:
        """See ``Outlet``."""
        self._call(self._fail, text)

    def _call(self, function: Callable[..., None], *values: Any) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *values)

    # --- people

    def enter(self, viewer: Viewer) -> None:
        """Somebody was let in."""
        self.viewers[viewer.number] = viewer
        self.wheel.join(viewer.number)
        viewer.send(self._welcome(viewer))
        viewer.send({"type": "state", **self._state})
        viewer.send(self.archives.note())
        self._tell_people()
        self.post(act.Watch(True))

    async def leave(self, viewer: Viewer) -> None:
        """Somebody went: whatever he held is released, and without anybody the game stands still."""
        del self.viewers[viewer.number]
        self._change_wheel(lambda: self.wheel.leave(viewer.number))
        if not self.viewers:
            self.post(act.Watch(False))
        await viewer.hang_up()

    def next_number(self) -> int:
        """A number for another visit."""
        self._visits += 1
        return self._visits

    def find(self, ticket: str) -> Viewer | None:
        """Whose ticket this is."""
        return next((v for v in self.viewers.values() if v.ticket == ticket), None)

    async def hear(self, viewer: Viewer, text: str) -> None:
        """A message of a page; one that cannot be is answered, and nothing else happens."""
        try:
            message = parse(text)
            if isinstance(message, act.Offer):
                viewer.send({"type": "answer", "sdp": await viewer.answer(message.sdp)})
            elif isinstance(message, act.Ping):
                viewer.send({"type": "pong", "at": message.at, "server": self._now()})
            elif isinstance(message, act.Ask):
                self._change_wheel(lambda: self.wheel.ask(viewer.number, message.on))
            elif isinstance(message, act.Give):
                self._give(viewer, message)
            elif isinstance(message, act.CallOff):
                self._call_off(viewer)
            elif not isinstance(message, act.Hello):
                self.drive(viewer, message)
        except ValueError as error:
            viewer.send({"type": "refused", "text": str(error), "about": getattr(error, "about", "")})

    def drive(self, viewer: Viewer, action: act.Driving) -> None:
        """Something for the game. BadMessage if this viewer is not at the wheel."""
        self._need_wheel(viewer)
        if not self.post(action):
            raise BadMessage("the game is too far behind to take this; try again")

    async def close(self) -> None:
        """Hang up on everybody and end what is under way."""
        for task in list(self._errands):
            task.cancel()
        await asyncio.gather(*self._errands, return_exceptions=True)
        await asyncio.gather(*(viewer.dismiss() for viewer in list(self.viewers.values())))
        self.archives.close()

    # --- within

    def _need_wheel(self, viewer: Viewer) -> None:
        if self.wheel.driver != viewer.number:
            raise BadMessage("somebody else is at the wheel; ask for it first")

    def _call_off(self, viewer: Viewer) -> None:
        self._need_wheel(viewer)
        if not self.archives.call_off():
            raise BadMessage("no recording is being packed any more")

    def _welcome(self, viewer: Viewer) -> dict[str, Any]:
        options, plan = self._options, self._plan
        return {
            "type": "welcome", "you": viewer.number, "ticket": viewer.ticket, "session": self._session,
            "track": options.setup.track,
            "size": [options.width, options.height], "fps": options.fps, "manual": not options.setup.automatic,
            "looks": [{"name": look.name, "text": look.look.prompt()} for look in options.looks],
            "thumbnails": self.thumbnails.ready, "secure": plan.scheme == "https", "local": plan.local,
        }  # fmt: skip

    def _now(self) -> float:
        return (time.monotonic_ns() - self._zero) / 1e6

    def _take_picture(self, shown: Shown) -> None:
        self.feed.put(shown)
        note = {"type": "picture", "pts": media_time(shown.shown), "shown": (shown.shown - self._zero) / 1e6}
        text = json.dumps({**note, **shown.note})
        for viewer in self.viewers.values():
            viewer.send_text(text, note=True)

    def _take_state(self, state: dict[str, Any]) -> None:
        self._state = state
        self._tell_all({"type": "state", **state})

    def _fail(self, text: str) -> None:
        self.failure = text
        self._tell_all({"type": "failed", "text": text})
        self.over.set()

    def _tell_all(self, message: dict[str, Any]) -> None:
        text = json.dumps(message)
        for viewer in self.viewers.values():
            viewer.send_text(text)

    def _tell_thumbnail(self, number: int) -> None:
        self._tell_all({"type": "thumbnail", "number": number})

    def _tell_people(self) -> None:
        wheel = self.wheel
        self._tell_all({"type": "people", "driver": wheel.driver, "asking": wheel.asking, "here": sorted(self.viewers)})
        self._hand_over()

    def _hand_over(self) -> None:
        """Recordings that are ready to whoever drives; with nobody at the wheel they wait for the next who does."""
        driver = self.viewers.get(self.wheel.driver) if self.wheel.driver is not None else None
        while driver is not None and self._parcels:
            driver.send(self._parcels.popleft())

    def _give(self, viewer: Viewer, message: act.Give) -> None:
        said = False

        def answer() -> None:
            nonlocal said
            said = self.wheel.answer(viewer.number, message.to, message.yes)

        self._change_wheel(answer)
        if not said:
            raise BadMessage("nobody asks for the wheel any more, or it is not yours to give")
        if not message.yes and message.to in self.viewers:
            self.viewers[message.to].send({"type": "notice", "text": "the driver keeps the wheel for now"})

    def _change_wheel(self, change: Callable[[], None]) -> None:
        before = self.wheel.driver
        change()
        if self.wheel.driver != before:
            self.post(act.Release())
        self._tell_people()

    def _start(self, errand: Callable[[], Any]) -> None:
        task = self._loop.create_task(errand())
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def _pack(self, folder: Path) -> None:
        try:
            secret = await self.archives.pack(folder)
        except CalledOff:
            self._tell_all({"type": "notice", "text": "recording called off: nothing of it is kept"})
            return
        except OSError as error:
            reason = error.strerror or str(error)
            self._tell_all({"type": "refused", "text": f"the recording cannot be packed, and is lost: {reason}"})
            return
        size = self.archives.find(secret).stat().st_size
        self._parcels.append(
            {"type": "recording", "path": f"recordings/{secret}.zip", "name": folder.name, "bytes": size}
        )  # fmt: skip
        self._hand_over()


def refused_by_renderer(text: str) -> str:
    """What a notice says that the renderer refuses, ``prompt`` or ``reference``; nothing if it says something else."""
    what, mark, _ = text.partition(": the renderer refuses it: ")
    return "" if not mark else "prompt" if what == "prompt" else "reference"
