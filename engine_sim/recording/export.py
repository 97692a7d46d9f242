"""Videos of a session folder for eyes: class colours, teacher view, or both side by side."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from render_bridge.palette import RACING

from ..core.errors import UserError
from .reader import Session, open_session
from .video import VideoWriter, side_by_side

KINDS = ("class", "teacher", "both")


def export_video(path: Path | str, out: Path | str, kind: str = "class", progress: bool = True) -> int:
    """Write one video of a session; file time is simulation time.

    Args:
        path: session folder.
        out: MP4 file to write.
        kind: ``class`` (class colours), ``teacher``, or ``both``: class colours left, teacher right.
        progress: show a progress bar.

    Returns:
        Number of frames written.

    Raises:
        UserError: unknown kind, no session, or no teacher frames in it; no file is left then.
    """
    if kind not in KINDS:
        raise UserError(f"kind of video must be one of {', '.join(KINDS)}, got {kind!r}")
    session = open_session(path)
    pictures = _pictures(session, kind)
    first = next(pictures, None)
    if first is None:
        raise UserError(f"{path} holds no whole frame")
    height, width = first[1].shape[:2]
    with VideoWriter(Path(out), width, height, session.header.fps) as video:
        bar = tqdm(total=len(session.frames), unit="frame", desc=Path(out).name, disable=not progress)
        with bar:
            for index, rgb in itertools.chain((first,), pictures):
                video.write(rgb, session.frames[index].frame.tick // session.header.ticks_per_frame)
                bar.update()
        return video.frames


def _pictures(session: Session, kind: str) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    if kind == "teacher":
        yield from session.teacher_frames()
        return
    maps = ((index, RACING.colorize(class_map)) for index, class_map in session.iter_maps())
    if kind == "class":
        yield from maps
        return
    teacher = dict[int, NDArray[np.uint8]]()
    frames = session.teacher_frames()
    for index, colors in maps:
        while index not in teacher:  # Both come in order; frames missing at the end of a broken video end the pairs.
            found = next(frames, None)
            if found is None:
                return
            teacher[found[0]] = found[1]
        yield index, side_by_side(colors, teacher.pop(index))
