"""Letters of any script: who draws which, what is measured is what is drawn, and what nobody has is said."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import numpy as np
import pygame
import pygame.freetype
import pytest

from demos.play.letterbox import Rect
from demos.play.overlay_paint import LACKING, OverlayPainter
from demos.play.overlays import TITLE
from demos.play.textbox import Typed
from demos.play.typeface import KEPT, Finder, Letters, file_draws, script_of, system_fonts

WHITE = (255, 255, 255)


NOBODYS = "\uffff"


@pytest.fixture(autouse=True)
def fonts() -> Iterator[None]:
    pygame.freetype.init()
    yield
    pygame.freetype.quit()


def _packed() -> str:
    """The file of our own font."""
    return str(files("pygame") / pygame.freetype.get_default_font())


class Shelf:
    """Font files by the characters that they have, and how often each was looked into."""

    def __init__(self, **has: str) -> None:
        self.has = has
        self.asked: list[str] = []
        self.now = 0.0

    def finder(self, each: float = 0.0) -> Finder:
        def can(path: str, character: str) -> bool:
            self.asked.append(path)
            self.now += each
            return character in self.has[path]

        return Finder(lambda: iter(self.has), can, lambda: self.now)


def test_our_own_font_draws_what_it_has_and_nothing_is_looked_for():
    shelf = Shelf(a="雨")
    assert [shelf.finder().find(c) for c in "aß×Ж–"] == [""] * 5
    assert shelf.asked == []


def test_a_character_is_looked_for_once_and_its_script_first_where_it_was_found():
    shelf = Shelf(a="", b="雨山", c="山")
    finder = shelf.finder()
    assert [finder.find(c) for c in "雨雨山"] == ["b"] * 3
    assert shelf.asked == ["a", "b", "b"]


def test_a_script_that_no_font_has_is_looked_for_once_and_said():
    shelf = Shelf(a="雨", b="")
    finder = shelf.finder()
    assert not finder.lacks("rain 雨")
    assert finder.find("א") is None
    assert finder.lacks("rain א")
    asked = len(shelf.asked)
    assert finder.find("ב") is None
    assert shelf.asked[asked:] == ["a"]  # only the fonts that have been of use
    assert not finder.lacks("rain 雨")


def test_a_search_takes_no_longer_than_its_share_and_goes_on_with_the_next_call():
    shelf = Shelf(a="", b="", c="", d="雨")
    finder = shelf.finder(each=0.015)
    assert finder.find("雨") is None
    assert shelf.asked == ["a", "b"]
    assert not finder.lacks("雨")
    assert finder.find("雨") == "d"


def test_scripts_go_by_name_and_plane():
    assert script_of("雨") == script_of("山") == ("CJK", 0)
    assert script_of("あ") != script_of("雨") != script_of("\U00020000")


def test_a_line_of_two_scripts_is_as_wide_as_it_is_measured_and_as_high_as_any():
    letters = Letters(20, Shelf(**{_packed(): "雨の山"}).finder())
    plain = Letters(20, Shelf().finder())
    for text in ("雨", "rain 雨の山 rain", "", "a\u0301b"):
        image = letters.render(text, WHITE)
        assert image.get_size() == letters.size(text)
        assert image.get_height() == plain.get_height()
    assert letters.size("plain")[0] == plain.size("plain")[0]


def test_a_line_is_kept_as_drawn_until_too_many_others_came(monkeypatch):
    letters = Letters(20, Shelf().finder())
    first = letters.render("12 km/h", WHITE)
    assert letters.render("12 km/h", WHITE) is first
    assert letters.render("12 km/h", (9, 9, 9)) is not first
    for k in range(KEPT):
        letters.render(f"{k} km/h!", WHITE)
    assert letters.render("12 km/h", WHITE) is not first
    assert len(letters._drawn) == KEPT


def test_a_line_whose_font_is_still_being_looked_for_is_not_kept():
    shelf = Shelf(a="", b="", **{_packed(): "雨"})
    letters = Letters(20, shelf.finder(each=0.015))
    unknown = letters.render("雨", WHITE)
    assert letters.render("雨", WHITE) is not unknown


def test_accents_stay_with_their_letter():
    letters = Letters(20, Shelf(**{_packed(): "雨"}).finder())
    assert [part for _, part in letters._runs("雨\u0301a\u0301")] == ["雨\u0301", "a\u0301"]


def test_a_file_that_is_no_font_draws_nothing(tmp_path):
    (tmp_path / "font.ttf").write_bytes(b"no font")
    assert not file_draws(str(tmp_path / "font.ttf"), "a")
    assert not file_draws(str(tmp_path / "none.ttf"), "a")
    assert file_draws(_packed(), "a")
    assert not file_draws(_packed(), NOBODYS)


def test_the_line_says_when_no_font_has_its_letters(monkeypatch):
    painter = OverlayPainter()
    painter._finder = Shelf(a="").finder()
    titles = []
    monkeypatch.setattr(painter, "_text", lambda surface, text, *rest: titles.append(text))
    for text in ("rain", "雨", "rain"):
        painter.line(pygame.Surface((400, 200)), Rect(0, 0, 400, 200), TITLE, Typed(text, "", ""), False)
    assert titles == [TITLE, LACKING, TITLE]


@pytest.mark.parametrize("character", ["雨", "あ", "한", "ع"])
def test_a_system_that_has_a_script_shows_it(character):
    if not any(file_draws(path, character) for path in system_fonts()):
        pytest.skip("no font of this system has it")
    finder = Finder()
    while (path := finder.find(character)) is None:
        assert not finder.lacks(character)
    letters = Letters(24, finder)
    seen = pygame.surfarray.array_alpha(letters.render(character, WHITE))
    lost = pygame.surfarray.array_alpha(letters.render(NOBODYS, WHITE))
    assert path
    assert seen.shape != lost.shape or np.any(seen != lost)
