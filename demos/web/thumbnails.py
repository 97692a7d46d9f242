"""A small picture of each look, drawn by the teacher view once and kept on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from demos.gallery.files import write_whole
from demos.options import NamedLook
from demos.play.painter import Painter, PaintJob, Picture, View, open_view
from demos.play.stage import Make
from engine_sim.core.errors import UserError
from engine_sim.core.jit import cache_root
from engine_sim.recording.session_format import package_version, scene_hash
from engine_sim.views.frame import FrameState

WIDTH, HEIGHT = 224, 128
QUALITY = 85
TURN_S = 0.05
POLITE = 10


def open_politely(job: PaintJob, place: Any, progress: Callable[[str], None]) -> View:
    """The engine's view in a process that lets the game go first."""
    if hasattr(os, "nice"):
        os.nice(POLITE)
    return open_view(job, place, progress)


class Thumbnails:
    """JPEG pictures of looks.

    Args:
        looks: in their order.
        folder: where they are kept (default: beside compiled rules); one that cannot be written is done without.
        make: opens a painter.
    """

    def __init__(
        self,
        looks: tuple[NamedLook, ...],
        folder: Path | None = None,
        make: Make = lambda job: Painter(job, open_politely),
    ) -> None:
        self._looks, self._folder, self._make = looks, folder or cache_root().parent / "looks", make
        self._pictures: dict[int, bytes] = {}
        self._begun = False

    @property
    def ready(self) -> list[int]:
        """Numbers of the looks whose pictures are there."""
        return sorted(self._pictures)

    def find(self, number: int) -> bytes | None:
        """The JPEG file of a look, if it is there."""
        return self._pictures.get(number)

    async def draw(self, place: Any, frame: FrameState, tell: Callable[[int], None]) -> None:
        """Read or draw all, the first time; ``tell`` hears of each. Without OpenGL there are none.

        Args:
            place: a Track.
            frame: what the pictures show.
        """
        if self._begun:
            return
        self._begun = True
        loop = asyncio.get_running_loop()
        paths = await loop.run_in_executor(None, lambda: [self._path(look, place) for look in self._looks])
        missing = []
        for number, path in enumerate(paths):
            kept = read_kept(path)
            if kept is None:
                missing.append(number)
            else:
                self._take(number, kept, tell)
        if missing:
            await self._draw_missing(missing, paths, place, frame, tell)

    async def _draw_missing(
        self, missing: list[int], paths: list[Path], place: Any, frame: FrameState, tell: Callable[[int], None]
    ) -> None:
        painter = self._make(PaintJob("teacher", WIDTH, HEIGHT, self._looks[missing[0]].look))
        try:
            painter.open(place)
            for number in missing:
                painter.set_look(self._looks[number].look)
                painter.submit(frame)
                picture = await first_picture(painter)
                _, jpeg = cv2.imencode(".jpg", picture.pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
                with contextlib.suppress(UserError):  # a folder that cannot be written: they are drawn again next time
                    write_whole(paths[number], jpeg.tobytes())
                self._take(number, jpeg.tobytes(), tell)
        except (UserError, RuntimeError):  # no OpenGL here, or a driver that fails: names alone must do
            return
        finally:
            await asyncio.get_running_loop().run_in_executor(None, painter.close)

    def _take(self, number: int, jpeg: bytes, tell: Callable[[int], None]) -> None:
        self._pictures[number] = jpeg
        tell(number)

    def _path(self, look: NamedLook, place: Any) -> Path:
        """Named by all that the picture depends on."""
        what = [package_version(), scene_hash(place), look.look.to_dict(), WIDTH, HEIGHT, QUALITY]
        return self._folder / f"{hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]}.jpg"


async def first_picture(painter: Painter) -> Picture:
    """Wait for a picture. Raises what ``Painter.poll`` raises."""
    while True:
        done = painter.poll()
        if done:
            return done[-1]
        await asyncio.sleep(TURN_S)


def read_kept(path: Path) -> bytes | None:
    """A kept picture, if it is there and whole."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data if data.startswith(b"\xff\xd8") and data.endswith(b"\xff\xd9") else None
