"""Figures of a stream's page while viewers come and go. Its pictures say when they were shown."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import signal
import sys
import time
from typing import Any

import aiohttp
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack

from demos.web.plan import WebPlan
from demos.web.visits import Say, VisitsFigures, VisitsPlan, receive, report_of
from engine_sim.core.errors import UserError

from .address import StreamAddress
from .numbered import BITS, number_of, numbered
from .options import HOME, free_port
from .output import OutputConfig
from .stream import LiveStream, StreamPlan

SIZE, FPS = (448, 256), 24
START_S = 60.0


def bench_stream(plan: VisitsPlan, say: Say) -> dict[str, Any]:
    """All figures of ``paintover bench stream``, and which limits they hold. UserError: no page, or no picture."""
    door = WebPlan(port=free_port(HOME, 0))
    url = f"http://{HOME}:{door.port}"
    live = StreamPlan(StreamAddress(url, url), OutputConfig(FPS), door=door)
    source = multiprocessing.get_context("spawn").Process(target=show_numbers, args=(live,))
    source.start()
    try:
        assert source.pid is not None
        seen = asyncio.run(_watch(plan, url, source.pid, say))
    finally:
        source.terminate()
        source.join()
    return report_of("stream", plan, seen, say)


def show_numbers(plan: StreamPlan) -> None:
    """Body of the source: a stream of pictures that say their moment, by a clock that all processes share."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    stream = LiveStream(plan, lambda line: None)
    with contextlib.ExitStack() as stack:
        stack.callback(stream.close)
        while True:
            number = int(time.monotonic() * FPS) + 1
            time.sleep(max(0.0, number / FPS - time.monotonic()))
            stream.show(numbered(number, *SIZE), number / FPS)


async def _watch(plan: VisitsPlan, url: str, pid: int, say: Say) -> VisitsFigures:
    async with aiohttp.ClientSession() as session:
        await _listening(session, url)

        async def invite() -> WhepGuest:
            return await WhepGuest(session, url).come()

        return await receive(plan, invite, pid, say)


async def _listening(session: aiohttp.ClientSession, url: str) -> None:
    """Wait for the page. UserError if there is none."""
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up:
        with contextlib.suppress(aiohttp.ClientError):
            async with session.get(url) as answer:
                if answer.status == 200:
                    return
        await asyncio.sleep(0.1)
    raise UserError(f"no page at {url} after {START_S:g} s")


class WhepGuest:
    """Watches without a browser. See ``visits.Caller``.

    Args:
        session: of HTTP.
        url: of the page.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session, self._url = session, url
        self.ages: list[float] = []
        self.first_picture: float | None = None
        self._place = ""
        self._peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self._tasks: list[asyncio.Task[None]] = []

    async def come(self) -> WhepGuest:
        """Ask for the picture. UserError if it is refused."""
        begun = time.monotonic()
        self._peer.addTransceiver("video", "recvonly")
        self._peer.on("track", lambda track: self._tasks.append(asyncio.create_task(self._look(track, begun))))
        await self._peer.setLocalDescription(await self._peer.createOffer())
        async with self._session.post(f"{self._url}/whep", data=self._peer.localDescription.sdp) as answer:
            text = await answer.text()
            if answer.status != 201:
                raise UserError(f"the page lets nobody in: {text}")
            self._place = answer.headers["Location"]
        await self._peer.setRemoteDescription(RTCSessionDescription(text, "answer"))
        return self

    async def go(self, politely: bool = True) -> None:
        """See ``visits.Caller``."""
        if politely:
            await (await self._session.delete(self._url + self._place)).release()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._peer.close()

    async def _look(self, track: MediaStreamTrack, begun: float) -> None:
        with contextlib.suppress(MediaStreamError):
            while True:
                frame = await track.recv()
                now = time.monotonic()
                if self.first_picture is None:
                    self.first_picture = now - begun
                late = (now * FPS - number_of(frame.to_ndarray(format="rgb24"))) % 2**BITS  # type: ignore[union-attr]
                self.ages.append(1000 * late / FPS)
