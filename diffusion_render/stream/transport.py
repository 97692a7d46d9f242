"""Tensors on their way from a device to the host, without waiting for them.

Copies line up in the device's queue behind the work that makes what they copy, while Python goes on. There is one wait,
at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

Wait = Callable[[], object]


class Transport(Protocol):
    """How tensors travel between the host and a device that works behind it."""

    def host_memory(self, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """Memory of the host that the device reaches by itself. It may be dropped at any time: it is not given out
        again before the device is through with it."""

    def begin(self, place: Tensor, values: Tensor) -> None:
        """Put a copy into the device's queue; one of the two lies in ``host_memory``."""

    def mark(self) -> Wait:
        """Put a moment into the device's queue; the call of what comes back waits for it, and for nothing after it."""


class CudaTransport:
    """Pinned memory and CUDA events, in the device's current stream.

    torch keeps pinned memory that was given back, and knows which copies still read it: a stream whose shapes stay
    takes none from the system after its first windows.

    Args:
        device: whose queue.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def host_memory(self, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """See ``Transport``."""
        return torch.empty(tuple(shape), dtype=dtype, pin_memory=True)

    def begin(self, place: Tensor, values: Tensor) -> None:
        """See ``Transport``."""
        place.copy_(values, non_blocking=True)

    def mark(self) -> Wait:
        """See ``Transport``."""
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(self._device))
        return event.synchronize


def transport_for(device: torch.device) -> Transport | None:
    """The way to a device; None for the processor, where everything is at home already."""
    return CudaTransport(device) if device.type == "cuda" else None


class Fetch:
    """Tensors that are being fetched to the host.

    Args:
        transport: the way; None if they are there already.
        tensors: contiguous; they may be dropped as soon as this returns.
    """

    def __init__(self, transport: Transport | None, tensors: Sequence[Tensor]) -> None:
        self._tensors = list(tensors)
        self._wait: Wait | None = None
        if transport is not None:
            self._tensors = [transport.host_memory(t.shape, t.dtype) for t in tensors]
            for place, values in zip(self._tensors, tensors, strict=True):
                transport.begin(place, values)
            self._wait = transport.mark()

    def wait(self) -> list[Tensor]:
        """The tensors on the host, once they are all there."""
        if self._wait is not None:
            self._wait()
            self._wait = None
        return self._tensors
