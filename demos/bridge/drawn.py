"""A frame of the racing engine as the bridge takes it."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine_sim.views.frame import FrameState, projection_matrix, view_matrix
from render_bridge.protocol.engine_flow import Drawn

OFFERED_PLANES = ("depth", "object")
"""Without ``motion``: it leads to the last frame *sent*, which in play is known only after the frame was drawn."""


def drawn_frame(
    frame: FrameState,
    class_map: NDArray[np.uint8],
    planes: Mapping[str, NDArray[np.generic]],
    pressed: int,
    last: bool = False,
) -> Drawn:
    """The frame with its pose, projection and stamps; it counts as drawn now.

    Args:
        class_map: uint8 ``[H, W]`` of the frame.
        planes: guide planes by name.
        pressed: nanoseconds of the monotonic clock: when the newest input was read that the frame shows.
        last: no frame follows.
    """
    height, width = class_map.shape
    view = tuple(float(v) for v in view_matrix(frame.camera).ravel())
    projection = tuple(float(v) for v in projection_matrix(frame.camera, width, height).ravel())
    stamps = {"input": pressed, "drawn": time.monotonic_ns()}
    return Drawn(frame.tick, class_map, stamps, planes, view, projection, last)
