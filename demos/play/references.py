"""A change of look on its way: the teacher view of one frame under the new look, and the class map of that very frame.

Both are drawn beside the game, so each comes when it comes; a newer change overtakes an older one.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from demos.bridge.drawn import matrices
from demos.options import NamedLook
from diffusion_render.stream.fitting import MOST_PIXELS, fit_picture
from engine_sim.core.errors import UserError
from engine_sim.core.files import read_given_file
from engine_sim.recording.clips import prompt_of
from engine_sim.views.frame import Camera, FrameState
from render_bridge.zmq.engine_end import EngineEnd

from .painter import Picture

LARGEST_FILE = 2**28
"""Bytes: more than any picture of ``MOST_PIXELS`` takes."""


@dataclass(frozen=True, eq=False)
class Reference:
    """What fixes a look for the renderer.

    Args:
        name: of the look.
        text: prompt.
        picture: RGB uint8 ``[H, W, 3]``, or None: the prompt alone.
        class_map: uint8 ``[H, W]`` of the frame that the picture shows.
        camera: that the picture was taken with, in our world; None for a picture from elsewhere.
        own: the look's own prompt, which an empty one brings back; empty if ``text`` is that.
    """

    name: str
    text: str
    picture: NDArray[np.uint8] | None
    class_map: NDArray[np.uint8]
    camera: Camera | None = None
    own: str = ""


class Easel(Protocol):
    """What draws: the stage."""

    @property
    def can_refer(self) -> bool:
        """True if there is a teacher view."""

    def set_look(self, look: object) -> None:
        """Draw the teacher view in another look from now on."""

    def errand(self, view: str, frame: FrameState, number: int) -> None:
        """Draw this very frame."""


class ReferenceMaker:
    """Makes the reference of the look that was wanted last.

    Args:
        easel: draws; what it has drawn goes to ``take``.
    """

    def __init__(self, easel: Easel) -> None:
        self._easel = easel
        self._number = 0
        self._look: NamedLook | None = None
        self._text: str | None = None
        self._picture: NDArray[np.uint8] | None = None
        self._class_map: NDArray[np.uint8] | None = None
        self._camera: Camera | None = None
        self._waits_for_picture = False

    @property
    def busy(self) -> bool:
        """True while a reference is being made."""
        return self._look is not None

    def want(
        self, look: NamedLook, frame: FrameState, text: str | None = None, picture: NDArray[np.uint8] | None = None
    ) -> None:
        """Begin with a look; an older one that is not done is given up.

        Args:
            look: the look.
            frame: what the reference shows.
            text: prompt; None for the look's own.
            picture: reference RGB ``[H, W, 3]``; None for the teacher view, or without one the prompt alone.
        """
        self._number += 1
        self._look, self._text, self._picture, self._class_map = look, text, picture, None
        self._easel.set_look(look.look)
        self._waits_for_picture = picture is None and self._easel.can_refer
        self._camera = frame.camera if self._waits_for_picture else None
        if self._waits_for_picture:
            self._easel.errand("teacher", frame, self._number)
        self._easel.errand("class", frame, self._number)

    def reword(self, text: str | None) -> None:
        """Another prompt for the reference that is being made; None for the look's own."""
        self._text = text

    def take(self, view: str, drawn: Picture) -> Reference | None:
        """Something was drawn for an errand; the reference, once it is complete."""
        if self._look is None or drawn.order.errand != self._number:
            return None
        if view == "teacher":
            self._picture, self._waits_for_picture = drawn.pixels, False
        else:
            self._class_map = drawn.pixels
        if self._class_map is None or self._waits_for_picture:
            return None
        look, self._look = self._look, None
        return make_reference(look, self._class_map, self._picture, self._text, self._camera)


def make_reference(
    look: NamedLook,
    class_map: NDArray[np.uint8],
    picture: NDArray[np.uint8] | None,
    text: str | None,
    camera: Camera | None = None,
) -> Reference:
    """A reference under a look; without a ``text`` the look says what it looks like, of the classes that are seen."""
    own = prompt_of(look.look, class_map[None])
    return Reference(look.name, own if text is None else text, picture, class_map, camera, own)


def send_look(end: EngineEnd, reference: Reference, text: str) -> int:
    """Have a renderer paint after a reference with this prompt, or after the prompt alone if it has no picture.

    Returns:
        The control's id. BridgeClosed if the connection is over.
    """
    if reference.picture is None:
        return end.control("prompt", text=text)
    height, width = reference.class_map.shape
    buffers = np.ascontiguousarray(reference.picture), np.ascontiguousarray(reference.class_map)
    view, projection = matrices(reference.camera, width, height) if reference.camera else (None, None)
    return end.control("look", text=text, width=width, height=height, view=view, projection=projection, buffers=buffers)


def read_reference(path: Path, width: int, height: int) -> NDArray[np.uint8]:
    """Any picture file, cut and scaled to RGB uint8 ``[height, width, 3]``. UserError says what is wrong with it."""
    try:
        data = read_given_file(path, LARGEST_FILE)
    except OSError as error:
        raise UserError(f"cannot read the reference {path}: {error.strerror or error}") from None
    return picture_of(data, str(path), width, height)


def picture_of(data: bytes, name: str, width: int, height: int) -> NDArray[np.uint8]:
    """As ``read_reference``, from the bytes of a file; ``name`` is what the refusal calls it."""
    pixels = announced_pixels(data)
    picture = decoded(data) if 0 < pixels <= MOST_PIXELS else None
    if picture is None:
        most = f"at most {MOST_PIXELS // 10**6} million pixels"
        raise UserError(f"the reference {name} is no picture that can be read; give it a PNG or JPEG file of {most}")
    try:
        return fit_picture(picture, width, height)
    except ValueError as error:
        raise UserError(f"the reference {name} cannot be used: {error}") from None


def announced_pixels(data: bytes) -> int:
    """Pixels that the head of a picture file announces, before anything of that size is decoded; 0 if it is
    none, or larger than FFmpeg takes.
    """
    try:
        with av.open(io.BytesIO(data)) as file:
            return sum(stream.width * stream.height for stream in file.streams.video[:1])
    except (av.FFmpegError, OSError, ValueError):
        return 0


def decoded(data: bytes) -> NDArray[np.uint8] | None:
    """The bytes of a picture file as RGB uint8 ``[h, w, 3]``, or None."""
    try:
        bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if bgr is None else np.asarray(bgr[..., ::-1], np.uint8)
