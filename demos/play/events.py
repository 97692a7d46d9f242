"""pygame's events → inputs, commands and facts about the window. The queue is emptied every time, whatever is in it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import pygame
from pygame._sdl2 import controller

from .inputs import Inputs
from .keyboard import Command
from .overlays import Overlay


@dataclass
class WindowFacts:
    """What the system has told us about the window."""

    size: tuple[int, int]
    minimised: bool = False
    focused: bool = True

    @property
    def visible(self) -> bool:
        """False while there is nothing to draw on."""
        return not self.minimised and min(self.size) > 0


@dataclass
class Pumped:
    """What one emptying of the queue brought."""

    commands: list[Command] = field(default_factory=list)
    focus_lost: bool = False
    redraw: bool = False
    notices: list[str] = field(default_factory=list)
    dragged: int | None = None
    """Column of the window where the mouse is held down, if it was moved or pressed."""


class EventPump:
    """Empties the event queue into ``inputs``; opens pads as they are plugged in.

    What is open over the picture (``overlay``) hears of an event first, and may keep it.

    Args:
        inputs: where key and pad state goes.
        size: present size of the window.
    """

    def __init__(self, inputs: Inputs, size: tuple[int, int]) -> None:
        self.window = WindowFacts(size)
        self.overlay: Overlay | None = None
        self._inputs = inputs
        self._open: dict[int, Any] = {}  # keeps the devices open
        self._later: deque[pygame.event.Event] = deque()
        pygame.joystick.init()
        controller.init()
        controller.set_eventstate(True)
        pygame.key.stop_text_input()  # until somebody types, or the key that opens a line would be its first letter

    def close(self) -> None:
        """Let go of all pads."""
        self._open.clear()
        controller.quit()
        pygame.joystick.quit()

    def pump(self) -> Pumped:
        """Handle every waiting event, up to one that opens something over the picture: the next ones belong to that."""
        out = Pumped()
        waiting = deque([*self._later, *pygame.event.get()])
        while waiting and not _OPENING & {*out.commands}:
            event = waiting.popleft()
            if self._said_twice(event):
                continue
            if self.overlay is not None and not self.overlay.done and self.overlay.take(event):
                out.redraw = True
                self._let_go(event)
            elif event.type == pygame.QUIT:
                out.commands.append(Command.QUIT)
            elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
                self._key(event, out)
            elif event.type in _WINDOW_EVENTS:
                self._window_event(event, out)
            elif event.type in _PAD_EVENTS:
                self._pad_event(event, out)
            elif _drags(event):
                out.dragged = event.pos[0]
        self._later = waiting
        return out

    def _key(self, event: pygame.event.Event, out: Pumped) -> None:
        down = event.type == pygame.KEYDOWN
        self._inputs.key(event.scancode, down)
        command = self._inputs.bindings.commands.get(pygame.key.name(event.key))
        if down and command is not None and not self._inputs.command(command):
            out.commands.append(command)

    def _let_go(self, event: pygame.event.Event) -> None:
        """What comes up, or how far an axis stands, is known to the game although something is open over it."""
        if event.type == pygame.KEYUP:
            self._inputs.key(event.scancode, False)
        elif event.type in _PAD_STATE and self._speaks(event):
            self._pad_event(event, Pumped())

    def _window_event(self, event: pygame.event.Event, out: Pumped) -> None:
        if event.type == pygame.WINDOWFOCUSLOST:
            self._inputs.release_all()
            self.window.focused, out.focus_lost = False, True
        elif event.type == pygame.WINDOWFOCUSGAINED:
            self.window.focused = True
        elif event.type in (pygame.WINDOWMINIMIZED, pygame.WINDOWHIDDEN):
            self.window.minimised = True
        elif event.type in (pygame.WINDOWRESTORED, pygame.WINDOWMAXIMIZED, pygame.WINDOWSHOWN):
            self.window.minimised, out.redraw = False, True
        elif event.type == pygame.WINDOWSIZECHANGED:
            self.window.size, out.redraw = (max(0, event.x), max(0, event.y)), True
        else:
            out.redraw = True

    def _pad_event(self, event: pygame.event.Event, out: Pumped) -> None:
        if event.type in (pygame.CONTROLLERDEVICEADDED, pygame.JOYDEVICEADDED):
            self._plug_in(event, out)
        elif event.type in (pygame.CONTROLLERDEVICEREMOVED, pygame.JOYDEVICEREMOVED):
            self._pull_out(event.instance_id, out)
        elif self._speaks(event):
            if event.type in (pygame.CONTROLLERAXISMOTION, pygame.JOYAXISMOTION):
                raw = event.value if event.type == pygame.CONTROLLERAXISMOTION else event.value * 32767
                self._inputs.pad_axis(event.instance_id, event.axis, raw)
            else:
                down = event.type in (pygame.CONTROLLERBUTTONDOWN, pygame.JOYBUTTONDOWN)
                command = self._inputs.pad_button(event.instance_id, event.button, down)
                if command is not None and not self._inputs.command(command):
                    out.commands.append(command)

    def _said_twice(self, event: pygame.event.Event) -> bool:
        """True for the raw half of what a mapped pad says; see ``_speaks``."""
        pad = self._inputs.pads.find(event.instance_id) if event.type in _RAW_EVENTS else None
        return pad is not None and pad.mapped

    def _speaks(self, event: pygame.event.Event) -> bool:
        """Mapped pads send everything twice, raw and mapped; each device is heard in one of the two languages."""
        pad = self._inputs.pads.find(event.instance_id)
        return pad is not None and pad.mapped == (event.type in _CONTROLLER_EVENTS)

    def _plug_in(self, event: pygame.event.Event, out: Pumped) -> None:
        mapped = event.type == pygame.CONTROLLERDEVICEADDED
        if not mapped and controller.is_controller(event.device_index):
            return  # it comes again as a controller
        try:
            if mapped:
                pad = controller.Controller(event.device_index)
                stick = pad.as_joystick()
                self._open[stick.get_instance_id()] = pad
            else:
                stick = pygame.joystick.Joystick(event.device_index)
                self._open[stick.get_instance_id()] = stick
        except pygame.error:
            return  # pulled out again before its event was read
        self._inputs.pads.add(stick.get_instance_id(), stick.get_name(), mapped)
        out.notices.append(f"{stick.get_name()} connected" + ("" if mapped else " (no mapping: axis 1, buttons 1–6)"))

    def _pull_out(self, instance: int, out: Pumped) -> None:
        if self._open.pop(instance, None) is not None:
            out.notices.append("pad disconnected")
        self._inputs.pad_removed(instance)


def _drags(event: pygame.event.Event) -> bool:
    """True for the left button going down, and for a motion while it is held."""
    if event.type == pygame.MOUSEBUTTONDOWN:
        return bool(event.button == 1)
    return bool(event.type == pygame.MOUSEMOTION and event.buttons[0])


_OPENING = {Command.LOOK, Command.PROMPT, Command.MENU, Command.PHOTO}
_PAD_STATE = {
    pygame.CONTROLLERAXISMOTION, pygame.CONTROLLERBUTTONUP, pygame.JOYAXISMOTION, pygame.JOYBUTTONUP,
}  # fmt: skip
_RAW_EVENTS = {pygame.JOYAXISMOTION, pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP, pygame.JOYHATMOTION}
_CONTROLLER_EVENTS = {
    pygame.CONTROLLERAXISMOTION, pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP,
}  # fmt: skip
_PAD_EVENTS = _CONTROLLER_EVENTS | {
    pygame.CONTROLLERDEVICEADDED, pygame.CONTROLLERDEVICEREMOVED, pygame.JOYDEVICEADDED, pygame.JOYDEVICEREMOVED,
    pygame.JOYAXISMOTION, pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP,
}  # fmt: skip
_WINDOW_EVENTS = {
    pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED, pygame.WINDOWMINIMIZED, pygame.WINDOWRESTORED,
    pygame.WINDOWMAXIMIZED, pygame.WINDOWSHOWN, pygame.WINDOWHIDDEN, pygame.WINDOWSIZECHANGED, pygame.WINDOWEXPOSED,
}  # fmt: skip
