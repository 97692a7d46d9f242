"""Renderers in a thread of the test, whose pictures say which frame they answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from render_bridge.protocol.events import FrameTaken, SessionOpened
from render_bridge.protocol.messages import Control
from render_bridge.protocol.offer import Offer
from render_bridge.serving import serve

TICKS = 5
"""Of a video frame at 24 fps."""


@dataclass
class Diary:
    """What a renderer did, over all its sessions.

    Args:
        seconds: that a run takes.
        fail_at: run that fails, counted from 0.
        refuse: kind of control that is refused.
    """

    offer: Offer = field(default_factory=lambda: Offer("diary", run=4, first_run=12, window=26))
    seconds: float = 0.0
    fail_at: int | None = None
    refuse: str = ""
    runs: list[list[int]] = field(default_factory=list)
    planes: set[str] = field(default_factory=set)
    controls: list[Control] = field(default_factory=list)
    resets: int = 0

    def open(self, opened: SessionOpened) -> DiaryRenderer:
        """A renderer for a session."""
        return DiaryRenderer(self)


class DiaryRenderer:
    """Paints every pixel with the number of its video frame (red), of its run (green), and of the looks so far."""

    run: int | None = None

    def __init__(self, diary: Diary) -> None:
        self._diary = diary

    def render(self, frames: Sequence[FrameTaken]) -> Sequence[NDArray[np.uint8]]:
        """RGB ``[H, W, 3]`` a frame."""
        diary = self._diary
        number = len(diary.runs)
        diary.runs.append([frame.tick // TICKS for frame in frames])
        for frame in frames:
            diary.planes |= set(frame.planes)
        time.sleep(diary.seconds)
        if number == diary.fail_at:
            raise RuntimeError("latents are not finite")
        looks = sum(control.kind == "look" for control in diary.controls)
        return [
            np.broadcast_to(
                np.array([frame.tick // TICKS % 256, number % 256, looks], np.uint8), (*frame.class_map.shape, 3)
            ).copy()
            for frame in frames
        ]

    def apply(self, control: Control) -> None:
        """Write it down."""
        if control.kind == self._diary.refuse:
            raise ValueError("not today")
        self._diary.controls.append(control)

    def reset(self, seed: int | None) -> None:
        """Write it down."""
        self._diary.resets += 1

    def close(self) -> None:
        """Nothing to release."""


@contextmanager
def serving(address: str, diary: Diary) -> Iterator[None]:
    """Serve in a thread until the block ends."""
    stop = threading.Event()
    thread = threading.Thread(target=serve, args=(address, diary), kwargs={"stop": stop.is_set}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)
        assert not thread.is_alive()
