"""The recordings of a folder: names, facts, a picture of each. What is slow to read is read on a thread."""

from __future__ import annotations

import itertools
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE
from engine_sim.recording.fields import read_json
from engine_sim.recording.reader import Session, open_session
from engine_sim.recording.session_format import HEADER_FILE, SessionHeader
from render_bridge.palette import RACING

from .loading import Loading
from .screens.replays import Book, Preview

FOLDER = Path("sessions")
MOST_BOOKS = 500
MOST_KEPT = 24
TEACHER_FRAME = 48
"""Frames of a teacher video are read from its start; this one is two seconds in, when the lamps still burn."""


def read_header(folder: Path) -> SessionHeader:
    """What a session folder says of itself. UserError if it is none of this version."""
    return SessionHeader.from_json(read_json(folder / HEADER_FILE), str(folder / HEADER_FILE), RACING)


@dataclass
class _Known:
    """A preview, or the work on it."""

    work: Loading[Preview] | None
    preview: Preview | None = None


class Shelf:
    """Recordings under a folder, newest first.

    Args:
        folder: whose subfolders are looked at.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self._known: OrderedDict[Path, _Known] = OrderedDict()

    def books(self) -> list[Book]:
        """What there is now. A folder that is damaged is listed with what is wrong."""
        found = []
        try:
            places = sorted(self.folder.glob(f"*/{HEADER_FILE}"), key=_age)[:MOST_BOOKS]
        except OSError:
            places = []
        for place in places:
            found.append(_book(place.parent))
        return found

    def preview(self, path: Path) -> Preview | None:
        """Picture and facts of one, or None while they are being read; one is read at a time."""
        known = self._known.get(path)
        if known is None:
            if any(other.work is not None and other.work.running for other in self._known.values()):
                return None
            self._known[path] = _Known(Loading(lambda _: read_preview(path)))
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
            return None
        if known.work is not None and not known.work.running:
            known.preview, known.work = known.work.result(), None
        return known.preview


def read_preview(path: Path) -> Preview:
    """Picture and facts of a session; what is wrong with it instead, if it cannot be read."""
    try:
        session = open_session(path)
        return Preview(_facts(session), _picture(session))
    except UserError as error:
        return Preview(("cannot be read", str(error)), None)


def _book(path: Path) -> Book:
    try:
        header = read_header(path)
    except UserError as error:
        return Book(path, path.name, "cannot be read", str(error))
    when = time.strftime("%d %b %H:%M", time.localtime((path / HEADER_FILE).stat().st_mtime))
    return Book(path, path.name, when, f"{header.setup.get('track', '')}")


def _facts(session: Session) -> tuple[str, ...]:
    header = session.header
    minutes, seconds = divmod(session.ticks / TICK_RATE, 60)
    lines = [
        str(header.setup.get("track", "")).replace("-", " "),
        f"{minutes:.0f}:{seconds:04.1f}, {header.cars} cars, {header.width} × {header.height} at {header.fps}",
    ]
    if header.look is not None:
        lines.append(f"look: {str(header.look.get('weather', {}).get('lighting', 'its own')).replace('-', ' ')}")
    return (*lines, *(["it was never finished"] if session.unfinished else []), *session.damage[:1])


def _picture(session: Session) -> NDArray[np.uint8] | None:
    """A teacher frame near the start, or the class map of the middle in colours."""
    if not session.frames:
        return None
    if session.header.teacher != "none":
        frames = [rgb for _, rgb in itertools.islice(session.teacher_frames(), TEACHER_FRAME)]
        if frames:
            return frames[-1]
    return RACING.colorize(session.class_map(len(session.frames) // 2))


def _age(header: Path) -> float:
    return -header.stat().st_mtime
