"""Who watches over WebRTC: every viewer gets the packets of one encoder, from a key frame on."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import av
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpSender, RTCSessionDescription
from aiortc.exceptions import InvalidAccessError, InvalidStateError
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from aiortc.rtcpeerconnection import OperationError
from aiortc.rtcrtpparameters import RTCRtpCodecCapability

from .encoders import CODECS

LINE = 48
"""Packets that wait for a viewer: two seconds. With more he has fallen behind, and goes on at the next key frame."""
CONNECT_S = 30.0
"""For a viewer's first sign of life; one that gives none is not expected any more."""
BAD_OFFERS = (ValueError, KeyError, IndexError, AttributeError, OperationError, InvalidAccessError, InvalidStateError)
"""What the library says to a session description that cannot be."""


class PacketTrack(MediaStreamTrack):
    """One viewer's line of packets. Belongs to the thread of its event loop, but for ``codec`` and ``needs_key``."""

    kind = "video"

    def __init__(self) -> None:
        super().__init__()
        self.codec = ""
        self.begun = self.needs_key = False
        self._line: deque[av.Packet] = deque()
        self._more = asyncio.Event()

    def put(self, packet: av.Packet) -> None:
        """A packet for this viewer; left out until a key frame if he has nothing that it could build upon."""
        if not self.begun or (self.needs_key and not packet.is_keyframe):
            return
        if len(self._line) >= LINE:
            self._line.clear()
            self.needs_key = True
            if not packet.is_keyframe:
                return
        if packet.is_keyframe:
            self.needs_key = False
        self._line.append(packet)
        self._more.set()

    async def recv(self) -> av.Packet:
        """The next packet; the first call is the sign that the viewer is there."""
        if not self.begun:
            self.begun = self.needs_key = True
        while not self._line:
            if self.readyState != "live":
                raise MediaStreamError
            self._more.clear()
            await self._more.wait()
        return self._line.popleft()

    def stop(self) -> None:
        """See ``MediaStreamTrack``."""
        super().stop()
        self._more.set()


class Seat(NamedTuple):
    """A viewer's connection, what it gets, and whether it is over."""

    peer: RTCPeerConnection
    track: PacketTrack
    left: asyncio.Event


class FullHouse(Exception):
    """All places are taken."""


class Audience:
    """Lets viewers in and forgets those who go. Belongs to the thread of its event loop unless stated otherwise.

    Args:
        most: viewers at once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._seats: dict[str, Seat] = {}
        self._tracks: tuple[PacketTrack, ...] = ()
        self._loop = asyncio.get_running_loop()
        self.visits = 0

    @property
    def watching(self) -> int:
        """Viewers who are there, or are expected."""
        return len(self._seats)

    def wanted(self) -> dict[str, bool]:
        """Codecs in which somebody watches, and whether a key frame is asked for. From any thread."""
        wanted: dict[str, bool] = {}
        for track in self._tracks:
            if track.begun:
                wanted[track.codec] = wanted.get(track.codec, False) or track.needs_key
        return wanted

    def hand_out(self, codec: str, packets: Sequence[av.Packet]) -> None:
        """Packets for everybody who watches in this codec. From any thread; returns at once."""
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._hand_out, codec, packets)

    async def admit(self, offer: str) -> tuple[str, str]:
        """Answer a viewer's session description; returns the ticket by which he goes, and ours.

        Raises:
            FullHouse: no place is free.
            ValueError: the offer cannot be used.
        """
        if len(self._seats) >= self._most:
            raise FullHouse
        # No server of the world is asked for our address: viewers are on this machine or in this house.
        peer, track = RTCPeerConnection(RTCConfiguration(iceServers=[])), PacketTrack()
        ticket = secrets.token_urlsafe(24)
        self._seats[ticket] = Seat(peer, track, asyncio.Event())
        try:
            peer.addTransceiver(track, "sendonly").setCodecPreferences(preferences())
            await peer.setRemoteDescription(RTCSessionDescription(offer, "offer"))
            await peer.setLocalDescription(await peer.createAnswer())
            answer = str(peer.localDescription.sdp)
            track.codec = codec_of(answer)
        except BAD_OFFERS as error:
            await self.dismiss(ticket)
            raise ValueError(f"the offer of the browser cannot be used: {error}") from None
        self.visits += 1
        self._tracks = tuple(seat.track for seat in self._seats.values())
        peer.on("connectionstatechange", lambda: self._look_at(ticket))
        self._loop.call_later(CONNECT_S, self._expect, ticket)
        return ticket, answer

    async def dismiss(self, ticket: str) -> bool:
        """A viewer goes; False if none has this ticket."""
        seat = self._seats.pop(ticket, None)
        self._tracks = tuple(seat.track for seat in self._seats.values())
        if seat is None:
            return False
        seat.left.set()
        seat.track.stop()
        await seat.peer.close()
        return True

    async def until_left(self, ticket: str) -> bool:
        """Wait until a viewer has gone, or was sent away; False at once if none has this ticket."""
        seat = self._seats.get(ticket)
        if seat is None:
            return False
        await seat.left.wait()
        return True

    async def close(self) -> None:
        """Everybody goes; all hear of it before the first connection ends, which takes a while."""
        for seat in self._seats.values():
            seat.left.set()
        await asyncio.gather(*(self.dismiss(ticket) for ticket in list(self._seats)))

    def _hand_out(self, codec: str, packets: Sequence[av.Packet]) -> None:
        for track in self._tracks:
            if track.codec == codec:
                for packet in packets:
                    track.put(packet)

    async def _look_at(self, ticket: str) -> None:
        seat = self._seats.get(ticket)
        if seat is not None and seat.peer.connectionState in ("failed", "closed"):
            await self.dismiss(ticket)

    def _expect(self, ticket: str) -> None:
        seat = self._seats.get(ticket)
        if seat is not None and not seat.track.begun:
            self._loop.create_task(self.dismiss(ticket))


def preferences() -> list[RTCRtpCodecCapability]:
    """Codecs that we can send, the best one first, and lost packets again."""
    known = RTCRtpSender.getCapabilities("video").codecs
    ours = [codec for name in CODECS for codec in known if codec.name == name]
    return [*ours, *(codec for codec in known if codec.name == "rtx")]


def codec_of(answer: str) -> str:
    """The codec in which a session description of ours sends video. ValueError if it sends none that we have."""
    line = re.search(r"^m=video [1-9]\d* \S+ (\d+)", answer, re.MULTILINE)
    codec = line and re.search(rf"^a=rtpmap:{line.group(1)} (\w+)/", answer, re.MULTILINE)
    sends = "a=sendonly" in answer or "a=sendrecv" in answer
    if not codec or not sends or codec.group(1) not in CODECS:
        raise ValueError(f"it asks for no video in {' or '.join(CODECS)}")
    return codec.group(1)
