"""Screens over pygame's own events: devices, held keys, focus, what the game still hears."""

from __future__ import annotations

import pygame
import pytest

from demos.play.events import EventPump
from demos.play.inputs import Inputs
from demos.play.keyboard import Command
from demos.play.letterbox import Rect
from demos.play.overlay_paint import OverlayPainter
from demos.play.screens.keys import KeysScreen
from demos.play.screens.menu import Entry, Menu, Meter
from demos.play.screens.overlay import ScreensOverlay
from demos.play.screens.page_paint import PagePainter
from demos.play.screens.stack import Stack
from demos.play.settings.bindings import Bindings
from engine_sim.racing.controls import Controls

from .virtual_pad import VirtualPad

SIZE = (448, 256)
W, UP, DOWN, RETURN, ESCAPE, J = 26, 82, 81, 40, 41, 13
LEFT_X, LEFT_Y, RIGHT_TRIGGER = 0, 1, 5
A, B, CROSS_DOWN = 0, 1, 12


class Room:
    """A window that nobody sees, with a menu of three rows open in it."""

    def __init__(self) -> None:
        self.inputs = Inputs()
        self.pump = EventPump(self.inputs, SIZE)
        self.done: list[str] = []
        self.pads: list[VirtualPad] = []
        self.menu = Menu("m", [Entry(name, lambda name=name: self.done.append(name)) for name in ("a", "b", "c")])
        self.stack = Stack(self.menu)
        everywhere = {"f11"}.__contains__
        self.overlay = self.pump.overlay = ScreensOverlay(self.stack, PagePainter(), everywhere)

    def plug_in(self) -> VirtualPad:
        self.pads.append(VirtualPad())
        self.pump.pump()
        return self.pads[-1]

    def tap(self, pad: VirtualPad, *buttons: int) -> None:
        for button in buttons:
            for down in (True, False):
                pad.button(button, down)
                self.pump.pump()

    def key(self, scancode: int, code: int, *kinds: int) -> list[Command]:
        for kind in kinds or (pygame.KEYDOWN, pygame.KEYUP):
            pygame.event.post(pygame.event.Event(kind, key=code, scancode=scancode, mod=0, unicode=""))
        return self.pump.pump().commands


@pytest.fixture
def room(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1")
    pygame.display.init()
    pygame.font.init()
    pygame.display.set_mode(SIZE, pygame.RESIZABLE)
    room = Room()
    room.pump.pump()
    yield room
    for pad in room.pads:
        pad.unplug()
    room.pump.close()
    pygame.quit()


def test_keys_move_and_choose_and_none_reaches_the_game(room):
    assert room.key(DOWN, pygame.K_DOWN) == []
    assert room.key(RETURN, pygame.K_RETURN) == []
    assert room.key(19, pygame.K_p) == []
    assert room.key(W, pygame.K_w, pygame.KEYDOWN) == []  # up, in a menu
    assert room.done == ["b"]
    assert room.menu.cursor == 0
    assert room.inputs.read() == Controls(digital=True)
    assert room.key(ESCAPE, pygame.K_ESCAPE) == []
    assert room.overlay.done


def test_full_screen_works_everywhere_but_not_while_a_key_is_waited_for(room):
    assert room.key(68, pygame.K_F11) == [Command.FULL_SCREEN]
    room.stack.push(screen := KeysScreen(Bindings(), room.done.append, room.done.append))
    room.key(RETURN, pygame.K_RETURN)
    assert screen.listening
    assert room.key(68, pygame.K_F11) == []
    assert room.done[-1].keys("left")[0] == "f11"


def test_a_pad_moves_by_cross_and_stick_and_chooses(room):
    pad = room.plug_in()
    room.tap(pad, CROSS_DOWN, A)
    for way in (32767, 0):
        pad.axis(LEFT_Y, way)
        room.pump.pump()
    room.tap(pad, A)
    assert room.done == ["b", "c"]
    assert room.overlay.by_pad
    room.tap(pad, B)
    assert room.overlay.done


def test_a_pad_that_is_plugged_in_over_a_menu_is_heard(room):
    room.key(DOWN, pygame.K_DOWN)
    assert not room.overlay.by_pad
    pad = room.plug_in()
    room.tap(pad, A)
    assert room.done == ["b"]
    room.pads.pop().unplug()
    assert "pad disconnected" in room.pump.pump().notices


def test_what_is_let_go_over_a_menu_is_let_go_in_the_game(room):
    room.pump.overlay = None
    pad = room.plug_in()
    room.key(W, pygame.K_w, pygame.KEYDOWN)
    pad.axis(RIGHT_TRIGGER, 32767)
    room.pump.pump()
    room.pump.overlay = room.overlay
    room.key(W, pygame.K_w, pygame.KEYUP)
    pad.axis(RIGHT_TRIGGER, 0)  # half way
    room.pump.pump()
    assert room.inputs.read().throttle == pytest.approx(0.5, abs=1e-3)
    assert room.inputs.keyboard.idle


def test_the_next_key_or_control_is_taken_itself_while_a_screen_listens(room):
    changed: list[Bindings] = []
    room.stack.push(screen := KeysScreen(Bindings(), changed.append, lambda _: None))
    room.key(RETURN, pygame.K_RETURN)
    assert screen.listening
    room.key(J, pygame.K_j)
    assert changed[-1].keys("left")[0] == "j"
    pad = room.plug_in()
    screen.cursor = 3  # throttle
    room.key(RETURN, pygame.K_RETURN)
    pad.axis(LEFT_X, 5000)  # a hand that rests on it
    room.pump.pump()
    assert screen.listening
    pad.axis(LEFT_Y, -32768)
    room.pump.pump()
    assert changed[-1].pad["throttle"] == "lefty-"
    room.key(RETURN, pygame.K_RETURN)
    room.key(ESCAPE, pygame.K_ESCAPE)
    assert not screen.listening
    assert not screen.done


def test_sticks_move_nothing_where_they_are_tried_out(room):
    values: list[float] = []
    trial = Menu("feel", [Meter("m", 0.5, 0.0, 1.0, values.append)])
    trial.feels = True
    room.stack.push(trial)
    pad = room.plug_in()
    pad.axis(LEFT_X, 32767)
    room.pump.pump()
    assert values == []
    assert room.inputs.steering_stick() == 1.0


def test_a_mouse_points_and_clicks(room):
    surface = pygame.Surface(SIZE)
    room.overlay.paint(surface, Rect(0, 0, *SIZE), OverlayPainter())
    x, y = room.overlay._rows[2].center
    for way in (0, 0, 1):  # a screen that opens below a mouse that lies still keeps its cursor
        assert room.menu.cursor == 0
        pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=(x + way, y), rel=(way, 0), buttons=(0, 0, 0)))
        room.pump.pump()
    assert room.menu.cursor == 2
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(2, 2), button=1))
    room.pump.pump()
    assert room.done == ["c"]


def test_the_window_is_still_closed_resized_and_left_over_a_menu(room):
    for event in (
        pygame.event.Event(pygame.WINDOWSIZECHANGED, x=0, y=0),
        pygame.event.Event(pygame.WINDOWFOCUSLOST),
        pygame.event.Event(pygame.QUIT),
    ):
        pygame.event.post(event)
    pumped = room.pump.pump()
    assert pumped.commands == [Command.QUIT]
    assert pumped.focus_lost
    assert not room.pump.window.visible
