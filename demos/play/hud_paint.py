"""Drawing the head-up display, the loading screen and the help page on a pygame surface."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from .hud import LAMPS, Hud, Minimap
from .keyboard import HELP
from .letterbox import Rect

WHITE, GREY, SHADE = (255, 255, 255), (186, 192, 200), (10, 12, 16)
SMALLEST = 13  # below this nobody can read it
RED, GREEN, DARK, ACCENT = (240, 50, 40), (60, 220, 90), (52, 18, 18), (246, 36, 140)


class Lettering:
    """Text in shaded boxes over a picture's place in a window."""

    def __init__(self) -> None:
        self._fonts: dict[int, pygame.font.Font] = {}

    def notice(
        self, surface: pygame.Surface, place: Rect, lines: Sequence[str], size: int, height: float = 0.8
    ) -> None:
        """Centred lines in a shaded box at a share ``height`` of the picture."""
        images = [self._font(size).render(line, True, WHITE) for line in lines]
        box = pygame.Rect(0, 0, max(i.get_width() for i in images), sum(i.get_height() for i in images))
        box.center = place.left + place.width // 2, place.top + int(place.height * height)
        self._shade(surface, box.inflate(size, size // 2))
        top = box.top
        for image in images:
            surface.blit(image, image.get_rect(centerx=box.centerx, top=top))
            top += image.get_height()

    def help(self, surface: pygame.Surface, place: Rect) -> None:
        """The page of keys."""
        size = max(12, place.height // 22)
        font = self._font(size)
        keys = [font.render(k, True, ACCENT) for k, _ in HELP]
        words = [font.render(w, True, WHITE) for _, w in HELP]
        column, line = max(k.get_width() for k in keys) + size, int(size * 1.4)
        box = pygame.Rect(0, 0, column + max(w.get_width() for w in words), line * len(HELP))
        box.center = place.left + place.width // 2, place.top + place.height // 2
        self._shade(surface, box.inflate(2 * size, 2 * size), 225)
        for row, (key, word) in enumerate(zip(keys, words, strict=True)):
            surface.blit(key, (box.left, box.top + row * line))
            surface.blit(word, (box.left + column, box.top + row * line))

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
        image = self._font(size).render(text, True, color)
        surface.blit(image, image.get_rect(**{anchor: at}))

    def _shade(self, surface: pygame.Surface, box: pygame.Rect, strength: int = 150) -> None:
        veil = pygame.Surface(box.size, pygame.SRCALPHA)
        pygame.draw.rect(veil, (*SHADE, strength), veil.get_rect(), border_radius=8)
        surface.blit(veil, box)

    def _font(self, size: int) -> pygame.font.Font:
        if size not in self._fonts:
            self._fonts[size] = pygame.font.Font(None, max(SMALLEST, int(size * 1.25)))
        return self._fonts[size]


class HudPainter(Lettering):
    """The display of a race; every size follows the height of the picture's place.

    Args:
        plan: map of the circuit.
    """

    def __init__(self, plan: Minimap) -> None:
        super().__init__()
        self._plan = plan

    def draw(self, surface: pygame.Surface, place: Rect, hud: Hud, corner: str) -> None:
        """The whole display. ``corner`` is the small line at the bottom left."""
        unit = max(8, place.height // 36)
        right, bottom = place.left + place.width - unit, place.top + place.height - unit
        self._panel(surface, (place.left + unit, place.top + unit), unit, hud)
        self._speed(surface, (right, bottom), unit, hud)
        self._text(surface, corner, unit, (place.left + unit, bottom), GREY, "bottomleft")
        self._map(surface, (right, place.top + unit), 9 * unit, hud)
        self._lamps(surface, (place.left + place.width // 2, place.top + 2 * unit), unit, hud)
        if hud.banner:
            self.notice(surface, place, [hud.banner], 3 * unit, 0.28)

    def _panel(self, surface: pygame.Surface, at: tuple[int, int], unit: int, hud: Hud) -> None:
        rows = (("POS", hud.position), ("LAP", hud.lap), ("TIME", hud.lap_time))
        box = pygame.Rect(*at, 11 * unit, int(5.6 * unit))
        self._shade(surface, box)
        for row, (name, value) in enumerate(rows):
            y = box.top + int((0.5 + 1.65 * row) * unit)
            self._text(surface, name, unit, (box.left + unit // 2, y + unit // 2), GREY, "topleft")
            self._text(surface, value, int(1.7 * unit), (box.right - unit // 2, y), WHITE, "topright")

    def _speed(self, surface: pygame.Surface, corner: tuple[int, int], unit: int, hud: Hud) -> None:
        box = pygame.Rect(0, 0, 15 * unit, 5 * unit)
        box.bottomright = corner
        self._shade(surface, box)
        self._text(surface, hud.gear, 4 * unit, (box.left + unit, box.centery), ACCENT, "midleft")
        self._text(surface, hud.speed, 4 * unit, (box.right - int(3.4 * unit), box.centery), WHITE, "midright")
        self._text(surface, "km/h", unit, (box.right - unit // 2, box.centery + unit), GREY, "midright")

    def _map(self, surface: pygame.Surface, corner: tuple[int, int], size: int, hud: Hud) -> None:
        box = pygame.Rect(corner[0] - size, corner[1], size, size)
        self._shade(surface, box)
        inner = box.inflate(-size // 6, -size // 6)

        def at(x: float, y: float) -> tuple[int, int]:
            return inner.left + int(x * inner.width), inner.top + int(y * inner.height)

        pygame.draw.lines(surface, GREY, True, [at(x, y) for x, y in self._plan.outline], max(1, size // 60))
        for x, y, player in hud.dots:
            pygame.draw.circle(surface, ACCENT if player else WHITE, at(x, y), max(2, size // (28 if player else 40)))

    def _lamps(self, surface: pygame.Surface, centre: tuple[int, int], unit: int, hud: Hud) -> None:
        if not (hud.lamps or hud.go):
            return
        box = pygame.Rect(0, 0, 4 * unit * LAMPS, 4 * unit)
        box.midtop = centre
        self._shade(surface, box)
        for lamp in range(LAMPS):
            color = GREEN if hud.go else RED if lamp < hud.lamps else DARK
            pygame.draw.circle(surface, color, (box.left + 2 * unit + 4 * unit * lamp, box.centery), int(1.5 * unit))
