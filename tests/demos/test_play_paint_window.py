"""The window with a renderer on a real X server: what is painted is shown, and nothing ever waits for it."""

from __future__ import annotations

import os
import signal
import time

import cv2
import numpy as np

from render_bridge.palette import RACING

from .conftest import wait_for
from .play_standins import CLASS_CORNERS, RGB_CORNERS
from .played_renderers import Diary, serving
from .played_window import CLASS_COLORS, Play, corners, panels


def painted(game: Play) -> list[int]:
    """Frame, run and looks that the middle of the window tells of; see ``DiaryRenderer``."""
    seen = game.picture()
    return seen[int(seen.shape[0] * 0.4), seen.shape[1] // 3].tolist()


def is_painted(game: Play, looks: int = 1) -> bool:
    return corners(game.picture()) == [painted(game)] * 4 and painted(game)[2] == looks


def test_the_picture_stands_beside_its_map_and_a_killed_renderer_is_started_again(play):
    game = play("palette").started()
    wait_for(lambda: corners(game.picture()) == CLASS_COLORS)
    game.press("v")
    wait_for(lambda: [corners(p) for p in panels(game.picture(), 2)] == [CLASS_COLORS] * 2)
    game.press("v")
    rgb = [list(color) for color in RGB_CORNERS]
    wait_for(lambda: [corners(p) for p in panels(game.picture(), 3)] == [CLASS_COLORS, CLASS_COLORS, rgb])
    wait_for(lambda: game.so_far()["painted"] > 5)
    os.kill(game.renderer(), signal.SIGKILL)
    game.desktop.xdotool("keydown", "Up")
    wait_for(lambda: "the renderer was started again" in game.so_far()["said"])
    before = game.so_far()["painted"]
    wait_for(lambda: game.so_far()["painted"] > before)
    game.desktop.xdotool("keyup", "Up")
    report = game.leave()
    assert report["view"] == "all"
    assert "the renderer ended (signal 9); it is started again" in report["said"]
    assert sum(t == 1.0 for t, _, _ in report["ticks"]) > 60
    wait_for(game.alone, 10)


def test_prompt_and_look_change_live_and_no_key_of_them_drives(play, address):
    with serving(address, diary := Diary()):
        game = play(f"renderer={address}").started()
        wait_for(lambda: is_painted(game))
        game.press("t")
        game.desktop.xdotool("type", "--delay", "50", "wet, p v r w")
        game.press("Return")
        wait_for(lambda: [c.text for c in diary.controls if c.kind == "prompt"] == ["wet, p v r w"])
        game.press("t", "w", "Escape", "l", "Down", "Return")
        wait_for(lambda: is_painted(game, looks=2))
        report = game.leave()
    assert [c.kind for c in diary.controls] == ["look", "prompt", "look"]
    assert all(t == 0.0 and s == 0.0 for t, s, _ in report["ticks"])
    assert report["view"] == "paint"
    expected = ["prompt: wet, p v r w", "prompt: in force", "look: blue-hour", "look blue-hour: in force"]
    assert report["said"] == expected
    assert diary.controls[0].text != diary.controls[2].text
    for control in (diary.controls[0], diary.controls[2]):
        picture = np.frombuffer(control.buffers[0], np.uint8).reshape(64, 96, 3)
        class_map = np.frombuffer(control.buffers[1], np.uint8).reshape(64, 96)
        assert [picture[y, x].tolist() for y in (0, -1) for x in (0, -1)] == [list(c) for c in RGB_CORNERS]
        assert [int(class_map[y, x]) for y in (0, -1) for x in (0, -1)] == list(CLASS_CORNERS)


def test_a_renderer_slower_than_real_time_holds_up_neither_game_nor_keys(play, address):
    with serving(address, Diary(seconds=1.0)):
        game = play(f"renderer={address}").started()
        wait_for(lambda: is_painted(game))
        before = time.monotonic()
        game.desktop.xdotool("keydown", "Up")
        time.sleep(2.0)
        game.desktop.xdotool("keyup", "Up")
        took = time.monotonic() - before
        report = game.leave()
    throttle = sum(t == 1.0 for t, _, _ in report["ticks"])
    assert 0.7 * 120 * 2.0 < throttle + report["lost_ticks"] <= 120 * (took + 1.0)


def test_a_screenshot_a_pause_and_another_race(play, address, tmp_path):
    with serving(address, diary := Diary()):
        game = play(f"renderer={address}").started()
        wait_for(lambda: is_painted(game))
        game.press("F12", "p")
        wait_for(lambda: len(list(tmp_path.glob("*.png"))) == 3, 20)
        runs = len(diary.runs)
        time.sleep(1.0)
        assert len(diary.runs) <= runs + 2  # what was drawn before the pause may still be on its way
        game.press("p")
        wait_for(lambda: len(diary.runs) > runs + 4)
        assert diary.resets == 0
        game.press("t", "x", "Return")
        wait_for(lambda: len(diary.controls) == 2)
        game.press("Return")
        wait_for(lambda: diary.resets == 1 and is_painted(game, looks=2))
        game.leave()
    assert [c.kind for c in diary.controls] == ["look", "prompt", "look"]
    assert [c.text for c in diary.controls[1:]] == ["x", "x"]  # what was typed holds for the next race too
    assert sum(run[0] < 5 for run in diary.runs) == 2  # each race begins at its first frames
    shots = {path.stem.split("-")[-1]: cv2.imread(str(path))[..., ::-1] for path in tmp_path.glob("*.png")}
    assert set(shots) == {"1", "paint", "class"}
    assert shots["paint"].shape == (64, 96, 3)
    assert len(np.unique(shots["paint"].reshape(-1, 3), axis=0)) == 1
    assert shots["class"][0, 0].tolist() == list(RACING.classes[CLASS_CORNERS[0]].color)


def test_a_race_begins_without_its_renderer_and_without_gl_it_gets_the_prompt_alone(play, address):
    game = play(f"renderer={address}", "impatient", "no-gl").started()
    assert game.so_far()["painted"] == 0
    with serving(address, diary := Diary()):
        wait_for(lambda: is_painted(game, looks=0))
        report = game.leave()
    assert [c.kind for c in diary.controls] == ["prompt"]
    assert report["view"] == "paint"


def test_a_renderer_that_does_not_start_is_one_line_and_leaves_nothing(play, capfd):
    game = play("unserved", "slow-load")
    assert game.process.wait(60) == 2
    error = capfd.readouterr().err.splitlines()
    assert [line.split(":")[:3] for line in error] == [
        ["paintover play", " the renderer did not start", " unknown plane 'smell'"]
    ]
    wait_for(game.alone, 10)
