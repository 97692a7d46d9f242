"""Keys, pad and the settings' file: what is bound, kept, refused, and what a broken file costs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.inputs import Inputs
from demos.play.keyboard import COMMAND_KEYS, DRIVING_KEYS, Command
from demos.play.pad import FULL_SCALE, PadConfig, stick_value
from demos.play.settings import store
from demos.play.settings.bindings import ACTIONS, Bindings, fitting, with_control, with_key, without
from demos.play.settings.help import NOBODY, TOPICS, help_lines
from demos.play.settings.store import Store, config_folder
from demos.play.settings.values import Choices, Settings, from_json, to_json
from engine_sim.core.errors import UserError
from engine_sim.racing.controls import Controls

J, W, UP = 13, 26, 82
LEFT_Y, RIGHT_X, RIGHT_TRIGGER, BUTTON_A, BUTTON_B, BUTTON_LEFTSTICK = 1, 2, 5, 0, 1, 7


def test_the_bindings_that_a_player_finds_are_those_of_the_keyboard_and_pad_modules():
    assert Bindings().driving == DRIVING_KEYS
    assert Bindings().commands == COMMAND_KEYS
    assert Bindings().pad_commands()["start"] is Command.MENU


def test_a_new_key_joins_the_newest_of_the_old_ones_and_is_taken_from_whoever_had_it():
    bound = with_key(Bindings(), "throttle", J, "j")
    assert bound.keys("throttle") == ["j", "↑"]
    assert with_key(bound, "brake", J, "j").keys("throttle") == ["↑"]
    assert with_key(bound, "next view", J, "c").keys("next camera") == []
    assert with_key(bound, "handbrake", 6, "c").keys("next camera") == []


def test_escape_always_opens_the_menu_and_a_key_is_no_stick():
    for action, place, name in (("throttle", 41, "escape"), ("pause", 41, "escape"), ("steer", J, "j")):
        with pytest.raises(ValueError):
            with_key(Bindings(), action, place, name)


def test_nothing_takes_the_menu_away_from_a_keyboard_or_a_pad(tmp_path):
    bare = without(Bindings(), "menu")
    for k, name in enumerate("jkl"):
        bare = with_key(bare, "menu", J + k, name)
    bare = with_control(without(bare, "menu"), "menu", "guide")
    assert bare.commands["escape"] is bare.pad_commands()["start"] is bare.pad_commands()["guide"] is Command.MENU
    with pytest.raises(ValueError):
        with_control(Bindings(), "pause", "start")
    Store(tmp_path).put(Settings(bare))
    assert Store(tmp_path).settings.bindings == bare
    older = {**to_json(Settings()), "pad": {"pause": "start", "handbrake": "x"}}  # written before start was reserved
    assert from_json(older, "here").bindings.pad == {"handbrake": "x"}


def test_a_control_fits_what_it_can_do():
    assert fitting("steer", "rightx-") == "rightx"
    assert fitting("steer", "a") is None
    assert fitting("throttle", "righty-") == "righty-"
    assert fitting("pause", "righttrigger") is None
    assert fitting("pause", "y") == "y"
    with pytest.raises(ValueError):
        with_control(Bindings(), "pause", "lefty+")


def test_a_control_is_taken_from_whoever_had_it_and_two_pedals_may_share_a_stick():
    bound = with_control(with_control(Bindings(), "throttle", "lefty-"), "brake", "lefty+")
    assert (bound.pad["throttle"], bound.pad["brake"]) == ("lefty-", "lefty+")
    taken = with_control(bound, "steer", "lefty-")
    assert "throttle" not in taken.pad
    assert "brake" not in taken.pad
    assert with_control(Bindings(), "pause", "y").control("next camera") == ""


def test_an_action_can_be_left_without_anything():
    bound = without(Bindings(), "handbrake")
    assert (bound.keys("handbrake"), bound.control("handbrake")) == ([], "")


def test_bound_keys_and_controls_drive():
    bound = with_control(with_control(Bindings(), "throttle", "lefty-"), "steer", "rightx+")
    inputs = Inputs(PadConfig(dead_zone=0.0), with_key(bound, "brake", J, "j"))
    inputs.key(J, True)
    assert inputs.read() == Controls(brake=1.0, digital=True)
    inputs.pads.add(0, "pad")
    inputs.pad_axis(0, LEFT_Y, -FULL_SCALE // 2)
    inputs.pad_axis(0, RIGHT_X, FULL_SCALE)
    inputs.pad_axis(0, RIGHT_TRIGGER, FULL_SCALE)
    read = inputs.read()
    assert (read.steer, read.throttle) == (-1.0, pytest.approx(0.5, abs=1e-3))


def test_a_change_of_bindings_lets_go_of_what_is_held():
    inputs = Inputs()
    inputs.key(W, True)
    inputs.bind(with_key(Bindings(), "throttle", J, "j"), PadConfig())
    assert inputs.read() == Controls(digital=True)
    inputs.key(W, True)
    assert inputs.read().throttle == 0.0  # W was the older of two keys, and gave way


@given(st.integers(-32768, 32767), st.floats(0.0, 0.5), st.floats(0.0, 1.0))
def test_a_curve_keeps_ends_middle_and_order(raw, dead_zone, curve):
    value = stick_value(raw, dead_zone, curve)
    assert abs(value) <= abs(stick_value(raw, dead_zone)) + 1e-12
    assert value <= stick_value(min(32767, raw + 64), dead_zone, curve)
    assert stick_value(FULL_SCALE, dead_zone, curve) == pytest.approx(1.0)
    assert stick_value(0, dead_zone, curve) == 0.0


def other_settings() -> Settings:
    bindings = with_control(with_key(with_key(Bindings(), "left", J, "j"), "pause", 19, "p"), "brake", "righty+")
    return Settings(
        without(bindings, "handbrake"), PadConfig(0.2, 0.5), True, 0.25, True, Choices("plum-oval", "storm", 3)
    )


def test_settings_survive_the_file(tmp_path):
    first = Store(tmp_path / "deep" / "er")
    assert first.put(other_settings()) == ""
    again = Store(tmp_path / "deep" / "er")
    assert again.settings == other_settings()
    assert again.problem == ""


def test_nothing_is_written_before_something_changes(tmp_path):
    Store(tmp_path).put(Settings())
    assert list(tmp_path.iterdir()) == []


BROKEN = {
    "no JSON": "{",
    "no object": "[]",
    "an old format": json.dumps({**to_json(Settings()), "format": "paintover-settings-0"}),
    "a field too few": json.dumps({k: v for k, v in to_json(Settings()).items() if k != "volume"}),
    "a number out of range": json.dumps({**to_json(Settings()), "dead_zone": 2.0}),
    "not a number": to_json(Settings()) and json.dumps(to_json(Settings())).replace('"curve": 0.0', '"curve": NaN'),
    "an unknown command": json.dumps({**to_json(Settings()), "commands": {"p": "explode"}}),
    "no way to the menu": json.dumps({**to_json(Settings()), "commands": {"p": "pause"}}),
    "a key nowhere": json.dumps({**to_json(Settings()), "driving": {"-4": "left"}}),
    "a stick that fires": json.dumps({**to_json(Settings()), "pad": {"pause": "leftx"}}),
    "a pad's unknown action": json.dumps({**to_json(Settings()), "pad": {"fly": "a"}}),
    "a quit key": json.dumps({**to_json(Settings()), "commands": {"escape": "menu", "q": "quit"}}),
    "a million rivals": json.dumps({**to_json(Settings()), "race": {**vars(Choices()), "rivals": 10**6}}),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_costs_one_line_and_the_settings_and_is_kept_aside(tmp_path, text):
    (tmp_path / store.FILE).write_text(text)
    kept = Store(tmp_path)
    assert kept.settings == Settings()
    assert len(kept.problem.splitlines()) == 1
    assert str(tmp_path / store.FILE) in kept.problem
    assert (tmp_path / store.FILE).read_text() == text  # as long as nothing is changed
    assert kept.put(replace(Settings(), sound=True)) == ""
    assert (tmp_path / "settings.broken.json").read_text() == text
    assert Store(tmp_path).settings.sound


def test_a_huge_file_is_not_read(tmp_path):
    (tmp_path / store.FILE).write_text(" " * (2 << 20))
    assert "at most" in Store(tmp_path).problem


def test_a_folder_that_cannot_be_written_is_said_and_the_settings_hold(tmp_path):
    (tmp_path / "file").write_text("")
    kept = Store(tmp_path / "file" / "config")
    assert "not kept" in kept.put(replace(Settings(), sound=True))
    assert kept.settings.sound


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda c: st.lists(c, max_size=3)))
def test_any_value_in_any_field_is_read_or_refused_in_words(value):
    for name in to_json(Settings()):
        try:
            from_json({**to_json(Settings()), name: value}, "settings.json")
        except UserError as error:
            told = str(error)
        else:
            told = "settings.json was taken"
        assert told.startswith("settings.json")


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {"PAINTOVER_CONFIG": "/x/y", "XDG_CONFIG_HOME": "/cfg"}, "/x/y"),
        ("linux", {"XDG_CONFIG_HOME": "/cfg"}, "/cfg/paintover"),
        ("linux", {}, "/home/me/.config/paintover"),
        ("darwin", {}, "/home/me/Library/Application Support/paintover"),
        ("win32", {"APPDATA": "/roam"}, "/roam/paintover"),
    ],
)
def test_settings_live_where_the_platform_keeps_such_files(monkeypatch, platform, environment, folder):
    for name in ("PAINTOVER_CONFIG", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(store.Path, "home", lambda: Path("/home/me"))
    monkeypatch.setattr("sys.platform", platform)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert config_folder() == Path(folder)


def test_the_page_of_keys_says_what_is_bound_and_nothing_is_left_out():
    topics = {action for actions, _ in TOPICS for action in actions}
    assert topics == {action.name for action in ACTIONS}
    lines = help_lines(without(with_key(Bindings(), "pause", J, "j"), "handbrake"))
    assert ("↑  ↓ or W  S", "right trigger  left trigger") in [(line.keys, line.pad) for line in lines]
    assert [line.keys for line in lines if line.words == "handbrake"] == [NOBODY]
    assert [line.keys for line in lines if line.words.startswith("pause")] == ["J  H or P  F1"]
