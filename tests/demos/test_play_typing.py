"""The line for a prompt, the list of looks and the notices, as plain state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.notices import SECONDS, Notices
from demos.play.picker import Picker
from demos.play.textbox import LONGEST, TextBox, printable

KEYS = st.sampled_from(["backspace", "delete", "left", "right", "home", "end", "tab", "f5"])


def test_text_is_typed_at_the_cursor():
    box = TextBox("wet road")
    box.key("home")
    box.insert("a ")
    assert box.text == "a wet road"
    box.key("end")
    box.insert(" at dusk")
    for key in ("left", "left", "left", "left", "backspace", "delete"):
        box.key(key)
    assert box.typed == ("a wet road at", "", "usk")


@pytest.mark.parametrize(
    "text", ["Straße im Regen", "雨の山道", "дорога ночью", "طريق جبلي", "सड़क", "🌧 road", "한국의 가을"]
)
def test_any_script_is_taken_as_it_is(text):
    box = TextBox()
    for character in text:
        box.insert(character)
    assert box.text == text


def test_what_an_input_method_composes_is_shown_but_not_yet_part_of_the_line():
    box = TextBox("road in ")
    box.compose("あめ")
    assert box.typed == ("road in ", "あめ", "")
    assert box.text == "road in "
    box.key("backspace")  # the input method's own
    assert box.typed == ("road in ", "あめ", "")
    box.insert("雨")
    assert box.typed == ("road in 雨", "", "")
    box.compose("x")
    box.compose("")
    assert box.text == "road in 雨"


def test_a_letter_goes_with_the_marks_that_stand_on_it():
    box = TextBox("cafe\u0301s")
    box.key("left")
    box.key("left")
    assert box.typed == ("caf", "", "e\u0301s")
    box.key("delete")
    assert box.text == "cafs"


def test_line_breaks_become_blanks_and_control_characters_nothing():
    assert printable("a\nb\tc\x00\x1b[31m\ud83d") == "a b c[31m"


def test_no_more_is_taken_than_a_control_on_the_bridge_can_carry():
    box = TextBox("山" * (LONGEST - 1))
    assert not box.full
    box.insert("水水水")
    assert box.full
    assert len(box.text) == LONGEST
    assert len(box.text.encode()) <= 4096
    box.insert("more")
    assert len(box.text) == LONGEST


@given(st.lists(st.one_of(KEYS, st.text(max_size=6).map(lambda t: (t,))), max_size=60))
def test_any_keys_in_any_order_leave_a_line_whose_parts_make_the_text(actions):
    box = TextBox("start", longest=40)
    for action in actions:
        if isinstance(action, tuple):
            box.insert(action[0])
        else:
            box.key(action)
        assert box.typed.before + box.typed.after == box.text
        assert len(box.text) <= 40
    box.clear()
    assert box.text == ""


def test_the_cursor_of_a_list_goes_round_and_leaves_the_choice_alone():
    picker = Picker(["clear", "storm", "mist"], 1)
    picker.move(2)
    assert (picker.cursor, picker.chosen) == (0, 1)
    picker.move(-1)
    assert picker.cursor == 2


@given(st.integers(1, 40), st.integers(1, 60), st.integers(-50, 50))
def test_the_rows_in_sight_hold_the_cursor_and_fill_the_room(names, room, move):
    picker = Picker([str(k) for k in range(names)])
    picker.move(move)
    rows = picker.rows(room)
    assert picker.cursor in rows
    assert len(rows) == min(room, names)
    assert 0 <= rows[0] <= rows[-1] < names


def test_an_empty_list_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        Picker([])


def test_a_notice_is_said_for_a_while_and_gives_way_to_a_newer_one():
    now = [0.0]
    notices = Notices(lambda: now[0])
    assert notices.lines() == []
    notices.say("look: storm")
    assert notices.fresh
    assert notices.lines() == ["look: storm"]
    assert not notices.fresh
    now[0] = SECONDS - 0.1
    notices.say("prompt: rain")
    assert notices.lines() == ["prompt: rain"]
    now[0] = 2 * SECONDS
    assert notices.lines() == []
