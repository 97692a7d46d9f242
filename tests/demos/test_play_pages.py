"""Pages on surfaces of many sizes: all of them fit, and their letters stand out."""

from __future__ import annotations

import numpy as np
import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.letterbox import Rect
from demos.play.screens import page_paint
from demos.play.screens.letters import LetterScreen
from demos.play.screens.page import Page, Side
from demos.play.screens.page_paint import PagePainter, fitting, layout, shown_rows
from demos.play.screens.replays import Preview, ReplaysScreen
from demos.play.screens.settings import FeelScreen, SettingsScreen
from demos.play.screens.stack import Stack
from demos.play.screens.start import Card

from .screens_at_hand import SQUARE, Books, House, keys, nothing, paused, start

SIZES = [(448, 256), (1344, 768), (256, 448), (2560, 1080)]


def pages() -> list[Page]:
    screen, _ = start(painters=["painted by nano", "the engine's own"])
    screen.card = Card(
        "kestrel-valley", ("4.1 km, 22 corners", "a good lap: 1:36", "Down one side of a valley."), SQUARE
    )
    letters, house = LetterScreen("a long prompt " * 20, nothing), House()
    house.at = 0.3
    recordings = ReplaysScreen(books := Books(*(f"recording-{k}" for k in range(40))), nothing)
    recordings.cursor = 20
    books.read["recording-20"] = Preview(("acorn loop", "0:08"), np.full((8, 16, 3), 90, np.uint8))
    menu, _ = paused(paints=True, dead=True, home=True, renderer=("it ended three times; it stays off",))
    settings = SettingsScreen(Stack(letters), house)
    shown = (screen, menu, keys()[0], settings, FeelScreen(house), letters, recordings)
    return [each.page() for each in shown]


@pytest.mark.parametrize("size", SIZES)
def test_pages_fit_their_windows_and_the_cursor_is_always_in_sight(size):
    pygame.font.init()
    surface, place, painter = pygame.Surface(size), Rect(0, 0, *size), PagePainter()
    for page in pages():
        boxes = painter.page(surface, place, page)
        parts = layout(place, page)
        seen = [box for box in boxes if box.width]
        assert all(surface.get_rect().contains(box) for box in (*seen, parts.hint))
        assert all(parts.title.bottom <= box.top and box.bottom <= parts.hint.top for box in seen)
        assert not any(box.colliderect(parts.side) for box in seen if page.side != Side())
        assert not page.rows or boxes[page.cursor].width
        assert parts.size >= page_paint.SMALL


@pytest.mark.parametrize("size", SIZES[:2])
@pytest.mark.parametrize("ground", [0, 128, 255])
def test_letters_stand_out_from_whatever_is_behind(size, ground):
    """WCAG's contrast of large letters: 3 to 1 at least, over a black, a grey and a white picture."""
    pygame.font.init()
    surface = pygame.Surface(size)
    surface.fill((ground,) * 3)
    page = pages()[0]
    boxes = PagePainter().page(surface, Rect(0, 0, *size), page)
    pixels = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    for number, box in enumerate(boxes):
        inside = pixels[box.top + 2 : box.bottom - 2, box.left + 4 : box.right - 4].reshape(-1, 3)
        if len(inside):
            values, counts = np.unique(inside, axis=0, return_counts=True)
            letters, behind = luminance(values[values.sum(1).argmax()]), luminance(values[counts.argmax()])
            assert (letters + 0.05) / (behind + 0.05) >= 3.0, page.rows[number]


def luminance(color: np.ndarray) -> float:
    c = color / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("size", [(96, 64), (8, 8), (1, 1), (40, 900)])
def test_pages_draw_at_any_size(size):
    pygame.font.init()
    for page in pages():
        PagePainter().page(pygame.Surface(size), Rect(0, 0, *size), page)


@given(st.integers(1, 60), st.integers(-3, 60), st.data())
def test_rows_in_sight_are_as_many_as_there_is_room_for(count, room, data):
    cursor = data.draw(st.integers(0, count - 1))
    seen = shown_rows(count, cursor, room)
    assert cursor in seen
    assert len(seen) == max(1, min(room, count))
    assert seen.start >= 0
    assert seen.stop <= count


def test_words_beside_a_list_are_whole_sentences():
    name, short, long = ([pygame.Surface((9, 10)) for _ in range(count)] for count in (1, 2, 3))
    assert fitting([name, short, long], 60) == [*name, *short, *long]
    assert fitting([name, short, long], 59) == [*name, *short]
    assert fitting([name, long, short], 30) == name
    assert fitting([long], 10) == long[:1]
    assert fitting([], 10) == []
