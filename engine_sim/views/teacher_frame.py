"""The frame's own numbers for the teacher's shaders: ``FRAME`` written in place, without a table of arrays a frame."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.ticks import TICK_SECONDS
from .frame import Camera, CarPose, FrameState, picture_right
from .teacher_blocks import CARS_LIT, FRAME

LIT_WITHIN = 140.0  # metres from the camera; cars beyond it neither cast shadows nor light
_VECTOR, _COUNT = struct.Struct("<4f"), struct.Struct("<i")


class FrameNumbers:
    """Bytes of ``FRAME``, those of the frame written last.

    Args:
        size: width and height of the picture in pixels.
        haze_foot: height of the foot of the haze in the world, metres.
        earth: share of the road that is earth.
        cars_lit: how many cars shade and light at most.
    """

    def __init__(self, size: tuple[int, int], haze_foot: float, earth: float, cars_lit: int) -> None:
        self._size, self._foot, self._earth, self._cars_lit = size, haze_foot, earth, cars_lit
        self.bytes = bytearray(FRAME.size)
        self._at = FRAME.offsets
        table = np.frombuffer(self.bytes, np.float32).reshape(-1, 4)
        self._matrices = {name: table[self._at[name] // 16 :][:4].T for name in ("shadow_near", "shadow_far")}
        self._cars = table[self._at["car_place"] // 16 :][: 2 * CARS_LIT]  # their turns follow at once
        _VECTOR.pack_into(self.bytes, self._at["frame_size"], *size, 0.0, 0.0)

    def write(self, frame: FrameState, shadows: Sequence[NDArray[np.float64]], hill_place: NDArray[np.float64]) -> None:
        """Take a frame.

        Args:
            shadows: near and far map, texture from world, ``[4, 4]`` each.
            hill_place: of ``HillShade``.
        """
        camera, (width, height) = frame.camera, self._size
        up = math.tan(camera.fov_y / 2.0)
        across = up * width / height
        (rx, ry, rz), (ux, uy, uz), (x, y, z) = picture_right(camera), camera.up, camera.position
        self._put("view_right", rx * across, ry * across, rz * across, 0.0)
        self._put("view_up", ux * up, uy * up, uz * up, 0.0)
        self._put("view_forward", *camera.forward, 0.0)
        self._put("eye_at", x, y, z, z - self._foot)
        self._put("frame_time", frame.tick * TICK_SECONDS, self._earth, 0.0, 0.0)
        self._put("hill_place", *hill_place.tolist())
        self._matrices["shadow_near"][:], self._matrices["shadow_far"][:] = shadows
        self._write_cars(camera, frame.cars)

    def _put(self, name: str, x: float, y: float, z: float, w: float) -> None:
        _VECTOR.pack_into(self.bytes, self._at[name], x, y, z, w)

    def _write_cars(self, camera: Camera, cars: tuple[CarPose, ...]) -> None:
        """Places and turns of the cars near the camera, nearest first; the other rows are empty."""
        x, y, _ = camera.position
        away = [(math.hypot(car.x - x, car.y - y), number) for number, car in enumerate(cars)]
        near = sorted([pair for pair in away if pair[0] < LIT_WITHIN])[: self._cars_lit]
        places: list[float] = []
        turns: list[float] = []
        for _, number in near:
            car = cars[number]
            places += car.x, car.y, car.z, number + 1
            turns += math.cos(car.yaw), math.sin(car.yaw), car.brake_light, 0.0
        _COUNT.pack_into(self.bytes, self._at["car_count"], len(near))
        self._cars[:] = 0.0
        struct.pack_into(f"<{len(places)}f", self.bytes, self._at["car_place"], *places)
        struct.pack_into(f"<{len(turns)}f", self.bytes, self._at["car_turn"], *turns)
