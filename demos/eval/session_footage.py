"""A session folder as footage: class maps as recorded, teacher view, exact motion and guides drawn as they are read."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from diffusion_render.evaluate.footage import Shots
from diffusion_render.stream.guides import Guides
from engine_sim.core.errors import UserError
from engine_sim.recording.reader import Session
from engine_sim.recording.records import pack_camera
from engine_sim.recording.session_format import scene_hash
from engine_sim.tracks.catalogue import load_track
from engine_sim.views.class_view import ClassView
from engine_sim.views.frame import Camera
from engine_sim.views.scene import build_scene
from engine_sim.views.scene_data import Scene

from .pictures import Picture, Teacher, frames_of


def scene_of(session: Session) -> Scene:
    """The scene that a session was recorded in.

    Raises:
        UserError: its track is not there, or looks otherwise than it did: nothing drawn now would fit its maps.
    """
    name = str(session.header.setup.get("track", ""))
    track = load_track(name)
    if scene_hash(track) != session.header.scene_hash:
        raise UserError(
            f"{session.path}: track {name!r} has changed since it was recorded, so the teacher view would not fit its "
            "class maps; record it again"
        )
    return build_scene(track)


class SessionFootage:
    """Implements ``evaluate.footage.Footage``.

    Args:
        session: open, with at least one frame.
        teacher: of the session.
        view: of the session's scene and size; draws motion and depth. Both are closed by whoever opened them.
        guided: whether guides are wanted.
        first: frame of the session that the footage begins with.
        seconds: most to show, or 0 for all.

    Raises:
        UserError: nothing is left to show.
    """

    def __init__(
        self, session: Session, teacher: Teacher, view: ClassView, guided: bool, first: int = 0, seconds: float = 0
    ) -> None:
        self._session, self._teacher, self._view = session, teacher, view
        self._planes = ("motion", "depth") if guided else ("motion",)
        self.fps = session.header.fps
        self.height, self.width = session.shape
        self._first = first
        left = len(session.frames) - first
        self._frames = min(left, round(seconds * self.fps)) if seconds else left
        if self._frames < 1:
            raise UserError(f"{session.path} holds {len(session.frames)} frames, none of them from {first} on")

    def __len__(self) -> int:
        return self._frames

    def read(self, start: int, stop: int) -> Shots:
        """Frames ``start`` to ``stop`` (excluded), counted from the first one shown."""
        start, stop = self._first + start, self._first + stop
        maps = torch.from_numpy(self._session.class_maps(start, stop))
        teacher = torch.stack([as_tensor(p) for p in frames_of(self._teacher, start, stop)])
        planes = [self._draw(k) for k in range(start, stop)]
        motion = torch.stack([torch.from_numpy(p["motion"]) for p in planes])
        if "depth" not in self._planes:
            return Shots(maps, teacher, motion)
        depth = torch.stack([torch.from_numpy(p["depth"]).float() for p in planes])
        cameras = torch.stack([camera_values(self._session.frame_state(k).camera) for k in range(start, stop)])
        return Shots(maps, teacher, motion, Guides(depth, cameras))

    def _draw(self, index: int) -> dict[str, np.ndarray]:
        before = self._session.frame_state(max(0, index - 1))
        return self._view.planes(self._session.frame_state(index), before, self._planes)


def camera_values(camera: Camera) -> Tensor:
    """A camera as guides have it, float64 ``[12]``."""
    return torch.tensor(pack_camera(camera), dtype=torch.float64)


def as_tensor(picture: Picture) -> Tensor:
    """RGB uint8 ``[H, W, 3]`` → uint8 ``[3, H, W]``."""
    return torch.from_numpy(np.ascontiguousarray(np.moveaxis(picture, -1, 0)))
