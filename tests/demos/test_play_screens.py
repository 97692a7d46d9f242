"""Screens as plain state: presses in, pages out; and their pages on surfaces of many sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.keyboard import Command
from demos.play.screens.keys import LISTENING, RESET
from demos.play.screens.letters import BOARD, SEND, LetterScreen
from demos.play.screens.menu import Choice, Entry, Menu, Meter, switch
from demos.play.screens.navigate import AXES, DELAY_S, Navigator
from demos.play.screens.page import Press, Row, Side, Touched
from demos.play.screens.pause import TITLES
from demos.play.screens.replays import Preview, ReplaysScreen
from demos.play.screens.settings import FeelScreen, SettingsScreen
from demos.play.screens.stack import Stack
from demos.play.screens.start import Card
from demos.play.settings.bindings import ACTIONS, Bindings
from demos.play.settings.values import Choices, Settings
from demos.play.views import PAINT_VIEWS, PAINT_WIPES, VIEWS, WIPES

from .screens_at_hand import SQUARE, Books, House, keys, nothing, paused, press, start

# --- the parts


def test_a_cursor_goes_round_and_presses_go_to_its_row():
    done = []
    menu = Menu("m", [Entry("a", lambda: done.append("a")), Entry("b", lambda: done.append("b"))])
    press(menu, Press.UP, Press.CHOOSE, Press.DOWN, Press.CHOOSE)
    assert done == ["b", "a"]
    press(menu, Press.BACK)
    assert menu.done


def test_a_choice_turns_both_ways_and_a_single_one_stays():
    taken = []
    choice = Choice("c", ["x", "y", "z"], 0, taken.append)
    for each in (Press.LEFT, Press.RIGHT, Press.CHOOSE, Press.CLEAR):
        choice.press(each)
    assert taken == [2, 0, 1]
    Choice("c", ["x"], 0, lambda index: pytest.fail("there is nothing to turn to")).press(Press.RIGHT)
    switch("s", True, taken.append).press(Press.LEFT)
    assert taken[-1] is False


@given(st.lists(st.sampled_from([Press.LEFT, Press.RIGHT]), max_size=60))
def test_a_meter_moves_in_even_steps_within_its_ends(presses):
    meter = Meter("m", 0.1, 0.0, 0.5, nothing)
    for each in presses:
        meter.press(each)
        assert 0.0 <= meter.value <= 0.5
        assert meter.value * 40 == pytest.approx(round(meter.value * 40))
        assert 0.0 <= meter.row().share <= 1.0


def test_the_topmost_screen_is_heard_until_it_is_done():
    heard = []
    stack = Stack(Menu("low", [Entry("a", lambda: heard.append("low"))]))
    stack.push(Menu("high", [Entry("a", lambda: heard.append("high"))]))
    press(stack, Press.CHOOSE, Press.BACK, Press.CHOOSE)
    assert heard == ["high", "low"]
    assert not stack.done
    press(stack, Press.BACK)
    assert stack.done
    assert stack.page() is None
    press(stack, Press.CHOOSE)


def test_a_held_direction_comes_again_but_never_in_a_heap():
    hands = Navigator()
    assert hands.down("up", Press.UP, 10.0) is Press.UP
    assert hands.repeats(10.0 + DELAY_S / 2) == []
    assert hands.repeats(10.0 + 60.0) == [Press.UP]  # the window was busy for a minute: one press, not six hundred
    assert hands.repeats(10.0 + 60.01) == []
    hands.up("up")
    assert hands.repeats(100.0) == []
    hands.down("a", Press.CHOOSE, 0.0)
    assert hands.repeats(100.0) == []  # what is chosen is chosen once


def test_a_stick_presses_once_when_it_is_pushed_and_a_worn_one_never():
    hands, ways = Navigator(), AXES["leftx"]
    assert [hands.axis("x", value, ways, 0.0) for value in (0.2, 0.7, 0.9, 0.5, 0.7)] == [
        None,
        Press.RIGHT,
        *[None] * 3,
    ]
    assert [hands.axis("x", value, ways, 0.0) for value in (0.1, 0.7, -0.8)] == [None, Press.RIGHT, Press.LEFT]
    hands.release_all()
    assert hands.repeats(99.0) == []


# --- the screens


def test_one_press_starts_the_race_that_was_started_last():
    screen, went = start()
    press(screen, Press.CHOOSE)
    assert went == ["race"]
    assert screen.choices == Choices("kestrel-valley", "storm")


def test_everything_of_a_race_can_be_chosen():
    screen, went = start(painters=["painted", "the engine's own"])
    press(screen, *[Press.DOWN, Press.RIGHT] * 6, Press.DOWN, Press.CHOOSE)
    assert screen.choices == Choices("plum-oval", "golden-hour", 8, 3, "640x352")
    assert screen.painter == 1
    assert went == ["recordings"]
    press(screen, Press.BACK)
    assert went == ["recordings"]  # once too often is no harm
    press(screen, Press.BACK)
    assert went[-1] == "leave"


def test_names_that_are_gone_give_way_and_odd_numbers_are_kept():
    screen, _ = start(Choices("torcs:lost", "lost", 15, 7, "320x192"))
    assert (screen.choices.track, screen.choices.look) == ("acorn-loop", "golden-hour")
    values = [row.value for row in screen.page().rows]
    assert "7" in values
    assert "320 × 192" in values


def test_facts_of_another_circuit_are_not_shown():
    screen, _ = start()
    screen.card = Card("kestrel-valley", ("4 km",), SQUARE)
    assert screen.page().side.lines == ("kestrel valley", "4 km")
    press(screen, Press.DOWN, Press.RIGHT)
    assert screen.page().side == Side(("plum oval",))


def labels(screen) -> list[str]:
    return [row.label for row in screen.page().rows]


def choose(screen, label: str, what: Press = Press.CHOOSE) -> None:
    screen.cursor = labels(screen).index(label)
    screen.press(what)


def test_going_on_is_the_first_entry_and_leaving_the_last():
    screen, did = paused()
    press(screen, Press.CHOOSE)
    assert screen.done
    assert did == []
    screen, did = paused()
    press(screen, Press.UP, Press.CHOOSE)
    assert did == [("ask", Command.QUIT)]


def test_the_menu_offers_what_there_is():
    assert {"Prompt", "Start the renderer again", "To the start screen"}.isdisjoint(labels(paused()[0]))
    assert "Race again" not in labels(paused(records=True)[0])
    assert "Play it again" in labels(paused(replays=True)[0])
    assert "Back on the track" not in labels(paused(replays=True)[0])
    screen, did = paused(paints=True, dead=True, home=True, renderer=("it stays off",))
    assert {"Prompt", "Start the renderer again", "To the start screen"} <= {*labels(screen)}
    assert screen.page().side.lines == ("Renderer", "it stays off")
    choose(screen, "Start the renderer again")
    choose(screen, "Back on the track")
    assert did == [("up",), ("ask", Command.RESET)]


def test_views_and_looks_turn_with_the_menu_open_and_commands_close_it():
    screen, did = paused()
    choose(screen, "View", Press.RIGHT)
    choose(screen, "Look", Press.LEFT)
    choose(screen, "Next camera")
    assert not screen.done
    choose(screen, "Photo mode")
    assert screen.done
    assert did == [("view", "class"), ("look", 0), ("ask", Command.CAMERA), ("ask", Command.PHOTO)]


def test_every_view_has_its_words():
    assert set(TITLES) == {*VIEWS, *WIPES, *PAINT_VIEWS, *PAINT_WIPES}


def test_a_key_and_a_control_are_given_and_the_loser_is_named():
    screen, changed, said = keys()
    press(screen, *[Press.DOWN] * 3, Press.CHOOSE)
    assert ACTIONS[screen.cursor].name == "throttle"
    assert screen.listening
    assert screen.page().hint == LISTENING
    screen.touch(Touched(6, "c"))
    assert not screen.listening
    assert changed[-1].keys("throttle") == ["c", "↑"]
    assert said == ["taken from: next camera"]
    press(screen, Press.CHOOSE)
    screen.touch(Touched(control="righty-"))
    assert changed[-1].pad["throttle"] == "righty-"


@pytest.mark.parametrize("way_out", [Touched(41, "escape"), Touched(control="start")])
def test_what_cannot_do_it_is_refused_and_the_menus_own_keys_leave_all_as_it_was(way_out):
    screen, changed, said = keys()
    press(screen, *[Press.DOWN] * 2, Press.CHOOSE)  # the stick that steers
    screen.touch(Touched(control="a"))
    screen.touch(Touched(4, "a"))
    assert len(said) == 2
    assert screen.listening
    screen.touch(way_out)
    assert not screen.listening
    assert changed == []


def test_keys_can_be_taken_away_and_all_be_as_at_first():
    screen, changed, _ = keys()
    press(screen, Press.CLEAR)
    assert changed[-1].keys("left") == []
    press(screen, Press.UP)
    assert screen.page().rows[screen.cursor] == Row(RESET)
    press(screen, Press.CLEAR, Press.CHOOSE)
    assert changed[-1] == Bindings()
    press(screen, Press.BACK)
    assert screen.done


def test_settings_take_effect_at_once_and_can_all_be_undone():
    house = House()
    screen = SettingsScreen(Stack(Menu("below", [Entry("a", nothing)])), house)
    choose(screen, "Sound", Press.RIGHT)
    choose(screen, "Volume", Press.LEFT)
    choose(screen, "Pause in the background")
    choose(screen, "Full screen")
    assert (house.settings.sound, house.settings.volume, house.settings.pause_unfocused) == (True, 0.55, True)
    assert house.full == 1
    choose(screen, "Everything as it was at first")
    assert house.settings == Settings()
    assert screen.page().rows[2].value == "off"


def test_the_feel_of_the_pad_is_seen_while_it_changes():
    house = House()
    screen = FeelScreen(house)
    assert screen.feels
    assert screen.page().side.stick is None
    house.at = 0.5
    before = screen.page().side.stick
    press(screen, Press.RIGHT, Press.DOWN, *[Press.RIGHT] * 10)
    after = screen.page().side.stick
    assert (house.settings.pad.dead_zone, house.settings.pad.curve) == (0.125, 0.5)
    assert before[0] == after[0] == 0.5
    assert after[1] < before[1]
    assert screen.page().side.curve[0] == (-1.0, -1.0)


def test_a_prompt_can_be_typed_with_a_cross_and_one_button():
    sent: list[str] = []
    screen = LetterScreen("wet", sent.append)
    for word in ("space", "r", "o", "a", "d", "x", "rub out", "caps", "w", SEND):
        row = next(k for k, keys in enumerate(BOARD) if word in keys)
        while screen.page().grid.row != row:
            press(screen, Press.DOWN)
        while BOARD[row][screen.page().grid.column] != word:
            press(screen, Press.RIGHT)
        press(screen, Press.CHOOSE)
    assert sent == ["wet roadW"]
    assert screen.done


@given(st.lists(st.sampled_from([*Press]), max_size=80))
def test_the_board_of_letters_takes_any_presses(presses):
    screen = LetterScreen("", nothing)
    for each in presses:
        screen.press(each)
        grid = screen.page().grid
        assert 0 <= grid.column < len(grid.keys[grid.row])


def test_recordings_are_listed_seen_and_played():
    played: list[Path] = []
    books = Books("one", "two")
    screen = ReplaysScreen(books, played.append)
    assert screen.page().side.lines[1] == "reading …"
    books.read["one"] = Preview(("acorn loop", "0:08"), np.zeros((4, 8, 3), np.uint8))
    assert screen.page().side.picture.shape == (4, 8, 3)
    press(screen, Press.DOWN, Press.CHOOSE)
    assert played == [Path("two")]
    assert labels(screen)[-1] == "Back"


def test_an_empty_shelf_says_how_it_is_filled():
    assert "--record" in ReplaysScreen(Books(), nothing).page().side.lines[1]
