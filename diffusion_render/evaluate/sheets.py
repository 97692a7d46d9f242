"""Contact sheets of what a stage makes: where people would rather look than read."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from torch import Tensor

from render_bridge.palette import RACING

from ..stream.window import to_bytes


def picture_bytes(picture: Tensor) -> np.ndarray:
    """``[3, H, W]`` in [−1, 1] → uint8 ``[H, W, 3]`` RGB."""
    return to_bytes(picture).permute(1, 2, 0).cpu().numpy()


def write_sheet(path: Path, rows: list[list[np.ndarray]]) -> None:
    """Write uint8 RGB pictures of one size as a grid; the format follows the file's ending."""
    grid = np.concatenate([np.concatenate(row, 1) for row in rows], 0)
    if not cv2.imwrite(str(path), grid[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92]):
        raise OSError(f"could not write {path}")


def reconstruction_row(class_map: Tensor, target: Tensor, output: Tensor) -> list[np.ndarray]:
    """Class map, teacher, output, and the middle of both at twice the size."""
    wanted, made = picture_bytes(target), picture_bytes(output)
    h, w, _ = wanted.shape
    middle = (slice(h // 2 - h // 8, h // 2 + h // 4 + h // 8), slice(w // 4, w // 4 + w // 2))
    zoom = [
        cv2.resize(np.ascontiguousarray(p[middle]), (w, h), interpolation=cv2.INTER_NEAREST) for p in (wanted, made)
    ]
    return [RACING.colorize(class_map.cpu().numpy()), wanted, made, *zoom]
