"""A page without a browser, for measurements: it comes, watches, knows how old each picture is, and goes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any

import aiohttp
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack

TURN = 2**32
NOTES_KEPT = 240
PATIENCE_S = 30.0
PING_S = 0.25


class Origin:
    """Finds which note of the server belongs to a picture, as the page does (``picture.js``).

    A picture's stamp is that of its note plus an origin that nobody tells. All pictures agree on one: each allows as
    many as there are notes, and two or three pictures leave a single one.
    """

    def __init__(self) -> None:
        self._allowed: set[int] = set()
        self._value: int | None = None

    def match(self, stamp: int, notes: dict[int, float]) -> float | None:
        """The note of a picture, or None while its origin is not known."""
        if self._value is None:
            now = {(stamp - known) % TURN for known in notes}
            agreed = self._allowed & now
            if len(agreed) == 1:
                (self._value,) = agreed
            self._allowed = agreed or now
        return None if self._value is None else notes.get((stamp - self._value) % TURN)


class Guest:
    """One visit.

    Args:
        session: of HTTP.
        url: of the page, without a token.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session, self._url = session, url
        self.ages: list[float] = []
        self.first_picture: float | None = None
        self.told: dict[str, dict[str, Any]] = {}
        self._notes: dict[int, float] = {}
        self._origin = Origin()
        self._offset: float | None = None
        self._trip = float("inf")
        self._peer: RTCPeerConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._news = asyncio.Condition()

    async def come(self, patience: float = PATIENCE_S) -> None:
        """Connect, say hello and wait for a race. TimeoutError if there is none in so many seconds."""
        self._socket = await self._session.ws_connect(f"{self._url}/ws", max_msg_size=0)
        self._tasks.append(asyncio.create_task(self._listen()))
        await self.say(type="hello", token="")
        await self.hear("state", "phase", "racing", patience)

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self._socket.send_str(json.dumps(message))

    async def hear(self, kind: str, name: str = "", value: Any = None, patience: float = PATIENCE_S) -> dict[str, Any]:
        """Wait for a message of a type, and with this value if one is named. TimeoutError if none comes."""
        async with asyncio.timeout(patience), self._news:
            await self._news.wait_for(
                lambda: kind in self.told and (not name or self.told[kind].get(name) == value)
            )  # fmt: skip
            return self.told[kind]

    async def watch(self) -> None:
        """Ask for the picture; ``ages`` grows from now on, milliseconds from being shown to being here."""
        self._tasks.append(asyncio.create_task(self._compare_clocks()))
        begun = time.monotonic()
        peer = self._peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        peer.addTransceiver("video", "recvonly")
        peer.on("track", lambda track: self._tasks.append(asyncio.create_task(self._look(track, begun))))
        await peer.setLocalDescription(await peer.createOffer())
        await self.say(type="offer", sdp=peer.localDescription.sdp)
        answer = await self.hear("answer")
        await peer.setRemoteDescription(RTCSessionDescription(answer["sdp"], "answer"))

    async def go(self, politely: bool = True) -> None:
        """Leave; not ``politely`` as a laptop that is shut: nothing more is said to anybody."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if politely:
            await self._socket.close()
        elif (response := self._socket._response).connection is not None:  # the library offers no rude end
            transport = response.connection.transport
            if isinstance(transport, asyncio.WriteTransport):
                transport.abort()
        if self._peer is not None:
            await self._peer.close()

    async def _compare_clocks(self) -> None:
        while True:
            await self.say(type="ping", at=time.monotonic() * 1000)
            await asyncio.sleep(PING_S)

    async def _listen(self) -> None:
        async for message in self._socket:
            self._hear(json.loads(message.data))
            async with self._news:
                self._news.notify_all()

    def _hear(self, told: dict[str, Any]) -> None:
        self.told[told["type"]] = told
        if told["type"] == "picture":
            self._notes[told["pts"] % TURN] = told["shown"]
            while len(self._notes) > NOTES_KEPT:
                del self._notes[next(iter(self._notes))]
        elif told["type"] == "pong":
            now = time.monotonic() * 1000
            trip = now - told["at"]
            if trip < self._trip:
                self._trip, self._offset = trip, told["server"] - (told["at"] + now) / 2

    async def _look(self, track: MediaStreamTrack, begun: float) -> None:
        with contextlib.suppress(MediaStreamError):
            while True:
                stamp = (await track.recv()).pts
                now = time.monotonic()
                if self.first_picture is None:
                    self.first_picture = now - begun
                shown = self._origin.match((stamp or 0) % TURN, self._notes)
                if shown is not None and self._offset is not None:
                    self.ages.append(now * 1000 + self._offset - shown)
