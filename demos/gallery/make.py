"""Drives into a gallery: a loop and a still each, one sheet of all stills, and the page that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from demos.play.game import PlayOptions
from demos.play.headless import Say
from demos.play.stage import shown_views
from demos.sheet import make_sheet

from .files import jpeg_bytes, loop_bytes, write_whole


@dataclass(frozen=True)
class GalleryPlan:
    """How large a gallery may be.

    Args:
        out: folder; files of the same names are replaced.
        seconds: of a loop.
        loop_bytes, still_bytes, sheet_bytes: most bytes of a file of each kind.
    """

    out: Path
    seconds: float = 4.0
    loop_bytes: int = 900_000
    still_bytes: int = 120_000
    sheet_bytes: int = 600_000


class Exhibit(NamedTuple):
    """One drive on show: its files' name, what is told of it, its middle picture RGB ``[H, W, 3]``."""

    name: str
    caption: str
    painter: str
    still: NDArray[np.uint8]


class Frames:
    """Keeps the pictures of a film."""

    def __init__(self) -> None:
        self.pictures: list[NDArray[np.uint8]] = []

    def write(self, rgb: NDArray[np.uint8]) -> None:
        """Append one."""
        self.pictures.append(rgb)


def make_exhibit(name: str, options: PlayOptions, begin: float, plan: GalleryPlan, say: Say) -> Exhibit:
    """Film one drive and write its loop and its still. UserError as of the film; or if a file cannot be written."""
    from demos.play.headless import film_race
    from demos.play.headless_paint import film_painted

    frames = Frames()
    painter, paint = "", options.paint
    if paint is not None and "paint" in shown_views(options.view or "paint"):
        options = replace(options, view=options.view or "split")
        painter = film_painted(options, paint, plan.seconds, frames, say, begin)["renderer"]
    else:
        film_race(options, plan.seconds, frames, say, begin)
    write_whole(plan.out / f"{name}.mp4", loop_bytes(frames.pictures, options.fps, plan.loop_bytes))
    still = frames.pictures[len(frames.pictures) // 2]
    write_whole(plan.out / f"{name}.jpg", jpeg_bytes(still, plan.still_bytes))
    return Exhibit(name, f"{options.setup.track}, {options.looks[0].name}", painter, still)


def finish_gallery(exhibits: Sequence[Exhibit], plan: GalleryPlan) -> list[Path]:
    """Write the sheet and the page; the files of the whole gallery."""
    height, width = exhibits[0].still.shape[:2]
    cells = [(exhibit.caption, fitted_still(exhibit.still, width, height)) for exhibit in exhibits]
    write_whole(plan.out / "sheet.jpg", jpeg_bytes(make_sheet(cells), plan.sheet_bytes))
    write_whole(plan.out / "README.md", page(exhibits).encode())
    names = ["README.md", "sheet.jpg", *(f"{e.name}.{kind}" for e in exhibits for kind in ("mp4", "jpg"))]
    return [plan.out / name for name in names]


def fitted_still(still: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """A picture inside another size, its aspect kept, on black."""
    h, w = still.shape[:2]
    scale = min(width / w, height / h)
    size = max(1, round(w * scale)), max(1, round(h * scale))
    shown = still if scale == 1 else cv2.resize(still, size, interpolation=cv2.INTER_AREA)
    canvas = np.zeros((height, width, 3), np.uint8)
    top, left = (height - size[1]) // 2, (width - size[0]) // 2
    canvas[top : top + size[1], left : left + size[0]] = shown
    return canvas


def page(exhibits: Sequence[Exhibit]) -> str:
    """The page: every still leads to its loop."""
    lines = [
        "# Gallery",
        "",
        "Recorded drives; a click on a picture plays it. Made by `paintover gallery`.",
        "",
    ]
    for exhibit in exhibits:
        lines += [f"## {exhibit.caption}", "", f"[![{exhibit.caption}]({exhibit.name}.jpg)]({exhibit.name}.mp4)", ""]
        if exhibit.painter:
            lines += [f"Painted by {exhibit.painter}.", ""]
    return "\n".join(lines)
