"""Drawing the head-up display, the loading screen and the help page on a pygame surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pygame

from .arrows import render
from .hud import LAMPS, Hud, Minimap
from .letterbox import Rect
from .settings.help import HelpLine
from .typeface import Finder, Letters

WHITE, GREY, SHADE = (255, 255, 255), (186, 192, 200), (10, 12, 16)
SMALLEST = 14  # below this nobody can read it
MOST_ROWS = 4
"""Of one line of a notice."""
APART = "   "
"""Between two figures of a line."""
RED, GREEN, DARK, ACCENT = (240, 50, 40), (60, 220, 90), (52, 18, 18), (246, 36, 140)


def wrapped(text: str, width: int, font: Letters) -> list[str]:
    """The words of a text in rows of at most ``width`` pixels; a longer word, as of scripts without spaces, is cut."""
    rows = [""]
    for word in text.split(" "):
        longer = f"{rows[-1]} {word}" if rows[-1] else word
        if font.size(longer)[0] <= width:
            rows[-1] = longer
            continue
        if rows[-1]:
            rows.append("")
        for character in word:
            if rows[-1] and font.size(rows[-1] + character)[0] > width:
                rows.append("")
            rows[-1] += character
    return rows


def shortened(rows: list[str]) -> list[str]:
    """As many rows of a notice as are read at a glance."""
    return rows if len(rows) <= MOST_ROWS else [*rows[: MOST_ROWS - 1], f"{rows[MOST_ROWS - 1]} …"]


class Lettering:
    """Text in shaded boxes over a picture's place in a window."""

    def __init__(self) -> None:
        self._fonts: dict[int, Letters] = {}
        self._finder = Finder()

    def notice(
        self, surface: pygame.Surface, place: Rect, lines: Sequence[str], size: int, height: float = 0.8
    ) -> None:
        """Centred lines in a shaded box at a share ``height`` of the picture."""
        font = self._font(size)
        room = max(1, place.width - 4 * size)
        images = [font.render(row, WHITE) for line in lines for row in shortened(wrapped(line, room, font))]
        box = pygame.Rect(0, 0, max(i.get_width() for i in images), sum(i.get_height() for i in images))
        box.center = place.left + place.width // 2, place.top + int(place.height * height)
        self._shade(surface, box.inflate(size, size // 2))
        top = box.top
        for image in images:
            surface.blit(image, image.get_rect(centerx=box.centerx, top=top))
            top += image.get_height()

    def help(
        self,
        surface: pygame.Surface,
        place: Rect,
        page: Sequence[HelpLine],
        pad: bool = False,
        lines: Sequence[str] = (),
    ) -> None:
        """The page of keys, or of a ``pad``; as many ``lines`` as fit stand below: a box of theirs would cover keys."""
        count = len(page) + len(lines)
        size = max(12, min(place.height // (2 * count), place.width // 34))  # lines of 1.4 sizes fill it
        font = self._font(size)
        keys = [render(font, row.pad if pad else row.keys, ACCENT) for row in page]
        words = [font.render(row.words, WHITE) for row in page]
        column, line = max(k.get_width() for k in keys) + size, int(size * 1.4)
        width = column + max(w.get_width() for w in words)
        room = (place.height - 5 * size // 2) // line - len(page)
        below = [font.render(row, WHITE) for text in lines for row in wrapped(text, width, font)][: max(0, room)]
        box = pygame.Rect(0, 0, width, line * (len(page) + len(below)) + (size // 2 if below else 0))
        box.center = place.left + place.width // 2, place.top + place.height // 2
        self._shade(surface, box.inflate(2 * size, 2 * size), 225)
        for row, (key, word) in enumerate(zip(keys, words, strict=True)):
            surface.blit(key, (box.left, box.top + row * line))
            surface.blit(word, (box.left + column, box.top + row * line))
        for row, image in enumerate(below):
            top = box.top + (len(page) + row) * line + size // 2
            surface.blit(image, image.get_rect(centerx=box.centerx, top=top))

    def loading(self, surface: pygame.Surface, place: Rect, title: str, lines: Sequence[str]) -> None:
        """The page while a race is being loaded."""
        middle, size = place.left + place.width // 2, max(14, place.height // 22)
        top = place.top + place.height // 3
        self._text(surface, "PAINTOVER", 4 * size, (middle, top), ACCENT, "midbottom")
        self._text(surface, title, 2 * size, (middle, top + size), WHITE, "midtop")
        for row, line in enumerate(lines):
            self._text(surface, line, size, (middle, top + (5 + 2 * row) * size), GREY, "midtop")

    def _text(
        self,
        surface: pygame.Surface,
        text: str,
        size: int,
        at: tuple[int, int],
        color: tuple[int, int, int],
        anchor: str,
    ) -> None:
        image = self._font(size).render(text, color)
        surface.blit(image, image.get_rect(**{anchor: at}))

    def _shade(self, surface: pygame.Surface, box: pygame.Rect, strength: int = 150) -> None:
        veil = pygame.Surface(box.size, pygame.SRCALPHA)
        pygame.draw.rect(veil, (*SHADE, strength), veil.get_rect(), border_radius=8)
        surface.blit(veil, box)

    def _font(self, size: int) -> Letters:
        if size not in self._fonts:
            self._fonts[size] = Letters(max(SMALLEST, int(size * 1.25)), self._finder)
        return self._fonts[size]


class HudPainter(Lettering):
    """The display of a race; every size follows that of its place, which is the window: beside a picture there is room.

    Args:
        plan: map of the circuit.
    """

    def __init__(self, plan: Minimap) -> None:
        super().__init__()
        self._plan = plan

    def draw(self, surface: pygame.Surface, place: Rect, hud: Hud, corner: str) -> None:
        """The display, as much of it as fits. ``corner`` are the small figures at the bottom left, APART."""
        unit = max(8, min(place.height // 36, place.width // 56))
        area = pygame.Rect(place).inflate(-2 * unit, -2 * unit)
        lamps, speed = pygame.Rect(0, 0, 4 * unit * LAMPS, 4 * unit), pygame.Rect(0, 0, 15 * unit, 5 * unit)
        panel, chart = pygame.Rect(area.topleft, (11 * unit, int(5.6 * unit))), pygame.Rect(0, 0, 9 * unit, 9 * unit)
        rows = self._rows(corner, max(1, area.width - speed.width - 2 * unit), int(1.3 * unit))
        note = pygame.Rect(0, 0, max(i.get_width() for i in rows) + unit, sum(i.get_height() for i in rows) + unit // 2)
        lamps.midtop, speed.bottomright = (area.centerx, area.top + unit), area.bottomright
        chart.topright, note.bottomleft = area.topright, area.bottomleft
        wanted: list[tuple[pygame.Rect, bool, Callable[[pygame.Rect], object]]] = [
            (lamps, bool(hud.lamps or hud.go), lambda box: self._lamps(surface, box, unit, hud)),
            (speed, True, lambda box: self._speed(surface, box, unit, hud)),
            (panel, True, lambda box: self._panel(surface, box, unit, hud)),
            (chart, True, lambda box: self._map(surface, box, hud)),
            (note, bool(corner), lambda box: self._note(surface, box, unit, rows)),
        ]  # the most important first: what does not fit beside these is left out
        taken: list[pygame.Rect] = []
        for box, shown, paint in wanted:
            if shown and area.contains(box) and box.collidelist(taken) < 0:
                taken.append(box)
                self._shade(surface, box)
                paint(box)
        if hud.banner:
            self.notice(surface, place, [hud.banner], 3 * unit, 0.28)

    def _rows(self, corner: str, room: int, size: int) -> list[pygame.Surface]:
        """The figures in as few rows of at most ``room`` pixels as they take."""
        font, rows = self._font(size), [""]
        for figure in corner.split(APART):
            longer = f"{rows[-1]}{APART}{figure}" if rows[-1] else figure
            if rows[-1] and font.size(longer)[0] > room:
                rows.append(figure)
            else:
                rows[-1] = longer
        return [font.render(row, WHITE) for row in rows]

    def _note(self, surface: pygame.Surface, box: pygame.Rect, unit: int, rows: Sequence[pygame.Surface]) -> None:
        top = box.top + unit // 4
        for row in rows:
            surface.blit(row, (box.left + unit // 2, top))
            top += row.get_height()

    def _panel(self, surface: pygame.Surface, box: pygame.Rect, unit: int, hud: Hud) -> None:
        rows = (("POS", hud.position), ("LAP", hud.lap), ("TIME", hud.lap_time))
        for row, (name, value) in enumerate(rows):
            middle = box.top + box.height * (2 * row + 1) // (2 * len(rows))
            self._text(surface, name, unit, (box.left + unit // 2, middle), GREY, "midleft")
            self._text(surface, value, int(1.7 * unit), (box.right - unit // 2, middle), WHITE, "midright")

    def _speed(self, surface: pygame.Surface, box: pygame.Rect, unit: int, hud: Hud) -> None:
        self._text(surface, hud.gear, 4 * unit, (box.left + unit, box.centery), ACCENT, "midleft")
        self._text(surface, hud.speed, 4 * unit, (box.right - int(3.4 * unit), box.centery), WHITE, "midright")
        self._text(surface, "km/h", unit, (box.right - unit // 2, box.centery + unit), GREY, "midright")

    def _map(self, surface: pygame.Surface, box: pygame.Rect, hud: Hud) -> None:
        size = box.width
        inner = box.inflate(-size // 6, -size // 6)

        def at(x: float, y: float) -> tuple[int, int]:
            return inner.left + int(x * inner.width), inner.top + int(y * inner.height)

        pygame.draw.lines(surface, GREY, True, [at(x, y) for x, y in self._plan.outline], max(1, size // 60))
        for x, y, player in hud.dots:
            pygame.draw.circle(surface, ACCENT if player else WHITE, at(x, y), max(2, size // (28 if player else 40)))

    def _lamps(self, surface: pygame.Surface, box: pygame.Rect, unit: int, hud: Hud) -> None:
        for lamp in range(LAMPS):
            color = GREEN if hud.go else RED if lamp < hud.lamps else DARK
            pygame.draw.circle(surface, color, (box.left + 2 * unit + 4 * unit * lamp, box.centery), int(1.5 * unit))
