"""Recordings in the window: found, previewed, played back bit for bit, and left for what they are when damaged."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace

import pytest

from demos.options import NamedLook
from demos.play.game import PlayOptions
from demos.play.replay import END, PlayedBack, ReplayLoader, replay_options
from demos.play.sessions import MOST_KEPT, Shelf, read_preview
from engine_sim.core.errors import UserError
from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.reader import open_session
from engine_sim.recording.record import record_session
from engine_sim.views.look import named_look

from .conftest import wait_for

SETUP = RaceSetup(track="acorn-loop", seed=3, rivals=1)
SECONDS = 1.5


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """Two recordings, a folder that is none, and a damaged one."""
    folder = tmp_path_factory.mktemp("sessions")
    for number, look in enumerate((None, named_look("sunset"))):
        record_session(
            SETUP, folder / f"drive-{number}", SECONDS, size=(64, 32), look=look, views="cpu", progress=False
        )  # fmt: skip
        os.utime(folder / f"drive-{number}" / "session.json", (1e9 + number, 1e9 + number))
    (folder / "pictures").mkdir()
    shutil.copytree(folder / "drive-0", folder / "hurt")
    (folder / "hurt" / "session.json").write_text("{")
    os.utime(folder / "hurt" / "session.json", (1.0, 1.0))
    return Shelf(folder)


def options() -> PlayOptions:
    return PlayOptions(RaceSetup("plum-oval"), (NamedLook("storm", named_look("storm")),), record=None)


def test_the_newest_recording_comes_first_and_a_damaged_one_says_so(shelf):
    assert [(book.name, book.when == "cannot be read") for book in shelf.books()] == [
        ("drive-1", False), ("drive-0", False), ("hurt", True),
    ]  # fmt: skip
    assert Shelf(shelf.folder / "nowhere").books() == []


def test_a_preview_is_read_beside_the_screen(shelf):
    path = shelf.folder / "drive-1"
    assert shelf.preview(path) is None
    wait_for(lambda: shelf.preview(path))
    seen = shelf.preview(path)
    assert seen.lines[:2] == ("acorn loop", "0:01.5, 2 cars, 64 × 32 at 24")
    assert seen.lines[2] == "look: sunset"
    assert seen.picture.shape == (32, 64, 3)
    assert len({tuple(p) for p in seen.picture.reshape(-1, 3).tolist()}) > 3


def test_what_cannot_be_read_is_a_preview_in_words(shelf):
    assert read_preview(shelf.folder / "hurt").lines[0] == "cannot be read"
    with pytest.raises(UserError):
        replay_options(shelf.folder / "hurt", options())


def test_a_recording_brings_its_own_race_size_and_look(shelf):
    shown = replay_options(shelf.folder / "drive-1", options())
    recorded = open_session(shelf.folder / "drive-1").header.setup
    assert vars(shown.setup) == recorded
    assert (shown.setup.track, shown.setup.seed, shown.width, shown.height) == ("acorn-loop", 3, 64, 32)
    assert [look.name for look in shown.looks] == ["as-recorded", "storm"]
    assert shown.looks[0].look == named_look("sunset")
    assert [look.name for look in replay_options(shelf.folder / "drive-0", options()).looks] == ["storm"]


def test_it_plays_back_bit_for_bit_whatever_keys_say_and_stops_at_its_end(shelf):
    path = shelf.folder / "drive-0"
    shown, loader = replay_options(path, options()), ReplayLoader(path)
    game = loader.game(shown, loader.place(shown, lambda _: None), lambda _: None)
    session = open_session(path)
    assert game.replays
    for tick in range(session.ticks):
        assert game.world.hash() == session.hashes[tick]
        game.tick(Controls(steer=1.0, throttle=1.0))
    assert isinstance(game, PlayedBack)
    assert game.over
    last = game.world.hash()
    for _ in range(200):
        game.tick(Controls(throttle=1.0))
    assert game.world.hash() == last == session.hashes[-1]
    assert game.hud().banner == END
    assert game.news == ""
    assert loader.again(shown) is shown


def test_a_drive_that_parts_from_its_recording_is_said_once(shelf):
    path = shelf.folder / "drive-0"
    shown, loader = replay_options(path, options()), ReplayLoader(path)
    game = loader.game(shown, loader.place(shown, lambda _: None), lambda _: None)
    game._session = replace(game._session, hashes=("0" * 16,) * len(game._session.hashes))
    game.tick(Controls())
    assert "has parted from its recording" in game.news
    game.news = ""
    for _ in range(150):
        game.tick(Controls())
    assert game.news == ""


def test_a_header_of_another_format_is_refused_in_one_line(shelf, tmp_path):
    folder = tmp_path / "old"
    shutil.copytree(shelf.folder / "drive-0", folder)
    header = json.loads((folder / "session.json").read_text())
    (folder / "session.json").write_text(json.dumps({**header, "format": "paintover-session-0"}))
    with pytest.raises(UserError) as refused:
        replay_options(folder, options())
    assert len(str(refused.value).splitlines()) == 1


def test_the_shelf_keeps_few_previews_however_many_are_looked_at(shelf, tmp_path):
    many = Shelf(tmp_path)
    for number in range(MOST_KEPT + 2):
        path = tmp_path / str(number)
        many.preview(path)
        wait_for(lambda: many.preview(path) is not None)  # noqa: B023
    assert len(many._known) <= MOST_KEPT
