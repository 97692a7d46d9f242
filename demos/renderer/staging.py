"""Planes of a run on their way from the bridge's memory to the device, which fetches them while others are laid."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from demos.report import usable_cores
from diffusion_render.stream.transport import Transport

Plane = NDArray[Any]
MOST_WORKERS = 8
"""One core copies 6 GB/s or so from memory that it has not seen lately; a card takes eight times as much."""


class Laying:
    """Planes that are being laid side by side.

    ``tensor`` ``[F, H, W]`` on the device: it may be handed on at once, and be read by work that is put into the
    device's queue after ``arrive``.

    Args:
        planes: of a run, ``[H, W]`` each; not to be written to before ``arrive``.
        kind: number type on the device; a plane of another one is converted.
        device: where they are wanted.
        transport: the way there; None for the processor, where all is done at once.
    """

    def __init__(
        self, planes: Sequence[Plane], kind: torch.dtype, device: torch.device, transport: Transport | None
    ) -> None:
        shape = len(planes), *planes[0].shape
        self._transport, self._coming = transport, list[tuple[slice, Future[None]]]()
        if transport is None:
            self.tensor = torch.empty(shape, dtype=kind)
            _lay(self.tensor.numpy(), planes)
            return
        self._place = transport.host_memory(shape, kind)
        self.tensor = torch.empty(shape, dtype=kind, device=device)
        rows = self._place.numpy()
        self._coming = [(part, _workers().submit(_lay, rows[part], planes[part])) for part in _parts(len(planes))]

    def arrive(self) -> Tensor:
        """Wait until the planes are laid and put their way to the device into its queue; once is enough."""
        coming, self._coming = self._coming, []
        for part, laid in coming:  # each sets out as soon as it lies there, while the next ones are still being laid
            laid.result()
            assert self._transport is not None
            self._transport.begin(self.tensor[part], self._place[part])
        return self.tensor


def depth_kind(planes: Sequence[Plane]) -> torch.dtype:
    """The number type in which depth travels: half precision if it came so, as the bridge's does. float32 of it is the
    same number, and the device makes that by itself."""
    return torch.float16 if all(plane.dtype == np.float16 for plane in planes) else torch.float32


def _lay(rows: Plane, planes: Sequence[Plane]) -> None:
    for row, plane in zip(rows, planes, strict=True):
        row[:] = plane


def _parts(count: int) -> list[slice]:
    """So many frames in a part for each worker, as equal as can be, in order."""
    parts = min(count, _worker_count())
    ends = [count * (k + 1) // parts for k in range(parts)]
    return [slice(begin, end) for begin, end in zip([0, *ends], ends)]


def _worker_count() -> int:
    return max(1, min(MOST_WORKERS, usable_cores() - 1))


@lru_cache(maxsize=1)
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_worker_count(), "laying")
