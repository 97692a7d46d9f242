"""Videos beside the report: class map, teacher and streams, side by side, as they go by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from diffusion_render.evaluate.footage import DECODER, ScoredDrive
from diffusion_render.evaluate.scorer import Second
from engine_sim.recording.video import VideoWriter, side_by_side
from render_bridge.palette import RACING


class DriveVideo:
    """Writes one drive; ``see`` takes its seconds. The decoder alone is left out: it is no stream.

    Args:
        path: mp4 file.
        drive: what is streamed.
    """

    def __init__(self, path: Path, drive: ScoredDrive) -> None:
        footage = drive.footage
        self._streams = [name for name in drive.references if name != DECODER]
        self._shape = (footage.height, footage.width, 3)
        panels = 2 + len(self._streams)
        width = side_by_side_width(footage.width, panels)
        self._writer = VideoWriter(path, width, footage.height, footage.fps)

    def see(self, second: Second, pictures: Mapping[str, Tensor]) -> None:
        """Append the frames of a second; a stream that broke off is black from there on."""
        maps = second.class_maps.cpu().numpy()
        panels = {name: _frames(pictures[name]) for name in self._streams if name in pictures}
        teacher = _frames(second.teacher)
        black = np.zeros(self._shape, np.uint8)
        for k in range(len(maps)):
            joined = side_by_side(RACING.colorize(maps[k]), teacher[k])
            for name in self._streams:
                joined = side_by_side(joined, panels[name][k] if name in panels else black)
            self._writer.write(joined)

    def close(self) -> None:
        """End the file. Safe to call twice."""
        self._writer.close()


def side_by_side_width(width: int, panels: int, gap: int = 4) -> int:
    """Width of so many pictures of one width with ``side_by_side``'s gaps between them."""
    return panels * width + (panels - 1) * gap


def _frames(pictures: Tensor) -> NDArray[np.uint8]:
    """uint8 ``[F, 3, H, W]`` → ``[F, H, W, 3]``."""
    return np.ascontiguousarray(pictures.permute(0, 2, 3, 1).cpu().numpy())
