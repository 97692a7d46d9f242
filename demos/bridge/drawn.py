"""A frame of the racing engine as the bridge takes it."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine_sim.views.frame import Camera, FrameState, projection_matrix, view_matrix
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
    view, projection = matrices(frame.camera, width, height)
    stamps = {"input": pressed, "drawn": time.monotonic_ns()}
    return Drawn(frame.tick, class_map, stamps, planes, view, projection, last)


def matrices(camera: Camera, width: int, height: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """View and projection of a camera, 16 numbers each, as they travel (PROTOCOL.md section 12)."""
    view, projection = view_matrix(camera).ravel(), projection_matrix(camera, width, height).ravel()
    return tuple(view.tolist()), tuple(projection.tolist())
