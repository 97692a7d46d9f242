"""Shadows of hills: how far down the sun reaches over every point of the height field, worked out once a look.

A shadow map holds no ground: ground in coarse levels would shade itself. Instead one small picture holds the height
below which a point is shaded by land between NEAR and FAR along the way to the sun. Nearer land is left to normals
and to the shadow maps, and farther mountains are let off, or whole valleys would lie grey at every golden hour. Trees,
cars and buildings read it at their own height, so a crown may stand in the sun over a shaded trunk.
"""

from __future__ import annotations

import cv2
import moderngl
import numpy as np
from numpy.typing import NDArray

from ..tracks.track import Ground
from .teacher_blocks import SAMPLER_UNITS

Floats = NDArray[np.float64]

NEAR, FAR = 60.0, 320.0  # metres
_NOWHERE = -1e4  # height of land beyond the field: it shades nothing


def sun_reach(z: Floats, cell: float, sun: Floats) -> NDArray[np.float32]:
    """Height down to which the sun shines over every point of a height field, float32 ``[rows, cols]``.

    Args:
        z: heights ``[rows, cols]``, x along columns, y along rows.
        cell: metres from one to the next.
        sun: unit vector to it, above the horizon.
    """
    flat = float(np.hypot(sun[0], sun[1]))
    slope = sun[2] / max(flat, 1e-6)
    east, north = sun[0] / max(flat, 1e-6) / cell, sun[1] / max(flat, 1e-6) / cell

    def from_afar(heights: NDArray, away: float) -> NDArray:
        """Heights ``away`` metres towards the sun, seen from here along its rays."""
        shift = np.array([[1.0, 0.0, east * away], [0.0, 1.0, north * away]])
        there = cv2.warpAffine(
            heights, shift, heights.shape[::-1], flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT, borderValue=_NOWHERE,
        )  # fmt: skip
        return there - np.float32(away * slope)

    reach = from_afar(z.astype(np.float32), NEAR)
    covered = 0.0
    while covered < FAR - NEAR:
        step = min(max(covered, cell), FAR - NEAR - covered)  # twice as far with every turn
        reach = np.maximum(reach, from_afar(reach, step))
        covered += step
    return reach


class HillShade:
    """The picture of ``sun_reach`` on the card.

    Args:
        ctx: context that owns it, current in every call.
        ground: height field; None for a scene without one, which has no hills.
    """

    def __init__(self, ctx: moderngl.Context, ground: Ground | None) -> None:
        self._ground = ground
        shape = (1, 1) if ground is None else ground.z.shape
        self._texture = ctx.texture(shape[::-1], 1, dtype="f4", data=np.full(shape, _NOWHERE, np.float32).tobytes())
        self._texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._texture.repeat_x = self._texture.repeat_y = False
        self.place = np.zeros(4)
        """For shaders: corner of the picture in the world, and 1 / its size, metres."""
        if ground is not None:
            corner = ground.x0 - 0.5 * ground.cell, ground.y0 - 0.5 * ground.cell
            self.place[:] = *corner, 1.0 / (ground.cell * shape[1]), 1.0 / (ground.cell * shape[0])

    def set_sun(self, direction: Floats | None) -> None:
        """Take a new sun (unit vector to it); None: nothing asks for shadows."""
        if direction is None or self._ground is None:
            return
        self._texture.write(sun_reach(self._ground.z, self._ground.cell, direction).tobytes())

    def use(self) -> None:
        """Bind the picture to its unit."""
        self._texture.use(SAMPLER_UNITS["hills"])
