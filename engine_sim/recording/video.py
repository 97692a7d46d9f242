"""Video files: the lossy exit of the engine, for eyes. Class maps never go through here except as colours to look at.

H.264 in fragmented MP4, one fragment a second and no frame held back by the encoder: a file that was never closed plays
up to its last whole second. BT.709 with its tags, so that players agree on the colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from ..core.errors import UserError

_OPTIONS = {
    "libx264": {"preset": "veryfast", "tune": "zerolatency"},
    "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0", "b": "0"},
    "mpeg4": {},
}
ENCODERS = tuple(_OPTIONS)
"""In order of preference; the first that really encodes a picture here is taken, and named."""
_BT709 = 1
_LIMITED_RANGE = 1
_FRAGMENTED = {"movflags": "frag_keyframe+empty_moov+default_base_moof", "flush_packets": "1"}


@lru_cache
def encoder_works(name: str) -> bool:
    """True if this build of FFmpeg can open the encoder and turn a picture into a packet."""
    try:
        context = av.CodecContext.create(name, "w")
        if not isinstance(context, av.VideoCodecContext):
            return False
        _configure(context, name, 64, 64, 24, 20)
        frame = to_yuv(np.zeros((64, 64, 3), np.uint8), 0, 24)
        return bool([*context.encode(frame), *context.encode(None)])
    except (av.FFmpegError, ValueError):
        return False


def pick_encoder(names: tuple[str, ...] = ENCODERS) -> str:
    """The first encoder of ``names`` that works. UserError naming those tried if none does."""
    for name in names:
        if encoder_works(name):
            return name
    raise UserError(
        f"no video encoder works here: tried {', '.join(names)}; install a wheel of 'av' with libx264, "
        "or record without video"
    )


class VideoWriter:
    """Writes RGB frames to an MP4 file.

    Odd sides are padded to even ones by repeating the last row or column, decided here and for the whole file.

    Args:
        path: file to write; an existing one is replaced.
        width, height: of every frame, pixels.
        fps: frames a second.
        quality: constant rate factor of H.264 (0 best, 51 worst); other encoders take their nearest setting.
        encoder: one of ENCODERS, or None for the first that works.
        comment: text that the file carries; ``video_comment`` reads it.

    Raises:
        UserError: if no encoder works, the size is not positive or the file cannot be written.
    """

    def __init__(
        self,
        path: Path,
        width: int,
        height: int,
        fps: int,
        quality: int = 17,
        encoder: str | None = None,
        comment: str = "",
    ) -> None:
        if width < 1 or height < 1:
            raise UserError(f"a video needs a positive size, got {width}x{height}")
        self.encoder = pick_encoder(ENCODERS if encoder is None else (encoder,))
        self.path = Path(path)
        self.frames = 0
        self._size = (height, width)
        self._pad = (height % 2, width % 2)
        self._fps = fps
        self._last = -1
        self._closed = False
        try:
            self._file = av.open(str(path), "w", format="mp4", options=_FRAGMENTED)
            stream = self._file.add_stream(self.encoder, rate=fps)
            if not isinstance(stream, av.VideoStream):
                raise UserError(f"{self.encoder!r} is no video encoder; expected one of {', '.join(ENCODERS)}")
            self._stream = stream
            _configure(self._stream.codec_context, self.encoder, width + width % 2, height + height % 2, fps, quality)
            if comment:
                self._file.metadata["comment"] = comment
            self._file.start_encoding()
        except (av.FFmpegError, OSError) as error:
            raise UserError(f"cannot write {path}: {error.strerror or error}") from error

    def write(self, rgb: NDArray[np.uint8], index: int | None = None) -> None:
        """Append one frame uint8 ``[H, W, 3]`` RGB, row 0 at the top, shown at ``index / fps`` seconds.

        Args:
            rgb: the picture.
            index: its place in time; one after the last by default. A gap shows the frame before it for longer.

        Raises:
            UserError: if size or dtype differ from those of the file, or the disk refuses.
            ValueError: if the index does not rise.
        """
        check_picture(rgb, self._size)
        index = self._last + 1 if index is None else index
        if index <= self._last:
            raise ValueError(f"frame index must rise, got {index} after {self._last}")
        if any(self._pad):
            rgb = np.pad(rgb, ((0, self._pad[0]), (0, self._pad[1]), (0, 0)), mode="edge")
        self._encode(to_yuv(rgb, index, self._fps))
        self._last = index
        self.frames += 1

    def close(self) -> None:
        """Flush what the encoder still holds and close the file. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        try:
            if self.frames:
                self._encode(None)
        finally:
            self._file.close()

    def _encode(self, frame: av.VideoFrame | None) -> None:
        try:
            for packet in self._stream.encode(frame):
                self._file.mux(packet)
        except (av.FFmpegError, OSError) as error:
            raise UserError(f"cannot write {self.path}: {error.strerror or error}; it plays up to here") from error

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_video(path: Path) -> Iterator[tuple[Fraction, NDArray[np.uint8]]]:
    """Frames of a video as (time in seconds, RGB uint8 ``[H, W, 3]``), up to where the file ends or breaks.

    Raises:
        UserError: if the file is missing or no video.
    """
    try:
        with av.open(str(path)) as file:
            if not file.streams.video:
                raise UserError(f"{path} holds no video")
            try:
                for frame in file.decode(video=0):
                    if frame.pts is not None and frame.time_base is not None:
                        yield (
                            Fraction(frame.pts * frame.time_base),
                            frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False),
                        )
            except av.FFmpegError:
                return  # A file cut short in a fragment: what came before is whole.
    except (av.FFmpegError, OSError) as error:
        raise UserError(f"cannot read {path} as a video: {error.strerror or error}") from error


