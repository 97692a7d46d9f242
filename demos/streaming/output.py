"""One connection to an RTMP server: H.264 and, on request, a silent AAC track, as FLV. For one picture size.

Calls may block for as long as the server likes, some of them with Python's lock: use it in a process of its own.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
from numpy.typing import NDArray

from engine_sim.recording.video import to_yuv

SOUND_RATE, SOUND_FRAME = 44_100, 1024
SOUND_AHEAD = 4
SMALLEST_QUEUE = 65_536
OPEN_FILES = "/dev/fd"
BT709, LIMITED_RANGE = 1, 1


@dataclass(frozen=True)
class OutputConfig:
    """How a stream is encoded.

    Args:
        fps: frames a second.
        sound: with a silent track, which some services ask for.
        key_seconds: from one key frame to the next: a viewer who joins waits that long at most.
        quality: constant rate factor of H.264, as long as the largest rate allows it.
    """

    fps: int = 24
    sound: bool = False
    key_seconds: float = 1.0
    quality: int = 21

    def largest_rate(self, width: int, height: int) -> int:
        """Bits a second that a stream of this size never exceeds for longer than half a second.

        2 Mbit/s at 448 × 256 and 24 frames, 6.1 Mbit/s at 1344 × 768, which public services still take.
        """
        return round(1_500_000 + 0.1875 * width * height * self.fps)


class RtmpOutput:
    """An open connection. It begins with a key frame.

    Args:
        url: of the server.
        width, height: of every picture; odd ones are padded.
        config: how to encode.

    Raises:
        OSError, av.FFmpegError: no connection.
    """

    def __init__(self, url: str, width: int, height: int, config: OutputConfig) -> None:
        self._fps = config.fps
        self._file = av.open(url, "w", format="flv", options={"flvflags": "no_duration_filesize"})
        self._video = self._file.add_stream("libx264", rate=config.fps)
        assert isinstance(self._video, av.VideoStream)
        set_up_h264(self._video.codec_context, width, height, config)
        self._sound = SilentTrack(self._file) if config.sound else None
        self._begun = False
        before = open_files()
        self._file.start_encoding()
        shorten_queue(open_files() - before, config.largest_rate(width, height) // 16)

    def write(self, rgb: NDArray[np.uint8], slot: int) -> None:
        """Send a picture RGB uint8 ``[H, W, 3]`` that is shown at ``slot / fps`` seconds, a larger slot each time.

        Raises:
            OSError, av.FFmpegError: the connection is gone.
        """
        if self._sound is not None:
            self._sound.fill(Fraction(slot, self._fps))
        self._file.mux(self._video.encode(to_yuv(with_even_sides(rgb), slot, self._fps)))
        self._begun = True

    def close(self) -> None:
        """Say goodbye. Errors are of no interest any more."""
        try:
            if self._begun:
                self._file.mux(self._video.encode(None))
            self._file.close()
        except (OSError, av.FFmpegError):
            return


class SilentTrack:
    """AAC of silence, in step with the pictures.

    Args:
        file: to which it belongs.
    """

    def __init__(self, file: av.container.OutputContainer) -> None:
        self._file = file
        self._stream = file.add_stream("aac", rate=SOUND_RATE, layout="stereo")
        self._samples = 0

    def fill(self, until: Fraction) -> None:
        """Send silence up to this time of the stream in seconds, and a little more: no picture has to wait for it."""
        while self._samples < until * SOUND_RATE + SOUND_AHEAD * SOUND_FRAME:
            frame = av.AudioFrame.from_ndarray(np.zeros((2, SOUND_FRAME), np.float32), "fltp", "stereo")
            frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, self._samples, Fraction(1, SOUND_RATE)
            self._samples += SOUND_FRAME
            self._file.mux(self._stream.encode(frame))


def with_even_sides(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture with its last row, or column, once more where their number is odd: encoders halve both."""
    height, width = rgb.shape[:2]
    if height % 2 or width % 2:
        return np.pad(rgb, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    return rgb


def set_up_picture(context: av.VideoCodecContext, width: int, height: int, config: OutputConfig) -> None:
    """What every encoder is told: the size with even sides, the rate, a key frame at a constant interval."""
    context.width, context.height, context.pix_fmt = width + width % 2, height + height % 2, "yuv420p"
    context.time_base, context.framerate = Fraction(1, config.fps), Fraction(config.fps)
    context.gop_size = max(1, round(config.key_seconds * config.fps))
    context.thread_count = 2  # more would only take the cores of whoever draws the pictures


def set_up_h264(context: av.VideoCodecContext, width: int, height: int, config: OutputConfig) -> None:
    """H.264 without frames held back, with a bounded rate."""
    set_up_picture(context, width, height, config)
    context.max_b_frames = 0
    context.colorspace, context.color_primaries, context.color_trc = BT709, BT709, BT709
    context.color_range = LIMITED_RANGE
    rate = config.largest_rate(width, height)
    context.options = {
        "preset": "veryfast",
        "tune": "zerolatency",
        "crf": str(config.quality),
        "maxrate": str(rate),
        "bufsize": str(rate // 2),
        "sc_threshold": "0",
    }


def open_files() -> set[int]:
    """Descriptors of this process, where the system lists them."""
    try:
        return {int(name) for name in os.listdir(OPEN_FILES)}
    except OSError:
        return set()


def shorten_queue(files: set[int], size: int) -> None:
    """Let the system hold at most so many bytes for the server; it then blocks us, and slots are skipped.

    Left to itself it holds megabytes, which on a slow line are many seconds of delay that never go away. FFmpeg has
    no option for it here and does not say which of the new ``files`` is its connection.
    """
    for file in files:
        try:
            with socket.socket(fileno=os.dup(file)) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, max(size, SMALLEST_QUEUE))
        except OSError:
            continue
