"""pygame's own event queue → inputs: keys, focus, floods, and pads through SDL's virtual joystick."""

import os
import time

import pygame
import pytest

from demos.play.events import EventPump
from demos.play.inputs import Inputs
from demos.play.keyboard import Command
from engine_sim.racing.controls import Controls

from .virtual_pad import PLAIN_DEVICE, VirtualPad

W, A = 26, 4
LEFT_X, LEFT_TRIGGER, RIGHT_TRIGGER = 0, 4, 5
BUTTON_A, BUTTON_B, BUTTON_Y = 0, 1, 3


class Desk:
    """A window that nobody sees, its inputs, and the pads that were plugged in."""

    def __init__(self) -> None:
        self.inputs = Inputs()
        self.pump = EventPump(self.inputs, (64, 48))
        self.pads: list[VirtualPad] = []

    def plug_in(self, kind: int = 1) -> VirtualPad:
        self.pads.append(VirtualPad(kind))
        self.pump.pump()
        return self.pads[-1]

    def read(self) -> Controls:
        self.pump.pump()
        return self.inputs.read()


@pytest.fixture
def desk(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1")
    pygame.display.init()
    pygame.display.set_mode((64, 48), pygame.RESIZABLE)
    desk = Desk()
    desk.pump.pump()
    yield desk
    for pad in desk.pads:
        pad.unplug()
    desk.pump.close()
    pygame.quit()


def key(kind: int, scancode: int = 0, code: int = pygame.K_w) -> pygame.event.Event:
    return pygame.event.Event(kind, key=code, scancode=scancode, mod=0, unicode="")


def test_keys_drive_and_command(desk):
    pygame.event.post(key(pygame.KEYDOWN, W))
    pygame.event.post(key(pygame.KEYDOWN, 21, pygame.K_r))
    pygame.event.post(key(pygame.KEYDOWN, 25, pygame.K_v))
    assert desk.pump.pump().commands == [Command.VIEW]
    assert desk.inputs.read() == Controls(throttle=1.0, reset=True, digital=True)
    pygame.event.post(key(pygame.KEYUP, W))
    assert desk.read() == Controls(digital=True)


def test_driving_keys_go_by_place_and_commands_by_letter(desk):
    pygame.event.post(key(pygame.KEYDOWN, A, pygame.K_q))  # the key beside Caps Lock on a French keyboard
    assert desk.read().steer == 1.0


def test_focus_lost_releases_everything_and_stays_released(desk):
    pygame.event.post(key(pygame.KEYDOWN, W))
    pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSLOST))
    pumped = desk.pump.pump()
    assert pumped.focus_lost
    assert not desk.pump.window.focused
    assert desk.inputs.read().throttle == 0.0
    pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSGAINED))
    assert desk.read().throttle == 0.0
    assert desk.pump.window.focused


def mouse(kind, x, **values):
    return pygame.event.Event(kind, pos=(x, 5), **values)


@pytest.mark.parametrize(
    ("events", "column"),
    [
        ([mouse(pygame.MOUSEBUTTONDOWN, 30, button=1)], 30),
        ([mouse(pygame.MOUSEBUTTONDOWN, 30, button=3)], None),
        ([mouse(pygame.MOUSEMOTION, 40, rel=(1, 0), buttons=(0, 0, 0))], None),
        ([mouse(pygame.MOUSEMOTION, x, rel=(1, 0), buttons=(1, 0, 0)) for x in (40, 50)], 50),
        ([mouse(pygame.MOUSEBUTTONUP, 60, button=1)], None),
    ],
)
def test_the_left_button_drags(desk, events, column):
    for event in events:
        pygame.event.post(event)
    assert desk.pump.pump().dragged == column


def test_a_flood_of_events_is_drained_and_the_close_button_still_works(desk):
    pygame.event.post(key(pygame.KEYDOWN, W))
    for _ in range(70_000):
        try:
            pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=(1, 1), rel=(0, 0), buttons=(0, 0, 0)))
        except pygame.error:
            break  # SDL's queue is full, as after a long stall
    desk.pump.pump()
    pygame.event.post(key(pygame.KEYUP, W))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    before = time.monotonic()
    assert Command.QUIT in desk.pump.pump().commands
    assert time.monotonic() - before < 1.0
    assert pygame.event.get() == []
    assert desk.inputs.keyboard.idle


