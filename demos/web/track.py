"""The picture as a track of WebRTC, and what is set in the library that sends it."""

from __future__ import annotations

import time

import aiortc.codecs.h264
import aiortc.codecs.vpx
from aiortc.mediastreams import VIDEO_TIME_BASE, MediaStreamError, MediaStreamTrack
from av import VideoFrame

from .feed import Feed, Shown, media_time

STILL_S = 0.2
"""A still picture is sent again after so long, so that a lost key frame is made good and nobody waits for it."""
BITS_A_PIXEL = 0.9
LEAST_BITS, MOST_BITS = 2_500_000, 20_000_000


class FeedTrack(MediaStreamTrack):
    """Whatever the feed shows, at the moment at which it is shown; read by one viewer's encoder.

    Args:
        feed: of pictures.
    """

    kind = "video"

    def __init__(self, feed: Feed) -> None:
        super().__init__()
        self._feed = feed
        self._seen: Shown | None = None
        self._last = -1

    async def recv(self) -> VideoFrame:
        """The next picture. Its time stamp is that of its ``Shown``; repeats get the present time."""
        shown = await self._next()
        at = shown.shown if shown is not self._seen else time.monotonic_ns()
        self._seen = shown
        self._last = max(self._last + 1, media_time(at))
        # A frame of its own for each viewer: an encoder that must send a key frame marks the frame.
        frame = VideoFrame.from_ndarray(shown.yuv, format="yuv420p")
        frame.pts, frame.time_base = self._last, VIDEO_TIME_BASE
        return frame

    async def _next(self) -> Shown:
        while self.readyState == "live":
            shown = await self._feed.after(self._seen, STILL_S)
            if shown is not None:
                return shown
        raise MediaStreamError


def set_bit_rate(width: int, height: int, fps: int) -> int:
    """Have every encoder of this process start at a rate that suits the picture; returns it, bits a second.

    The library's own 0.5 to 1.5 Mbit/s blur a picture that moves. A browser that sees a slow network may ask for less.
    """
    rate = int(min(MOST_BITS, max(LEAST_BITS, BITS_A_PIXEL * width * height * fps)))
    for codec in (aiortc.codecs.vpx, aiortc.codecs.h264):
        vars(codec).update(DEFAULT_BITRATE=rate, MAX_BITRATE=rate, MIN_BITRATE=rate // 3)
    return rate
