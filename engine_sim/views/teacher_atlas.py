"""Print for boards and cars: sixteen made-up brands and the ten digits, drawn once into one mip-mapped picture.

R is lettering, G the graphics behind it. The brands exist nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

BRANDS = (
    "VOLTARIS", "KESTRELL OIL", "NORDVEY", "APEXIVO", "LUMORRA", "TORQUE & FINCH", "HALCYRA AIR", "PERIGON",
    "GRIPWELL", "OSTAVEN", "QUILLANT", "MERIDUNE", "BRAVANT", "SOLVANDE", "TINDERFOX", "ZEPHYNDRA",
)  # fmt: skip
PANEL = (512, 256)  # width, height
COLS = 4
DIGIT = 128
WIDTH, HEIGHT = PANEL[0] * COLS, PANEL[1] * 4 + DIGIT
_FONTS = (cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SIMPLEX)
_SCALE = 2  # drawn twice as large, then averaged

Plane = NDArray[Any]  # uint8 [rows, cols]; OpenCV promises no narrower type


def _text(text: str, font: int, weight: int, box: tuple[int, int], slant: float) -> Plane:
    """White lettering on black that fills ``box`` (width, height) as far as its shape allows."""
    (width, height), below = cv2.getTextSize(text, font, 4.0, weight)
    margin = weight + 8
    line: Plane = np.zeros((height + below + 2 * margin, width + 2 * margin), np.uint8)
    cv2.putText(line, text, (margin, height + margin), font, 4.0, 255, weight, cv2.LINE_AA)
    rows, cols = np.flatnonzero(line.max(1)), np.flatnonzero(line.max(0))
    line = line[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    lean = abs(slant) * line.shape[0]
    shear = np.array([[1.0, -slant, lean if slant > 0 else 0.0], [0.0, 1.0, 0.0]])
    line = cv2.warpAffine(line, shear, (line.shape[1] + int(lean), line.shape[0]))
    tall = min(box[1], line.shape[0] * box[0] / line.shape[1] * 1.6)
    return cv2.resize(line, (box[0], max(int(tall), 8)), interpolation=cv2.INTER_AREA)


def _roundel(plane: Plane, at: tuple[int, int], size: int) -> None:
    cv2.circle(plane, at, size, 255, -1, cv2.LINE_AA)
    cv2.circle(plane, at, int(size * 0.62), 0, -1, cv2.LINE_AA)
    cv2.circle(plane, at, int(size * 0.36), 255, -1, cv2.LINE_AA)


def _chevrons(plane: Plane, at: tuple[int, int], size: int) -> None:
    for k in range(3):
        x = at[0] + int((k - 1) * size * 0.7)
        points = [(-0.5, -1), (0.0, -1), (0.5, 0), (0.0, 1), (-0.5, 1), (0.0, 0)]
        shape = np.array([(x + u * size, at[1] + v * size) for u, v in points], np.int32)
        cv2.fillPoly(plane, [shape], 255, cv2.LINE_AA)


def _star(plane: Plane, at: tuple[int, int], size: int) -> None:
    turn = np.arange(10) * np.pi / 5 - np.pi / 2
    reach = np.where(np.arange(10) % 2 == 0, 1.0, 0.45) * size
    points = np.stack([at[0] + reach * np.cos(turn), at[1] + reach * np.sin(turn)], -1)
    cv2.fillPoly(plane, [points.astype(np.int32)], 255, cv2.LINE_AA)


def _bolt(plane: Plane, at: tuple[int, int], size: int) -> None:
    shape = np.array([(0.25, -1), (-0.6, 0.15), (-0.05, 0.15), (-0.25, 1), (0.6, -0.2), (0.05, -0.2)])
    cv2.fillPoly(plane, [(shape * size + at).astype(np.int32)], 255, cv2.LINE_AA)


_MARKS: tuple[Callable[[Plane, tuple[int, int], int], None], ...] = (_roundel, _chevrons, _star, _bolt)


def _paste(plane: Plane, picture: Plane, center: tuple[int, int]) -> None:
    y, x = center[1] - picture.shape[0] // 2, center[0] - picture.shape[1] // 2
    view = plane[y : y + picture.shape[0], x : x + picture.shape[1]]
    np.maximum(view, picture[: view.shape[0], : view.shape[1]], out=view)


def _panel(index: int) -> tuple[Plane, Plane]:
    """Lettering and graphics of one brand, both uint8 ``[256, 512]``."""
    width, height = PANEL[0] * _SCALE, PANEL[1] * _SCALE
    letters, graphics = np.zeros((height, width), np.uint8), np.zeros((height, width), np.uint8)
    slant = (0.0, 0.22, 0.0, 0.34)[index % 4]
    layout = index % 5

    def text(box: tuple[int, int]) -> Plane:
        return _text(BRANDS[index], _FONTS[index % 3], (22, 16, 26)[index % 3], box, slant)

    mark = _MARKS[(index * 3 + index // 4) % 4]
    if layout == 0:  # mark beside the name
        mark(graphics, (int(width * 0.15), height // 2), int(height * 0.26))
        _paste(letters, text((int(width * 0.66), int(height * 0.42))), (int(width * 0.61), height // 2))
    elif layout == 1:  # band behind the name
        cv2.rectangle(graphics, (0, int(height * 0.16)), (width, int(height * 0.24)), 255, -1)
        cv2.rectangle(graphics, (0, int(height * 0.76)), (width, int(height * 0.84)), 255, -1)
        _paste(letters, text((int(width * 0.86), int(height * 0.4))), (width // 2, height // 2))
    elif layout == 2:  # slanted field
        left = [(0, 0), (width // 4, 0), (width // 9, height), (0, height)]
        right = [(width, 0), (int(width * 0.94), 0), (int(width * 0.82), height), (width, height)]
        for field in (left, right):
            cv2.fillPoly(graphics, [np.array(field)], 255, cv2.LINE_AA)
        _paste(letters, text((int(width * 0.6), int(height * 0.46))), (int(width * 0.53), height // 2))
    elif layout == 3:  # mark above the name
        mark(graphics, (width // 2, int(height * 0.28)), int(height * 0.2))
        _paste(letters, text((int(width * 0.84), int(height * 0.34))), (width // 2, int(height * 0.73)))
    else:  # the name twice, with a line
        _paste(letters, text((int(width * 0.9), int(height * 0.5))), (width // 2, int(height * 0.42)))
        low, high = (int(width * 0.05), int(height * 0.8)), (int(width * 0.95), int(height * 0.88))
        cv2.rectangle(graphics, low, high, 255, -1)
    small = [cv2.resize(p, PANEL, interpolation=cv2.INTER_AREA) for p in (letters, graphics)]
    return small[0], small[1]


def _digit(value: int) -> Plane:
    cell = np.zeros((DIGIT, DIGIT), np.uint8)
    glyph = _text(str(value), cv2.FONT_HERSHEY_DUPLEX, 22, (DIGIT - 50, DIGIT - 16), 0.0)
    if glyph.shape[0] < DIGIT - 16:
        glyph = cv2.resize(glyph, (DIGIT - 50, DIGIT - 16), interpolation=cv2.INTER_LINEAR)
    if value == 1:
        glyph = cv2.resize(glyph, (DIGIT // 4, DIGIT - 16), interpolation=cv2.INTER_AREA)
    _paste(cell, glyph, (DIGIT // 2, DIGIT // 2))
    return cell


@lru_cache(maxsize=1)
def print_atlas() -> NDArray[np.uint8]:
    """uint8 ``[1152, 2048, 2]``, rows from the bottom up as OpenGL reads: panels, brand 0 lowest left, then digits."""
    atlas = np.zeros((HEIGHT, WIDTH, 2), np.uint8)
    for index in range(len(BRANDS)):
        x, y = index % COLS * PANEL[0], index // COLS * PANEL[1]
        letters, graphics = _panel(index)
        atlas[y : y + PANEL[1], x : x + PANEL[0], 0] = letters[::-1]
        atlas[y : y + PANEL[1], x : x + PANEL[0], 1] = graphics[::-1]
    for value in range(10):
        atlas[-DIGIT:, value * DIGIT : (value + 1) * DIGIT, 0] = _digit(value)[::-1]
    atlas.setflags(write=False)
    return atlas
