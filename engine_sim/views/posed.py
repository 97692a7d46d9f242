"""Moments without a race: cars that stand along a circuit, for pictures of it."""

from __future__ import annotations

import math

from ..tracks.track import Track
from .camera import CameraRig
from .frame import CarPose, FrameState

_RIVALS = ((16.0, 1.9), (33.0, -2.1), (58.0, 1.2), (-8.5, -2.6))  # metres ahead of the player, and to the left


def posed_frame(track: Track, place: float, kind: str = "chase", tick: int = 600) -> FrameState:
    """A moment without a race: the player on the racing line at ``place`` metres, four rivals around it."""
    player = posed_car(track, place, None)
    rivals = tuple(posed_car(track, place + ahead, left, brake=k % 2 == 0) for k, (ahead, left) in enumerate(_RIVALS))
    rig = CameraRig(kind, track)
    rig.reset(player)
    return FrameState(tick, rig.camera(), (player, *rivals), hide_player=kind == "cockpit")


def posed_car(track: Track, s: float, d: float | None, speed: float = 45.0, brake: bool = False) -> CarPose:
    """A car that stands along the road at (s, d), on the racing line if ``d`` is None."""
    arrays = track.arrays
    i = int(s / track.step) % track.samples
    across = float(arrays.line_d[i]) if d is None else d
    tx, ty = float(arrays.tangent_x[i]), float(arrays.tangent_y[i])
    return CarPose(
        x=float(arrays.x[i]) - ty * across,
        y=float(arrays.y[i]) + tx * across,
        z=float(arrays.z[i]) + float(arrays.bank[i]) * across,
        yaw=math.atan2(ty, tx),
        pitch=math.atan(float(arrays.grade[i])),
        roll=math.atan(float(arrays.bank[i])),
        steer=0.0,
        wheel_turn=s / 0.33,
        brake_light=brake,
        speed=speed,
    )
