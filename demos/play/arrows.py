"""Text with arrows in it: pygame's own font has none, so they are drawn."""

from __future__ import annotations

import re

import pygame

from .typeface import Letters

Color = tuple[int, int, int]
WAYS = {"←": (-1, 0), "→": (1, 0), "↑": (0, -1), "↓": (0, 1)}
PAIRS = {"↔": "←→", "↕": "↑↓"}
_PIECES = re.compile("([←→↑↓])")


def render(font: Letters, text: str, color: Color) -> pygame.Surface:
    """A line of text as a picture with a transparent ground."""
    for sign, pair in PAIRS.items():
        text = text.replace(sign, pair)
    if not any(sign in text for sign in WAYS):
        return font.render(text, color)
    side = font.get_ascent()
    parts = [
        _arrow(side, WAYS[piece], color) if piece in WAYS else font.render(piece, color)
        for piece in _PIECES.split(text)
        if piece
    ]
    line = pygame.Surface((sum(part.get_width() for part in parts), font.get_height()), pygame.SRCALPHA)
    left = 0
    for part in parts:
        line.blit(part, (left, 0))
        left += part.get_width()
    return line


def _arrow(side: int, way: tuple[int, int], color: Color) -> pygame.Surface:
    """A triangle in a square as wide as a letter is high, drawn four times as large for smooth edges."""
    big = 4 * side
    middle, reach = big // 2, 3 * big // 8
    dx, dy = way
    tip = middle + dx * reach, middle + dy * reach
    base = middle - dx * reach // 2, middle - dy * reach // 2
    points = [tip, (base[0] + dy * reach, base[1] + dx * reach), (base[0] - dy * reach, base[1] - dx * reach)]
    picture = pygame.Surface((big, big), pygame.SRCALPHA)
    pygame.draw.polygon(picture, color, points)
    return pygame.transform.smoothscale(picture, (side, side))
