"""Guide planes in the stream: depth and camera of each frame, and the texture anchor that they give."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.anchored_noise.fast_cpu import anchored_noise_cpu
from kernels.anchored_noise.plain import Cameras, noise_volume

from ..model.autoencoder import Autoencoder
from ..model.transfer import send

CAMERA_VALUES = 12
"""Position, forward, up (three each), vertical field of view in rad, near and far in metres."""


class Guides(NamedTuple):
    """Guide planes of F frames: ``depth`` ``[F, H, W]`` metres along the viewing axis, ``camera`` ``[F, 12]``."""

    depth: Tensor
    camera: Tensor

    def check(self, shape: torch.Size) -> None:
        """ValueError unless both fit class maps of this shape ``[F, H, W]``."""
        expected = (shape[0], CAMERA_VALUES)
        if self.depth.shape != shape or tuple(self.camera.shape) != expected:
            raise ValueError(
                f"guides of class maps {tuple(shape)} need depth of that shape and cameras {expected}, "
                f"got {tuple(self.depth.shape)} and {tuple(self.camera.shape)}"
            )

    def frame(self, k: int) -> Guides:
        """Guides of the ``k``-th frame alone."""
        return Guides(self.depth[k : k + 1], self.camera[k : k + 1])


def cameras_of(rows: Tensor) -> Cameras:
    """Rows ``[M, 12]`` → cameras, float32 (half a millimetre at 5 km)."""
    rows = rows.float()
    return Cameras(rows[:, :3], rows[:, 3:6], rows[:, 6:9], rows[:, 9])


class GuideNoise:
    """Anchored noise of a unit, on the device of the decoder.

    Args:
        autoencoder: whose decoder reads the noise, or reads none. Cards draw it with its ``anchor``: a hundred small
            steps a pixel, which are worth compiling.
        device: where it is wanted.
    """

    def __init__(self, autoencoder: Autoencoder, device: torch.device) -> None:
        self._autoencoder, self._device = autoencoder, device
        self._wanted = autoencoder.config.noise_octaves > 0
        plain = self._wanted and device.type != "cpu"
        self._volume = torch.from_numpy(noise_volume()).to(device) if plain else None

    def __call__(self, frames: Guides | None, dtype: torch.dtype) -> Tensor | None:
        """``[1, 1, 4, 16 · octaves, H/4, W/4]``, or None without guides and for a decoder that reads no noise."""
        return self.begin(frames)(dtype)

    def begin(self, frames: Guides | None) -> Callable[[torch.dtype], Tensor | None]:
        """Start on a unit's noise; what comes back waits for it, and gives what a call would.

        The CPU's path has one thread: it works beside those of the generator, not after them.

        Args:
            frames: guides of the unit's frames, or None if one of them has none. Depth may be half precision.
        """
        if not self._wanted or frames is None:
            return lambda dtype: None
        depth = send(frames.depth, self._device)
        cameras = cameras_of(send(frames.camera.float(), self._device))
        if self._volume is not None:
            noise = self._autoencoder.anchor(depth, cameras, self._volume)
            return lambda dtype: noise.to(dtype)[None, None]
        made = _worker().submit(anchored_noise_cpu, depth, cameras)
        return lambda dtype: made.result().to(dtype)[None, None]


@lru_cache(maxsize=1)
def _worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "guide-noise")
