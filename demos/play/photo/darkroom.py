"""Photographs on their way to a file: drawn large in a process of their own, scaled down once, written whole."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from demos.sheet import write_picture
from engine_sim.core.errors import UserError
from engine_sim.views.frame import FrameState

from ..painter import Painter, PaintJob

LEAST_WIDTH = 1344
"""A photograph is at least so wide, in whole multiples of the race's picture."""
FINER = 2
"""It is drawn so many times as large each way, and scaled down: edges and textures that shimmer in play are smooth."""
LARGEST = 4096
NAP = 0.02


def photo_size(width: int, height: int) -> tuple[int, int, int]:
    """(width, height) of a photograph, and how many times as large it is drawn."""
    times = max(1, -(-LEAST_WIDTH // width))
    width, height = width * times, height * times
    return width, height, FINER if max(width, height) * FINER <= LARGEST else 1


def free_name(folder: Path, name: str, suffix: str = "") -> Path:
    """``NAME-N.png`` with the first number that is free; the folder is made. UserError if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {folder}: {error.strerror}") from None
    number = next(n for n in range(1, 1_000_000) if not (folder / f"{name}-{n}{suffix}.png").exists())
    return folder / f"{name}-{number}{suffix}.png"


class Shot(NamedTuple):
    """A photograph that was taken: the moment, the look, the name of its file."""

    frame: FrameState
    look: Any
    name: str


class Darkroom:
    """Develops photographs of one place.

    Args:
        job: size of the race's picture.
        place: the Track.
        folder: where files go.
        say: told what became of them.
        make: opens a painting process.
    """

    def __init__(
        self, job: PaintJob, place: Any, folder: Path, say: Callable[[str], None], make: Callable[[PaintJob], Painter]
    ) -> None:
        width, height, self._finer = photo_size(job.width, job.height)
        self._size = width, height
        self._job = replace(job, view="teacher", width=width * self._finer, height=height * self._finer)
        self._place, self._folder, self._say, self._make = place, folder, say, make
        self._painter: Painter | None = None
        self._line: deque[Shot] = deque()
        self._lost = False

    @property
    def busy(self) -> bool:
        """True while a photograph is being developed."""
        return bool(self._line)

    @property
    def works(self) -> bool:
        """False once it is known that no teacher view can be opened."""
        return not self._lost

    def shoot(self, frame: FrameState, look: Any, name: str) -> None:
        """Develop this moment under a look into NAME-N.png."""
        self._line.append(Shot(frame, look, name))
        if len(self._line) == 1:
            self._begin()

    def poll(self) -> None:
        """Write what is developed, and begin with the next one."""
        if self._painter is None or self._lost:
            return
        try:
            for picture in self._painter.poll():
                self.keep(self._scaled(picture.pixels), self._line.popleft().name)
                if self._line:
                    self._begin()
        except (UserError, RuntimeError) as error:
            self._lost = True
            self._line.clear()
            self._say(f"no photograph: {str(error).splitlines()[0]}")

    def _begin(self) -> None:
        """One at a time: a look holds for all that is drawn after it."""
        shot = self._line[0]
        if self._painter is None:
            self._painter = self._make(replace(self._job, look=shot.look))
            self._painter.open(self._place)
        else:
            self._painter.set_look(shot.look)
        self._painter.submit(shot.frame, errand=1)

    def keep(self, pixels: NDArray[np.uint8], name: str, suffix: str = "") -> None:
        """Write a picture."""
        try:
            path = free_name(self._folder, name, suffix)
            write_picture(path, pixels)
        except UserError as error:
            self._say(str(error))
            return
        self._say(f"saved {path}")

    def close(self, patience: float = 0.0) -> None:
        """End the process; wait so many seconds at most for photographs that are not done."""
        until = time.monotonic() + patience
        while self.busy and time.monotonic() < until:
            self.poll()
            time.sleep(NAP)
        if self._painter is not None:
            self._painter.close()

    def _scaled(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if self._finer == 1:
            return pixels
        return np.asarray(cv2.resize(pixels, self._size, interpolation=cv2.INTER_AREA), np.uint8)
