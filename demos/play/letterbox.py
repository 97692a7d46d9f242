"""Fitting a picture to a window: plain arithmetic and arrays. Only the copy on the screen is ever scaled."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]  # [H, W, 3] RGB, row 0 at the top


class Rect(NamedTuple):
    """A place in a window, in pixels."""

    left: int
    top: int
    width: int
    height: int


def letterbox(picture: tuple[int, int], window: tuple[int, int]) -> Rect | None:
    """Largest centred place with the picture's aspect; None if either has no area (a minimised window).

    Args:
        picture: (width, height).
        window: (width, height).
    """
    if min(*picture, *window) <= 0:
        return None
    width, height = picture
    scale = min(window[0] / width, window[1] / height)
    fitted = max(1, round(width * scale)), max(1, round(height * scale))
    fitted = min(fitted[0], window[0]), min(fitted[1], window[1])
    return Rect((window[0] - fitted[0]) // 2, (window[1] - fitted[1]) // 2, *fitted)


def share_at(x: int, picture: tuple[int, int], window: tuple[int, int]) -> float:
    """How far across the picture a column of the window lies: 0 left … 1 right, less or more beside the picture."""
    place = letterbox(picture, window)
    return 0.0 if place is None else (x - place.left) / place.width


def first_window(picture: tuple[int, int], usable: tuple[int, int], share: float = 0.9) -> tuple[int, int]:
    """Size of a new window: as large as ``share`` of the usable screen allows, in the picture's aspect.

    A whole multiple of the picture is taken where it gives away less than a quarter of that. Never larger than the
    usable area.
    """
    room = max(1, int(usable[0] * share)), max(1, int(usable[1] * share))
    times = min(room[0] // picture[0], room[1] // picture[1])
    fitted = letterbox(picture, room)
    if fitted is None or times * picture[0] > 0.75 * fitted.width:
        return picture[0] * max(1, times), picture[1] * max(1, times)
    return fitted.width, fitted.height


def scaled(picture: Picture, width: int, height: int, smooth: bool) -> Picture:
    """A copy of the picture at another size; ``smooth`` for pictures, nearest for class maps."""
    if (picture.shape[1], picture.shape[0]) == (width, height):
        return picture
    if not smooth:
        way = cv2.INTER_NEAREST_EXACT
    else:
        way = cv2.INTER_AREA if width < picture.shape[1] else cv2.INTER_LINEAR
    return np.ascontiguousarray(cv2.resize(picture, (width, height), interpolation=way), np.uint8)


def side_by_side(pictures: list[Picture]) -> Picture:
    """Pictures of equal height, left to right."""
    return pictures[0] if len(pictures) == 1 else np.ascontiguousarray(np.hstack(pictures))
