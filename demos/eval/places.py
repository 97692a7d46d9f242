"""Other places and other looks, for references that do not show the scene itself."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.ticks import TICK_RATE
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.tracks.catalogue import circuit_plan, load_track, split_of, track_names
from engine_sim.views.class_view import open_class_view
from engine_sim.views.frame import Camera
from engine_sim.views.look import Look, look_names, named_look
from engine_sim.views.scene import build_scene
from engine_sim.views.teacher_view import open_teacher_view

from .pictures import Picture

SETTLED = 12 * TICK_RATE
"""Ticks after which a race has left its grid and spread out."""


class Place(NamedTuple):
    """One moment somewhere: where, its class map uint8 ``[H, W]``, the teacher's picture of it, and their camera."""

    track: str
    class_map: NDArray[np.uint8]
    picture: Picture
    camera: Camera


def other_place(setup: RaceSetup, camera: str, look: Look, width: int, height: int) -> Place:
    """A moment of a race of the same kind on another held-out circuit, under the same look. UserError without GL."""
    track = _other_track(setup.track)
    drive = Drive(replace(setup, track=track, player="ai"), camera)
    for _ in range(SETTLED):
        drive.step()
    scene, frame = build_scene(drive.track), drive.frame()
    with open_class_view(scene, width, height) as view:
        class_map = view.draw(frame)
    teacher = open_teacher_view(scene, width, height, look)
    try:
        return Place(track, class_map, teacher.draw(frame), frame.camera)
    finally:
        teacher.close()


def _other_track(name: str) -> str:
    """Another held-out circuit, of the same kind if there is one, so that the same things stand beside the road."""
    held_out = [n for n in track_names("built-in") if split_of(n) == "held-out" and n != name]
    kind = load_track(name).kind
    return next((n for n in held_out if circuit_plan(n).kind == kind), held_out[0])


def other_look(look: Look) -> tuple[str, Look]:
    """Name and record of the first curated look of another lighting and another style: the control."""
    for name in look_names():
        other = named_look(name)
        if other.weather.lighting != look.weather.lighting and other.style != look.style:
            return name, other
    raise RuntimeError("curated looks have one lighting each, so one of them must differ")
