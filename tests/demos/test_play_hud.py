"""The head-up display as values, and as pixels on a surface."""

import itertools
from dataclasses import replace

import numpy as np
import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.game import Game
from demos.play.hud import Hud, Minimap, clock_text, gear_name, lamps_lit, ordinal, read_hud
from demos.play.hud_paint import HudPainter, wrapped
from demos.play.letterbox import Rect
from demos.play.pace import Pace
from demos.play.settings.bindings import Bindings
from demos.play.settings.help import help_lines
from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup

from .play_standins_race import COUNTDOWN, RingDrive, RingWorld, ring

SETUP = RaceSetup(track="ring", rivals=3, laps=2)


@pytest.mark.parametrize(
    ("phase", "ticks", "lamps"),
    [("grid", 360, 0), ("countdown", 360, 1), ("countdown", 241, 1), ("countdown", 240, 2), ("countdown", 120, 3),
     ("countdown", 1, 3), ("countdown", 900, 1), ("race", 0, 0), ("finished", 0, 0)],
)  # fmt: skip
def test_a_lamp_lights_with_every_second_of_the_countdown(phase, ticks, lamps):
    assert lamps_lit(phase, ticks) == lamps


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0:00.00"), (59.999, "0:59.99"), (60.0, "1:00.00"), (62.34, "1:02.34"), (754.0 + 1 / 120, "12:34.00")],
)
def test_lap_times_read_as_clocks(seconds, text):
    assert clock_text(seconds) == text


@given(st.integers(0, 10_000_000))
def test_a_clock_never_runs_backwards_and_never_shows_sixty_seconds(tick):
    now, later = clock_text(tick / 120), clock_text((tick + 1) / 120)
    assert 0 <= int(now.split(":")[1].split(".")[0]) < 60
    assert (len(later), later) >= (len(now), now)


def test_gears_and_places_have_names():
    assert [gear_name(g) for g in (-1, 0, 1, 6)] == ["R", "N", "1", "6"]
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 16, 21)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "16th", "21st",
    ]  # fmt: skip


def test_the_display_reads_the_world_and_leaves_it_alone():
    world = RingWorld(SETUP)
    hud = read_hud(world, Minimap(ring()), None)
    assert (hud.speed, hud.gear, hud.lap, hud.position, hud.lap_time) == ("108", "3", "1/2", "2/4", "0:00.00")
    assert (hud.lamps, hud.go, hud.banner) == (3, False, "")
    assert world.tick == 0


def test_green_shows_for_a_second_from_the_start():
    game = Game(RingDrive(SETUP))
    shown = []
    for _ in range(COUNTDOWN + 200):
        game.tick(Controls())
        shown.append(game.hud().go)
    assert game.started_tick == COUNTDOWN
    assert sum(shown) == 120
    assert shown.index(True) == COUNTDOWN - 1


def test_a_finished_race_says_so():
    world = RingWorld(SETUP)
    world.laps_done = lambda car: 2
    hud = read_hud(world, Minimap(ring()), 0)
    assert hud.banner == "Finished 2nd of 4"
    assert hud.lap == "2/2"


def test_the_map_has_north_up_and_the_player_on_top():
    plan = Minimap(ring())
    assert plan.outline.min() >= 0.0
    assert plan.outline.max() <= 1.0
    east, north = plan.place(np.array([100.0, 0.0]), np.array([0.0, 100.0]))
    assert east[0] > 0.9
    assert north[1] < 0.1
    dots = plan.dots(RingWorld(SETUP).poses())
    assert [player for _, _, player in dots] == [False, False, False, True]
    assert dots[-1][:2] == pytest.approx(tuple(east))


PAGE = help_lines(Bindings())
HUD = Hud("108", "3", "1/2", "2/4", "0:12.34", 2, False, "Finished 2nd of 4", ((0.5, 0.5, True),))


@pytest.mark.parametrize("size", [(448, 256), (96, 64), (1344, 768), (8, 8), (1, 1)])
def test_the_display_draws_at_any_size(size):
    pygame.font.init()
    surface = pygame.Surface(size)
    surface.fill((120, 120, 120))
    painter = HudPainter(Minimap(ring()))
    place = Rect(0, 0, *size)
    painter.draw(surface, place, HUD, "class 24 fps")
    painter.help(surface, place, PAGE)
    painter.help(surface, place, PAGE, pad=True)
    painter.loading(surface, place, "ring", ["loading"])
    assert len(np.unique(pygame.surfarray.array3d(surface))) > 1 or size == (1, 1)


@pytest.mark.parametrize("size", [(448, 256), (256, 448), (224, 128), (100, 60), (40, 40)])
def test_boxes_of_the_display_never_overlap(monkeypatch, size):
    pygame.font.init()
    boxes = []
    monkeypatch.setattr(HudPainter, "_shade", lambda self, surface, box, strength=150: boxes.append(box))
    HudPainter(Minimap(ring())).draw(pygame.Surface(size), Rect(0, 0, *size), replace(HUD, banner=""), "class 24 fps")
    assert all(pygame.Rect(0, 0, *size).contains(box) for box in boxes)
    assert not any(a.colliderect(b) for a, b in itertools.combinations(boxes, 2))
    assert len(boxes) == 5 or size != (448, 256)


