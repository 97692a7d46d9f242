"""Small views for painters' processes: importable by name, quick, and each with one habit worth testing."""

from __future__ import annotations

import os
import time

import numpy as np

from engine_sim.core.errors import UserError
from engine_sim.views.frame import Camera, FrameState

CAMERA = Camera((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0)


def frame(tick: int) -> FrameState:
    """A frame state that only knows its tick."""
    return FrameState(tick, CAMERA, ())


class TickView:
    """Fills the picture with its tick (modulo 13 for class maps), or with the look's number once one is set."""

    backend = "stand-in"

    def __init__(self, job, seconds: float = 0.0):
        self.job = job
        self.seconds = seconds
        self.look = job.look

    def set_look(self, look):
        self.look = look

    def draw(self, state):
        time.sleep(self.seconds)
        if self.job.view == "class":
            return np.full((self.job.height, self.job.width), state.tick % 13, np.uint8)
        value = state.tick % 256 if self.look is None else self.look
        return np.full((self.job.height, self.job.width, 3), value, np.uint8)

    def planes(self, state, previous, names):
        drawn = {name: np.full((self.job.height, self.job.width), state.tick, np.float16) for name in names}
        return {**drawn, "class": self.draw(state)}

    def close(self):
        pass


def open_quick(job, place, progress):
    progress("mixing colours")
    return TickView(job)


class PatternView(TickView):
    """A picture with something else in each corner: any mirror, turn or swapped colour shows."""

    def draw(self, state):
        size = (self.job.height, self.job.width)
        picture = np.full(size, 3, np.uint8) if self.job.view == "class" else np.full((*size, 3), 90, np.uint8)
        corners = CLASS_CORNERS if self.job.view == "class" else RGB_CORNERS
        h, w = picture.shape[0] // 4, picture.shape[1] // 4
        picture[:h, :w], picture[:h, -w:], picture[-h:, :w], picture[-h:, -w:] = corners
        return picture


class BitsView(TickView):
    """Eight columns, white where the tick has a bit: it can be read again from a lossy video."""

    def draw(self, state):
        bits = [state.tick >> bit & 1 for bit in range(8)]
        row = np.repeat(np.array(bits, np.uint8) * 255, self.job.width // 8)
        return np.repeat(np.tile(row, (self.job.height, 1))[..., None], 3, axis=2)


CLASS_CORNERS = (10, 2, 5, 7)
RGB_CORNERS = ((250, 0, 0), (0, 250, 0), (0, 0, 250), (250, 250, 0))


def open_pattern(job, place, progress):
    return PatternView(job)


def open_bits(job, place, progress):
    return BitsView(job)


def open_place(job, place, progress):
    view = TickView(job)
    view.look = place["number"]
    return view


def open_slow_drawing(job, place, progress):
    return TickView(job, 0.15)


def open_slowly(job, place, progress):
    progress("still opening")
    time.sleep(60)
    return TickView(job)


def open_class_only(job, place, progress):
    if job.view == "teacher":
        raise UserError("no OpenGL here: install libegl1")
    return TickView(job)


def open_broken(job, place, progress):
    raise KeyError("a fault of ours")


def open_and_vanish(job, place, progress):
    os._exit(3)
