"""The same drive with an impulse on the controls, for the response score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from diffusion_render.evaluate.footage import Impulse
from engine_sim.core.state import restore_state, save_state
from engine_sim.racing.controls import Controls
from engine_sim.recording.drive import Drive, setup_of
from engine_sim.recording.reader import Session
from engine_sim.views.class_view import ClassView

AT, LENGTH = 5.0, 6.5
"""Seconds from the grid to the impulse, well after the green light, and to the end of the drive."""
FULL_LEFT = Controls(steer=1.0, throttle=1.0)


def make_impulse(session: Session, view: ClassView) -> Impulse | None:
    """The first seconds of a session, as recorded and with the wheel thrown to the left; None if it is too short.

    Args:
        session: open.
        view: of its scene and size.
    """
    fps = session.header.fps
    at, length = round(AT * fps), round(LENGTH * fps)
    if len(session.frames) < length:
        return None
    calm = session.class_maps(0, length)
    changed = calm.copy()
    drive = _taken_over(session, session.frames[at - 1].frame.tick)
    for k in range(at, length):
        while drive.tick < session.frames[k].frame.tick:
            drive.step(FULL_LEFT)
        changed[k] = view.draw(drive.frame())
    return Impulse(_tensor(calm), _tensor(changed), at)


def _taken_over(session: Session, tick: int) -> Drive:
    """The drive as it was at a tick, from there on steered by hand."""
    setup = setup_of(session)
    drive = Drive(setup, session.header.camera)
    while drive.tick < tick:
        drive.step(session.inputs[drive.tick])
    if setup.player == "human":
        return drive
    by_hand = Drive(replace(setup, player="human"), session.header.camera, drive.track)
    restore_state(by_hand.world.state, save_state(drive.world.state))
    by_hand.rig.restore(drive.rig.save())
    return by_hand


def _tensor(maps: NDArray[np.uint8]) -> torch.Tensor:
    return torch.from_numpy(maps)