@pytest.mark.parametrize("size", [(448, 256), (1344, 768)])
def test_words_of_the_display_stay_within_their_boxes(monkeypatch, size):
    pygame.font.init()
    boxes: list[pygame.Rect] = []
    outside: list[str] = []

    def text(self, surface, words, letters, at, color, anchor):
        place = self._font(letters).render(words, color).get_bounding_rect()
        whole = self._font(letters).render(words, color).get_rect(**{anchor: at})
        if not boxes[-1].contains(place.move(whole.topleft)):
            outside.append(words)

    monkeypatch.setattr(HudPainter, "_shade", lambda self, surface, box, strength=150: boxes.append(box))
    monkeypatch.setattr(HudPainter, "_text", text)
    HudPainter(Minimap(ring())).draw(pygame.Surface(size), Rect(0, 0, *size), replace(HUD, banner=""), "")
    assert outside == []


@pytest.mark.parametrize("size", [(448, 256), (896, 256), (1152, 576)])
def test_the_help_page_has_room_for_what_would_cover_it(monkeypatch, size):
    pygame.font.init()
    boxes = []
    monkeypatch.setattr(HudPainter, "_shade", lambda self, surface, box, strength=150: boxes.append(box))
    HudPainter(Minimap(ring())).help(pygame.Surface(size), Rect(0, 0, *size), PAGE, lines=["Paused", "view: both"])
    assert len(boxes) == 1
    assert pygame.Rect(0, 0, *size).contains(boxes[0])


def test_a_long_notice_stays_within_the_picture(monkeypatch):
    pygame.font.init()
    boxes = []
    monkeypatch.setattr(HudPainter, "_shade", lambda self, surface, box, strength=150: boxes.append(box))
    text = "no OpenGL 4.3 through EGL: install a graphics driver or software GL (apt-get install libegl1 libgl1)"
    painter, surface, place = HudPainter(Minimap(ring())), pygame.Surface((448, 256)), Rect(0, 0, 448, 256)
    painter.notice(surface, place, [text], 12)
    painter.help(surface, place, PAGE)
    painter.help(surface, place, PAGE, lines=[text])
    painter.help(surface, place, PAGE, lines=[text] * 4)
    assert all(surface.get_rect().contains(box) for box in boxes)
    assert boxes[2].width == boxes[1].width
    font = pygame.font.Font(None, 15)
    rows = wrapped(text, 200, font)
    assert " ".join(rows) == text
    assert max(font.size(row)[0] for row in rows) <= 200
    painter.notice(surface, place, ["prompt: " + "w" * 1000], 12)
    painter.notice(surface, place, ["prompt: " + "rain " * 200], 12)
    assert all(surface.get_rect().contains(box) for box in boxes[-2:])


def test_a_word_that_is_longer_than_a_row_is_cut_and_nothing_is_lost():
    pygame.font.init()
    font = pygame.font.Font(None, 15)
    for text in ("w" * 90, "a " + "w" * 90 + " b", "x", "", "  two  spaces  "):
        rows = wrapped(text, 100, font)
        assert "".join(rows).replace(" ", "") == text.replace(" ", "")
        assert all(font.size(row)[0] <= 100 for row in rows)
    assert wrapped("ww", 1, font) == ["w", "w"]


def test_lamps_are_red_then_green():
    pygame.font.init()
    painter = HudPainter(Minimap(ring()))
    colors = []
    for hud in (HUD, Hud(**{**vars(HUD), "lamps": 0, "go": True})):
        surface = pygame.Surface((448, 256))
        painter.draw(surface, Rect(0, 0, 448, 256), hud, "")
        colors.append(tuple(surface.get_at((224 - 4 * 7, 2 * 7 + 2 * 7)))[:3])
    assert colors[0][0] > 200 > colors[0][1]
    assert colors[1][1] > 200 > colors[1][0]


def test_the_pace_counts_pictures_over_the_last_second():
    now = [0.0]
    pace = Pace(lambda: now[0])
    lines = []
    for frame in range(60):
        now[0] = frame / 24
        lines.append(pace.text({"class": frame, "teacher": frame // 3}))
    assert lines[0] == ""
    assert lines[-1] == "class 24 fps   teacher 8 fps"


def test_figures_that_are_too_long_for_one_row_take_two(monkeypatch):
    pygame.font.init()
    line = "class 24 fps   paint 24 fps   teacher 8 fps   chunk 120 ms   input to photon 480 ms"
    heights = []
    for size in ((640, 640), (1344, 768)):
        boxes = []
        monkeypatch.setattr(HudPainter, "_shade", lambda self, surface, box, strength=150: boxes.append(box))  # noqa: B023
        HudPainter(Minimap(ring())).draw(pygame.Surface(size), Rect(0, 0, *size), replace(HUD, banner=""), line)
        assert len(boxes) == 5
        assert not any(a.colliderect(b) for a, b in itertools.combinations(boxes, 2))
        heights.append(boxes[-1].height / min(size[1] // 36, size[0] // 56))
    assert heights[0] > 1.4 * heights[1]