def video_comment(path: Path) -> str:
    """The text that a video carries, or an empty one. UserError if the file is missing or no video."""
    try:
        with av.open(str(path)) as file:
            return str(file.metadata.get("comment", ""))
    except (av.FFmpegError, OSError) as error:
        raise UserError(f"cannot read {path} as a video: {error.strerror or error}") from error


def side_by_side(left: NDArray[np.uint8], right: NDArray[np.uint8], gap: int = 4) -> NDArray[np.uint8]:
    """Two pictures uint8 ``[H, W, 3]`` of one height, joined with ``gap`` black columns between them."""
    if left.shape[0] != right.shape[0]:
        raise ValueError(f"pictures side by side need one height, got {left.shape[0]} and {right.shape[0]}")
    black = np.zeros((left.shape[0], gap, 3), np.uint8)
    return np.concatenate((left, black, right), axis=1)


def check_picture(rgb: NDArray[np.uint8], size: tuple[int, int]) -> None:
    """UserError unless ``rgb`` is uint8 ``[H, W, 3]`` of exactly ``size`` (H, W)."""
    if rgb.dtype != np.uint8 or rgb.shape != (*size, 3):
        raise UserError(f"expected a picture uint8 {(*size, 3)}, got {rgb.dtype} {rgb.shape}")


def _configure(context: av.VideoCodecContext, name: str, width: int, height: int, fps: int, quality: int) -> None:
    context.width, context.height, context.pix_fmt = width, height, "yuv420p"
    context.time_base, context.framerate = Fraction(1, fps), Fraction(fps)
    context.gop_size = fps  # A key frame, so a fragment, a second.
    context.max_b_frames = 0
    context.colorspace, context.color_primaries, context.color_trc = _BT709, _BT709, _BT709
    context.color_range = _LIMITED_RANGE
    options = dict(_OPTIONS.get(name, {}))
    options["qscale" if name == "mpeg4" else "crf"] = str(max(1, quality // 4) if name == "mpeg4" else quality)
    context.options = options


def to_yuv(rgb: NDArray[np.uint8], index: int, fps: int) -> av.VideoFrame:
    """RGB uint8 ``[H, W, 3]``, sides even → YUV 4:2:0 by BT.709, shown at ``index / fps`` seconds."""
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
    frame = frame.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
    frame.pts, frame.time_base = index, Fraction(1, fps)
    return frame
