"""A web server in a thread of the test, with a race and views that start at once; and visitors of it."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import numpy as np
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription

from demos.options import NamedLook
from demos.play.game import Game, Loader, PlayOptions
from demos.play.paint_plan import PaintPlan
from demos.play.painter import Painter
from demos.web.plan import WebPlan
from demos.web.server import WebServer
from demos.web.thumbnails import Thumbnails
from engine_sim.racing.world import RaceSetup
from engine_sim.views.look import named_look

from . import play_standins as standins
from .http_session import http
from .play_standins_race import RingDrive

SIZE = (96, 64)
LOOKS = tuple(NamedLook(name, named_look(name)) for name in ("storm", "blue-hour", "overcast"))


class QuickLoader(Loader):
    """Nothing to load; remembers its games."""

    def __init__(self) -> None:
        self.games: list[Game] = []

    def place(self, options, progress):
        return {"number": 0}

    def game(self, options, place, progress):
        self.games.append(Game(RingDrive(options.setup)))
        return self.games[-1]


class HeldLoader(QuickLoader):
    """Loads for as long as the test likes."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def place(self, options, progress):
        assert self.go.wait(30)
        return super().place(options, progress)


class Tape:
    """A recording that takes no time and little room."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.recorder = SimpleNamespace(gap=lambda ticks: None)

    def frame(self) -> None:
        self._folder.mkdir()
        (self._folder / "session.json").write_text("{}")
        (self._folder / "maps.log").write_bytes(bytes(100_000))

    def step(self, controls) -> None:
        """Nothing of it is kept."""

    def close(self) -> None:
        """The folder is complete as it is."""


class TapeLoader(QuickLoader):
    """Records when that is asked for, and takes its time to prepare it while it is ``held``."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.go.set()

    def game(self, options, place, progress):
        if options.record is None:
            return super().game(options, place, progress)
        progress("preparing the recording")
        assert self.go.wait(30)
        game = Game(RingDrive(options.setup), Tape(options.record))
        self.games.append(game)
        return game


class NoThumbnails(Thumbnails):
    """None to draw."""

    async def draw(self, place, frame, tell):
        return


class Running:
    """A server that runs, and what the test may do with it."""

    def __init__(self, server: WebServer, loader: QuickLoader, loop: asyncio.AbstractEventLoop) -> None:
        self.server, self.loader, self._loop = server, loader, loop

    @property
    def url(self) -> str:
        """Of the page, without a token."""
        return f"{self.server.plan.scheme}://127.0.0.1:{self.server.port}"

    @property
    def world(self) -> Any:
        """Of the race that runs, or ran last."""
        return self.loader.games[-1].world

    def ask(self, function: Callable[[], Any]) -> Any:
        """The result of a function in the server's own thread."""

        async def call() -> Any:
            return function()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(20)

    def census(self) -> dict[str, int]:
        """What viewers could leave behind."""

        def count() -> dict[str, int]:
            gc.collect()
            kinds = ("Vp8Encoder", "RTCPeerConnection", "FeedTrack", "Viewer")
            return {
                "tasks": len(asyncio.all_tasks()),
                "viewers": len(self.server.hub.viewers),
                **{kind: sum(type(thing).__name__ == kind for thing in gc.get_objects()) for kind in kinds},
            }

        return dict(self.ask(count))


