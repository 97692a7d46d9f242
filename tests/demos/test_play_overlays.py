"""The list of looks and the prompt's line against pygame's own events, and on a surface."""

from __future__ import annotations

import numpy as np
import pygame
import pytest

from demos.play.clipboard import TYPES, clipboard_text
from demos.play.events import EventPump
from demos.play.inputs import Inputs
from demos.play.keyboard import Command
from demos.play.letterbox import Rect
from demos.play.overlay_paint import OverlayPainter
from demos.play.overlays import LookMenu, PromptLine
from demos.play.picker import Picker
from demos.play.textbox import Typed
from engine_sim.racing.controls import Controls

W, T, UP, RETURN = 26, 23, 82, 40


@pytest.fixture
def pump(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.display.set_mode((64, 48), pygame.RESIZABLE)
    pump = EventPump(Inputs(), (64, 48))
    pump.pump()
    yield pump
    pump.close()
    pygame.quit()


def press(scancode: int, code: int, mod: int = 0) -> None:
    for kind in (pygame.KEYDOWN, pygame.KEYUP):
        pygame.event.post(pygame.event.Event(kind, key=code, scancode=scancode, mod=mod, unicode=""))


def text(kind: int, words: str) -> None:
    extra = {"start": 0, "length": 0} if kind == pygame.TEXTEDITING else {}
    pygame.event.post(pygame.event.Event(kind, text=words, **extra))


def controls(pump: EventPump) -> Controls:
    return pump._inputs.read()


def test_typing_reaches_the_line_and_no_key_reaches_the_game(pump):
    sent = []
    pump.overlay = line = PromptLine("", sent.append)
    press(T, pygame.K_t)  # comes up, and the line listens
    for word in ("wet ", "road 雨", "\n"):
        text(pygame.TEXTINPUT, word)
    for scancode, code in ((W, pygame.K_w), (21, pygame.K_r), (19, pygame.K_p), (25, pygame.K_v), (69, pygame.K_F12)):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code, scancode=scancode, mod=0, unicode=""))
    assert pump.pump().commands == []
    assert controls(pump) == Controls(digital=True)
    assert line.box.text == "wet road 雨 "
    press(RETURN, pygame.K_RETURN)
    press(W, pygame.K_w)  # behind the one that ends it: the game's again
    assert pump.pump().commands == []
    assert sent == ["wet road 雨"]
    assert line.done


def test_the_key_that_opens_the_line_is_not_its_first_letter(pump):
    pump.overlay = line = PromptLine("", lambda _: None)
    text(pygame.TEXTINPUT, "t")
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_t, scancode=T, mod=0, unicode="t"))
    text(pygame.TEXTINPUT, "t")  # repeated while it is held
    pygame.event.post(pygame.event.Event(pygame.KEYUP, key=pygame.K_t, scancode=T, mod=0, unicode="t"))
    press(T, pygame.K_t)
    text(pygame.TEXTINPUT, "t")
    pump.pump()
    assert line.box.text == "t"


@pytest.mark.parametrize(
    ("code", "mod"),
    [(pygame.K_v, pygame.KMOD_LCTRL), (pygame.K_v, pygame.KMOD_RMETA), (pygame.K_INSERT, pygame.KMOD_RSHIFT)],
)
def test_what_was_copied_elsewhere_is_pasted_at_the_cursor_as_one_line(pump, code, mod):
    pygame.scrap.init()
    pygame.scrap.put(TYPES[0], "a road,\n雨 é".encode())
    pump.overlay = line = PromptLine("at dusk", lambda _: None)
    press(74, pygame.K_HOME)
    press(25, code, mod)
    assert pump.pump().commands == []  # V is a key of the game too
    assert line.box.typed == ("a road, 雨 é", "", "at dusk")


@pytest.mark.parametrize(("code", "mod"), [(pygame.K_v, 0), (pygame.K_INSERT, 0), (pygame.K_v, pygame.KMOD_LALT)])
def test_other_keys_paste_nothing(pump, code, mod):
    pump.overlay = line = PromptLine("", lambda _: None, lambda: "copied")
    press(25, code, mod)
    pump.pump()
    assert line.box.text == ""


def test_of_a_book_that_is_pasted_the_beginning_is_taken_and_the_line_says_so(pump):
    pump.overlay = line = PromptLine("", lambda _: None, lambda: "rain " * 1000)
    assert "Ctrl-V pastes" in line.title
    press(25, pygame.K_v, pygame.KMOD_LCTRL)
    pump.pump()
    assert len(line.box.text) == 1000
    assert "1000 characters, and no more" in line.title


def test_without_a_window_nothing_was_copied():
    pygame.quit()
    assert clipboard_text() == ""


