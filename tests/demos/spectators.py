"""A stream's page within a test, fed by hand, and people who watch it without a browser."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import aiohttp
import numpy as np
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpReceiver, RTCSessionDescription

from demos.streaming.numbered import number_of, numbered
from demos.streaming.output import OutputConfig
from demos.streaming.sender import Sender, SenderPlan, Shown
from demos.streaming.theatre import Theatre
from demos.web.plan import WebPlan

from .http_session import http
from .rtmp_servers import Seen, free_port

FPS = 24


class Stage:
    """A page that is open, and its sender.

    Args:
        theatre: open.
        url: of the page.
    """

    def __init__(self, theatre: Theatre, url: str) -> None:
        self.theatre, self.url = theatre, url
        self.sender = Sender(SenderPlan("", OutputConfig(FPS)), theatre.open)
        self.shown: dict[int, float] = {}
        self._number = 0
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._send)]
        self._threads[0].start()

    def show(self, picture: np.ndarray, number: int) -> None:
        """Show a picture from now on; it says this number."""
        self.shown[number] = time.monotonic()
        self.sender.put(Shown(number / FPS, time.monotonic(), FPS, picture))

    def play(self, size: tuple[int, int] = (128, 64)) -> None:
        """Show numbered pictures at their rate until the end."""
        self._threads.append(threading.Thread(target=self._play, args=(size,)))
        self._threads[-1].start()

    def close(self) -> None:
        """No more pictures."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _play(self, size: tuple[int, int]) -> None:
        begun, number = time.monotonic(), 0
        while not self._over.wait(max(0.0, begun + number / FPS - time.monotonic())):
            self.show(numbered(number, *size), number)
            number += 1

    def _send(self) -> None:
        while not self._over.is_set():
            self._over.wait(self.sender.turn())


@contextlib.contextmanager
def staged(**door: Any) -> Iterator[Stage]:
    """A page for as long as the block lasts."""
    plan = WebPlan(port=free_port(), **door)
    with Theatre(plan) as theatre:
        stage = Stage(theatre, f"{plan.scheme}://127.0.0.1:{plan.port}")
        try:
            yield stage
        finally:
            stage.close()


class Spectator:
    """Watches, and notes what it sees.

    Args:
        session: of HTTP.
        url: of the page.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session, self._url = session, url
        self.seen: list[Seen] = []
        self.newest = np.zeros((1, 1, 3), np.uint8)
        self._tasks: list[asyncio.Task[None]] = []
        self.place = ""

    async def come(self, codec: str = "H264", frames: int = 1, **headers: str) -> Spectator:
        """Ask for the picture in this codec, and wait for so many frames."""
        self.joined = time.monotonic()
        self.peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        known = RTCRtpReceiver.getCapabilities("video").codecs
        self.peer.addTransceiver("video", "recvonly").setCodecPreferences([c for c in known if c.name == codec])
        self.peer.on("track", lambda track: self._tasks.append(asyncio.create_task(self._look(track))))
        await self.peer.setLocalDescription(await self.peer.createOffer())
        sdp = self.peer.localDescription.sdp
        async with self._session.post(f"{self._url}/whep", data=sdp, headers=headers, ssl=False) as answer:
            assert answer.status == 201, await answer.text()
            self.place = answer.headers["Location"]
            await self.peer.setRemoteDescription(RTCSessionDescription(await answer.text(), "answer"))
        await self.until(lambda: len(self.seen) >= frames)
        return self

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition holds."""
        async with asyncio.timeout(30):
            while not condition():
                await asyncio.sleep(0.01)

    async def go(self, politely: bool = True) -> None:
        """Leave; not ``politely`` as somebody whose machine is shut."""
        if politely and self.place:
            async with self._session.delete(self._url + self.place, ssl=False) as answer:
                assert answer.status == 200
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.peer.close()

    async def _look(self, track: Any) -> None:
        while True:
            frame = await track.recv()
            rgb = self.newest = frame.to_ndarray(format="rgb24")
            color = tuple(int(v) for v in rgb[rgb.sum(-1) >= rgb.sum(-1).max() - 30].mean(0))
            stamp, size = float(frame.time or 0), (frame.width, frame.height)
            self.seen.append(Seen(time.monotonic(), stamp, number_of(rgb), size, color))


def watch(url: str, scene: Callable[..., Coroutine[Any, Any, None]], people: int = 1) -> None:
    """Play a scene with so many spectators, who have not come yet."""

    async def main() -> None:
        async with http() as session:
            await scene(*(Spectator(session, url) for _ in range(people)))

    asyncio.run(main())
