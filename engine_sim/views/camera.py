"""Camera rigs: chase, cockpit and trackside cameras that follow the player's car tick by tick.

A rig has memory (springs, the chosen trackside camera), so it is part of a recording: its rules are exact kernels, and
its state is hashed, saved and restored like the world's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..core.errors import UserError
from ..core.state import restore_state, save_state, state_hash
from ..tracks.track import Track
from . import camera_rules as rules
from .camera_rules import ChaseTuning, CockpitTuning, RigState
from .frame import Camera, CarPose, FrameState
from .trackside import TracksideTuning, camera_posts, reset_trackside, step_trackside

KINDS = ("chase", "cockpit", "trackside")
_NEAR = {"chase": 0.4, "cockpit": 0.3, "trackside": 0.5}


class Watched(Protocol):
    """What ``frame_state`` needs of a world."""

    @property
    def tick(self) -> int:
        """Simulation tick."""

    def poses(self) -> Sequence[CarPose]:
        """All cars, the player first."""


class CameraRig:
    """One camera following one car.

    ``reset`` once, then ``step`` once a tick with the pose after that tick. A car that is put back on the track is
    noticed by itself: the rig then stands behind it anew, without flying there.

    Args:
        kind: ``chase``, ``cockpit`` or ``trackside``.
        track: for the ground, the barriers and the places of trackside cameras.
    Raises:
        UserError: unknown kind.
    """

    def __init__(self, kind: str, track: Track) -> None:
        if kind not in KINDS:
            raise UserError(f"unknown camera {kind!r}: expected one of {', '.join(KINDS)}")
        self.kind = kind
        self.state = RigState(np.zeros(rules.VALUES), np.full(rules.MARKS, -1, np.int64))
        field = track.ground
        place = np.array([field.x0, field.y0, field.cell])
        values, marks = self.state
        self._arguments: tuple
        if kind == "chase":
            self._reset, self._step = rules.reset_chase, rules.step_chase
            self._arguments = (values, marks, track.arrays, field.z, place, ChaseTuning())
        elif kind == "cockpit":
            self._reset, self._step = rules.reset_cockpit, rules.step_cockpit
            self._arguments = (values, CockpitTuning())
        else:
            self._reset, self._step = reset_trackside, step_trackside
            self._arguments = (values, marks, camera_posts(track), TracksideTuning())

    def reset(self, pose: CarPose) -> None:
        """Forget everything and stand where the camera belongs for a car at rest in this pose."""
        self.state.values[:] = 0.0
        self.state.marks[:] = -1
        self._reset(*self._arguments, *self._seen(pose))

    def step(self, pose: CarPose) -> None:
        """Follow the car for one tick."""
        self._step(*self._arguments, *self._seen(pose))

    def camera(self) -> Camera:
        """The camera as it stands now."""
        v = self.state.values.tolist()
        return Camera((v[0], v[1], v[2]), (v[3], v[4], v[5]), (v[6], v[7], v[8]), v[9], _NEAR[self.kind])

    def save(self) -> bytes:
        """All memory of the rig."""
        return save_state(self.state)

    def restore(self, saved: bytes) -> None:
        """Take back what ``save`` gave. Raises UserError for foreign or cut bytes."""
        restore_state(self.state, saved)

    def hash(self) -> str:
        """16 hex digits over the whole memory."""
        return state_hash(self.state)

    def _seen(self, pose: CarPose) -> tuple[float, ...]:
        if self.kind == "trackside":
            return pose.x, pose.y, pose.z, pose.yaw, pose.speed
        return pose.x, pose.y, pose.z, pose.yaw, pose.pitch, pose.roll, pose.speed


def frame_state(world: Watched, rig: CameraRig) -> FrameState:
    """The present moment of a world, seen by a rig: copied, so drawing it can change neither."""
    return FrameState(world.tick, rig.camera(), tuple(world.poses()), hide_player=rig.kind == "cockpit")