@contextmanager
def serving(
    plan: WebPlan | None = None,
    opener: Any = standins.open_pattern,
    paint: PaintPlan | None = None,
    loader: QuickLoader | None = None,
) -> Iterator[Running]:
    """Serve a ring with stand-in views; without ``paint`` no renderer."""
    looks = LOOKS if opener is not standins.open_pattern else (NamedLook("plain", named_look("storm")), *LOOKS)
    setup = RaceSetup(track="ring", rivals=3)
    options = PlayOptions(setup, looks, width=SIZE[0], height=SIZE[1], view="teacher", paint=paint)
    found: list[Any] = []
    failures: list[BaseException] = []
    ready = threading.Event()
    loader = loader or QuickLoader()

    async def main() -> None:
        server = WebServer(
            plan or WebPlan(port=0), options, lambda line: None, lambda job: Painter(job, opener), loader,
            NoThumbnails(looks, Path("unused")),
        )  # fmt: skip
        found.append(Running(server, loader, asyncio.get_running_loop()))
        await server.run(ready.set)

    def body() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:
            failures.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=body, name="web server of the test", daemon=True)
    thread.start()
    assert ready.wait(20)
    if failures:
        raise failures[0]
    try:
        yield found[0]
    finally:
        found[0]._loop.call_soon_threadsafe(found[0].server.stop)
        thread.join(20)
        assert not thread.is_alive()
        assert not failures, failures


class Visitor:
    """A page without a browser: what it was told, by type, and pictures if it asks for them."""

    def __init__(self, session: aiohttp.ClientSession, running: Running) -> None:
        self._session, self._running = session, running
        self.told: dict[str, list[dict[str, Any]]] = {}
        self.frames: list[np.ndarray] = []
        self.closed = False
        self._peer: RTCPeerConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def come(self, token: str = "", **headers: str) -> Visitor:
        """Connect and say hello."""
        self.socket = await self._session.ws_connect(f"{self._running.url}/ws", headers=headers, ssl=False)
        self._tasks.append(asyncio.create_task(self._listen()))
        await self.say(type="hello", token=token)
        return self

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self.socket.send_str(json.dumps(message))

    async def hear(self, kind: str, fits: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """Wait until it was told something of a type; the newest that fits."""
        async with asyncio.timeout(30):
            while True:
                for message in reversed(self.told.get(kind, [])):
                    if fits(message):
                        return message
                assert not self.closed, f"hung up on before a {kind}; told {self.told}"
                await asyncio.sleep(0.01)

    async def watch(self, frames: int = 1) -> None:
        """Ask for the picture and wait for so many frames."""
        peer = self._peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        peer.addTransceiver("video", "recvonly")
        peer.on("track", lambda track: self._tasks.append(asyncio.create_task(self._read(track))))
        await peer.setLocalDescription(await peer.createOffer())
        await self.say(type="offer", sdp=peer.localDescription.sdp)
        answer = await self.hear("answer")
        await peer.setRemoteDescription(RTCSessionDescription(answer["sdp"], "answer"))
        async with asyncio.timeout(30):
            while len(self.frames) < frames:
                await asyncio.sleep(0.01)

    async def go(self) -> None:
        """Leave, as a closed tab does."""
        await self.socket.close()
        if self._peer is not None:
            await self._peer.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self) -> None:
        async for message in self.socket:
            told = json.loads(message.data)
            self.told.setdefault(told["type"], []).append(told)
        self.closed = True

    async def _read(self, track: Any) -> None:
        while True:
            self.frames.append((await track.recv()).to_ndarray(format="rgb24"))


async def at_the_wheel(running, visitor: Visitor) -> Visitor:
    """A visitor who has come, and drives a race that runs."""
    await visitor.come()
    me = (await visitor.hear("welcome"))["you"]
    await visitor.hear("state", lambda s: s["phase"] == "racing")
    await visitor.hear("people", lambda p: p["driver"] == me)
    return visitor


async def driven(running, fits, seconds: float = 20.0) -> None:
    """Wait until the newest controls of the world fit."""
    async with asyncio.timeout(seconds):
        while not (running.world.controls and fits(running.world.controls[-1])):
            await asyncio.sleep(0.01)


def visit(running: Running, scene: Callable[..., Coroutine[Any, Any, None]], visitors: int = 1) -> None:
    """Play a scene with so many visitors, who have not come yet."""

    async def main() -> None:
        async with http() as session:
            people = [Visitor(session, running) for _ in range(visitors)]
            try:
                await scene(*people)
            finally:
                for person in people:
                    if hasattr(person, "socket"):
                        await person.go()

    asyncio.run(main())
