"""Whether the teacher view of a session is whole, and its own."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import UserError
from . import session_format as form
from .reader import Session
from .record_log import CUT, scan_log
from .records import block_limit, file_hash


def teacher_damage(session: Session) -> tuple[str, ...]:
    """One line for each thing that is wrong with the teacher view of a session; none if it is whole or there is none.

    A finished session has the hash of its video in its header. Of an unfinished one, the mark of the session is checked
    and that the video plays: it may lack what the death of its writer costs, the last second.
    """
    try:
        return tuple({"none": _nothing, "mp4": _video, "lossless": _log}[session.header.teacher](session))
    except UserError as error:
        return (str(error),)


def _nothing(_: Session) -> Iterator[str]:
    return iter(())


def _log(session: Session) -> Iterator[str]:
    header = session.header
    limit = block_limit(3 * header.width * header.height, 1)
    scan = scan_log(session.path / form.TEACHER, "teacher", max_record=limit, owner=header.session_id)
    if scan.damage and not (session.unfinished and CUT in scan.damage):
        yield scan.damage
    wanted = header.finished.frames if header.finished else len(session.frames)
    if len(scan) != wanted and not session.unfinished:
        yield f"{form.TEACHER} holds {len(scan)} frames, {wanted} were recorded"


def _video(session: Session) -> Iterator[str]:
    from .video import video_comment  # Loads FFmpeg, which only this needs.

    path, header = session.path / form.TEACHER_VIDEO, session.header
    if session.unfinished and path.is_file() and not path.stat().st_size:
        return  # The encoder's first fragment never reached the disk.
    owner = video_comment(path)
    if owner != header.session_id:
        yield f"{path.name} belongs to another session, or was made elsewhere"
        return
    if header.finished and file_hash(path) != header.teacher_hash:
        frames = sum(1 for _ in session.teacher_frames())
        yield (
            f"{path.name} is not as recorded: cut, damaged or edited; {frames} of {header.finished.frames} frames can "
            "be decoded"
        )
        return
    long = len(session.frames) > 2 * header.fps
    if session.unfinished and long and next(session.teacher_frames(), None) is None:
        yield f"{path.name} cannot be decoded"
