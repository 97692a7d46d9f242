"""One browser: what is on its way to it, and its picture over WebRTC."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import Callable
from typing import Any

from aiohttp import WSCloseCode, web
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.exceptions import InvalidAccessError, InvalidStateError

from .feed import Feed
from .track import FeedTrack

PARTING_S = 0.5
MOST_WAITING, MOST_NOTES = 256, 48
"""Messages on their way to a browser before it counts as gone, and before notes of pictures are left out."""


class Viewer:
    """A page that was let in.

    Args:
        number: of this visit.
        socket: its WebSocket.
        feed: of pictures.
        cut: ends the connection at once.
    """

    def __init__(self, number: int, socket: web.WebSocketResponse, feed: Feed, cut: Callable[[], None]) -> None:
        self.number = number
        self.ticket = secrets.token_urlsafe(24)
        self._socket, self._feed, self._cut = socket, feed, cut
        self._outbox: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        self._peer: RTCPeerConnection | None = None

    def send(self, message: dict[str, Any]) -> None:
        """Put a message on its way; a browser that takes none for long is hung up on."""
        self.send_text(json.dumps(message))

    def send_text(self, text: str, note: bool = False) -> None:
        """As ``send``; a ``note`` of a picture is left out when many messages wait."""
        if note and self._outbox.qsize() >= MOST_NOTES:
            return
        if self._outbox.full():
            self._cut()
            return
        self._outbox.put_nowait(text)

    async def deliver(self) -> None:
        """Send what is on its way, until cancelled or hung up on."""
        with contextlib.suppress(ConnectionError):
            while True:
                await self._socket.send_str(await self._outbox.get())

    async def answer(self, sdp: str) -> str:
        """Begin to send the picture; returns our session description. ValueError if theirs cannot be."""
        await self.hang_up()
        # No server of the world is asked for our address: players are on this machine or in this house.
        peer = self._peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        try:
            await peer.setRemoteDescription(RTCSessionDescription(sdp, "offer"))
            if not any(t.kind == "video" for t in peer.getTransceivers()):
                raise ValueError("it asks for no video")
            peer.addTrack(FeedTrack(self._feed))
            await peer.setLocalDescription(await peer.createAnswer())
        except (ValueError, KeyError, IndexError, AttributeError, InvalidAccessError, InvalidStateError) as error:
            await self.hang_up()
            raise ValueError(f"the offer of the browser cannot be used: {error}") from None
        return str(peer.localDescription.sdp)

    async def dismiss(self) -> None:
        """The server ends: hang up, and do not wait long for the browser to say the same."""
        await self.hang_up()
        with contextlib.suppress(ConnectionError, TimeoutError):
            await asyncio.wait_for(self._socket.close(code=WSCloseCode.GOING_AWAY), PARTING_S)

    async def hang_up(self) -> None:
        """End the picture; its encoder goes with it."""
        peer, self._peer = self._peer, None
        if peer is not None:
            await peer.close()
