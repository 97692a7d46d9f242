"""Drawing the list of looks and the line for a prompt."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from .arrows import render
from .hud_paint import ACCENT, GREY, WHITE, Lettering
from .letterbox import Rect
from .picker import Picker
from .textbox import Typed
from .typeface import Letters

CURSOR = 2
LACKING = "Prompt: no font here has some of these letters; they are sent all the same"


class OverlayPainter(Lettering):
    """Boxes over the picture whose text may be in any script."""

    def menu(self, surface: pygame.Surface, place: Rect, picker: Picker) -> None:
        """The names in a box, the cursor's in colour, the one in force with a dot; as many as there is room for."""
        size = max(13, place.height // 26)
        font = self._font(size)
        rows = picker.rows(max(1, place.height // int(1.4 * size) - 2))
        images = [font.render(picker.names[i], ACCENT if i == picker.cursor else WHITE) for i in rows]
        box = pygame.Rect(0, 0, 2 * size + max(i.get_width() for i in images), int(1.4 * size) * len(images))
        box.center = place.left + place.width // 2, place.top + place.height // 2
        self._shade(surface, box.inflate(2 * size, size), 225)
        for row, (index, image) in enumerate(zip(rows, images, strict=True)):
            line = pygame.Rect(box.left, box.top + row * int(1.4 * size), box.width, int(1.4 * size))
            surface.blit(image, image.get_rect(midleft=(line.left + 2 * size, line.centery)))
            if index == picker.chosen:
                pygame.draw.circle(surface, ACCENT, (line.left + size // 2, line.centery), max(2, size // 5))

    def line(self, surface: pygame.Surface, place: Rect, title: str, typed: Typed, cursor: bool) -> pygame.Rect:
        """A line of text with its cursor; returns its place. The end next to the cursor is always in sight."""
        size = max(13, place.height // 26)
        font = self._font(size)
        title = LACKING if self._finder.lacks("".join(typed)) else title
        parts = [self._rendered(font, part) for part in typed]
        box = pygame.Rect(0, 0, int(0.9 * place.width), 3 * size)
        box.midbottom = place.left + place.width // 2, place.top + int(0.74 * place.height)
        box.clamp_ip(place)
        self._shade(surface, box, 225)
        self._text(surface, title, int(0.8 * size), (box.left + size // 2, box.top + size // 3), GREY, "topleft")
        row = pygame.Rect(box.left + size // 2, box.top + int(1.3 * size), box.width - size, int(1.5 * size))
        before = sum(image.get_width() for image in parts[:2])
        left = row.left - max(0, before + CURSOR - row.width)
        surface.set_clip(row)
        at = left
        for number, image in enumerate(parts):
            surface.blit(image, image.get_rect(midleft=(at, row.centery)))
            if number == 1 and image.get_width():
                pygame.draw.line(
                    surface, ACCENT, (at, row.bottom - 2), (at + image.get_width(), row.bottom - 2), CURSOR
                )
            at += image.get_width()
        if cursor:
            pygame.draw.rect(surface, WHITE, (left + before, row.top, CURSOR, row.height))
        surface.set_clip(None)
        return row

    def hints(self, surface: pygame.Surface, place: Rect, hints: Sequence[tuple[str, str]], size: int) -> None:
        """What keys do, (key, words) one behind the other in as few rows as they take, at the lower edge."""
        font, gap = self._font(size), size
        cells = [(render(font, key, WHITE), font.render(word, GREY)) for key, word in hints]
        widths = [key.get_width() + gap // 2 + word.get_width() for key, word in cells]
        rows: list[list[int]] = [[]]
        for number, width in enumerate(widths):
            if rows[-1] and sum(widths[n] + gap for n in rows[-1]) + width > place.width - 4 * size:
                rows.append([])
            rows[-1].append(number)
        line, wide = int(1.3 * size), max(sum(widths[n] + gap for n in row) - gap for row in rows)
        box = pygame.Rect(0, 0, wide + size, len(rows) * line + size // 2)
        box.midbottom = place.left + place.width // 2, place.top + place.height - size // 2
        self._shade(surface, box, 170)
        for number, row in enumerate(rows):
            left, top = box.left + size // 2, box.top + size // 4 + number * line
            for n in row:
                surface.blit(cells[n][0], (left, top))
                surface.blit(cells[n][1], (left + cells[n][0].get_width() + gap // 2, top))
                left += widths[n] + gap

    def _rendered(self, font: Letters, text: str) -> pygame.Surface:
        return font.render(text, WHITE) if text else pygame.Surface((0, 1))
