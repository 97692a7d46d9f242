"""A circuit seen from above, for lists, minimaps and documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import RACING

from .questions import verge_class
from .track import Track

Picture = NDArray[np.uint8]


class MapFrame(NamedTuple):
    """World → picture: column = (x − left) · scale, row = (top − y) · scale."""

    left: float
    top: float
    scale: float

    def pixels(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 ``[..., 2]``: column and row of world points."""
        return np.stack([(np.asarray(x) - self.left) * self.scale, (self.top - np.asarray(y)) * self.scale], axis=-1)


@dataclass(frozen=True)
class MapStyle:
    """Colours (RGB) of a plan.

    Args:
        land: draw ground and verges; otherwise the road alone on ``background``.
        background, road, start: colours.
        least_width: the road is never thinner than this many pixels.
        margin: pixels around the circuit.
    """

    land: bool = True
    background: tuple[int, int, int] = (20, 22, 26)
    road: tuple[int, int, int] = (226, 228, 232)
    start: tuple[int, int, int] = (230, 40, 50)
    least_width: float = 2.5
    margin: int = 12


def map_frame(track: Track, size: tuple[int, int], margin: int = 12) -> MapFrame:
    """Frame in which the whole circuit fits into ``size`` = (width, height) pixels, centred, north up."""
    a = track.arrays
    reach = float(max(a.barrier_left.max(), a.barrier_right.max()))
    width, height = float(np.ptp(a.x)) + 2 * reach, float(np.ptp(a.y)) + 2 * reach
    scale = min((size[0] - 2 * margin) / width, (size[1] - 2 * margin) / height)
    left = (float(a.x.min()) + float(a.x.max())) / 2.0 - size[0] / 2.0 / scale
    top = (float(a.y.min()) + float(a.y.max())) / 2.0 + size[1] / 2.0 / scale
    return MapFrame(left, top, scale)


def draw_map(track: Track, size: tuple[int, int], style: MapStyle = MapStyle()) -> Picture:
    """Plan of the circuit, uint8 RGB ``[height, width, 3]``, north up; ``size`` = (width, height) pixels."""
    frame = map_frame(track, size, style.margin)
    picture = np.empty((size[1], size[0], 3), np.uint8)
    picture[:] = style.background
    if style.land:
        picture[:] = _land(track, size, frame)
        _verges(picture, track, frame)
    _road(picture, track, frame, style)
    _start_line(picture, track, frame, style)
    return picture


def _land(track: Track, size: tuple[int, int], frame: MapFrame) -> Picture:
    """Cover of the ground in muted class colours, shaded from the north-west."""
    ground = track.ground
    dy, dx = np.gradient(ground.z, ground.cell)
    shade = np.clip(0.62 + 0.45 * (dx - dy), 0.25, 1.1)
    color = np.clip(RACING.colors[ground.cover] * 0.55 * shade[..., None] + 18.0, 0, 255).astype(np.float32)
    cols, rows = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    x, y = frame.left + cols / frame.scale, frame.top - rows / frame.scale
    grid_x, grid_y = ((x - ground.x0) / ground.cell), ((y - ground.y0) / ground.cell)
    out = cv2.remap(color, grid_x.astype(np.float32), grid_y.astype(np.float32), cv2.INTER_LINEAR,
                    borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return np.asarray(out, np.uint8)


def _quads(track: Track, left: NDArray[np.float64], right: NDArray[np.float64], frame: MapFrame) -> NDArray[np.int32]:
    """int32 ``[n, 4, 2]`` in 1/16 pixels: the piece of each step between d = left and d = right."""
    a = track.arrays
    edges = [frame.pixels(a.x - d * a.tangent_y, a.y + d * a.tangent_x) for d in (left, right)]
    outline = np.stack([edges[0], np.roll(edges[0], -1, 0), np.roll(edges[1], -1, 0), edges[1]], axis=1)
    return np.round(outline * 16.0).astype(np.int32)


def _verges(picture: Picture, track: Track, frame: MapFrame) -> None:
    a = track.arrays
    zero = np.zeros(track.samples)
    for outer, inner, surface in ((a.barrier_left, zero, a.surface_left), (zero, -a.barrier_right, a.surface_right)):
        for quad, kind in zip(_quads(track, outer, inner, frame), surface, strict=True):
            color = (RACING.colors[verge_class(int(kind))] * 0.8).tolist()
            cv2.fillConvexPoly(picture, quad, color, cv2.LINE_AA, 4)


def _road(picture: Picture, track: Track, frame: MapFrame, style: MapStyle) -> None:
    """Road from low to high, with a dark rim, so that bridges pass over."""
    a = track.arrays
    least = 0.5 * style.least_width / frame.scale
    left, right = np.maximum(a.width_left, least), np.maximum(a.width_right, least)
    rim = 1.2 / frame.scale
    order = np.argsort(a.z, kind="stable")
    order = order[np.argsort(np.floor((a.z[order] - a.z.min()) / 3.0), kind="stable")]
    bands = np.floor((a.z - a.z.min()) / 3.0)
    dark, bright = _quads(track, left + rim, -right - rim, frame), _quads(track, left, -right, frame)
    for band in np.unique(bands):
        members = [i for i in order if bands[i] == band]
        for quads, color in ((dark, (34, 36, 40)), (bright, style.road)):
            for i in members:
                cv2.fillConvexPoly(picture, quads[i], color, cv2.LINE_AA, 4)


def _start_line(picture: Picture, track: Track, frame: MapFrame, style: MapStyle) -> None:
    a = track.arrays
    half = max(9.0, 6.0 / frame.scale)
    ends = [(a.x[0] - d * a.tangent_y[0], a.y[0] + d * a.tangent_x[0]) for d in (half, -half)]
    nose = (a.x[0] + 1.6 * half * a.tangent_x[0], a.y[0] + 1.6 * half * a.tangent_y[0])
    points = np.array([*ends, nose])
    triangle = np.round(frame.pixels(points[:, 0], points[:, 1]) * 16.0).astype(np.int32)
    cv2.fillConvexPoly(picture, triangle, style.start, cv2.LINE_AA, 4)
