"""Loops and pictures of a bounded number of bytes: as good as fits."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.recording.video import to_yuv

RATES = (20, 23, 26, 29, 32, 35)
"""Constant rate factors of H.264 to try, best first."""
QUALITIES = (90, 84, 76, 66, 54, 40)
"""Of JPEG, best first."""
SMALLEST = 32
BT709, LIMITED_RANGE = 1, 1

Pictures = Sequence[NDArray[np.uint8]]


def loop_bytes(pictures: Pictures, fps: int, most: int) -> bytes:
    """A film as MP4 of at most ``most`` bytes, ready to play while it loads; smaller pictures if nothing else helps.

    Args:
        pictures: RGB uint8 ``[H, W, 3]``, all of one size.
    """
    return fitted(pictures, RATES, lambda shown, rate: encode_loop(shown, fps, rate), most)


def jpeg_bytes(picture: NDArray[np.uint8], most: int) -> bytes:
    """A picture RGB uint8 ``[H, W, 3]`` as JPEG of at most ``most`` bytes."""
    return fitted([picture], QUALITIES, lambda shown, quality: encode_jpeg(shown[0], quality), most)


def fitted(pictures: Pictures, settings: Sequence[int], encode: Callable[[Pictures, int], bytes], most: int) -> bytes:
    """The first encoding that is small enough, at full size, else at half, and so on. UserError if none is."""
    while min(pictures[0].shape[:2]) >= SMALLEST:
        for setting in settings:
            data = encode(pictures, setting)
            if len(data) <= most:
                return data
        pictures = [halved(picture) for picture in pictures]
    raise UserError(f"{most} bytes are too few for these pictures; allow more, or fewer seconds")


def halved(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Half as wide and high."""
    height, width = picture.shape[:2]
    return np.asarray(cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)


def encode_loop(pictures: Pictures, fps: int, rate: int) -> bytes:
    """H.264 in MP4, encoded with patience, its index at the front."""
    height, width = (side - side % 2 for side in pictures[0].shape[:2])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "loop.mp4"  # a real file: to put its index first, FFmpeg reads it again
        with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as video:
            stream = video.add_stream("libx264", rate=fps)
            assert isinstance(stream, av.VideoStream)
            context = stream.codec_context
            context.width, context.height, context.pix_fmt = width, height, "yuv420p"
            context.time_base = Fraction(1, fps)
            context.colorspace, context.color_primaries, context.color_trc = BT709, BT709, BT709
            context.color_range = LIMITED_RANGE
            context.options = {"preset": "slow", "crf": str(rate)}
            for number, picture in enumerate(pictures):
                video.mux(stream.encode(to_yuv(picture[:height, :width], number, fps)))
            video.mux(stream.encode(None))
        return path.read_bytes()


def encode_jpeg(picture: NDArray[np.uint8], quality: int) -> bytes:
    """JPEG of an RGB picture."""
    done, data = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise RuntimeError(f"OpenCV could not encode a JPEG of shape {picture.shape}")
    return bytes(data.tobytes())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, the whole of it or nothing. UserError if the place cannot be written."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}; name a place that can be written") from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
