"""Screens over the picture: pygame's events to the topmost screen, its page to the painter."""

from __future__ import annotations

import time
from collections.abc import Callable

import pygame

from ..letterbox import Rect
from ..overlay_paint import OverlayPainter
from ..pad import AXES, FULL_SCALE, TRIGGERS, axis_name, button_name
from .navigate import AXES as STICKS
from .navigate import BUTTONS, KEYS, PLAIN_BUTTONS, Navigator
from .page import Press, Touched
from .page_paint import PagePainter
from .stack import Stack

MOVED = 0.6
"""How far an axis must move to be the one that was meant."""
DEVICES = {
    pygame.KEYDOWN, pygame.KEYUP, pygame.TEXTINPUT, pygame.TEXTEDITING, pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN,
    pygame.MOUSEBUTTONUP, pygame.CONTROLLERAXISMOTION, pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP,
    pygame.JOYAXISMOTION, pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP, pygame.JOYHATMOTION,
}  # fmt: skip
"""Nothing of these reaches the game while screens are open."""


class ScreensOverlay:
    """A stack of screens as an overlay.

    Args:
        stack: the screens.
        painter: draws pages.
        everywhere: tells whether a key, by its name, is the game's even now.
        closed: called once when it goes away.
    """

    pauses = True

    def __init__(
        self,
        stack: Stack,
        painter: PagePainter,
        everywhere: Callable[[str], bool] = lambda name: False,
        closed: Callable[[], None] = lambda: None,
    ) -> None:
        self.stack = stack
        self.by_pad = False
        self._pages, self._everywhere, self._closed = painter, everywhere, closed
        self._navigator = Navigator()
        self._rows: list[pygame.Rect] = []
        self._mouse_at: tuple[int, int] | None = None

    @property
    def done(self) -> bool:
        """True once no screen is left."""
        return self.stack.done

    def take(self, event: pygame.event.Event) -> bool:
        """Act on what keys, pads and the mouse say, and keep it from the game."""
        if event.type == pygame.WINDOWFOCUSLOST:
            self._navigator.release_all()
        elif event.type in (pygame.WINDOWSIZECHANGED, pygame.WINDOWENTER):
            self._mouse_at = None  # the window has moved below a mouse that lies still
        if event.type not in DEVICES or self._passes(event):
            return False
        if event.type == pygame.KEYDOWN or "instance_id" in event.dict:
            self.by_pad = event.type != pygame.KEYDOWN
        top = self.stack.top
        if top is not None and top.listening:
            touched = touched_by(event)
            if touched is not None:
                self._navigator.release_all()
                self.stack.touch(touched)
        elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN):
            self._mouse(event)
        else:
            self._press(self._meaning(event))
        return True

    def tick(self) -> bool:
        """Time passes: what is held is pressed again. True if anything changed."""
        presses = self._navigator.repeats(time.monotonic())
        for press in presses:
            self.stack.press(press)
        return bool(presses)

    def paint(self, surface: pygame.Surface, place: Rect, painter: OverlayPainter) -> None:
        """The topmost page."""
        page = self.stack.page()
        if page is not None:
            self._rows = self._pages.page(surface, place, page)

    def close(self) -> None:
        """Keys belong to the game again."""
        self._closed()

    def _passes(self, event: pygame.event.Event) -> bool:
        """True for full screen and screenshots, which work everywhere, unless a key is waited for."""
        if event.type != pygame.KEYDOWN or (self.stack.top is not None and self.stack.top.listening):
            return False
        return self._everywhere(pygame.key.name(event.key))

    def _press(self, press: Press | None) -> None:
        if press is not None:
            self.stack.press(press)

    def _meaning(self, event: pygame.event.Event) -> Press | None:
        now = time.monotonic()
        if event.type == pygame.KEYDOWN:
            # Held keys come again by our own clock: pygame's would pile up while the window is busy.
            press = KEYS.get(pygame.key.name(event.key))
            return None if press is None else self._navigator.down(f"key {event.scancode}", press, now)
        if event.type == pygame.KEYUP:
            self._navigator.up(f"key {event.scancode}")
        if event.type in (pygame.CONTROLLERBUTTONDOWN, pygame.JOYBUTTONDOWN):
            mapped = event.type == pygame.CONTROLLERBUTTONDOWN
            press = BUTTONS.get(button_name(event.button) or "") if mapped else PLAIN_BUTTONS.get(event.button)
            return None if press is None else self._navigator.down(f"button {event.button}", press, now)
        if event.type in (pygame.CONTROLLERBUTTONUP, pygame.JOYBUTTONUP):
            self._navigator.up(f"button {event.button}")
        elif event.type == pygame.JOYHATMOTION:
            x = self._navigator.axis("hat x", event.value[0], STICKS["leftx"], now)
            return x or self._navigator.axis("hat y", -event.value[1], STICKS["lefty"], now)
        elif event.type in (pygame.CONTROLLERAXISMOTION, pygame.JOYAXISMOTION):
            ways = STICKS.get(AXES[event.axis]) if 0 <= event.axis < 2 else None
            top = self.stack.top
            if ways is not None and top is not None and not top.feels:
                return self._navigator.axis(f"axis {event.axis}", axis_share(event), ways, now)
        return None

    def _mouse(self, event: pygame.event.Event) -> None:
        top, before, self._mouse_at = self.stack.top, self._mouse_at, event.pos
        if event.type == pygame.MOUSEMOTION and before in (None, event.pos):
            return  # nobody has moved it yet: a screen that opens below it keeps its cursor
        number = pygame.Rect(event.pos, (1, 1)).collidelist(self._rows)
        if top is None or number < 0:
            return
        top.point(number)
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in (1, 3):
            left_half = event.pos[0] < self._rows[number].centerx
            choice = top.page().rows[number].kind in ("choice", "meter")
            turned = (Press.LEFT if left_half else Press.RIGHT) if choice else Press.CHOOSE
            self.stack.press(turned if event.button == 1 else Press.BACK)


def axis_share(event: pygame.event.Event) -> float:
    """Position of an axis, −1 … 1, from either kind of event."""
    raw = event.value / FULL_SCALE if event.type == pygame.CONTROLLERAXISMOTION else event.value
    return max(-1.0, min(1.0, float(raw)))


def touched_by(event: pygame.event.Event) -> Touched | None:
    """The key or the pad's control that an event tells of, if it is one that somebody meant."""
    if event.type == pygame.KEYDOWN:
        return Touched(event.scancode, pygame.key.name(event.key)) if pygame.key.name(event.key) else None
    if event.type == pygame.CONTROLLERBUTTONDOWN:
        name = button_name(event.button)
        return Touched(control=name) if name else None
    if event.type == pygame.CONTROLLERAXISMOTION:
        name, share = axis_name(event.axis), axis_share(event)
        if name is not None and abs(share) > MOVED:
            return Touched(control=name if name in TRIGGERS else f"{name}{'+' if share > 0 else '-'}")
    return None
