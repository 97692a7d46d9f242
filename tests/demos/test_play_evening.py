"""Between start screen and race: which words open which, what the choices become, and what a refused race costs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from demos import cli
from demos.options import NamedLook
from demos.play import evening, paint_plan, screen, window
from demos.play.evening import Evening
from demos.play.front import Front
from demos.play.game import PlayOptions
from demos.play.keyboard import Command
from demos.play.paint_plan import PaintPlan
from demos.play.painter import Painter
from demos.play.race import Next
from demos.play.screens.backdrop import Backdrop, Motif
from demos.play.screens.page import Press
from demos.play.sessions import Shelf
from demos.play.start import Chosen, Painters, StartRoom, card_of, filled
from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup

from . import play_standins as standins
from .conftest import wait_for

OPTIONS = PlayOptions(RaceSetup("plum-oval", seed=5), (NamedLook("plain", None),), fps=30)


@pytest.fixture
def opened(monkeypatch) -> list:
    """Which of the two the command opened, with its options."""
    ways: list = []
    monkeypatch.setattr(screen, "display_found", lambda: True)
    monkeypatch.setattr(window, "play_in_window", lambda options: ways.append(("race", options)) or 0)
    monkeypatch.setattr(evening, "play_from_start", lambda *words: ways.append(("start", *words)) or 0)
    monkeypatch.setattr(paint_plan, "weights_there", lambda preset: False)
    return ways


@pytest.mark.parametrize(
    "words",
    [["--track", "plum-oval"], ["--rivals", "7"], ["--laps=2"], ["--look", "storm"], ["--size", "448x256"],
     ["--seed", "0"], ["--camera", "chase"]],
)  # fmt: skip
def test_words_that_say_what_to_race_start_it_at_once_even_if_they_say_the_default(opened, words):
    assert cli.main(["play", *words]) == 0
    assert [way[0] for way in opened] == ["race"]


@pytest.mark.parametrize("words", [[], ["--view", "class"], ["--manual"], ["--fps", "30"]])
def test_without_such_words_the_start_screen_opens_and_the_others_hold(opened, words):
    assert cli.main(["play", *words]) == 0
    way, options, painters = opened[0]
    assert way == "start"
    assert options.setup.automatic == ("--manual" not in words)
    assert options.fps == (30 if "--fps" in words else 24)
    assert len(painters.names) == 1


def test_a_model_that_is_there_paints_unless_the_player_or_the_words_say_otherwise(opened, monkeypatch):
    monkeypatch.setattr(paint_plan, "weights_there", lambda preset: True)
    for words in ([], ["--view", "class"]):
        assert cli.main(["play", *words]) == 0
    assert opened[0][2].names == ("painted by nano", "the engine's own")
    assert opened[1][2].plans == (None,)


def test_a_renderer_that_was_named_can_be_left_out_on_the_start_screen(opened):
    assert cli.main(["play", "--preset", "palette"]) == 0
    painters = opened[0][2]
    assert painters.names == ("painted by palette", "the engine's own")
    assert painters.plans == (PaintPlan("palette"), None)


@pytest.fixture
def front(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    front = Front((448, 256), "a test")
    yield front
    front.close()


@pytest.fixture
def room(front, tmp_path):
    backdrop = Backdrop((96, 64), lambda job: Painter(job, standins.open_pattern))
    painters = Painters(("painted", "own"), (PaintPlan("palette"), None))
    return StartRoom(front, OPTIONS, painters, Shelf(tmp_path), backdrop)


def test_choices_become_options_and_are_offered_again_next_time(room, front):
    room.stack = SimpleNamespace(push=None)
    for press in (Press.DOWN, Press.RIGHT, *[Press.DOWN] * 4, Press.RIGHT, Press.DOWN, Press.RIGHT, *[Press.UP] * 6):
        room.screen.press(press)
    front.asked.append(Command.HELP)  # a command without meaning here
    room.screen.press(Press.CHOOSE)
    chosen = room.run().options
    assert (chosen.setup.track, chosen.width, chosen.paint) == ("lagoon-d", 640, None)
    assert (chosen.setup.seed, chosen.fps) == (5, 30)
    assert front.store.settings.race.track == "lagoon-d"
    assert Front.settings.fget(front).race.size == "640x352"


def test_the_close_button_leaves(room, front):
    front.asked.append(Command.QUIT)
    assert room.run() is None
    assert front.events.overlay is None


def test_a_recording_is_chosen_with_whoever_paints(room):
    room._play_back(Path("sessions/one"))
    chosen = room.run()
    assert (chosen.recording, chosen.options.paint) == (Path("sessions/one"), PaintPlan("palette"))


def test_the_backdrop_draws_what_stands_and_not_what_is_turned_past(monkeypatch):
    backdrop = Backdrop((96, 64), lambda job: Painter(job, standins.open_pattern))
    looks = []
    try:
        backdrop.want(Motif("a", 1), 0.0)
        assert not backdrop.poll(0.0)
        assert backdrop.picture is None
        wait_for(lambda: backdrop.poll(0.1))
        monkeypatch.setattr(backdrop._painter, "set_look", looks.append)
        for number in range(9):
            backdrop.want(Motif("a", number), 1.0 + 0.1 * number)
            backdrop.poll(1.0 + 0.1 * number)
        backdrop.poll(2.5)
        assert looks == [Motif("a", 8)]
    finally:
        backdrop.close()


def test_without_gl_there_is_no_backdrop_and_no_error():
    backdrop = Backdrop((96, 64), lambda job: Painter(job, standins.open_class_only))
    try:
        backdrop.want(Motif("a", 1), 0.0)
        wait_for(lambda: backdrop.poll(0.0) or backdrop._lost)
        assert backdrop.picture is None
        assert not backdrop.poll(9.0)
    finally:
        backdrop.close()


def test_a_circuits_card_has_its_map_and_facts():
    card = card_of("acorn-loop")
    assert "corners" in card.lines[0]
    assert card.outline.min() >= 0.0
    assert card.outline.max() <= 1.0


@pytest.mark.parametrize("size", [(448, 256), (100, 300), (1344, 300)])
def test_the_backdrop_covers_the_window_and_keeps_its_shape(size):
    picture = np.zeros((64, 96, 3), np.uint8)
    picture[:, 48:] = 200
    seen = filled(picture, *size)
    assert seen.shape == (size[1], size[0], 3)
    assert seen[size[1] // 2, 2, 0] == 0
    assert seen[size[1] // 2, -3, 0] == 200


def test_a_race_that_is_refused_brings_the_player_back_with_a_word(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    rooms = [Chosen(OPTIONS), Chosen(OPTIONS, Path("nowhere")), None]
    said = []
    monkeypatch.setattr(evening, "StartRoom", lambda front, *_: SimpleNamespace(run=lambda: rooms.pop(0)))
    desk = SimpleNamespace(lost_ticks=3)

    def refuse():
        raise UserError("the renderer refuses this race: full")

    night = Evening(
        OPTIONS, Painters(("own",), (None,)),
        make_window=lambda *_, **__: SimpleNamespace(run=refuse, loading=True, desk=desk, left_for=Next.LEAVE),
    )  # fmt: skip
    monkeypatch.setattr(night.front, "say", said.append)
    assert night.run() is None
    assert said[0] == "the renderer refuses this race: full"
    assert "nowhere" in said[1]
    assert night.loading
    assert night.lost_ticks == 3
