"""A film that goes out live while it is made, and when one of the two waits for the other.

A stream plays at the pace of media time. So what is made for a stream alone is held back to that pace from its first
picture to its last, and the second picture waits until the server has been heard of, or nobody would see the beginning.
A film that is kept is made as fast as it can be, and is held back only while somebody receives the
stream: nobody there costs it nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

REST_S = 0.02


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

    def rest(self) -> None:
        """Let a moment pass that does not count."""
        self._sleep(REST_S)
        self.forget()

    def forget(self) -> None:
        """Nobody waits: the next picture that is waited for begins a new count, however far the source has come."""
        self._begun = None


class Shows(Protocol):
    """What takes pictures; see ``LiveStream``."""

    @property
    def awaited(self) -> bool:
        """True while it is still to be heard whether anybody receives them."""

    @property
    def received(self) -> bool:
        """True while somebody receives them."""

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
        stream: takes it when it is due, or, while a film is kept and nobody receives the stream, at once; or None.
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
        if self._video is None or self._stream.received:
            self._metronome.wait(media)
        else:
            self._metronome.forget()
        self._stream.show(rgb, media)
        if self._video is None and self._shown == 0:
            while self._stream.awaited:
                self._metronome.rest()
        self._shown += 1
