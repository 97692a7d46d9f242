"""The class table: the one vocabulary that engine and renderer share.

A class map is uint8 ``[H, W]``, row 0 at the top, one class id per pixel. Ids
travel; colours are only for people and for engines that can draw nothing else.
Ids are never blended, smoothed or interpolated.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SceneClass:
    """One row of the class table.

    Args:
        id: 0–254, the value of a pixel.
        name: lower case, words joined by ``_``.
        color: RGB, 0–255 each; for display and for colour-coded frames.
    """

    id: int
    name: str
    color: tuple[int, int, int]


@dataclass(frozen=True)
class ClassTable:
    """An ordered, injective table of classes with ids 0 … n-1.

    Raises:
        ValueError: if ids are not 0 … n-1 in order, or a name or colour occurs twice.
    """

    name: str
    classes: tuple[SceneClass, ...]

    def __post_init__(self) -> None:
        ids = [c.id for c in self.classes]
        if ids != list(range(len(ids))) or not 1 <= len(ids) <= 255:
            raise ValueError(f"class ids must be 0 … n-1 in order, n from 1 to 255; got {ids}")
        columns: tuple[tuple[str, list[object]], ...] = (
            ("name", [c.name for c in self.classes]),
            ("color", [c.color for c in self.classes]),
        )
        for what, values in columns:
            doubles = sorted({str(v) for v in values if values.count(v) > 1})
            if doubles:
                raise ValueError(f"class table {self.name!r}: {what} used twice: {', '.join(doubles)}")
        for c in self.classes:
            if len(c.color) != 3 or not all(0 <= v <= 255 for v in c.color):
                raise ValueError(f"class {c.name!r}: colour must be three values 0–255, got {c.color}")

    def __len__(self) -> int:
        return len(self.classes)

    def id_of(self, name: str) -> int:
        """Return the id of a class name; KeyError names the known ones."""
        for c in self.classes:
            if c.name == name:
                return c.id
        raise KeyError(f"unknown class {name!r}; the table {self.name!r} has {[c.name for c in self.classes]}")

    @cached_property
    def hash(self) -> str:
        """First 16 hex digits of the SHA-256 of the canonical table; both ends compare it."""
        rows = [[c.id, c.name, list(c.color)] for c in self.classes]
        text = json.dumps([self.name, rows], separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]

    @cached_property
    def colors(self) -> NDArray[np.uint8]:
        """uint8 ``[256, 3]`` RGB lookup; ids outside the table are magenta."""
        lut = np.full((256, 3), (255, 0, 255), np.uint8)
        lut[: len(self.classes)] = [c.color for c in self.classes]
        lut.setflags(write=False)
        return lut

    def colorize(self, class_map: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Class map uint8 ``[H, W]`` → RGB uint8 ``[H, W, 3]``, for display only."""
        return np.take(self.colors, class_map, axis=0)

    def check(self, class_map: NDArray[np.uint8]) -> None:
        """Raise ValueError, with the place of the first bad pixel, unless this is a legal class map."""
        if class_map.dtype != np.uint8 or class_map.ndim != 2 or class_map.size == 0:
            raise ValueError(f"a class map is uint8 [H, W]; got {class_map.dtype} with shape {class_map.shape}")
        if int(class_map.max()) >= len(self):
            row, col = (int(v) for v in np.argwhere(class_map >= len(self))[0])
            raise ValueError(
                f"unknown class id {int(class_map[row, col])} at row {row}, column {col}; "
                f"table {self.name!r} has ids 0–{len(self) - 1}"
            )


RACING = ClassTable(
    "racing-1",
    (
        SceneClass(0, "road", (90, 90, 96)),
        SceneClass(1, "road_edge", (232, 232, 238)),
        SceneClass(2, "terrain", (150, 118, 78)),
        SceneClass(3, "grass", (88, 166, 70)),
        SceneClass(4, "vegetation", (30, 104, 42)),
        SceneClass(5, "rock", (126, 112, 104)),
        SceneClass(6, "barrier", (236, 190, 40)),
        SceneClass(7, "building", (188, 146, 190)),
        SceneClass(8, "grandstand", (216, 110, 60)),
        SceneClass(9, "billboard", (60, 200, 196)),
        SceneClass(10, "sky", (122, 178, 242)),
        SceneClass(11, "player_car", (246, 36, 140)),
        SceneClass(12, "rival_car", (40, 58, 232)),
    ),
)
"""The 13 classes of the racing world, fixed for training and play."""

(ROAD, ROAD_EDGE, TERRAIN, GRASS, VEGETATION, ROCK, BARRIER, BUILDING, GRANDSTAND, BILLBOARD, SKY,
 PLAYER_CAR, RIVAL_CAR) = range(13)  # fmt: skip