@pytest.mark.parametrize("size", [(0, 0), (0, 720)])
def test_a_window_without_area_is_not_visible(desk, size):
    pygame.event.post(pygame.event.Event(pygame.WINDOWSIZECHANGED, x=size[0], y=size[1]))
    desk.pump.pump()
    assert not desk.pump.window.visible
    pygame.event.post(pygame.event.Event(pygame.WINDOWSIZECHANGED, x=1280, y=720))
    assert desk.pump.pump().redraw
    assert desk.pump.window.visible


def test_a_minimised_window_is_not_visible_until_restored(desk):
    pygame.event.post(pygame.event.Event(pygame.WINDOWMINIMIZED))
    desk.pump.pump()
    assert not desk.pump.window.visible
    pygame.event.post(pygame.event.Event(pygame.WINDOWRESTORED))
    assert desk.pump.pump().redraw
    assert desk.pump.window.visible


def test_a_pad_drives_analogue_and_its_triggers_rest_at_zero(desk):
    pad = desk.plug_in()
    assert desk.inputs.pads.names() == ["Virtual Controller"]
    assert [desk.read() for _ in range(60)] == [Controls(digital=True)] * 60
    pad.axis(LEFT_X, -20000)
    assert desk.read().steer == pytest.approx((20000 / 32767 - 0.1) / 0.9)
    assert desk.read().throttle == 0.0
    pad.axis(RIGHT_TRIGGER, round(-0.98 * 32767))
    assert desk.read().throttle == pytest.approx(0.01, abs=1e-3)
    pad.axis(RIGHT_TRIGGER, 0)
    pad.axis(LEFT_TRIGGER, 32767)
    controls = desk.read()
    assert controls.throttle == pytest.approx(0.5, abs=1e-3)
    assert controls.brake == 1.0
    assert not controls.digital


def test_pad_buttons_command_and_brake(desk):
    pad = desk.plug_in()
    pad.button(BUTTON_Y, True)
    pad.button(BUTTON_A, True)
    assert desk.pump.pump().commands == [Command.CAMERA]
    assert desk.inputs.read().handbrake == 1.0
    pad.button(BUTTON_A, False)
    pad.button(BUTTON_B, True)
    assert desk.read() == Controls(reset=True)


def test_a_stick_at_rest_drives_nothing(desk):
    pad = desk.plug_in()
    idle = desk.read()
    for raw in (128, round(0.08 * 32767), -2000):
        pad.axis(LEFT_X, raw)
        assert desk.read() == idle


def test_pads_are_known_by_instance_through_unplugging(desk):
    first, second = desk.plug_in(), desk.plug_in()
    first.unplug()
    desk.pump.pump()
    third = desk.plug_in()
    assert third.instance not in (first.instance, second.instance)
    assert desk.inputs.pads.players() == [third.instance, second.instance]
    second.axis(LEFT_X, 32767)
    assert desk.read().steer == -1.0
    third.axis(LEFT_X, -32768)
    assert desk.read().steer == 1.0


def test_a_pad_pulled_out_in_a_bend_lets_go(desk):
    pad = desk.plug_in()
    pad.axis(LEFT_X, -32768)
    pad.axis(RIGHT_TRIGGER, 32767)
    assert desk.read() == Controls(steer=1.0, throttle=1.0)
    pad.unplug()
    assert desk.read() == Controls(digital=True)
    assert desk.inputs.pads.names() == []


def test_a_device_without_mapping_steers_and_drives_by_buttons(desk):
    wheel = desk.plug_in(PLAIN_DEVICE)
    if desk.inputs.pads.find(wheel.instance).mapped:
        pytest.skip(f"SDL {'.'.join(map(str, pygame.get_sdl_version()))} invents a mapping for every virtual device")
    wheel.axis(5, -32768)
    wheel.axis(LEFT_X, -32768)
    wheel.button(0, True)
    assert desk.read() == Controls(steer=1.0, throttle=1.0)


def test_no_sound_device_is_opened(desk):
    assert os.environ["SDL_AUDIODRIVER"] == "dummy"
    assert pygame.mixer.get_init() is None
