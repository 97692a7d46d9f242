"""A film that goes out live while it is made: its pictures are slowed down to the pace at which they play."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Metronome:
    """Holds a source back that is faster than it plays. A source that is late is not hurried afterwards.

    Args:
        clock, sleep: of seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._begun: float | None = None

    def wait(self, media: float) -> None:
        """Wait until this media time, in seconds, is due."""
        now = self._clock()
        if self._begun is None or now > self._begun + media:
            self._begun = now - media
            return
        self._sleep(self._begun + media - now)


class Shows(Protocol):
    """What takes pictures; see ``LiveStream``."""

    def show(self, rgb: NDArray[np.uint8], media: float) -> None:
        """Show a picture RGB uint8 ``[H, W, 3]`` from its media time in seconds on."""


class Writes(Protocol):
    """What a film is written to; see ``VideoWriter``."""

    def write(self, rgb: NDArray[np.uint8]) -> None:
        """Append a picture RGB uint8 ``[H, W, 3]``."""


class LiveReel:
    """Writes a film, and shows it live as well if there is a stream.

    Args:
        video: takes every picture at once; None for the stream alone.
        stream: takes it when it is due, or None.
        fps: of the film.
        metronome: says when that is.
    """

    def __init__(
        self, video: Writes | None, stream: Shows | None, fps: int, metronome: Metronome | None = None
    ) -> None:
        self._video, self._stream, self._fps = video, stream, fps
        self._metronome = metronome or Metronome()
        self._shown = 0

    def write(self, rgb: NDArray[np.uint8]) -> None:
        """Append the next picture."""
        if self._video is not None:
            self._video.write(rgb)
        if self._stream is None:
            return
        media = self._shown / self._fps
        self._metronome.wait(media)
        self._stream.show(rgb, media)
        self._shown += 1
