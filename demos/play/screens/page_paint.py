"""Drawing pages on a pygame surface: a title, a list, something beside it, a hint. All sizes follow the window."""

from __future__ import annotations

from typing import NamedTuple

import pygame

from ..arrows import render
from ..hud_paint import ACCENT, GREY, WHITE, Lettering, wrapped
from ..letterbox import Rect, letterbox, scaled
from ..typeface import Letters
from .page import Grid, Page, Row, Side

SMALL = 13
BAR = (64, 70, 80)
BRAND = ("PAINT", "OVER")


class Layout(NamedTuple):
    """Where the parts of a page are, in pixels.

    Args:
        size: of the letters. line: from one row to the next.
    """

    size: int
    line: int
    title: pygame.Rect
    rows: pygame.Rect
    side: pygame.Rect
    hint: pygame.Rect


def layout(place: Rect, page: Page) -> Layout:
    """Parts of a page in a window: the list at the left and something beside it, or the list alone in the middle."""
    size = max(SMALL, min(place.height // 26, place.width // 46))
    margin = max(6, min(place.width, place.height) // 24)
    area = pygame.Rect(place).inflate(-2 * margin, -margin)
    title = pygame.Rect(area.topleft, (area.width, int((3.4 if page.brand else 2.4) * size)))
    hint = pygame.Rect(area.left, area.bottom - int(1.5 * size), area.width, int(1.5 * size))
    middle = pygame.Rect(area.left, title.bottom, area.width, max(1, hint.top - title.bottom - size // 3))
    line = max(int(1.35 * size), min(int(1.75 * size), middle.height // max(1, len(page.rows))))
    alone = page.side == Side()
    wide = min(area.width, 30 * size) if alone else int((0.46 if page.brand else 0.56) * area.width)
    rows = pygame.Rect(area.left, middle.top, wide, middle.height)
    if alone:
        rows.centerx = area.centerx
        title.left = hint.left = rows.left
        title.width = hint.width = area.right - rows.left
    gap = size
    side = pygame.Rect(rows.right + gap, middle.top, max(1, area.right - rows.right - gap), middle.height)
    if page.brand:  # the picture behind is part of the page: some of it stays free
        side.width = min(side.width, max(int(0.34 * area.width), 14 * size))
        side.right, side.height = area.right, min(side.height, max(int(0.62 * side.height), 12 * size))
    return Layout(size, line, title, rows, side, hint)


def shown_rows(count: int, cursor: int, room: int) -> range:
    """Rows of a list that are seen: as many as there is room for, the cursor among them."""
    room = max(1, min(room, count))
    first = min(max(0, cursor - room // 2), count - room)
    return range(first, first + room)


def fitting(blocks: list[list[pygame.Surface]], room: int) -> list[pygame.Surface]:
    """Rows of as many blocks as fit, one below the other. A block is a sentence: in or out, but for the first."""
    rows: list[pygame.Surface] = []
    for block in blocks:
        longer = [*rows, *block]
        if sum(row.get_height() for row in longer) > room:
            break
        rows = longer
    return rows or blocks[0][:1] if blocks else []


class PagePainter(Lettering):
    """Draws pages."""

    def page(self, surface: pygame.Surface, place: Rect, page: Page) -> list[pygame.Rect]:
        """Draw a page; returns the place of every row, an empty one for those out of sight."""
        parts = layout(place, page)
        veil = pygame.Surface((place.width, place.height), pygame.SRCALPHA)
        veil.fill((8, 10, 14, page.veil))
        surface.blit(veil, (place.left, place.top))
        self._title(surface, parts, page)
        if page.grid is not None:
            self._grid(surface, parts, page.grid)
        boxes = self._list(surface, parts, page) if page.rows else []
        if page.side != Side():
            self._side(surface, parts, page.side)
        self._hint(surface, parts, page.hint)
        return boxes

    def _title(self, surface: pygame.Surface, parts: Layout, page: Page) -> None:
        if not page.brand:
            font = self._font(int(1.7 * parts.size))
            surface.blit(font.render(page.title, WHITE), parts.title.topleft)
            return
        font = self._font(int(2.5 * parts.size))
        left = parts.title.left
        for word, color in zip(BRAND, (WHITE, ACCENT), strict=True):
            image = font.render(word, color)
            surface.blit(image, (left, parts.title.top))
            left += image.get_width()

    def _list(self, surface: pygame.Surface, parts: Layout, page: Page) -> list[pygame.Rect]:
        boxes = [pygame.Rect(0, 0, 0, 0) for _ in page.rows]
        seen = shown_rows(len(page.rows), page.cursor, parts.rows.height // parts.line)
        behind = pygame.Rect(parts.rows.topleft, (parts.rows.width, len(seen) * parts.line))
        self._fill(surface, behind.inflate(parts.size // 2, parts.size // 2), (10, 12, 16, 165))
        for place, number in enumerate(seen):
            box = pygame.Rect(parts.rows.left, parts.rows.top + place * parts.line, parts.rows.width, parts.line)
            self._row(surface, box, parts.size, page.rows[number], number == page.cursor)
            boxes[number] = box
        if len(seen) < len(page.rows):
            bar = pygame.Rect(parts.rows.right + 3, parts.rows.top, 3, len(seen) * parts.line)
            share = bar.height / len(page.rows)
            pygame.draw.rect(surface, BAR, bar, border_radius=2)
            thumb = pygame.Rect(bar.left, bar.top + int(seen.start * share), 3, int(len(seen) * share))
            pygame.draw.rect(surface, GREY, thumb, border_radius=2)
        return boxes

    def _grid(self, surface: pygame.Surface, parts: Layout, grid: Grid) -> None:
        size, font = parts.size, self._font(parts.size)
        line = pygame.Rect(parts.rows.topleft, (parts.rows.width, 2 * size))
        self._fill(surface, line, (10, 12, 16, 200))
        text = font.render(grid.text + "_", WHITE)
        room = line.inflate(-size, 0)
        surface.set_clip(room)
        long = text.get_width() > room.width
        surface.blit(text, text.get_rect(midright=room.midright) if long else text.get_rect(midleft=room.midleft))
        surface.set_clip(None)
        top, high = line.bottom + size // 2, (parts.rows.bottom - line.bottom - size // 2) // len(grid.keys)
        for row, keys in enumerate(grid.keys):
            for column, key in enumerate(keys):
                edges = [parts.rows.left + parts.rows.width * k // len(keys) for k in (column, column + 1)]
                box = pygame.Rect(edges[0], top + row * high, edges[1] - edges[0], high).inflate(-3, -3)
                here = (row, column) == (grid.row, grid.column)
                self._fill(surface, box, (*ACCENT, 235) if here else (40, 44, 52, 220))
                image = font.render(key, WHITE)
                surface.blit(image, image.get_rect(center=box.center))

    def _row(self, surface: pygame.Surface, box: pygame.Rect, size: int, row: Row, here: bool) -> None:
        if here:
            self._fill(surface, box.inflate(0, -2), (*ACCENT, 235))
        font, pad = self._font(size), size // 2
        inner = box.inflate(-2 * pad, 0)
        arrows = row.kind == "choice" and here
        text = f"‹ {row.value} ›" if arrows else row.value
        value = render(font, self._cut(font, text, int(0.66 * inner.width)), WHITE)
        if row.kind == "meter":
            self._meter(surface, inner, row.share, here)
        if row.value:
            surface.blit(value, value.get_rect(midright=inner.midright))
        if row.middle:
            middle = render(font, self._cut(font, row.middle, int(0.28 * inner.width)), WHITE)
            surface.blit(middle, middle.get_rect(midleft=(inner.left + int(0.4 * inner.width), inner.centery)))
        room = int(0.38 * inner.width) if row.middle else inner.width - (value.get_width() + pad if row.value else 0)
        label = render(font, self._cut(font, row.label, room), WHITE if here or row.kind != "words" else GREY)
        surface.blit(label, label.get_rect(midleft=inner.midleft))

    def _meter(self, surface: pygame.Surface, inner: pygame.Rect, share: float, here: bool) -> None:
        width = inner.width // 4
        bar = pygame.Rect(0, 0, width, max(4, inner.height // 5))
        bar.midright = inner.right - int(2.6 * inner.height), inner.centery
        pygame.draw.rect(surface, BAR, bar, border_radius=bar.height // 2)
        full = pygame.Rect(bar.topleft, (int(share * width), bar.height))
        pygame.draw.rect(surface, WHITE if here else ACCENT, full, border_radius=bar.height // 2)

    def _side(self, surface: pygame.Surface, parts: Layout, side: Side) -> None:
        box, size = parts.side, parts.size
        self._fill(surface, box, (10, 12, 16, 165))
        inner = box.inflate(-size, -size)
        words = [(line, size if number else int(1.25 * size)) for number, line in enumerate(side.lines)]
        blocks = [
            [
                render(self._font(each), row, GREY if number else WHITE)
                for row in wrapped(line, inner.width, self._font(each))
            ]
            for number, (line, each) in enumerate(words)
        ]
        picture = side.picture is not None or side.outline is not None or bool(side.curve)
        rows = fitting(blocks, inner.height - (inner.height // 2 if picture else 0))
        tall = sum(row.get_height() for row in rows)
        top = inner.bottom - tall
        for row in rows:
            surface.blit(row, (inner.left, top))
            top += row.get_height()
        chart = pygame.Rect(inner.left, inner.top, inner.width, max(1, inner.height - tall - size // 2))
        if side.picture is not None:
            self._picture(surface, chart, side)
        elif side.outline is not None:
            self._outline(surface, chart, side)
        elif side.curve:
            self._curve(surface, chart, side)

    def _picture(self, surface: pygame.Surface, chart: pygame.Rect, side: Side) -> None:
        assert side.picture is not None
        height, width = side.picture.shape[:2]
        fitted = letterbox((width, height), chart.size)
        if fitted is not None:
            pixels = scaled(side.picture, fitted.width, fitted.height, smooth=True)
            image = pygame.image.frombuffer(pixels.tobytes(), (fitted.width, fitted.height), "RGB")
            surface.blit(image, (chart.left + fitted.left, chart.top + fitted.top))

    def _outline(self, surface: pygame.Surface, chart: pygame.Rect, side: Side) -> None:
        assert side.outline is not None
        square = pygame.Rect(0, 0, min(chart.size), min(chart.size))
        square.center = chart.center
        points = [(square.left + x * square.width, square.top + y * square.height) for x, y in side.outline]
        width = max(2, square.width // 70)
        pygame.draw.lines(surface, (30, 33, 40), True, points, 3 * width)
        pygame.draw.lines(surface, WHITE, True, points, width)
        pygame.draw.circle(surface, ACCENT, points[0], 2 * width + 1)

    def _curve(self, surface: pygame.Surface, chart: pygame.Rect, side: Side) -> None:
        square = pygame.Rect(0, 0, min(chart.size), min(chart.size)).inflate(-8, -8)
        square.center = chart.center

        def at(x: float, y: float) -> tuple[float, float]:
            return square.centerx + x * square.width / 2, square.centery - y * square.height / 2

        pygame.draw.rect(surface, BAR, square, 1)
        pygame.draw.line(surface, BAR, at(-1, 0), at(1, 0))
        pygame.draw.line(surface, BAR, at(0, -1), at(0, 1))
        pygame.draw.lines(surface, WHITE, False, [at(x, y) for x, y in side.curve], 2)
        if side.stick is not None:
            pygame.draw.circle(surface, ACCENT, at(*side.stick), max(4, square.width // 24))

    def _hint(self, surface: pygame.Surface, parts: Layout, hint: str) -> None:
        font = self._font(max(SMALL - 2, int(0.8 * parts.size)))
        image = render(font, self._cut(font, hint, parts.hint.width), GREY)
        place = image.get_rect(midleft=parts.hint.midleft)
        self._fill(surface, place.inflate(parts.size // 2, parts.size // 4), (10, 12, 16, 165))
        surface.blit(image, place)

    def _fill(self, surface: pygame.Surface, box: pygame.Rect, color: tuple[int, int, int, int]) -> None:
        if min(box.size) <= 0:
            return
        veil = pygame.Surface(box.size, pygame.SRCALPHA)
        pygame.draw.rect(veil, color, veil.get_rect(), border_radius=max(3, box.height // 8 if box.height < 90 else 8))
        surface.blit(veil, box)

    def _cut(self, font: Letters, text: str, room: int) -> str:
        """The text, or as much of its beginning as fits with three dots."""
        if font.size(text)[0] <= room:
            return text
        while text and font.size(text + "…")[0] > room:
            text = text[:-1]
        return text + "…"
