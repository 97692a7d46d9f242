"""Contact sheets: one labelled picture of many, for docs and for choosing looks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ..tracks.track import Track
from .camera import CameraRig
from .frame import CarPose, FrameState
from .look import Look, look_names, named_look
from .scene import build_scene
from .scene_data import Scene
from .teacher_view import open_teacher_view

Picture = NDArray[np.uint8]
_GAP = 4
_BACK = 18  # grey between pictures
_RIVALS = ((16.0, 1.9), (33.0, -2.1), (58.0, 1.2), (-8.5, -2.6))  # metres ahead of the player, and to the left


def contact_sheet(pictures: Sequence[tuple[str, Picture]], columns: int = 2) -> Picture:
    """Labelled pictures side by side, row by row.

    Args:
        pictures: (label, RGB uint8 [H, W, 3]), all of one size.
    Returns:
        RGB uint8, dark grey between and behind the pictures.
    """
    height, width = pictures[0][1].shape[:2]
    columns = min(columns, len(pictures))
    rows = -(-len(pictures) // columns)
    sheet = np.full((rows * (height + _GAP) + _GAP, columns * (width + _GAP) + _GAP, 3), _BACK, np.uint8)
    for index, (label, picture) in enumerate(pictures):
        y, x = _GAP + index // columns * (height + _GAP), _GAP + index % columns * (width + _GAP)
        sheet[y : y + height, x : x + width] = _labelled(picture, label)
    return sheet


def _labelled(picture: Picture, label: str) -> Picture:
    result = picture.copy()
    scale = picture.shape[1] / 1100.0
    at = (round(14 * scale), picture.shape[0] - round(16 * scale))
    for color, weight in (((16, 16, 16), 4), ((246, 246, 246), 1)):
        cv2.putText(result, label, at, cv2.FONT_HERSHEY_SIMPLEX, scale, color, weight, cv2.LINE_AA)
    return result


def lighting_sheet(scene: Scene, frame: FrameState, width: int = 672, height: int = 384, columns: int = 2) -> Picture:
    """The ten curated looks, one per lighting, on one frame."""
    looks = [(name, named_look(name)) for name in look_names()]
    return look_sheet(scene, frame, looks, width, height, columns)


def look_sheet(scene: Scene, frame: FrameState, looks: Sequence[tuple[str, Look]], width: int = 672, height: int = 384,
               columns: int = 2) -> Picture:  # fmt: skip
    """Labelled looks on one frame."""
    view = open_teacher_view(scene, width, height, looks[0][1])
    try:
        pictures = []
        for label, look in looks:
            view.set_look(look)
            pictures.append((label, view.draw(frame)))
    finally:
        view.close()
    return contact_sheet(pictures, columns)


def track_sheet(shots: Sequence[tuple[Track, float, Look]], width: int = 672, height: int = 384, columns: int = 2
                ) -> Picture:  # fmt: skip
    """Tracks at a place of the lap (metres), each under its own look, labelled with their names."""
    pictures = []
    for track, place, look in shots:
        view = open_teacher_view(build_scene(track), width, height, look)
        try:
            pictures.append((track.name, view.draw(posed_frame(track, place))))
        finally:
            view.close()
    return contact_sheet(pictures, columns)


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
