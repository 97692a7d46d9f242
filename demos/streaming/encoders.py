"""A picture as H.264 or VP8 packets for browsers: one encoder for all who watch, which sends a key frame when asked."""

from __future__ import annotations

from fractions import Fraction

import av
import cv2
import numpy as np
from av.video.frame import PictureType
from numpy.typing import NDArray

from engine_sim.recording.video import to_yuv

from .output import OutputConfig, set_up_h264, set_up_picture, with_even_sides

H264, VP8 = "H264", "VP8"
CODECS = {H264: "libx264", VP8: "libvpx"}
"""Name in a session description → encoder; the best one first."""


class PictureEncoder:
    """Encodes pictures of one size.

    Args:
        codec: of ``CODECS``.
        width, height: of every picture; odd ones are padded.
        config: how.
    """

    def __init__(self, codec: str, width: int, height: int, config: OutputConfig) -> None:
        self._codec, self._fps = codec, config.fps
        context = av.CodecContext.create(CODECS[codec], "w")
        assert isinstance(context, av.VideoCodecContext)
        self._context = context
        if codec == H264:
            set_up_h264(context, width, height, config)
            context.profile = "Baseline"  # which every browser decodes
            context.options = {**context.options, "forced-idr": "1"}
        else:
            set_up_vp8(context, width, height, config)

    def encode(self, rgb: NDArray[np.uint8], number: int, key: bool) -> list[av.Packet]:
        """A picture RGB uint8 ``[H, W, 3]`` → its packets.

        Args:
            number: of the slot that it is shown in, counted at the rate of the config.
            key: a viewer has nothing before this picture.
        """
        rgb = with_even_sides(rgb)
        frame = to_yuv(rgb, number, self._fps) if self._codec == H264 else to_plain_yuv(rgb, number, self._fps)
        if key:
            frame.pict_type = PictureType.I
        return list(self._context.encode(frame))


def set_up_vp8(context: av.VideoCodecContext, width: int, height: int, config: OutputConfig) -> None:
    """VP8 without frames held back, of the rate that H.264 may have at most."""
    set_up_picture(context, width, height, config)
    rate = config.largest_rate(width, height)
    context.bit_rate = rate
    context.options = {
        "deadline": "realtime",
        "cpu-used": "-12",
        "lag-in-frames": "0",
        "maxrate": str(rate),
        "bufsize": str(rate // 2),
    }


def to_plain_yuv(rgb: NDArray[np.uint8], number: int, fps: int) -> av.VideoFrame:
    """As ``to_yuv``, in BT.601: VP8 cannot say which colours it means, and browsers take these."""
    planes = np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2YUV_I420), np.uint8)
    frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
    frame.pts, frame.time_base = number, Fraction(1, fps)
    return frame