def test_escape_leaves_the_line_and_sends_nothing(pump):
    sent = []
    pump.overlay = line = PromptLine("as before", sent.append)
    press(41, pygame.K_ESCAPE)
    assert pump.pump().commands == []
    assert (line.done, sent) == (True, [])


def test_enter_belongs_to_an_input_method_while_it_composes(pump):
    sent = []
    pump.overlay = line = PromptLine("", sent.append)
    text(pygame.TEXTEDITING, "ame")
    press(RETURN, pygame.K_RETURN)
    pump.pump()
    assert (line.done, sent) == (False, [])
    text(pygame.TEXTEDITING, "")
    text(pygame.TEXTINPUT, "雨")
    press(RETURN, pygame.K_RETURN)
    pump.pump()
    assert sent == ["雨"]


def test_control_u_empties_the_line(pump):
    pump.overlay = line = PromptLine("old words", lambda _: None)
    press(24, pygame.K_u, pygame.KMOD_LCTRL)
    pump.pump()
    assert line.box.text == ""


def test_closing_and_losing_the_focus_work_while_somebody_types(pump):
    pump.overlay = PromptLine("", lambda _: None)
    pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSLOST))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    pumped = pump.pump()
    assert pumped.focus_lost
    assert pumped.commands == [Command.QUIT]


def test_keys_behind_the_one_that_opens_something_wait_for_it(pump):
    """They come in the same emptying of the queue when the loop is late or the fingers are quick."""
    for scancode, code in ((15, pygame.K_l), (UP, pygame.K_UP), (RETURN, pygame.K_RETURN)):
        press(scancode, code)
    assert pump.pump().commands == [Command.LOOK]
    chosen = []
    pump.overlay = LookMenu(["clear", "storm", "mist"], 0, chosen.append)
    assert pump.pump().commands == []
    assert chosen == [2]
    assert controls(pump) == Controls(digital=True)


def test_the_list_takes_its_own_keys_and_the_others_drive_on(pump):
    pump.overlay = menu = LookMenu(["clear", "storm", "mist"], 0, lambda _: None)
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_w, scancode=W, mod=0, unicode=""))
    press(81, pygame.K_DOWN)
    press(15, pygame.K_l)
    pump.pump()
    assert menu.picker.cursor == 2
    assert controls(pump) == Controls(throttle=1.0, digital=True)
    press(41, pygame.K_ESCAPE)
    assert pump.pump().commands == []
    assert menu.done
    assert menu.picker.chosen == 0


def test_a_key_that_was_held_when_the_list_opened_comes_up_in_the_game(pump):
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_UP, scancode=UP, mod=0, unicode=""))
    pump.pump()
    pump.overlay = LookMenu(["clear", "storm"], 0, lambda _: None)
    pygame.event.post(pygame.event.Event(pygame.KEYUP, key=pygame.K_UP, scancode=UP, mod=0, unicode=""))
    pump.pump()
    assert controls(pump) == Controls(digital=True)


def test_a_pad_can_choose_a_look(pump):
    chosen = []
    pump.overlay = LookMenu(["clear", "storm", "mist"], 0, chosen.append)
    for button in (12, 12, 11, 0):  # cross down twice, up once, A
        pygame.event.post(pygame.event.Event(pygame.CONTROLLERBUTTONDOWN, instance_id=7, button=button))
    pump.pump()
    assert chosen == [1]


@pytest.mark.parametrize("size", [(448, 256), (1344, 768), (200, 120), (64, 48)])
def test_menu_and_line_stay_inside_the_window(monkeypatch, size):
    pygame.font.init()
    boxes = []
    monkeypatch.setattr(OverlayPainter, "_shade", lambda self, surface, box, strength=150: boxes.append(box))
    surface, painter, place = pygame.Surface(size), OverlayPainter(), Rect(0, 0, *size)
    painter.menu(surface, place, Picker([f"look {k}" for k in range(30)], 12))
    painter.line(surface, place, "Prompt", Typed("a long prompt " * 40, "", " and its end"), True)
    for box in boxes:
        assert box.top >= 0
        assert box.bottom <= size[1]
    assert boxes[1].left >= 0
    assert boxes[1].right <= size[0]


def test_the_end_next_to_the_cursor_is_in_sight_however_long_the_line_is():
    pygame.font.init()
    surface, painter = pygame.Surface((448, 256)), OverlayPainter()
    row = painter.line(surface, Rect(0, 0, 448, 256), "Prompt", Typed("w" * 300, "", ""), True)
    pixels = pygame.surfarray.array3d(surface).swapaxes(0, 1)[row.top : row.bottom, row.left : row.right]
    cursor = np.flatnonzero((pixels == 255).all(2).all(0))
    assert len(cursor) == 2
    assert cursor[-1] >= row.width - 3
