"""Photo mode over a paused race: events to the free camera, its view to the screen, its photographs to the darkroom."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pygame

from engine_sim.tracks.track import Track
from engine_sim.views.frame import FrameState

from ..desk import Desk
from ..letterbox import Rect
from ..overlay_paint import OverlayPainter
from ..pad import FULL_SCALE, axis_name, button_name
from .camera import Room, from_camera, moved
from .darkroom import Darkroom
from .hands import Hands

HINTS = (
    ("W A S D  Q E", "left stick, triggers", "move"),
    ("← ↑ ↓ →", "right stick", "look"),
    ("Z  X", "shoulders", "zoom"),
    ("Enter", "A", "take it"),
    ("H", "X", "hide this"),
    ("Esc", "B", "back"),
)
SHOOT, LEAVE, HIDE = "shoot", "leave", "hide"
KEYS = {"return": SHOOT, "enter": SHOOT, "space": SHOOT, "escape": LEAVE, "f": LEAVE, "h": HIDE}
BUTTONS = {"a": SHOOT, "b": LEAVE, "start": LEAVE, "x": HIDE}
PLAIN_BUTTONS = {0: SHOOT, 1: LEAVE, 2: HIDE}
LONGEST_STEP = 0.1
EDGE = 150.0
"""Metres that the camera may leave the circuit's own rectangle behind; ground is known for more."""


class PhotoMode:
    """An overlay that pauses the race.

    Args:
        desk: window, views, renderer.
        moment: what stands still.
        track: the place, for the ground.
        darkroom: takes the photographs.
        name: of their files.
    """

    pauses = True

    def __init__(self, desk: Desk, moment: FrameState, track: Track, darkroom: Darkroom, name: str) -> None:
        self.done = False
        self.by_pad = False
        self._desk, self._moment, self._darkroom, self._name = desk, moment, darkroom, name
        self._track = track
        self._room = _room(track)
        self._free = from_camera(moment.camera)
        self._hands = Hands(desk.inputs.pads.config)
        self._hints = True
        self._at = time.monotonic()
        self._before = desk.stage.view
        self._flash = 0.0
        if desk.studio is not None:
            desk.studio.hold()
        desk.stage.show_view("teacher" if "teacher" in desk.stage.views else "class")
        self._show()

    def take(self, event: pygame.event.Event) -> bool:
        """Everything that keys and pads say, apart from what changes the window."""
        if event.type == pygame.WINDOWFOCUSLOST:
            self._hands.release_all()
        elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
            return self._key(pygame.key.name(event.key), event.type == pygame.KEYDOWN)
        elif event.type in (pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP):
            self._button(button_name(event.button) or "", event.type == pygame.CONTROLLERBUTTONDOWN)
            return True
        elif event.type == pygame.JOYBUTTONDOWN:
            self._do(PLAIN_BUTTONS.get(event.button, ""))
            return True
        elif event.type == pygame.CONTROLLERAXISMOTION:
            self._hands.axis(axis_name(event.axis) or "", event.value)
            return True
        elif event.type == pygame.JOYAXISMOTION:  # of a device without mapping: nobody knows its axes but the first two
            self._hands.axis((axis_name(event.axis) or "") if event.axis < 2 else "", FULL_SCALE * event.value)
            return True
        elif event.type == pygame.JOYHATMOTION:
            self._hands.hat(*event.value)
            return True
        return False

    def tick(self) -> bool:
        """Move the camera; True if it looks different now."""
        now = time.monotonic()
        seconds, self._at = min(LONGEST_STEP, now - self._at), now
        self._take_painted()
        motion = self._hands.motion()
        if motion.still:
            return self._flash > now
        self._free = moved(self._free, motion, seconds, self._room, self._ground())
        if self._desk.stage.idle:
            self._show()
        return True

    def paint(self, surface: pygame.Surface, place: Rect, painter: OverlayPainter) -> None:
        """The keys at the bottom, and what is being developed."""
        if time.monotonic() < self._flash:
            veil = pygame.Surface(surface.get_size(), pygame.SRCALPHA)
            veil.fill((255, 255, 255, 110))
            surface.blit(veil, (0, 0))
        size = max(13, min(place.height // 30, place.width // 52))
        if self._hints:
            painter.hints(surface, place, [(pad if self.by_pad else keys, word) for keys, pad, word in HINTS], size)
        if self._desk.stage.progress:
            painter.notice(surface, place, self._desk.stage.progress, size, 0.5)
        studio = self._desk.studio
        waits = self._darkroom.busy or (studio is not None and studio.painting_still)
        if waits:
            painter.notice(surface, place, ["developing …"], size, 0.1)

    def close(self) -> None:
        """Back to the race's own camera and view."""
        desk = self._desk
        if desk.studio is not None:
            desk.studio.release()
        desk.stage.show_view(self._before if self._before in desk.stage.views else desk.stage.views[0])
        desk.stage.submit(self._moment)

    def _key(self, name: str, down: bool) -> bool:
        if name in ("f11", "f12"):
            return False
        self._hands.key(name, down)
        if down:
            self.by_pad = False
            self._do(KEYS.get(name, ""))
        return True

    def _button(self, name: str, down: bool) -> None:
        self._hands.button(name, down)
        if down:
            self.by_pad = True
            self._do(BUTTONS.get(name, ""))

    def _do(self, what: str) -> None:
        if what == SHOOT:
            self._shoot()
        elif what == LEAVE:
            self.done = True
        elif what == HIDE:
            self._hints = not self._hints

    def _shoot(self) -> None:
        desk = self._desk
        frame = self._frame()
        self._flash = time.monotonic() + 0.12
        if "teacher" in desk.stage.views and self._darkroom.works:
            self._darkroom.shoot(frame, desk.options.looks[desk.look].look, self._name)
        elif desk.studio is None:
            self._darkroom.keep(desk.stage.shots()["class"], self._name, "-map")
        if desk.studio is not None and not desk.studio.painting_still:
            desk.studio.ask_still(frame)

    def _take_painted(self) -> None:
        painted = None if self._desk.studio is None else self._desk.studio.take_still()
        if painted is not None:
            self._darkroom.keep(painted, self._name, "-painted")

    def _frame(self) -> FrameState:
        return replace(self._moment, camera=self._free.camera(), hide_player=False)

    def _show(self) -> None:
        self._desk.stage.submit(self._frame())

    def _ground(self) -> float:
        """Height under the camera: that of the field or of the road, whichever is higher near by."""
        ground, (x, y, _) = self._track.ground, self._free.position
        row, column = int((y - ground.y0) / ground.cell), int((x - ground.x0) / ground.cell)
        rows, columns = ground.z.shape
        near = ground.z[
            max(0, min(row, rows - 2)) : max(0, min(row, rows - 2)) + 2,
            max(0, min(column, columns - 2)) : max(0, min(column, columns - 2)) + 2,
        ]
        return float(np.max(near))


def _room(track: Track) -> Room:
    a = track.arrays
    low, high = (float(a.x.min()), float(a.y.min())), (float(a.x.max()), float(a.y.max()))
    return Room(low[0] - EDGE, low[1] - EDGE, high[0] + EDGE, high[1] + EDGE)
