"""The window on a real X server: keys, sizes, focus, stalls, slow loads, screenshots."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import cv2
import numpy as np
import pytest

from demos.play.settings.store import Store
from demos.play.settings.values import Settings
from demos.play.views import VIEWS, WIPES
from render_bridge.palette import RACING

from .conftest import SCREEN, wait_for
from .play_standins import CLASS_CORNERS, RGB_CORNERS
from .played_window import CLASS_COLORS, ROOT, corners, panels


def test_the_screen_shows_both_views_upright_unmirrored_in_their_colours(play, tmp_path):
    game = play().started()
    wait_for(lambda: corners(panels(game.picture(), 2)[0]) == CLASS_COLORS, 30)
    seen = game.picture()
    game.desktop.xdotool("key", "F12")
    wait_for(lambda: len(list(tmp_path.glob("*.png"))) == 3, 20)
    game.leave()
    shots = {path.stem.split("-")[-1]: cv2.imread(str(path))[..., ::-1] for path in tmp_path.glob("*.png")}
    assert set(shots) == {"1", "class", "teacher"}
    assert shots["1"].shape == seen.shape
    for picture in (seen, shots["1"]):
        left, right = panels(picture, 2)
        assert corners(left) == CLASS_COLORS
        assert corners(right) == [list(color) for color in RGB_CORNERS]
    assert corners(shots["class"]) == CLASS_COLORS
    assert shots["class"].shape == shots["teacher"].shape == (64, 96, 3)


def test_keys_reach_the_car_and_escape_ends_it_all(play):
    game = play().started()
    for key, controls in (("Up", (1.0, 0.0)), ("a", (0.0, 1.0))):
        game.desktop.xdotool("keydown", key)
        game.felt(*controls)
        game.race_on(30)
        game.desktop.xdotool("keyup", key)
        game.felt(0.0)
    ticks = game.leave()["ticks"]
    throttle = [i for i, (t, _, _) in enumerate(ticks) if t == 1.0]
    left = [i for i, (_, s, _) in enumerate(ticks) if s == 1.0]
    assert len(throttle) >= 30
    assert len(left) >= 30
    assert max(throttle) < min(left)
    assert ticks[-1] == [0.0, 0.0, True]
    wait_for(game.alone, 5)


def test_a_key_that_is_held_when_the_focus_goes_is_let_go(play):
    game = play().started()
    game.desktop.xdotool("keydown", "w")
    game.felt(1.0)
    game.race_on(20)
    game.desktop.xdotool("mousemove", "1279", "799")
    game.desktop.xdotool("windowfocus", FOLLOW_POINTER)
    game.felt(0.0)
    game.race_on(60)
    game.desktop.xdotool("keyup", "w")
    game.desktop.xdotool("windowfocus", "--sync", game.window())
    game.race_on(20)
    throttle = [t for t, _, _ in game.leave()["ticks"]]
    first, last = throttle.index(1.0), len(throttle) - 1 - throttle[::-1].index(1.0)
    assert last - first >= 20
    assert throttle[first : last + 1] == [1.0] * (last + 1 - first)
    assert len(throttle) - last > 60


def test_the_race_waits_behind_its_menu(play):
    game = play().started()
    game.desktop.xdotool("keydown", "Up")
    game.felt(1.0)
    game.press("Escape")
    wait_for(lambda: game.so_far()["menu"])
    assert game.waits(1.0)
    game.desktop.xdotool("keyup", "Up")
    game.press("Escape")
    game.felt(0.0)
    report = game.leave()
    assert report["lost_ticks"] < 120  # the second behind the menu is none that was lost
    held = [number for number, (throttle, _, _) in enumerate(report["ticks"]) if throttle == 1.0]
    assert held == list(range(held[0], held[-1] + 1))
    assert len(report["ticks"]) > held[-1] + 1  # let go of behind the menu


def test_a_race_waits_in_the_background_if_the_player_wants_it_to(play, tmp_path):
    Store(tmp_path / "config").put(Settings(pause_unfocused=True))
    game = play().started()
    game.race_on(1)
    game.desktop.xdotool("mousemove", "1279", "799", "windowfocus", FOLLOW_POINTER)
    wait_for(lambda: game.waits(1.0), 30)
    game.desktop.xdotool("windowfocus", "--sync", game.window())
    game.race_on(20)
    game.leave()


NO_SIZE = (0, 0)  # of a window that is being made anew
FOLLOW_POINTER = "1"  # X's PointerRoot: the focus is where the pointer is, which is outside the window then


def test_other_window_sizes_get_bars_and_an_unmapped_window_keeps_racing(play):
    game = play().started()
    game.desktop.xdotool("windowmove", game.window(), "0", "0")
    game.desktop.xdotool("windowsize", game.window(), "700", "700")
    wait_for(lambda: game.place()[2:] == (700, 700), 20)
    time.sleep(0.5)  # drawn anew
    seen = game.picture()
    assert seen.shape[:2] == (700, 700)
    tall = 700 * 64 // (96 * 2)
    bar = (700 - tall) // 2
    assert len(np.unique(seen[: bar - 2, 2], axis=0)) == 1
    assert seen[bar + tall - 40, 30].tolist() == RACING.colors[CLASS_CORNERS[2]].tolist()
    window = game.window()
    game.desktop.xdotool("windowunmap", window)
    time.sleep(0.6)
    game.desktop.xdotool("windowmap", "--sync", window)
    time.sleep(0.6)
    assert game.picture()[bar + tall - 40, 30].tolist() == RACING.colors[CLASS_CORNERS[2]].tolist()
    game.desktop.xdotool("windowfocus", "--sync", game.window())
    report = game.leave()
    assert report["lost_ticks"] == 0
    assert len(report["ticks"]) > 200


def test_another_view_is_letterboxed_into_the_window_that_there_is(play):
    game = play().started()
    game.desktop.xdotool("windowmove", game.window(), "0", "0", "windowsize", game.window(), "1200", "500")
    wait_for(lambda: game.place() == (0, 0, 1200, 500), 10)
    game.press("v", "v")  # from both by the wiped view
    wait_for(lambda: corners(panels(game.picture())[0]) == CLASS_COLORS, 10)
    seen = game.picture()
    assert seen.shape[:2] == (500, 1200)
    assert len(np.unique(seen[:, 2], axis=0)) == 1
    assert game.leave()["view"] == "class"


def test_the_window_opens_as_large_as_the_desktop_allows_for_one_view(play):
    game = play().started()
    assert game.place()[2:] == (11 * 96, 11 * 64)
    game.leave()


def test_full_screen_starts_in_the_corner_and_leaves_the_window_where_it_was(play):
    """No window manager is there to move it, as in a kiosk or under a bare X server."""
    game = play().started()
    game.desktop.xdotool("mousemove", "640", "400", "windowmove", game.window(), "60", "40")
    before = (60, 40, 11 * 96, 11 * 64)
    wait_for(lambda: game.place() == before, 20)
    for place in ((0, 0, *SCREEN), before) * 2:
        game.desktop.xdotool("key", "F11")
        wait_for(lambda: game.focused() and game.place() == place, 20)  # noqa: B023
        time.sleep(0.5)  # a key that comes before the new window has settled is lost
    game.leave()


@pytest.mark.alone
def test_views_sizes_and_full_screen_change_as_often_as_one_likes(play):
    game = play().started()
    first = game.place()
    window = game.window()
    for turn in range(8):
        for key in ("v", "v", "v", "v", "v"):
            game.desktop.xdotool("key", key)
            time.sleep(0.04)
            assert game.process.poll() is None, f"the game ended in round {turn}"
        game.desktop.xdotool("windowsize", window, str(500 + 60 * turn), str(700 - 50 * turn))
    game.desktop.xdotool("key", "F11")
    wait_for(lambda: game.place()[2:] == SCREEN, 20)
    time.sleep(0.5)  # a key that comes before the new window has settled is lost
    game.desktop.xdotool("key", "v", "F11", "v", "F11", "F11", "v", "v")
    time.sleep(0.5)
    wait_for(lambda: game.place()[2:] not in (NO_SIZE, first[2:], SCREEN), 20)
    before = game.picture().tobytes()  # keys that came while the window was being made anew may be lost: not this one
    game.press("v")
    wait_for(lambda: game.picture().tobytes() != before, 10)
    assert game.leave()["view"] in (*VIEWS, *WIPES)


def test_a_stopped_process_catches_up_a_little_and_reports_the_rest(play):
    began = time.monotonic()
    game = play().started()
    game.race_on(1)
    os.kill(game.process.pid, signal.SIGSTOP)
    time.sleep(2.0)
    os.kill(game.process.pid, signal.SIGCONT)
    game.race_on(20)
    report = game.leave()
    assert 150 < report["lost_ticks"] < 120 * (time.monotonic() - began)
    assert len(report["ticks"]) + report["lost_ticks"] < 120 * (time.monotonic() - began)


@pytest.mark.alone
def test_a_slow_load_leaves_the_window_alive_and_closable(play):
    game = play("slow-load")
    game.window()
    time.sleep(2.0)
    before = time.monotonic()
    game.desktop.xdotool("key", "Escape")
    assert game.process.wait(5) == 0
    assert time.monotonic() - before < 2.0
    wait_for(game.alone, 2)


def test_events_are_pumped_through_a_slow_load(play):
    gaps = play("slow-load").started().leave()["loading_gaps"]
    assert len(gaps) > 10  # of three busy seconds
    assert gaps[-1] < 2.0


def test_a_pad_plugged_in_during_the_race_drives_it(play):
    game = play("pad").started()
    wait_for(game.report.with_suffix(".unplugged").exists, 30)
    game.felt(0.0)
    report = game.leave()
    on_pad = [(t, s) for t, s, digital in report["ticks"] if not digital]
    assert (1.0, -1.0) in on_pad
    assert report["ticks"][-1] == [0.0, 0.0, True]
    assert report["pads"] == []


def test_without_gl_the_window_opens_on_the_class_map(play):
    game = play("no-gl").started()
    assert game.leave()["view"] == "class"


def test_a_refused_view_during_a_slow_load_is_an_error_and_no_silence(desktop):
    done = subprocess.run(
        [sys.executable, "-m", "tests.demos.refused_window"],
        cwd=ROOT, env=desktop.environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "paintover play: no OpenGL here: install libegl1; --view class needs none\n"
