"""Session folders and clip folders as drives to score, one open at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from demos.options import DEFAULT_LOOK
from demos.play.references import read_reference
from diffusion_render.evaluate.footage import (
    CONTROL,
    GIVEN,
    OTHER_PLACE,
    OWN,
    PROMPT,
    HeldFootage,
    Reference,
    ScoredDrive,
    Shots,
)
from diffusion_render.stream.guides import Guides
from engine_sim.core.errors import UserError
from engine_sim.recording.clips import Clip, ClipFolder, prompt_of
from engine_sim.recording.drive import setup_of
from engine_sim.recording.reader import Session, open_session
from engine_sim.views.class_view import open_class_view
from engine_sim.views.look import Look, named_look

from .impulse import make_impulse
from .pictures import Teacher, open_teacher
from .places import other_look, other_place
from .session_footage import SessionFootage, as_tensor, camera_values, scene_of

STREAMS = (OWN, OTHER_PLACE, CONTROL)
"""What a drive is streamed with unless somebody asks for less."""
_PROMPT_SECONDS = 10
MOVING, _LEAST = 4.0, 2.0
"""Seconds until the cars move, and seconds that must be left after them."""


@dataclass(frozen=True)
class DriveOptions:
    """How folders become drives.

    Args:
        streams: names of the streams wanted, of STREAMS, GIVEN and PROMPT.
        picture: the reference of GIVEN.
        look: of the teacher view; None for the recorded one.
        start: seconds of a session that are left out; None for those of the countdown, if enough is left: before
            standing cars nothing moves, and the first second is what drift is read against.
        seconds: most of a session to stream, or 0 for all.
        guided: whether depth and cameras go to the renderer.
        encode: prompt → tokens, or None where no prompt can be read.
    """

    streams: tuple[str, ...] = STREAMS
    picture: Path | None = None
    look: Look | None = None
    start: float | None = None
    seconds: float = 0.0
    guided: bool = False
    encode: Callable[[str], Tensor | None] = lambda _: None


def session_drives(paths: Sequence[Path], options: DriveOptions) -> Iterator[ScoredDrive]:
    """The drives of session folders; views are open only while theirs is the last one given."""
    for path in paths:
        with session_drive(path, options) as drive:
            yield drive


@contextmanager
def session_drive(path: Path, options: DriveOptions) -> Iterator[ScoredDrive]:
    """One session folder as a drive.

    Raises:
        UserError: no session, no way to a teacher view, or a track that has changed since.
    """
    session = open_session(path)
    look = options.look or (Look.from_dict(session.header.look) if session.header.look else named_look(DEFAULT_LOOK))
    height, width = session.shape
    with ExitStack() as stack:
        scene = scene_of(session)
        teacher = open_teacher(session, scene, look)
        stack.callback(teacher.close)
        view = stack.enter_context(open_class_view(scene, width, height))
        first = _first_frame(session, options.start)
        footage = SessionFootage(session, teacher, view, options.guided, first, options.seconds)
        references, notes = _references(session, teacher, look, options, first)
        impulse = make_impulse(session, view)
        if impulse is None:
            notes.append("too short to measure response")
        yield ScoredDrive(path.name, footage, references, impulse, tuple(notes))


def _first_frame(session: Session, start: float | None) -> int:
    fps = session.header.fps
    if start is None:
        start = MOVING if len(session.frames) >= (MOVING + _LEAST) * fps else 0.0
    return round(start * fps)


def _references(
    session: Session, teacher: Teacher, look: Look, options: DriveOptions, first: int
) -> tuple[dict[str, Reference], list[str]]:
    """References by stream, in the order in which they were asked for, and notes on those that cannot be had."""
    opening, camera = session.class_map(first), camera_values(session.frame_state(first).camera)
    seen = session.class_maps(first, min(len(session.frames), first + _PROMPT_SECONDS * session.header.fps))
    text = options.encode(prompt_of(look, seen))
    height, width = session.shape
    found: dict[str, Reference] = {}
    notes: list[str] = []
    for name in options.streams:
        if name in (OTHER_PLACE, CONTROL) and not teacher.can_restage:
            notes.append(f"no stream {name!r}: it needs OpenGL to draw another place and look")
        elif name == OTHER_PLACE:
            place = other_place(setup_of(session), session.header.camera, look, width, height)
            found[name] = _reference(as_tensor(place.picture), place.class_map, text, camera_values(place.camera))
            notes.append(f"other place: {place.track}")
        elif name == CONTROL:
            title, other = other_look(look)
            picture = as_tensor(teacher.still(first, other))
            found[name] = _reference(picture, opening, options.encode(prompt_of(other, seen)), camera)
            notes.append(f"control: {title}")
        else:
            given = as_tensor(teacher.still(first)) if name == OWN else _given(options, width, height, name)
            # Nobody knows with what camera a picture of the user's own was taken.
            found[name] = _reference(given, opening, text, None if name == GIVEN else camera)
    return found, notes


def _given(options: DriveOptions, width: int, height: int, name: str) -> Tensor | None:
    """The picture of GIVEN, at the size of the stream; none for PROMPT."""
    if name == PROMPT:
        return None
    if name != GIVEN or options.picture is None:
        raise ValueError(f"no reference for stream {name!r}")
    return as_tensor(read_reference(options.picture, width, height))


def _reference(
    picture: Tensor | None, class_map: NDArray[np.uint8], text: Tensor | None, camera: Tensor | None
) -> Reference:
    return Reference(picture, torch.from_numpy(np.require(class_map, requirements="W")), text, camera)


def clip_drives(path: Path, options: DriveOptions, limit: int) -> Iterator[ScoredDrive]:
    """The first clips of a clip folder as drives; references come from the other clips.

    Raises:
        UserError: no finished clip folder, or one without teacher frames.
    """
    folder = ClipFolder(path)
    for index in range(min(limit, len(folder))):
        yield _clip_drive(folder, index, options)


def _clip_drive(folder: ClipFolder, index: int, options: DriveOptions) -> ScoredDrive:
    clip = folder.clip(index)
    look = folder.entries[index].get("look_seed")
    elsewhere = next(iter(folder.other_places(index)), None)
    other = next((k for k, entry in enumerate(folder.entries) if entry.get("look_seed") != look), None)
    source = {OWN: index, OTHER_PLACE: elsewhere, CONTROL: other}
    references: dict[str, Reference] = {}
    notes = []
    maps, teacher = _frames(folder, clip)
    for name in options.streams:
        if name in source:
            number = source[name]
            if number is None:
                notes.append(f"no stream {name!r}: the folder has no such clip")
                continue
            there = clip if number == index else folder.clip(number)
            still_maps, still = _frames(folder, there)
            text = options.encode(str(there.meta["prompt"]))
            references[name] = Reference(still[0], still_maps[0], text, _opening_camera(there))
        else:
            picture = _given(options, maps.shape[2], maps.shape[1], name)
            camera = None if name == GIVEN else _opening_camera(clip)
            references[name] = Reference(picture, maps[0], options.encode(str(clip.meta["prompt"])), camera)
    motion = clip.planes.get("motion")
    planes = None if motion is None else torch.from_numpy(motion.astype(np.float32))
    footage = HeldFootage(Shots(maps, teacher, planes, _guides(clip, options)), folder.fps)
    return ScoredDrive(f"clip {index}, {clip.meta['track']}", footage, references, None, tuple(notes))


def _frames(folder: ClipFolder, clip: Clip) -> tuple[Tensor, Tensor]:
    """Class maps ``[F, H, W]`` and teacher ``[F, 3, H, W]`` of a clip, writable copies."""
    if clip.teacher is None:
        raise UserError(f"{folder.path} has no teacher frames: cut the clips with them to score against them")
    return torch.from_numpy(clip.class_maps.copy()), torch.from_numpy(np.array(clip.teacher)).movedim(-1, 1)


def _opening_camera(clip: Clip) -> Tensor:
    return torch.from_numpy(clip.camera[0].copy())


def _guides(clip: Clip, options: DriveOptions) -> Guides | None:
    if not options.guided or "depth" not in clip.planes:
        return None
    return Guides(torch.from_numpy(clip.planes["depth"].astype(np.float32)), torch.from_numpy(clip.camera.copy()))
