"""Contact sheets: captioned pictures in a grid, as one PNG or JPEG."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from math import ceil, sqrt
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError

SUFFIXES = (".png", ".jpg", ".jpeg")
JPEG_QUALITY = 88
CAPTION = 22
GAP = 4
PAPER, INK = (18, 20, 24), (226, 228, 232)


def make_sheet(cells: Sequence[tuple[str, NDArray[np.uint8]]], columns: int | None = None) -> NDArray[np.uint8]:
    """Captions over pictures.

    Args:
        cells: (caption, RGB ``[H, W, 3]``), all of one size, at least one.
        columns: pictures in a row; None for a sheet that is about square.

    Returns:
        RGB ``[rows * (H + CAPTION + GAP) + GAP, columns * (W + GAP) + GAP, 3]``.
    """
    height, width = cells[0][1].shape[:2]
    across = columns or max(1, ceil(sqrt(len(cells) * height / width)))
    across = min(across, len(cells))
    down = ceil(len(cells) / across)
    sheet = np.empty((down * (height + CAPTION + GAP) + GAP, across * (width + GAP) + GAP, 3), np.uint8)
    sheet[:] = PAPER
    for number, (caption, picture) in enumerate(cells):
        row, column = divmod(number, across)
        top, left = GAP + row * (height + CAPTION + GAP), GAP + column * (width + GAP)
        sheet[top + CAPTION : top + CAPTION + height, left : left + width] = picture
        at = (left + 4, top + CAPTION - 7)
        cv2.putText(sheet, caption, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, INK, 1, cv2.LINE_AA)
    return sheet


def check_sheet(path: Path) -> None:
    """Refuse a place where no sheet can be written, before the work on it. Raises UserError."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file for the sheet, such as {path / 'sheet.png'}")
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(
            f"a sheet is a PNG or JPEG picture, got the name {str(path)!r}; call it {path.stem}.png or .jpg"
        )
    if not path.parent.is_dir():
        raise UserError(f"cannot write {path}: there is no folder {path.parent}; make it, or name another place")
    if not os.access(path.parent, os.W_OK):
        raise UserError(f"cannot write {path}: {path.parent} is read-only; name a place that can be written")


def write_picture(path: Path, rgb: NDArray[np.uint8]) -> None:
    """Write an RGB picture, the whole file or none. UserError if the place cannot be written."""
    check_sheet(path)
    suffix = path.suffix.lower()
    quality = [] if suffix == ".png" else [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
    done, data = cv2.imencode(suffix, cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), quality)
    if not done:
        raise RuntimeError(f"OpenCV could not encode a {suffix} of shape {rgb.shape}")
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(data.tobytes())
        partial.replace(path)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}; name a place that can be written") from None
    finally:
        with contextlib.suppress(OSError):  # where nothing can be written, nothing can be left either
            partial.unlink(missing_ok=True)


def write_sheet(path: Path, cells: Sequence[tuple[str, NDArray[np.uint8]]], columns: int | None = None) -> None:
    """``make_sheet`` into a file. UserError if the place cannot be written; ``check_sheet`` says so early."""
    write_picture(path, make_sheet(cells, columns))
