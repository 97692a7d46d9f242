"""The start screen on a real X server, from it into a race and back: with keys alone, with a pad alone."""

from __future__ import annotations

import json

from .conftest import wait_for
from .play_standins import RGB_CORNERS


def wait_open(game) -> None:
    wait_for(lambda: game.report.with_suffix(".open").exists() or game.process.poll() is not None)
    game.window()
    wait_for(lambda: shows_backdrop(game))


def shows_backdrop(game) -> bool:
    """The picture behind, darkened by the page, in the corner that no text covers."""
    seen = game.picture()
    return bool(len(seen) and (seen[-3, -3].astype(int) - seen[3, 3] > 40)[1])


def test_keys_alone_choose_a_race_play_it_and_come_back(play):
    assert RGB_CORNERS[3] == (250, 250, 0)
    game = play("start")
    wait_open(game)
    game.press("Down", "Right", "Down", "Right", "Down", "Left", "Up", "Up", "Up", "Return")
    game.started()
    game.desktop.xdotool("keydown", "Up")
    wait_for(lambda: game.report.with_suffix(".live").exists())
    game.desktop.xdotool("keyup", "Up")
    game.report.with_suffix(".ready").unlink()
    game.press("Escape", "Up", "Up", "Return")  # to the start screen
    wait_for(lambda: shows_backdrop(game))
    game.press("Return")  # the same race with one press
    game.started()
    game.report.with_suffix(".ready").unlink()
    game.press("Escape", "Up", "Up", "Return")
    wait_for(lambda: shows_backdrop(game))
    game.press("Escape", "Escape")
    report = game.ended()
    first, second = report["raced"]
    assert first == second
    assert (first["track"], first["rivals"], first["width"]) == ("lagoon-d", 6, 448)
    assert first["look"] != "golden-hour"
    kept = json.loads((game.report.parent / "config" / "settings.json").read_text())["race"]
    assert (kept["track"], kept["rivals"]) == ("lagoon-d", 6)
    wait_for(game.alone, 5)


def test_a_pad_alone_chooses_a_race_plays_it_and_leaves(play):
    game = play("pad-start")
    report = game.ended(180)
    assert [race["rivals"] for race in report["raced"]] == [6]
    assert [1.0, 0.0, False] in report["ticks"]
    wait_for(game.alone, 5)
